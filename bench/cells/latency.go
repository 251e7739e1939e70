package cells

import (
	"context"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/berth-dev/berth/bench/report"
)

// trivial is the smallest program that says something.
const trivial = `text("x");`

func milliseconds(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

func latencyFigures() []figure {
	const group = "Cells"
	return []figure{
		{group: group, name: "trivial cell", rounds: 8, measure: trivialCells, lines: []line{
			{name: "trivial cell, execute to result, median", unit: "ms", reduce: median, target: report.RatioAtMost(0.15)},
			{name: "trivial cell, 99th percentile", unit: "ms", reduce: quantile(0.99)},
		}},
		{group: group, name: "60 cells at once", rounds: 9, measure: manyCells, lines: []line{
			{name: "60 trivial cells at once, until the last", unit: "ms", reduce: median, target: report.RatioAtMost(0.2)},
		}},
		{group: group, name: "start", rounds: 15, measure: starts, lines: []line{
			{name: "process start to ready, median", unit: "ms", reduce: median, target: report.AtMost(15)},
			{name: "the same, fastest", unit: "ms", reduce: least},
			{name: "process start to first result, median", unit: "ms", reduce: median},
		}},
	}
}

// trivialCells times one trivial cell after the other.
func trivialCells(ctx context.Context, b *bed) ([][]float64, error) {
	h, err := b.host(ctx)
	if err != nil {
		return nil, err
	}
	took, err := h.trivials(ctx, b.n(60))
	return [][]float64{took, took}, err
}

func (h *host) trivials(ctx context.Context, n int) ([]float64, error) {
	var took []float64
	for range n {
		begun := time.Now()
		if err := h.want(ctx, trivial, "x"); err != nil {
			return nil, err
		}
		took = append(took, milliseconds(time.Since(begun)))
	}
	return took, nil
}

// manyCells times 60 cells that are started at once.
func manyCells(ctx context.Context, b *bed) ([][]float64, error) {
	h, err := b.host(ctx)
	if err != nil {
		return nil, err
	}
	took, err := h.together(ctx, 60)
	return [][]float64{{took}}, err
}

func (h *host) together(ctx context.Context, n int) (float64, error) {
	begun := time.Now()
	var running errgroup.Group
	for range n {
		running.Go(func() error { return h.want(ctx, trivial, "x") })
	}
	err := running.Wait()
	return milliseconds(time.Since(begun)), err
}

// starts times a new process up to the end of the handshake and up to the
// result of its first cell.
func starts(ctx context.Context, b *bed) ([][]float64, error) {
	begun := time.Now()
	h, err := startHost(ctx, b.program)
	if err != nil {
		return nil, err
	}
	defer h.stop()
	ready := []float64{milliseconds(h.ready)}
	err = h.want(ctx, trivial, "x")
	return [][]float64{ready, ready, {milliseconds(time.Since(begun))}}, err
}
