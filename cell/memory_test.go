package cell_test

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/berth-dev/berth/cell"
	"github.com/berth-dev/berth/cell/internal/fakejs"
)

// forever repeats f until it fails; the program is over then.
func forever(f func(r *fakejs.Run, i int) error) func(*fakejs.Run) {
	return func(r *fakejs.Run) {
		for i := 0; r.Check(f(r, i)); i++ {
		}
	}
}

var big = strings.Repeat("x", 64<<10)

func TestMemoryLimit(t *testing.T) {
	const limit = "error RangeError: cell memory limit of 1 MiB exceeded"
	for name, f := range map[string]func(r *fakejs.Run, i int) error{
		"heap":   func(r *fakejs.Run, _ int) error { return r.Account.Reserve(64 << 10) },
		"output": func(r *fakejs.Run, _ int) error { return r.Host.Text(big) },
		"images": func(r *fakejs.Run, _ int) error { return r.Host.Image(big, "high") },
		"calls":  func(r *fakejs.Run, _ int) error { _, err := r.Host.CallTool(0, []byte(big)); return err },
		"notify": func(r *fakejs.Run, _ int) error { return r.Host.Notify(big) },
		"stores": func(r *fakejs.Run, i int) error { return r.Host.Store(fmt.Sprint(i), []byte(big)) },
		"timers": func(r *fakejs.Run, i int) error { return r.Host.SetTimer(uint64(i+1), 1000) },
		"huge":   func(r *fakejs.Run, _ int) error { return r.Account.Reserve(1<<63 - 1) },
	} {
		play(t, name, cell.Options{CellMemory: 1 << 20}, programs{"p": forever(f), "q": say("fine")},
			func(r *room, s *cell.Session) {
				r.exec(s, "p", time.Minute)
				for synctest.Wait(); ; synctest.Wait() {
					st := r.host.Stats()
					if st.Memory > 1<<20 {
						t.Fatalf("%d bytes charged", st.Memory)
					}
					if st.CallsOut == 0 {
						break
					}
					r.host.Deliver(first(r)) // notifications hold up the end
				}
				log := r.take()
				if got := log[len(log)-2]; !strings.HasPrefix(got, "p: Completed") || !strings.HasSuffix(got, limit) {
					t.Errorf("log ends with %.80q, want %q", got, limit)
				}
				r.exec(s, "q", 0)
				r.expect("q: started 2", "q: Completed [fine]", "closed s/2")
			})
	}
	play(t, "answers", cell.Options{CellMemory: 1 << 20}, programs{"p": func(r *fakejs.Run) {
		r.Hold()
		for range 20 {
			r.Call(0, "1", func(string, string, bool) { r.Text("got") })
		}
		<-r.Interrupted() // busy: the answers pile up
	}, "q": func(r *fakejs.Run) {
		r.Hold()
		r.Call(0, "1", func(string, string, bool) { r.Text("got") })
	}}, func(r *room, s *cell.Session) {
		r.exec(s, "p", -1)
		synctest.Wait()
		for id := range int64(20) {
			r.host.Resolve(id+1, []byte(big))
		}
		if st := r.host.Stats(); st.Memory > 1<<20 {
			t.Errorf("%d bytes charged", st.Memory)
		}
		r.terminate(s, "end", "1")
		synctest.Wait()
		r.take()
		r.exec(s, "q", 0)
		synctest.Wait()
		r.host.Resolve(21, []byte(strings.Repeat(big, 17)))
		r.expect("q: started 2", "call 21: s/2 tool-1 a(1)", "q: Completed [] "+limit, "closed s/2")
	})
	play(t, "of a session", cell.Options{}, programs{"p": forever(func(r *fakejs.Run, _ int) error { return r.Account.Reserve(64 << 10) })},
		func(r *room, _ *cell.Session) {
			s, err := r.host.Open("small", cell.SessionOptions{CellMemory: 2 << 20})
			if err != nil {
				t.Fatal(err)
			}
			r.exec(s, "p", 0)
			r.expect("p: started 1", "p: Completed [] error RangeError: cell memory limit of 2 MiB exceeded", "closed small/1")
		})
	play(t, "of the host", cell.Options{HostMemory: 3 << 20}, programs{
		"p": func(r *fakejs.Run) { r.Check(r.Account.Reserve(2 << 20)); r.Hold() },
	}, func(r *room, s *cell.Session) {
		r.exec(s, "p", -1)
		synctest.Wait()
		r.exec(s, "p", time.Minute)
		r.expect("p: started 1", "p: Yielded []", "p: started 2",
			"p: Completed [] error RangeError: cell memory limit of 3 MiB exceeded", "closed s/2")
		r.wait(s, "wait", "1", 0)
		r.expect("wait: Yielded []") // the first lives
	})
	play(t, "no room for an isolate", cell.Options{HostMemory: 512}, programs{"p": say("a")}, func(r *room, s *cell.Session) {
		r.exec(s, "p", 0)
		r.expect("p: started 1", "p: Completed [] error RangeError: cell memory limit of 0 MiB exceeded", "closed s/1")
	})
}

// first returns the least id that may be out.
func first(r *room) int64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	var least int64
	for id := range r.sent {
		if least == 0 || id < least {
			least = id
		}
	}
	delete(r.sent, least)
	return least
}

func TestStoredValues(t *testing.T) {
	set := func(key, value string) func(*fakejs.Run) {
		return func(r *fakejs.Run) {
			r.Check(r.Host.Store(key, []byte(value)))
			v, _ := r.Host.Load(key)
			r.Text(string(v))
		}
	}
	get := func(keys ...string) func(*fakejs.Run) {
		return func(r *fakejs.Run) {
			for _, k := range keys {
				v, ok := r.Host.Load(k)
				r.Text(fmt.Sprintf("%s=%s,%v", k, v, ok))
			}
		}
	}
	play(t, "in a session, not across", cell.Options{}, programs{"set": set("k", "1.50"), "get": get("k")},
		func(r *room, s *cell.Session) {
			r.exec(s, "set", 0)
			r.expect("set: started 1", "set: Completed [1.50]", "closed s/1")
			r.exec(s, "get", 0)
			r.expect("get: started 2", "get: Completed [k=1.50,true]", "closed s/2")
			r.exec(r.open("t"), "get", 0)
			r.expect("get: started 1", "get: Completed [k=,false]", "closed t/1")
		})
	play(t, "snapshot, and last completion wins", cell.Options{}, programs{
		"slow": func(r *fakejs.Run) {
			r.Hold()
			r.Check(r.Host.Store("k", []byte("slow")))
			r.Check(r.Host.Store("own", []byte("1")))
			r.After(1000, func() { get("k", "other")(r); r.End() })
		},
		"fast": func(r *fakejs.Run) { set("k", "fast")(r); set("other", "2")(r) },
		"fail": func(r *fakejs.Run) { set("f", "3")(r); r.Fail("no") },
		"get":  get("k", "other", "own", "f"),
	}, func(r *room, s *cell.Session) {
		r.exec(s, "slow", 0)
		r.exec(s, "fail", 0)
		r.exec(s, "fast", 0)
		time.Sleep(time.Second)
		synctest.Wait()
		r.take()
		r.exec(s, "get", 0)
		r.expect("get: started 4", "get: Completed [k=slow,true other=2,true own=1,true f=3,true]", "closed s/4")
	})
	play(t, "terminated cells commit nothing", cell.Options{}, programs{
		"p": func(r *fakejs.Run) { r.Check(r.Host.Store("k", []byte("1"))); r.Spin() }, "get": get("k"),
	}, func(r *room, s *cell.Session) {
		r.exec(s, "p", -1)
		synctest.Wait()
		r.terminate(s, "end", "1")
		synctest.Wait()
		r.take()
		r.exec(s, "get", 0)
		r.expect("get: started 2", "get: Completed [k=,false]", "closed s/2")
	})
	play(t, "list of keys", cell.Options{KeyList: "keys"}, programs{
		"get": get("keys"), "z": set("z", "1"), "a": set(`a"`, "2"), "keys": set("keys", `"mine"`),
	}, func(r *room, s *cell.Session) {
		for _, p := range []string{"get", "z", "a", "keys"} {
			r.exec(s, p, 0)
			synctest.Wait()
		}
		r.expect("get: started 1", "get: Completed [keys=[],true]", "closed s/1",
			"z: started 2", "z: Completed [1]", "closed s/2", "a: started 3", "a: Completed [2]", "closed s/3",
			"keys: started 4", `keys: Completed [["a\"","z"]]`, "closed s/4")
		r.exec(s, "get", 0)
		r.expect("get: started 5", `get: Completed [keys=["a\"","keys","z"],true]`, "closed s/5")
	})
	play(t, "limit in one cell", cell.Options{StoreMemory: 1 << 20}, programs{
		"p": forever(func(r *fakejs.Run, i int) error { return r.Host.Store(fmt.Sprint(i), []byte(big)) }),
		"q": forever(func(r *fakejs.Run, i int) error {
			if i == 100 {
				return fmt.Errorf("enough")
			}
			return r.Host.Store("same", []byte(big)) // replaced, not added
		}),
	}, func(r *room, s *cell.Session) {
		r.exec(s, "p", 0)
		r.expect("p: started 1", "p: Completed [] error RangeError: cell memory limit of 1 MiB exceeded", "closed s/1")
		r.exec(s, "q", 0)
		r.expect("q: started 2", "q: Completed [] error RangeError: cell memory limit of 1 MiB exceeded", "closed s/2")
		r.exec(r.open("t"), "q", 0)
		r.expect("q: started 1", "q: Completed []", "closed t/1")
	})
	play(t, "limit passed by two cells together", cell.Options{StoreMemory: 1 << 20}, programs{
		"p": func(r *fakejs.Run) {
			r.Hold()
			for i := range 10 {
				r.Check(r.Host.Store(fmt.Sprintf("%p%d", r, i), []byte(big)))
			}
			r.After(1, r.End)
		},
	}, func(r *room, s *cell.Session) {
		r.exec(s, "p", 0)
		synctest.Wait()
		r.exec(s, "p", 0)
		time.Sleep(time.Second)
		synctest.Wait()
		n := 0
		for _, line := range r.take() {
			if line == "p: Completed [] error RangeError: cell memory limit of 1 MiB exceeded" {
				n++
			}
		}
		if n != 1 {
			t.Errorf("%d cells ended for the limit, want one", n)
		}
	})
	n := 0
	play(t, "many commits", cell.Options{}, programs{"p": func(r *fakejs.Run) {
		r.Check(r.Host.Store(fmt.Sprint(n%500), []byte(fmt.Sprint(n))))
		if v, ok := r.Host.Load(fmt.Sprint(n / 2)); n > 1 && (!ok || string(v) != fmt.Sprint(n/2)) {
			r.Fail(fmt.Sprintf("value %d is %s", n/2, v))
		}
	}}, func(r *room, s *cell.Session) {
		for n = range 999 {
			r.exec(s, "p", 0)
			r.expect("p: started "+fmt.Sprint(n+1), "p: Completed []", fmt.Sprintf("closed s/%d", n+1))
		}
		if got := r.host.Stats().Memory; got < 500*128 || got > 2*500*140 {
			t.Errorf("%d bytes for 500 values", got)
		}
	})
	play(t, "what snapshots hold is charged", cell.Options{StoreMemory: 1 << 20}, programs{
		"p": func(r *fakejs.Run) { r.Check(r.Host.Store("k", []byte(big))) },
		"many": func(r *fakejs.Run) {
			for i := range 100 {
				r.Check(r.Host.Store(fmt.Sprint(i), []byte("1")))
			}
		},
		"live": func(r *fakejs.Run) { r.Hold(); r.After(60000, r.End) },
	}, func(r *room, s *cell.Session) {
		charged := func(n int64) {
			r.t.Helper()
			synctest.Wait()
			r.take()
			if got := r.host.Stats().Memory / int64(len(big)); got != n {
				r.t.Errorf("%d big values are charged, want %d", got, n)
			}
		}
		r.exec(s, "many", 0)
		charged(0)
		for i := range int64(10) {
			r.exec(s, "p", 0)
			charged(i + 1)
			r.exec(s, "live", -1)
			charged(i + 1)
		}
		time.Sleep(time.Minute)
		charged(1) // the results wait, the snapshots are gone
		for range 10 {
			r.exec(s, "p", 0)
			charged(1)
		}
	})
}

func TestTimers(t *testing.T) {
	play(t, "equal deadlines in creation order, others by time", cell.Options{}, programs{"p": func(r *fakejs.Run) {
		r.Hold()
		for i, ms := range []uint64{20, 10, 20, 0, 10} {
			r.After(ms, func() { r.Text(fmt.Sprint(i)) })
		}
		gone := r.After(15, func() { r.Text("cleared") })
		r.Host.ClearTimer(gone)
		r.Host.ClearTimer(99)
		r.After(1<<63, r.End) // a very long time
		r.After(30, r.End)
	}}, func(r *room, s *cell.Session) {
		r.exec(s, "p", 0)
		time.Sleep(30 * time.Millisecond)
		r.expect("p: started 1", "p: Completed [3 1 4 0 2]", "closed s/1")
	})
	play(t, "100000", cell.Options{}, programs{"p": func(r *fakejs.Run) {
		r.Hold()
		n := 0
		for i := range 100000 {
			r.After(uint64(100000-i)/1000, func() {
				if n++; n == 100000 {
					r.Text("all")
					r.End()
				}
			})
		}
	}}, func(r *room, s *cell.Session) {
		r.exec(s, "p", 0)
		time.Sleep(time.Second)
		r.expect("p: started 1", "p: Completed [all]", "closed s/1")
	})
	play(t, "terminate drops them", cell.Options{}, programs{"p": func(r *fakejs.Run) {
		r.Hold()
		r.After(60000, func() { r.Text("late") })
		r.Text("a")
	}}, func(r *room, s *cell.Session) {
		r.exec(s, "p", -1)
		synctest.Wait()
		r.terminate(s, "end", "1")
		time.Sleep(time.Hour)
		r.expect("p: started 1", "p: Yielded []", "end: Terminated [a]", "closed s/1")
	})
}

func TestCellLimit(t *testing.T) {
	play(t, "128 live cells by default, freed at close", cell.Options{}, programs{"p": lived}, func(r *room, s *cell.Session) {
		for range 128 {
			r.exec(s, "p", -1)
		}
		synctest.Wait()
		r.take()
		r.exec(s, "p", -1)
		r.expect("p: code-mode host has too many active cells")
		r.terminate(s, "end", "5")
		synctest.Wait()
		r.take()
		r.exec(s, "p", -1)
		r.expect("p: started 129", "p: Yielded []")
	})
	play(t, "no limit", cell.Options{MaxCells: -1}, programs{"p": lived}, func(r *room, s *cell.Session) {
		for range 700 {
			r.exec(s, "p", -1)
		}
		synctest.Wait()
		if n := r.host.Stats().Cells; n != 700 {
			t.Errorf("%d live cells, want 700", n)
		}
	})
}
