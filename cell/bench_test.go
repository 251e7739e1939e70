package cell_test

import (
	"context"
	"testing"

	"github.com/berth-dev/berth/cell"
	"github.com/berth-dev/berth/cell/internal/fakejs"
)

// quiet is a Delegate that answers every call at once.
type quiet struct{ host *cell.Host }

func (q *quiet) Call(_ context.Context, c *cell.Call) error {
	q.host.Resolve(c.ID, c.Input)
	return nil
}
func (q *quiet) Cancel(*cell.Call)     {}
func (q *quiet) Closed(string, string) {}

func benchHost(b *testing.B, p programs) *cell.Session {
	b.Helper()
	q := &quiet{}
	q.host = cell.New(&fakejs.Engine{Programs: p}, q, cell.Options{MaxCells: -1})
	b.Cleanup(func() {
		if err := q.host.Shutdown(context.Background()); err != nil {
			b.Error(err)
		}
	})
	s, err := q.host.Open("s", cell.SessionOptions{})
	if err != nil {
		b.Fatal(err)
	}
	return s
}

func BenchmarkCell(b *testing.B) {
	for name, live := range map[string]int{"alone": 0, "among 1000": 1000} {
		b.Run(name, func(b *testing.B) {
			s := benchHost(b, programs{"p": say("x"), "idle": func(r *fakejs.Run) { r.Hold() }})
			done := make(chan struct{}, 1)
			run := func(r cell.Request) {
				_, err := s.Execute(r, func(string, error) {}, func(cell.Observation) { done <- struct{}{} })
				if err != nil {
					b.Fatal(err)
				}
				<-done
			}
			for range live {
				run(cell.Request{Source: "idle", Yield: -1})
			}
			b.ReportAllocs()
			for b.Loop() {
				run(cell.Request{Source: "p"})
			}
		})
	}
}

func BenchmarkCall(b *testing.B) {
	n := b.N
	s := benchHost(b, programs{"p": func(r *fakejs.Run) {
		r.Hold()
		var next func(string, string, bool)
		i := 0
		next = func(string, string, bool) {
			if i++; i > n {
				r.End()
				return
			}
			r.Call(0, "{}", next)
		}
		next("", "", true)
	}})
	done := make(chan struct{}, 1)
	b.ReportAllocs()
	b.ResetTimer()
	_, err := s.Execute(cell.Request{Source: "p", Tools: testTools}, func(string, error) {},
		func(cell.Observation) { done <- struct{}{} })
	if err != nil {
		b.Fatal(err)
	}
	<-done
}
