package cell_test

import (
	"context"
	"errors"
	"math"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/berth-dev/berth/cell"
	"github.com/berth-dev/berth/cell/internal/fakejs"
)

func say(texts ...string) func(*fakejs.Run) {
	return func(r *fakejs.Run) {
		for _, t := range texts {
			r.Text(t)
		}
	}
}

// lived says a, and b after 5 s; it ends after 60 s.
func lived(r *fakejs.Run) {
	r.Hold()
	r.Text("a")
	r.After(5000, func() { r.Text("b") })
	r.After(60000, r.End)
}

func spin(r *fakejs.Run) {
	r.Text("a")
	r.Spin()
}

func TestExecute(t *testing.T) {
	play(t, "result", cell.Options{}, programs{"p": say("a", "b")}, func(r *room, s *cell.Session) {
		r.exec(s, "p", 0)
		r.expect("p: started 1", "p: Completed [a b]", "closed s/1")
		r.wait(s, "wait", "1", time.Second)
		r.terminate(s, "end", "1")
		r.expect("wait: Missing [] error exec cell 1 not found", "end: Missing [] error exec cell 1 not found")
	})
	play(t, "error text", cell.Options{}, programs{"p": func(r *fakejs.Run) { r.Fail("") }},
		func(r *room, s *cell.Session) {
			r.exec(s, "p", 0)
			r.expect("p: started 1", "p: Completed [] error ", "closed s/1")
		})
	play(t, "default deadline is 10 s", cell.Options{}, programs{"p": lived}, func(r *room, s *cell.Session) {
		r.exec(s, "p", 0)
		time.Sleep(10*time.Second - 1)
		r.expect("p: started 1")
		time.Sleep(time.Nanosecond)
		r.expect("p: Yielded [a b]")
	})
	play(t, "zero yield preempts output, which survives to termination", cell.Options{}, programs{"p": lived},
		func(r *room, s *cell.Session) {
			r.exec(s, "p", -1)
			r.expect("p: started 1", "p: Yielded []")
			r.terminate(s, "end", "1")
			r.expect("end: Terminated [a]", "closed s/1")
		})
	play(t, "deadline in a busy loop", cell.Options{}, programs{"p": spin}, func(r *room, s *cell.Session) {
		r.exec(s, "p", time.Second)
		time.Sleep(time.Second)
		r.expect("p: started 1", "p: Yielded [a]")
	})
	play(t, "ids count, over failures too", cell.Options{}, programs{"p": say()}, func(r *room, s *cell.Session) {
		r.exec(s, "p", 0)
		r.expect("p: started 1", "p: Completed []", "closed s/1")
		r.exec(s, "p", 0)
		r.expect("p: started 2", "p: Completed []", "closed s/2")
		r.exec(r.open("other"), "p", 0)
		r.expect("p: started 1", "p: Completed []", "closed other/1")
	})
	play(t, "jobs run before timers, in slices", cell.Options{}, programs{"p": func(r *fakejs.Run) {
		r.Hold()
		r.After(0, func() { r.Text("timer"); r.End() })
		n := 0
		var job func()
		job = func() {
			if n++; n < 5000 {
				r.Job(job)
			} else {
				r.Text("jobs")
			}
		}
		r.Job(job)
	}}, func(r *room, s *cell.Session) {
		r.exec(s, "p", 0)
		r.expect("p: started 1", "p: Completed [jobs timer]", "closed s/1")
	})
	play(t, "ids end", cell.Options{MaxCells: 1}, programs{"p": say()}, func(r *room, s *cell.Session) {
		cell.SkipIDs(s, math.MaxUint64-1)
		r.exec(s, "p", 0)
		r.expect("p: started 18446744073709551615", "p: Completed []", "closed s/18446744073709551615")
		for range 2 { // what is refused takes no slot
			r.exec(s, "p", 0)
			r.expect("p: code mode session exhausted its cell ID space")
		}
		r.exec(r.open("other"), "p", 0)
		r.expect("p: started 1", "p: Completed []", "closed other/1")
	})
	play(t, "panic ends the cell alone", cell.Options{}, programs{"p": func(r *fakejs.Run) {
		r.Text("a")
		_ = r.Host.Store("k", []byte("1"))
		var none *fakejs.Run
		none.Hold()
	}, "q": func(r *fakejs.Run) {
		if _, ok := r.Host.Load("k"); ok {
			r.Text("stored")
		}
	}}, func(r *room, s *cell.Session) {
		r.exec(s, "p", 0)
		r.expect("p: started 1", "p: Completed [a] error exec runtime ended unexpectedly", "closed s/1")
		r.exec(s, "q", 0)
		r.expect("q: started 2", "q: Completed []", "closed s/2")
	})
	play(t, "no isolate, no cell", cell.Options{}, nil, func(r *room, s *cell.Session) {
		r.engine.NewErr = errors.New("no room")
		r.exec(s, "p", 0)
		r.expect("p: failed to initialize code mode runtime: no room")
		if n := r.host.Stats().Cells; n != 0 {
			r.t.Errorf("%d cells, want 0", n)
		}
	})
}

func TestObserve(t *testing.T) {
	play(t, "yield, wait, terminate", cell.Options{}, programs{"p": lived}, func(r *room, s *cell.Session) {
		r.exec(s, "p", time.Second)
		time.Sleep(time.Second)
		r.expect("p: started 1", "p: Yielded [a]")
		time.Sleep(5 * time.Second)
		r.expect() // output alone wakes nobody
		r.wait(s, "wait", "1", time.Second)
		r.expect()
		time.Sleep(time.Second)
		r.expect("wait: Yielded [b]")
		r.wait(s, "wait", "1", 0)
		r.expect("wait: Yielded []")
		r.terminate(s, "end", "1")
		r.expect("end: Terminated []", "closed s/1")
	})
	play(t, "second observer is refused, the first kept", cell.Options{}, programs{"p": lived},
		func(r *room, s *cell.Session) {
			r.exec(s, "p", time.Hour)
			synctest.Wait()
			r.wait(s, "wait", "1", 0)
			r.expect("p: started 1", "wait: exec cell 1 already has an active observer")
			time.Sleep(time.Minute)
			r.expect("p: Completed [a b]", "closed s/1")
		})
	play(t, "result waits for an observer", cell.Options{}, programs{"p": lived}, func(r *room, s *cell.Session) {
		r.exec(s, "p", -1)
		time.Sleep(time.Hour)
		r.expect("p: started 1", "p: Yielded []")
		if st := r.host.Stats(); st.Cells != 1 {
			r.t.Errorf("%d live cells, want the uncollected one", st.Cells)
		}
		r.wait(s, "wait", "1", time.Second)
		r.expect("wait: Completed [a b]", "closed s/1")
	})
	play(t, "completion beats a later terminate, and only the first claims it", cell.Options{}, programs{"p": lived},
		func(r *room, s *cell.Session) {
			r.exec(s, "p", -1)
			time.Sleep(time.Hour)
			r.terminate(s, "end", "1")
			r.terminate(s, "again", "1")
			r.expect("p: started 1", "p: Yielded []", "end: Completed [a b]", "closed s/1",
				"again: Missing [] error exec cell 1 not found")
		})
	play(t, "terminate answers the observer with the same items", cell.Options{}, programs{"p": spin},
		func(r *room, s *cell.Session) {
			r.exec(s, "p", time.Minute)
			synctest.Wait()
			r.terminate(s, "end", "1")
			r.expect("p: started 1", "p: Terminated [a]", "end: Terminated [a]", "closed s/1")
		})
	play(t, "yield_control", cell.Options{}, programs{"p": func(r *fakejs.Run) {
		r.Hold()
		r.Text("a")
		r.Host.Yield()
		r.Text("b")
		r.Host.Yield() // nobody observes: no effect, and not remembered
		_ = r.Host.Notify("n")
	}}, func(r *room, s *cell.Session) {
		r.exec(s, "p", time.Minute)
		r.expect("p: started 1", "p: Yielded [a]", "call 1: s/1 notify call-p n")
		r.wait(s, "wait", "1", time.Second)
		r.expect()
		time.Sleep(time.Second)
		r.expect("wait: Yielded [b]")
	})
	noting := programs{"p": func(r *fakejs.Run) { r.Text("a"); _ = r.Host.Notify("n") }}
	play(t, "a wait that yields at once is in nobody's way", cell.Options{}, programs{"p": lived}, func(r *room, s *cell.Session) {
		r.exec(s, "p", -1)
		synctest.Wait()
		var waits sync.WaitGroup
		for range 8 {
			waits.Go(func() {
				for range 200 {
					r.wait(s, "wait", "1", 0)
				}
			})
		}
		waits.Wait()
		for _, line := range r.take() {
			if strings.Contains(line, "already") {
				r.t.Fatal(line)
			}
		}
		r.terminate(s, "end", "1")
		synctest.Wait()
		r.take()
	})
	play(t, "second observer while a notification is unanswered", cell.Options{}, noting, func(r *room, s *cell.Session) {
		r.exec(s, "p", -1)
		r.expect("p: started 1", "p: Yielded []", "call 1: s/1 notify call-p n")
		r.wait(s, "wait", "1", time.Second)
		r.wait(s, "second", "1", time.Second)
		time.Sleep(time.Minute) // and no deadline counts any more
		r.expect("second: exec cell 1 already has an active observer")
		r.host.Deliver(1)
		r.expect("wait: Completed [a]", "closed s/1")
	})
	play(t, "terminate while a notification is unanswered", cell.Options{}, noting, func(r *room, s *cell.Session) {
		r.exec(s, "p", time.Minute)
		r.expect("p: started 1", "call 1: s/1 notify call-p n")
		r.terminate(s, "end", "1")
		r.expect("cancel 1", "p: Terminated [a]", "end: Terminated [a]", "closed s/1")
		r.host.Deliver(1) // late
		r.expect()
	})
	play(t, "unknown cell", cell.Options{}, nil, func(r *room, s *cell.Session) {
		r.wait(s, "wait", "99", 0)
		r.terminate(s, "end", "")
		r.expect("wait: Missing [] error exec cell 99 not found", "end: Missing [] error exec cell  not found")
	})
	play(t, "asked to yield", cell.Options{}, programs{"p": lived}, func(r *room, s *cell.Session) {
		op := r.exec(s, "p", time.Minute)
		synctest.Wait()
		op.Yield()
		op.Yield()
		r.expect("p: started 1", "p: Yielded [a]")
		r.wait(s, "wait", "1", time.Minute).Yield()
		r.expect("wait: Yielded []")
		r.wait(s, "missing", "7", time.Minute).Yield()
		r.expect("missing: Missing [] error exec cell 7 not found")
	})
	play(t, "asked to yield before the start", cell.Options{}, programs{"p": lived}, func(r *room, s *cell.Session) {
		r.engine.NewGate = make(chan struct{})
		r.exec(s, "p", time.Minute).Yield()
		r.engine.NewGate <- struct{}{}
		r.expect("p: started 1", "p: Yielded []")
	})
}

func TestCancel(t *testing.T) {
	play(t, "wait", cell.Options{}, programs{"p": lived}, func(r *room, s *cell.Session) {
		r.exec(s, "p", -1)
		synctest.Wait()
		op := r.wait(s, "wait", "1", time.Second)
		if !op.Cancel() || op.Cancel() {
			r.t.Error("Cancel of a wait: want true once")
		}
		time.Sleep(6 * time.Second)
		r.wait(s, "next", "1", 0)
		r.expect("p: started 1", "p: Yielded []", "next: Yielded [a b]")
	})
	play(t, "execute before its start", cell.Options{}, programs{"p": say("a")}, func(r *room, s *cell.Session) {
		r.engine.NewGate = make(chan struct{})
		op := r.exec(s, "p", 0)
		if op.Cancel() {
			r.t.Error("Cancel of an execute: want false, started is told")
		}
		r.engine.NewGate <- struct{}{}
		r.expect("p: code-mode request cancelled")
	})
	play(t, "execute after its start", cell.Options{}, programs{"p": lived}, func(r *room, s *cell.Session) {
		op := r.exec(s, "p", time.Hour)
		synctest.Wait()
		if op.Cancel() {
			r.t.Error("Cancel of a started execute: want false")
		}
		time.Sleep(time.Minute)
		r.expect("p: started 1", "p: Completed [a b]", "closed s/1")
	})
	play(t, "answered", cell.Options{}, programs{"p": lived}, func(r *room, s *cell.Session) {
		r.exec(s, "p", -1)
		synctest.Wait()
		if r.wait(s, "wait", "1", 0).Cancel() || r.wait(s, "none", "9", 0).Cancel() {
			r.t.Error("Cancel of an answered wait: want false")
		}
	})
}

func TestSession(t *testing.T) {
	play(t, "close", cell.Options{}, programs{"live": lived, "spin": spin, "done": say("x")},
		func(r *room, s *cell.Session) {
			r.exec(s, "spin", time.Minute)
			synctest.Wait()
			r.exec(s, "done", -1)
			r.expect("spin: started 1", "done: started 2", "done: Yielded []")
			if err := s.Close(context.Background()); err != nil {
				r.t.Error(err)
			}
			if err := s.Close(context.Background()); !errors.Is(err, cell.ErrUnknownSession) {
				r.t.Errorf("second Close: %v, want unknown session", err)
			}
			r.exec(s, "late", 0)
			if _, err := r.host.Session("s"); err == nil || err.Error() != "unknown code-mode session s" {
				r.t.Errorf("Session after Close: %v", err)
			}
			if _, err := r.host.Open("s", cell.SessionOptions{}); err == nil || err.Error() != "code-mode session ID `s` was reused" {
				r.t.Errorf("Open again: %v", err)
			}
			got := map[string]bool{}
			for _, line := range r.take() {
				got[line] = true
			}
			for _, want := range []string{"spin: Terminated [a]", "closed s/1", "closed s/2", "late: code mode session is shutting down"} {
				if !got[want] {
					r.t.Errorf("log lacks %q: %v", want, got)
				}
			}
		})
	play(t, "ids", cell.Options{}, nil, func(r *room, s *cell.Session) {
		if _, err := r.host.Open("s", cell.SessionOptions{}); err == nil || err.Error() != "code-mode session ID `s` is already open" {
			r.t.Errorf("Open twice: %v", err)
		}
		if err := s.Close(context.Background()); err != nil {
			r.t.Error(err)
		}
		for i := range 4096 {
			other, err := r.host.Open(string(rune('a'+i%26))+time.Duration(i).String(), cell.SessionOptions{})
			if err != nil {
				r.t.Fatal(err)
			}
			if err := other.Close(context.Background()); err != nil {
				r.t.Fatal(err)
			}
		}
		r.open("s") // forgotten
	})
	play(t, "close while the isolate is being made", cell.Options{}, programs{"p": say("a")},
		func(r *room, s *cell.Session) {
			r.engine.NewGate = make(chan struct{})
			r.exec(s, "p", 0)
			done := make(chan error)
			go func() { done <- s.Close(context.Background()) }()
			synctest.Wait()
			r.engine.NewGate <- struct{}{}
			if err := <-done; err != nil {
				r.t.Error(err)
			}
			r.expect("p: started 1", "p: Terminated []", "closed s/1")
		})
	play(t, "shutdown refuses", cell.Options{}, programs{"p": say("a")}, func(r *room, s *cell.Session) {
		r.shutdown()
		r.exec(s, "p", 0)
		r.expect("p: code mode session is shutting down")
		if _, err := r.host.Open("t", cell.SessionOptions{}); !errors.Is(err, cell.ErrHostClosed) {
			r.t.Errorf("Open after Shutdown: %v", err)
		}
	})
	play(t, "yield cap", cell.Options{}, programs{"p": lived}, func(r *room, _ *cell.Session) {
		s, err := r.host.Open("capped", cell.SessionOptions{MaxYield: 2 * time.Second})
		if err != nil {
			r.t.Fatal(err)
		}
		r.exec(s, "p", 0)
		time.Sleep(2 * time.Second)
		r.expect("p: started 1", "p: Yielded [a]")
		r.wait(s, "wait", "1", time.Hour)
		time.Sleep(2 * time.Second)
		r.expect("wait: Yielded []")
	})
}
