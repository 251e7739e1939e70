package cells

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/berth-dev/berth/bench/report"
	"github.com/berth-dev/berth/cell/codemode"
)

func callFigures() []figure {
	const group = "Nested tool calls"
	return []figure{
		{group: group, name: "sequential calls", rounds: 7, measure: sequentialCalls, lines: []line{
			{name: "one after the other, median", unit: "/s", reduce: median, target: report.RatioAtLeast(3.5)},
			{name: "the same, fastest turn", unit: "/s", reduce: most},
		}},
		{group: group, name: "wide calls", rounds: 7, measure: wideCalls, lines: []line{
			{name: "100 at a time, median", unit: "/s", reduce: median, target: report.RatioAtLeast(4)},
			{name: "the same, fastest turn", unit: "/s", reduce: most},
		}},
		{group: group, name: "calls in one tick", measure: flood, lines: []line{
			{name: "10 000 in one tick, answered", reduce: median, target: report.AtLeast(10_000)},
		}},
	}
}

func sequentialCalls(ctx context.Context, b *bed) ([][]float64, error) {
	h, err := b.host(ctx)
	if err != nil {
		return nil, err
	}
	rate, err := h.sequential(ctx, b.n(1500))
	return [][]float64{{rate}, {rate}}, err
}

// sequential returns how many calls a second one cell makes that waits for each.
func (h *host) sequential(ctx context.Context, n int) (float64, error) {
	return h.rate(ctx, n, fmt.Sprintf(`let n = 0; for (; n < %d; n++) await tools.echo({ n }); text(n);`, n))
}

func wideCalls(ctx context.Context, b *bed) ([][]float64, error) {
	h, err := b.host(ctx)
	if err != nil {
		return nil, err
	}
	rate, err := h.wide(ctx, b.n(25))
	return [][]float64{{rate}, {rate}}, err
}

// wide returns how many calls a second one cell makes that waits for 100 at a time.
func (h *host) wide(ctx context.Context, rounds int) (float64, error) {
	return h.rate(ctx, rounds*100, fmt.Sprintf(`let n = 0;
for (let round = 0; round < %d; round++)
	n += (await Promise.all(Array.from({ length: 100 }, (_, i) => tools.echo({ n: i })))).length;
text(n);`, rounds))
}

// rate runs a program that makes n calls and says n.
func (h *host) rate(ctx context.Context, n int, source string) (float64, error) {
	begun := time.Now()
	err := h.want(ctx, source, strconv.Itoa(n))
	return float64(n) / time.Since(begun).Seconds(), err
}

// flood has a cell make 10 000 calls before it waits for any, and counts those
// that come back. A host may end the connection instead.
func flood(ctx context.Context, b *bed) ([][]float64, error) {
	h, err := startHost(ctx, b.program)
	if err != nil {
		return nil, err
	}
	defer h.stop()
	var answered counter
	session, err := h.client.OpenSession(ctx, &codemode.SessionOpen{SessionID: "flood"}, &answered)
	if err != nil {
		return nil, err
	}
	n := b.n(10_000)
	got, err := h.run(ctx, session, fmt.Sprintf(`const all = await Promise.all(Array.from({ length: %d }, (_, n) => tools.echo({ n })));
text(all.filter((a) => a.ok).length);`, n))
	var lost *codemode.Error
	if errors.As(err, &lost) && lost.Code == codemode.CodeClosed {
		return [][]float64{{float64(answered.calls.Load())}}, errors.New("drops the connection")
	}
	if err != nil {
		return nil, err
	}
	count, err := strconv.ParseFloat(got, 64)
	return [][]float64{{count}}, err
}

// counter counts the calls that it answers.
type counter struct {
	tools
	calls atomic.Int64
}

func (c *counter) InvokeTool(context.Context, *codemode.WireNestedToolCall) (codemode.RawJSON, error) {
	c.calls.Add(1)
	return answer, nil
}
