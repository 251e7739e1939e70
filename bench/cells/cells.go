// Package cells measures code-mode hosts over their standard streams, with the
// Go client of package codemode: time, rates and memory of cells. Every figure
// is taken from all programs in turns, so that what else the machine does
// touches all of them alike.
//
// A measurement belongs to one goroutine. Marks such as §10.2 mean
// docs/contracts/codemode.md.
package cells

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/berth-dev/berth/bench/report"
)

// Options tune Measure. The zero value measures as make bench does.
type Options struct {
	// Shrink divides the repetitions and the sizes of inputs; 0 means 1. Figures
	// of a shrunk run mean nothing: it shows that they can be taken.
	Shrink int
	// Only is the beginning of the names of figures to take; empty means all.
	Only string
	Log  io.Writer // receives a line for each figure; nil discards
}

// figure is something to measure. One measurement may give several lines.
type figure struct {
	group  string
	name   string
	rounds int // turns of each program; 0 means 1
	// measure returns a set of samples for each line.
	measure func(context.Context, *bed) ([][]float64, error)
	lines   []line
}

// line is one line of the report.
type line struct {
	name   string
	unit   string
	reduce func([]float64) float64
	target report.Target
	note   string
}

// bed is where a program is measured.
type bed struct {
	program Program
	shrink  int
	shared  *host // for figures that do without a host of their own
}

// n is a number of repetitions or a size.
func (b *bed) n(full int) int { return max(1, full/b.shrink) }

// host returns the host that figures share, which is started if there is none
// or the last one died.
func (b *bed) host(ctx context.Context) (*host, error) {
	if b.shared != nil {
		select {
		case <-b.shared.client.Done():
			b.close()
		default:
			return b.shared, nil
		}
	}
	h, err := startHost(ctx, b.program)
	if err != nil {
		return nil, err
	}
	b.shared = h
	for range b.n(5) {
		if err := h.want(ctx, trivial, "x"); err != nil {
			return nil, err
		}
	}
	return h, nil
}

func (b *bed) close() {
	if b.shared != nil {
		b.shared.stop()
		b.shared = nil
	}
}

// Measure takes all figures from all programs and adds them to r, whose columns
// are the programs. What a program fails at is noted there; the error is that
// ours, the first one, failed at something.
func Measure(ctx context.Context, r *report.Report, programs []Program, opts Options) error {
	opts.Shrink = cmp.Or(opts.Shrink, 1)
	if opts.Log == nil {
		opts.Log = io.Discard
	}
	beds := make([]*bed, len(programs))
	for i, p := range programs {
		beds[i] = &bed{program: p, shrink: opts.Shrink}
		r.Columns = append(r.Columns, p.Name)
		defer beds[i].close()
	}
	var errs []error
	for _, f := range slices.Concat(latencyFigures(), callFigures(), textFigures(), busyFigures(), computeFigures(), memoryFigures(), flatFigures()) {
		if len(f.name) < len(opts.Only) || f.name[:len(opts.Only)] != opts.Only {
			continue
		}
		fmt.Fprintf(opts.Log, "measuring %s\n", f.name)
		if err := f.take(ctx, r, beds); err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", f.name, err))
		}
		if ctx.Err() != nil {
			break
		}
	}
	return errors.Join(errs...)
}

const (
	turnTime  = time.Minute // for one turn of one program
	mostFails = 2           // turns that a program fails before the others go on without it
)

// trials is what one program did about one figure.
type trials struct {
	samples [][]float64 // by line
	fails   int
	err     error // the last failure
}

// take measures a figure in turns and adds its lines.
func (f *figure) take(ctx context.Context, r *report.Report, beds []*bed) error {
	done := make([]trials, len(beds))
	for i := range done {
		done[i].samples = make([][]float64, len(f.lines))
	}
	for range beds[0].n(max(f.rounds, 1)) {
		for i, b := range beds {
			if done[i].fails < mostFails && ctx.Err() == nil {
				f.turn(ctx, b, &done[i])
			}
		}
	}
	for l, line := range f.lines {
		out := report.Figure{Group: f.group, Name: line.name, Unit: line.unit, Target: line.target}
		if line.note != "" {
			out.Notes = append(out.Notes, line.note)
		}
		for i, d := range done {
			value := math.NaN()
			if len(d.samples[l]) > 0 {
				value = line.reduce(d.samples[l])
			}
			out.Values = append(out.Values, &value)
			if d.err != nil {
				out.Notes = append(out.Notes, fmt.Sprintf("%s: %s", beds[i].program.Name, strings.Join(strings.Fields(d.err.Error()), " ")))
			}
		}
		r.Add(out)
	}
	return done[0].err
}

// turn measures one program once.
func (f *figure) turn(ctx context.Context, b *bed, t *trials) {
	ctx, cancel := context.WithTimeout(ctx, turnTime)
	defer cancel()
	taken, err := f.measure(ctx, b)
	if err != nil {
		t.err = err
		t.fails++
		b.close()
	}
	for l, more := range taken {
		t.samples[l] = append(t.samples[l], more...)
	}
}

// quantile returns a function that returns the smallest sample which at least
// that share of all samples does not exceed.
func quantile(share float64) func([]float64) float64 {
	return func(samples []float64) float64 {
		sorted := slices.Sorted(slices.Values(samples))
		return sorted[min(len(sorted)-1, int(math.Ceil(share*float64(len(sorted))))-1)]
	}
}

// median returns the middle sample, or the mean of the two in the middle.
func median(samples []float64) float64 {
	sorted := slices.Sorted(slices.Values(samples))
	middle := len(sorted) / 2
	if len(sorted)%2 == 1 {
		return sorted[middle]
	}
	return (sorted[middle-1] + sorted[middle]) / 2
}

func least(samples []float64) float64 { return slices.Min(samples) }

func most(samples []float64) float64 { return slices.Max(samples) }
