package cell_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"github.com/berth-dev/berth/cell"
	"github.com/berth-dev/berth/cell/internal/fakejs"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// room is a Host over scripted programs, and a log of all that it says.
type room struct {
	t      *testing.T
	host   *cell.Host
	engine *fakejs.Engine
	calls  func(*cell.Call) error // what the delegate does, besides the log

	mu   sync.Mutex
	log  []string
	sent map[int64]*cell.Call
}

type programs map[string]func(*fakejs.Run)

func newRoom(t *testing.T, opts cell.Options, p programs) *room {
	t.Helper()
	r := &room{t: t, engine: &fakejs.Engine{Programs: p}, sent: map[int64]*cell.Call{}}
	if opts.Detached == nil {
		opts.Detached = func(d cell.Detached) { r.say("detached %s/%s (%d)", d.Session, d.Cell, d.Now) }
	}
	r.host = cell.New(r.engine, r, opts)
	return r
}

func (r *room) say(format string, args ...any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.log = append(r.log, fmt.Sprintf(format, args...))
}

// Call implements cell.Delegate.
func (r *room) Call(_ context.Context, c *cell.Call) error {
	r.mu.Lock()
	r.sent[c.ID] = c
	r.mu.Unlock()
	if c.Tool != nil {
		r.say("call %d: %s/%s tool-%d %s(%s)", c.ID, c.Session, c.Cell, c.Seq, c.Tool.Name, c.Input)
	} else {
		r.say("call %d: %s/%s notify %s %s", c.ID, c.Session, c.Cell, c.CallID, c.Text)
	}
	if r.calls != nil {
		return r.calls(c)
	}
	return nil
}

// call returns a call that was handed over.
func (r *room) call(id int64) *cell.Call {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.sent[id]
}

// Cancel implements cell.Delegate.
func (r *room) Cancel(c *cell.Call) { r.say("cancel %d", c.ID) }

// Closed implements cell.Delegate.
func (r *room) Closed(session, id string) { r.say("closed %s/%s", session, id) }

func describe(o cell.Observation) string {
	var items []string
	for _, i := range o.Items {
		items = append(items, i.Value)
	}
	text := fmt.Sprintf("%s [%s]", [...]string{"Yielded", "Completed", "Terminated", "Missing"}[o.Kind], strings.Join(items, " "))
	if o.Failed {
		text += " error " + o.ErrorText
	}
	return text
}

func (r *room) open(id string) *cell.Session {
	r.t.Helper()
	s, err := r.host.Open(id, cell.SessionOptions{})
	if err != nil {
		r.t.Fatal(err)
	}
	return s
}

var testTools = []cell.Tool{{Name: "a"}, {Name: "b"}}

// exec runs a program; what it says goes to the log under the program's name.
func (r *room) exec(s *cell.Session, name string, yield time.Duration) *cell.Op {
	op, err := s.Execute(cell.Request{CallID: "call-" + name, Source: name, Tools: testTools, Yield: yield},
		func(id string, err error) {
			if err != nil {
				r.say("%s: %v", name, err)
				return
			}
			r.say("%s: started %s", name, id)
		},
		func(o cell.Observation) { r.say("%s: %s", name, describe(o)) })
	if err != nil {
		r.say("%s: %v", name, err)
	}
	return op
}

func (r *room) wait(s *cell.Session, name, id string, yield time.Duration) *cell.Op {
	op, err := s.Wait(id, yield, func(o cell.Observation) { r.say("%s: %s", name, describe(o)) })
	if err != nil {
		r.say("%s: %v", name, err)
	}
	return op
}

func (r *room) terminate(s *cell.Session, name, id string) {
	if err := s.Terminate(id, func(o cell.Observation) { r.say("%s: %s", name, describe(o)) }); err != nil {
		r.say("%s: %v", name, err)
	}
}

func (r *room) shutdown() {
	r.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	if err := r.host.Shutdown(ctx); err != nil {
		r.t.Error(err)
	}
}

// take returns the log and empties it.
func (r *room) take() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	log := r.log
	r.log = nil
	return log
}

// expect waits until nothing moves, and compares the log since the last time.
func (r *room) expect(want ...string) {
	r.t.Helper()
	synctest.Wait()
	if diff := cmp.Diff(want, r.take()); diff != "" {
		r.t.Fatalf("log (-want +got):\n%s", diff)
	}
}

// empty checks that nothing is left of what was charged.
func (r *room) empty() {
	r.t.Helper()
	r.shutdown()
	synctest.Wait()
	if got := r.host.Stats(); got != (cell.Stats{}) {
		r.t.Errorf("after shutdown: %+v, want nothing", got)
	}
	if n := r.engine.Open(); n != 0 {
		r.t.Errorf("after shutdown: %d isolates open, want 0", n)
	}
}

// play runs one scripted case in a bubble.
func play(t *testing.T, name string, opts cell.Options, p programs, script func(r *room, s *cell.Session)) {
	t.Helper()
	t.Run(name, func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			r := newRoom(t, opts, p)
			defer r.empty()
			script(r, r.open("s"))
		})
	})
}
