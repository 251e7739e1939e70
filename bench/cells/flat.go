package cells

import (
	"context"
	"fmt"

	"github.com/berth-dev/berth/bench/report"
)

// A host's cost must not grow with what it has done before: the same figures
// after 1, 10 and 100 times as many cells of the same session.
const (
	flatUnit  = 20
	flatLast  = 2  // index of the longest history
	flatBatch = 10 // cells of it at a time; peers have dropped the connection at 60
)

var flatHistories = [...]int{1, 10, 100}

// flatMetric is a figure that is taken after each history.
type flatMetric struct {
	name, unit string
	take       func(ctx context.Context, h *host, b *bed) (float64, error)
	grown      report.Target // of the longest history over the shortest
}

func flatMetrics() []flatMetric {
	return []flatMetric{
		{"trivial cell, median", "ms", func(ctx context.Context, h *host, b *bed) (float64, error) {
			took, err := h.trivials(ctx, b.n(80))
			if err != nil {
				return 0, err
			}
			return median(took), nil
		}, report.AtMost(1.25)},
		{"60 cells at once", "ms", repeated(func(ctx context.Context, h *host, _ *bed) (float64, error) {
			return h.together(ctx, 60)
		}), report.AtMost(1.25)},
		{"calls one after the other", "/s", repeated(func(ctx context.Context, h *host, b *bed) (float64, error) {
			return h.sequential(ctx, b.n(800))
		}), report.AtLeast(0.8)},
		{"calls 100 at a time", "/s", repeated(func(ctx context.Context, h *host, b *bed) (float64, error) {
			return h.wide(ctx, b.n(10))
		}), report.AtLeast(0.8)},
		{"resident memory", "MB", func(ctx context.Context, h *host, b *bed) (float64, error) {
			return h.settled(ctx, b.n(settleTicks))
		}, report.AtMost(1.25)},
	}
}

// repeated takes the median of five.
func repeated(take func(context.Context, *host, *bed) (float64, error)) func(context.Context, *host, *bed) (float64, error) {
	return func(ctx context.Context, h *host, b *bed) (float64, error) {
		var samples []float64
		for range b.n(5) {
			sample, err := take(ctx, h, b)
			if err != nil {
				return 0, err
			}
			samples = append(samples, sample)
		}
		return median(samples), nil
	}
}

func flatFigures() []figure {
	f := figure{group: fmt.Sprintf("After %d, %d and %d cells of the session", flatUnit, 10*flatUnit, 100*flatUnit),
		name: "flat", measure: flat}
	for _, m := range flatMetrics() {
		for _, times := range flatHistories {
			f.lines = append(f.lines, line{name: fmt.Sprintf("%s, %d×", m.name, times), unit: m.unit, reduce: median})
		}
		f.lines = append(f.lines, line{name: m.name + ", 100× over 1×", reduce: median, target: m.grown})
	}
	return []figure{f}
}

// flat takes every metric after each history of one host. With an error it
// returns what it had.
func flat(ctx context.Context, b *bed) ([][]float64, error) {
	h, err := startHost(ctx, b.program)
	if err != nil {
		return nil, err
	}
	defer h.stop()
	metrics := flatMetrics()
	columns := len(flatHistories) + 1 // and what has grown
	samples := make([][]float64, len(metrics)*columns)
	gone := 0
	for i, times := range flatHistories {
		for want := b.n(times * flatUnit); gone < want; {
			batch := min(flatBatch, want-gone)
			if _, err := h.together(ctx, batch); err != nil {
				return samples, err
			}
			gone += batch
		}
		for m, metric := range metrics {
			value, err := metric.take(ctx, h, b)
			if err != nil {
				return samples, err
			}
			samples[m*columns+i] = []float64{value}
			if i == flatLast {
				samples[m*columns+i+1] = []float64{value / samples[m*columns][0]}
			}
		}
	}
	return samples, nil
}
