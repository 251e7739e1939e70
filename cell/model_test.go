package cell_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/berth-dev/berth/cell"
	"github.com/berth-dev/berth/cell/internal/fakejs"
)

// ticking emits 1, 2, … n, one every 10 ms, and is over with the last.
func ticking(n int) func(*fakejs.Run) {
	return func(r *fakejs.Run) {
		r.Hold()
		i := 0
		var tick func()
		tick = func() {
			if i++; i > n {
				r.End()
				return
			}
			r.Text(fmt.Sprint(i))
			if i == n {
				r.End()
				return
			}
			r.After(10, tick)
		}
		r.After(10, tick)
	}
}

const tick = 10 * time.Millisecond

// modelCell is what a cell of a ticking program must look like from outside.
type modelCell struct {
	id        string
	begun     time.Duration
	n         int // items of the program
	delivered int
	observer  string // "" if none
	op        *cell.Op
	first     bool          // the observer is the execute's
	deadline  time.Duration // of the observer
	over      bool          // complete
	gone      bool          // collected or terminated
}

// model predicts the log of a room.
type model struct {
	now   time.Duration
	cells []*modelCell
	log   []string
}

func (c *modelCell) emitted(now time.Duration) int { return min(c.n, int((now-c.begun)/tick)) }

func (c *modelCell) take(now time.Duration) string {
	var items []string
	for i := c.delivered + 1; i <= c.emitted(now); i++ {
		items = append(items, fmt.Sprint(i))
	}
	c.delivered = c.emitted(now)
	return strings.Join(items, " ")
}

func (m *model) say(format string, args ...any) { m.log = append(m.log, fmt.Sprintf(format, args...)) }

// advance moves time and lets programs end and deadlines pass, each at its time.
func (m *model) advance(to time.Duration) {
	for _, c := range m.cells {
		end := c.begun + time.Duration(c.n)*tick
		if c.observer != "" && c.deadline <= to && c.deadline < end && !c.over {
			m.say("%s: Yielded [%s]", c.observer, c.take(c.deadline))
			c.observer = ""
		}
		if !c.over && !c.gone && end <= to {
			c.over = true
			if c.observer != "" {
				m.complete(c, c.observer, to)
			}
		}
	}
	m.now = to
}

func (m *model) complete(c *modelCell, observer string, now time.Duration) {
	m.say("%s: Completed [%s]", observer, c.take(now))
	m.say("closed s/%s", c.id)
	c.observer, c.gone = "", true
}

// yieldTimes never end together with a tick.
var yieldTimes = rapid.SampledFrom([]time.Duration{-1, 3 * time.Millisecond, 15 * time.Millisecond, 47 * time.Millisecond, time.Hour + 1})

func TestHistoriesFollowTheModel(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		synctest.Test(t, func(t *testing.T) {
			r := newRoom(t, cell.Options{MaxCells: 4}, programs{})
			defer r.empty()
			s := r.open("s")
			m := &model{}
			for i := range rapid.IntRange(1, 40).Draw(rt, "steps") {
				m.step(rt, r, s, fmt.Sprint("op", i))
				synctest.Wait()
				got := r.take()
				slices.Sort(got)
				slices.Sort(m.log)
				if diff := cmp.Diff(m.log, got); diff != "" {
					rt.Fatalf("step %d at %v (-want +got):\n%s", i, m.now, diff)
				}
				m.log = nil
			}
		})
	})
}

func (m *model) step(rt *rapid.T, r *room, s *cell.Session, name string) {
	kind := rapid.SampledFrom([]string{"execute", "wait", "wait", "terminate", "cancel", "yield", "time", "time"}).Draw(rt, "kind")
	if kind == "execute" {
		m.execute(rt, r, s, name)
		return
	}
	if kind == "time" {
		d := rapid.SampledFrom([]time.Duration{time.Millisecond, 9 * time.Millisecond, 31 * time.Millisecond}).Draw(rt, "time")
		time.Sleep(d)
		m.advance(m.now + d)
		return
	}
	if len(m.cells) == 0 {
		return
	}
	c := rapid.SampledFrom(m.cells).Draw(rt, "cell")
	switch kind {
	case "wait":
		m.wait(r, s, c, name, yieldTimes.Draw(rt, "yield"))
	case "terminate":
		m.terminate(r, s, c, name)
	case "cancel":
		if c.observer != "" {
			if got := c.op.Cancel(); got == c.first {
				rt.Fatalf("Cancel of %s: %v", c.observer, got)
			}
			if !c.first {
				c.observer = ""
			}
		}
	case "yield":
		if c.op != nil {
			c.op.Yield()
			if c.observer != "" {
				m.say("%s: Yielded [%s]", c.observer, c.take(m.now))
				c.observer = ""
			}
		}
	}
}

func (m *model) execute(rt *rapid.T, r *room, s *cell.Session, name string) {
	n := rapid.IntRange(1, 6).Draw(rt, "items")
	yield := yieldTimes.Draw(rt, "yield")
	r.engine.Programs[name] = ticking(n)
	op := r.exec(s, name, yield)
	live := 0
	for _, c := range m.cells {
		if !c.gone {
			live++
		}
	}
	if live == 4 {
		m.say("%s: code-mode host has too many active cells", name)
		return
	}
	c := &modelCell{id: fmt.Sprint(len(m.cells) + 1), begun: m.now, n: n, op: op, first: true}
	m.cells = append(m.cells, c)
	m.say("%s: started %s", name, c.id)
	m.observe(c, name, yield)
}

func (m *model) observe(c *modelCell, name string, yield time.Duration) {
	if yield < 0 {
		m.say("%s: Yielded [%s]", name, c.take(m.now))
		return
	}
	c.observer, c.deadline = name, m.now+yield
}

func (m *model) wait(r *room, s *cell.Session, c *modelCell, name string, yield time.Duration) {
	op := r.wait(s, name, c.id, yield)
	switch {
	case c.gone:
		m.say("%s: Missing [] error exec cell %s not found", name, c.id)
	case c.over:
		m.complete(c, name, m.now)
	case c.observer != "":
		m.say("%s: exec cell %s already has an active observer", name, c.id)
	default:
		c.op, c.first = op, false
		m.observe(c, name, yield)
	}
}

func (m *model) terminate(r *room, s *cell.Session, c *modelCell, name string) {
	r.terminate(s, name, c.id)
	switch {
	case c.gone:
		m.say("%s: Missing [] error exec cell %s not found", name, c.id)
	case c.over:
		m.complete(c, name, m.now)
	default:
		items := c.take(m.now)
		m.say("%s: Terminated [%s]", name, items)
		if c.observer != "" {
			m.say("%s: Terminated [%s]", c.observer, items)
		}
		m.say("closed s/%s", c.id)
		c.observer, c.gone = "", true
	}
}
