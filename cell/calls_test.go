package cell_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/berth-dev/berth/cell"
	"github.com/berth-dev/berth/cell/internal/fakejs"
)

// ask calls tool a and says how it went.
func ask(r *fakejs.Run) {
	r.Hold()
	r.Call(0, `{}`, func(result, reason string, ok bool) {
		r.Text(fmt.Sprint(result, reason, ok))
		r.End()
	})
}

func TestCalls(t *testing.T) {
	play(t, "answers", cell.Options{}, programs{"p": ask}, func(r *room, s *cell.Session) {
		for id, tc := range []struct {
			answer func(int64)
			want   string
		}{
			{func(id int64) { r.host.Resolve(id, []byte(`1.50`)) }, "Completed [1.50true]"},
			{func(id int64) { r.host.Reject(id, "no") }, "Completed [nofalse]"},
			{func(id int64) { r.host.Deliver(id) }, "Completed [code-mode client returned an invalid tool resultfalse]"},
			{func(id int64) { r.host.Resolve(id+7, nil); r.host.Resolve(id, []byte("1")); r.host.Reject(id, "no") }, "Completed [1true]"},
		} {
			n := id + 1
			r.exec(s, "p", 0)
			r.expect(fmt.Sprintf("p: started %d", n), fmt.Sprintf("call %d: s/%d tool-1 a({})", n, n))
			tc.answer(int64(n))
			r.expect("p: "+tc.want, fmt.Sprintf("closed s/%d", n))
		}
	})
	play(t, "refused and panicking delegates reject", cell.Options{}, programs{"p": ask, "n": func(r *fakejs.Run) {
		_ = r.Host.Notify("big")
	}}, func(r *room, s *cell.Session) {
		r.calls = func(*cell.Call) error { return errors.New("too large") }
		r.exec(s, "p", 0)
		r.expect("p: started 1", "call 1: s/1 tool-1 a({})", "p: Completed [too largefalse]", "closed s/1")
		r.exec(s, "n", 0)
		r.expect("n: started 2", "call 2: s/2 notify call-n big", "n: Completed []", "closed s/2")
		r.calls = func(*cell.Call) error { panic("broken") }
		r.exec(s, "p", 0)
		r.expect("p: started 3", "call 3: s/3 tool-1 a({})", "p: Completed [code-mode delegate failedfalse]", "closed s/3")
	})
	play(t, "unawaited calls are cancelled after notifications are answered", cell.Options{},
		programs{"p": func(r *fakejs.Run) {
			r.Call(0, `1`, nil)
			_ = r.Host.Notify("n")
			r.Call(1, `2`, nil)
		}}, func(r *room, s *cell.Session) {
			r.exec(s, "p", time.Second)
			r.expect("p: started 1", "call 1: s/1 tool-1 a(1)", "call 2: s/1 notify call-p n", "call 3: s/1 tool-2 b(2)")
			time.Sleep(time.Hour) // the deadline is off
			r.host.Resolve(3, nil)
			r.expect()
			if n := r.engine.Open(); n != 0 {
				r.t.Errorf("%d isolates open while a notification is unanswered, want 0", n)
			}
			r.host.Deliver(2)
			r.expect("cancel 1", "p: Completed []", "closed s/1")
		})
	play(t, "a failed notification counts as answered", cell.Options{}, programs{"p": func(r *fakejs.Run) {
		_ = r.Host.Notify("n")
		_ = r.Host.Notify("m")
	}}, func(r *room, s *cell.Session) {
		r.exec(s, "p", 0)
		synctest.Wait()
		r.host.Reject(1, "lost")
		r.host.Resolve(2, []byte("1"))
		r.expect("p: started 1", "call 1: s/1 notify call-p n", "call 2: s/1 notify call-p m", "p: Completed []", "closed s/1")
	})
	play(t, "terminate cancels before it answers", cell.Options{}, programs{"p": func(r *fakejs.Run) {
		r.Call(0, `1`, nil)
		_ = r.Host.Notify("n")
		r.Spin()
	}}, func(r *room, s *cell.Session) {
		r.exec(s, "p", -1)
		r.expect("p: started 1", "p: Yielded []", "call 1: s/1 tool-1 a(1)", "call 2: s/1 notify call-p n")
		r.terminate(s, "end", "1")
		r.host.Resolve(1, []byte("1"))
		r.expect("cancel 1", "cancel 2", "end: Terminated []", "closed s/1")
	})
	play(t, "terminate while a notification is awaited", cell.Options{}, programs{"p": func(r *fakejs.Run) {
		_ = r.Host.Store("k", []byte("1"))
		_ = r.Host.Notify("n")
	}, "q": func(r *fakejs.Run) {
		_, ok := r.Host.Load("k")
		r.Text(fmt.Sprint(ok))
	}}, func(r *room, s *cell.Session) {
		r.exec(s, "p", 0)
		synctest.Wait()
		r.terminate(s, "end", "1")
		r.expect("p: started 1", "call 1: s/1 notify call-p n", "cancel 1", "p: Terminated []", "end: Terminated []", "closed s/1")
		r.exec(s, "q", 0)
		r.expect("q: started 2", "q: Completed [false]", "closed s/2")
	})
	play(t, "answers that come inside the call", cell.Options{}, programs{"p": ask}, func(r *room, s *cell.Session) {
		r.calls = func(c *cell.Call) error { r.host.Resolve(c.ID, []byte("1")); return nil }
		r.exec(s, "p", 0)
		r.expect("p: started 1", "call 1: s/1 tool-1 a({})", "p: Completed [1true]", "closed s/1")
	})
}

func TestTerminateWhileACallIsHandedOver(t *testing.T) {
	play(t, "cancel and closed follow the call", cell.Options{}, programs{"p": ask}, func(r *room, s *cell.Session) {
		gate := make(chan struct{})
		r.calls = func(*cell.Call) error { <-gate; r.say("handed over"); return nil }
		r.exec(s, "p", -1)
		synctest.Wait()
		r.terminate(s, "end", "1")
		r.expect("p: started 1", "p: Yielded []", "call 1: s/1 tool-1 a({})", "end: Terminated []")
		close(gate)
		r.expect("handed over", "cancel 1", "closed s/1")
	})
}

func TestWindow(t *testing.T) {
	burst := func(n int) func(*fakejs.Run) {
		return func(r *fakejs.Run) {
			r.Hold()
			left := n
			for i := range n {
				r.Call(0, fmt.Sprint(i), func(result, _ string, _ bool) {
					if result != fmt.Sprint(i) {
						r.Fail("wrong result")
					}
					if left--; left == 0 {
						r.Text("all")
						r.End()
					}
				})
			}
		}
	}
	play(t, "10000 calls in one tick, in order", cell.Options{}, programs{"p": burst(10000)}, func(r *room, s *cell.Session) {
		r.exec(s, "p", 0)
		for i := 0; i < 10000; {
			synctest.Wait()
			if got := r.host.Stats(); got.CallsOut != 100 || got.CallsWaiting != 10000-100-i {
				t.Fatalf("after %d answers: %d calls out, %d waiting", i, got.CallsOut, got.CallsWaiting)
			}
			for range 100 {
				i++
				c := r.call(int64(i))
				if string(c.Input) != fmt.Sprint(i-1) || c.Seq != uint64(i) {
					t.Fatalf("call %d: tool-%d input %s", i, c.Seq, c.Input)
				}
				r.host.Resolve(c.ID, c.Input)
			}
		}
		synctest.Wait()
		log := r.take()
		if diff := cmp.Diff([]string{"p: Completed [all]", "closed s/1"}, log[len(log)-2:]); diff != "" {
			t.Error(diff)
		}
	})
	play(t, "shared round robin", cell.Options{Window: 2}, programs{"big": burst(6), "small": burst(2)},
		func(r *room, s *cell.Session) {
			r.exec(s, "big", 0)
			synctest.Wait()
			r.exec(s, "small", 0)
			synctest.Wait()
			r.take()
			for id := range int64(6) {
				r.host.Resolve(id+1, r.call(id+1).Input)
				synctest.Wait()
			}
			var order []string
			for _, line := range r.take() {
				if _, rest, ok := strings.Cut(line, "s/"); ok && strings.HasPrefix(line, "call") {
					order = append(order, strings.Fields(rest)[0])
				}
			}
			if diff := cmp.Diff([]string{"1", "2", "1", "2", "1", "1"}, order); diff != "" {
				t.Errorf("whose calls went out (-want +got):\n%s", diff)
			}
		})
	play(t, "waiting calls of a dead cell are never handed over", cell.Options{Window: 1},
		programs{"p": burst(3), "q": ask}, func(r *room, s *cell.Session) {
			r.exec(s, "p", 0)
			synctest.Wait()
			r.exec(s, "q", 0)
			r.expect("p: started 1", "call 1: s/1 tool-1 a(0)", "q: started 2")
			r.terminate(s, "end", "1")
			synctest.Wait()
			got := r.take()
			slices.Sort(got) // the next call does not wait for the answers
			if diff := cmp.Diff([]string{"call 2: s/2 tool-1 a({})", "cancel 1", "closed s/1",
				"end: Terminated []", "p: Terminated []"}, got); diff != "" {
				t.Errorf("log (-want +got):\n%s", diff)
			}
			if got := r.host.Stats(); got.CallsOut != 1 || got.CallsWaiting != 0 {
				t.Errorf("%+v, want one call out", got)
			}
		})
	play(t, "program's end drops waiting tool calls, not notifications", cell.Options{Window: 1},
		programs{"p": func(r *fakejs.Run) {
			r.Call(0, `1`, nil)
			_ = r.Host.Notify("n")
			r.Call(0, `2`, nil)
		}}, func(r *room, s *cell.Session) {
			r.exec(s, "p", 0)
			r.expect("p: started 1", "call 1: s/1 tool-1 a(1)")
			r.host.Resolve(1, []byte("1"))
			r.expect("call 2: s/1 notify call-p n")
			r.host.Deliver(2)
			synctest.Wait()
			for _, line := range r.take() {
				if strings.HasPrefix(line, "cancel") && line != "cancel 3" {
					t.Errorf("log has %q", line)
				}
			}
		})
}
