package cells

import (
	"context"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/berth-dev/berth/bench/report"
	"github.com/berth-dev/berth/cell/codemode"
)

// busy is a program that never ends and never waits.
const busy = `for (;;);`

func busyFigures() []figure {
	const group = "Beside busy cells"
	return []figure{
		{group: group, name: "trivial beside busy", rounds: 3, measure: besideBusy, lines: []line{
			{name: "trivial cell beside 8 busy cells, median", unit: "ms", reduce: median, target: report.AtMost(5)},
			{name: "the same, 99th percentile", unit: "ms", reduce: quantile(0.99)},
			{name: "terminating a busy cell, median", unit: "ms", reduce: median},
			{name: "the same, worst", unit: "ms", reduce: most, target: report.AtMost(20)},
		}},
		{group: group, name: "two computing cells", rounds: 5, measure: twoCells, lines: []line{
			{name: "one computing cell", unit: "ms", reduce: median},
			{name: "two at once, in two sessions", unit: "ms", reduce: median},
			{name: "two over one", reduce: median, target: report.AtMost(1.25), note: "ours with --workers 2"},
		}},
	}
}

// besideBusy times trivial cells while 8 cells are busy, and then how long it
// takes to end those.
func besideBusy(ctx context.Context, b *bed) ([][]float64, error) {
	h, err := startHost(ctx, b.program)
	if err != nil {
		return nil, err
	}
	defer h.stop()
	if err := h.want(ctx, trivial, "x"); err != nil {
		return nil, err
	}
	var cells []*codemode.Cell
	for range 8 {
		cell, err := h.park(ctx, busy)
		if err != nil {
			return nil, err
		}
		cells = append(cells, cell)
	}
	took, err := h.trivials(ctx, b.n(30))
	if err != nil {
		return nil, err
	}
	var ends []float64
	for _, cell := range cells {
		begun := time.Now()
		if err := terminate(ctx, cell); err != nil {
			return nil, err
		}
		ends = append(ends, milliseconds(time.Since(begun)))
	}
	return [][]float64{took, took, ends, ends}, nil
}

// twoCells times a cell that computes, alone and beside another session's.
func twoCells(ctx context.Context, b *bed) ([][]float64, error) {
	h, err := startHost(ctx, b.program, b.program.Parallel...)
	if err != nil {
		return nil, err
	}
	defer h.stop()
	other, err := h.open(ctx)
	if err != nil {
		return nil, err
	}
	sessions := []*codemode.Session{h.session, other}
	compute := func(sessions []*codemode.Session, source string) (float64, error) {
		begun := time.Now()
		var running errgroup.Group
		for _, s := range sessions {
			running.Go(func() error {
				_, err := h.run(ctx, s, source)
				return err
			})
		}
		err := running.Wait()
		return milliseconds(time.Since(begun)), err
	}
	if _, err := compute(sessions, trivial); err != nil { // both children are there
		return nil, err
	}
	one, err := compute(sessions[:1], allocate)
	if err != nil {
		return nil, err
	}
	two, err := compute(sessions, allocate)
	return [][]float64{{one}, {two}, {two / one}}, err
}

// allocate computes and allocates: that is what cells of one process that share
// an allocator can't do at the same time.
const allocate = `let sum = 0;
for (let n = 0; n < 400_000; n++) sum += [n, { n }, "s" + n].length;
text(sum);`
