package cells

import (
	"context"

	"github.com/berth-dev/berth/bench/report"
	"github.com/berth-dev/berth/cell/codemode"
)

// memoryCells is how many cells live at once: what every host allows. §10.2
const memoryCells = 128

func memoryFigures() []figure {
	return []figure{{group: "Memory (resident)", name: "memory", rounds: 3, measure: memory, lines: []line{
		{name: "idle host, engines prepared", unit: "MB", reduce: median, target: report.AtMost(20)},
		{name: "idle host after its first cell", unit: "MB", reduce: median},
		{name: "each of 128 live idle cells", unit: "MB", reduce: median, target: report.AtMost(0.5)},
		{name: "after 128 cells have come and gone", unit: "MB", reduce: median, target: report.AtMost(60)},
	}}}
}

// memory takes the resident memory of a new host, of the same host with 128
// cells that wait, and when these are gone.
func memory(ctx context.Context, b *bed) ([][]float64, error) {
	h, err := startHost(ctx, b.program)
	if err != nil {
		return nil, err
	}
	defer h.stop()
	idle, err := h.settled(ctx, b.n(settleTicks))
	if err != nil {
		return nil, err
	}
	if err := h.want(ctx, trivial, "x"); err != nil {
		return nil, err
	}
	used, err := h.settled(ctx, b.n(settleTicks))
	if err != nil {
		return nil, err
	}
	n := b.n(memoryCells)
	var cells []*codemode.Cell
	for range n {
		cell, err := h.park(ctx, `text("x"); await new Promise(() => {});`)
		if err != nil {
			return nil, err
		}
		cells = append(cells, cell)
	}
	full, err := h.settled(ctx, b.n(settleTicks))
	if err != nil {
		return nil, err
	}
	for _, cell := range cells {
		if err := terminate(ctx, cell); err != nil {
			return nil, err
		}
	}
	after, err := h.settled(ctx, b.n(settleTicks))
	return [][]float64{{idle}, {used}, {(full - used) / float64(n)}, {after}}, err
}
