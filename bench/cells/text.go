package cells

import (
	"context"
	"fmt"
	"time"

	"github.com/berth-dev/berth/bench/report"
)

func textFigures() []figure {
	const group = "Output"
	return []figure{
		{group: group, name: "60 texts", rounds: 7, measure: manyTexts, lines: []line{
			{name: "60 texts of 1 MiB", unit: "ms", reduce: median, target: report.RatioAtMost(1.2)},
		}},
		{group: group, name: "one text", rounds: 7, measure: oneText, lines: []line{
			{name: "one text of 60 MiB", unit: "ms", reduce: median, target: report.RatioAtMost(2.5)},
		}},
	}
}

func manyTexts(ctx context.Context, b *bed) ([][]float64, error) {
	size := b.n(1 << 20)
	return output(ctx, b, 60*size, fmt.Sprintf(`const s = "x".repeat(%d); for (let n = 0; n < 60; n++) text(s);`, size))
}

func oneText(ctx context.Context, b *bed) ([][]float64, error) {
	size := b.n(60 << 20)
	return output(ctx, b, size, fmt.Sprintf(`text("x".repeat(%d));`, size))
}

// output times a program that outputs so many bytes.
func output(ctx context.Context, b *bed, size int, source string) ([][]float64, error) {
	h, err := b.host(ctx)
	if err != nil {
		return nil, err
	}
	begun := time.Now()
	cell, err := h.execute(ctx, h.session, source, longYield)
	if err != nil {
		return nil, err
	}
	r, err := cell.Initial(ctx)
	if err != nil {
		return nil, err
	}
	took := milliseconds(time.Since(begun))
	got := 0
	for _, item := range r.ContentItems {
		got += len(item.Text)
	}
	if got != size {
		return nil, fmt.Errorf("got %d bytes, want %d", got, size)
	}
	return [][]float64{{took}}, nil
}
