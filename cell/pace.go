package cell

import (
	"runtime"
	"sync"
	"sync/atomic"
	"time"
)

const (
	paceRise = 2 * time.Millisecond   // JavaScript that runs longer is not trivial
	paceFall = 250 * time.Millisecond // between looks at whether it is over
	paceMost = 256                    // Ps
)

// pace keeps Ps of the Go scheduler free for whoever waits while cells compute.
// With all of them busy a goroutine waits for 10 ms slices of the others, and
// network readiness is looked for every 10 ms only; with one to spare the
// kernel shares the processors in a far finer way, and favours who slept.
// More Ps than processors cost every change of goroutines something, so there
// are more only while there is a need. It is of the process; see Options.Spread.
type pace struct {
	enabled bool
	inside  atomic.Int32 // goroutines that are in JavaScript
	procs   atomic.Int32 // Ps now
	looking atomic.Bool  // look is going to be called

	mu    sync.Mutex // guards the fields below
	base  int32      // Ps before
	timer *time.Timer
	ended bool
}

func newPace(enabled bool) *pace {
	p := &pace{enabled: enabled, base: int32(runtime.GOMAXPROCS(0))}
	p.procs.Store(p.base)
	return p
}

// enter is called before JavaScript runs, leave after.
func (p *pace) enter() {
	if p.inside.Add(1) >= p.procs.Load() && p.enabled && p.looking.CompareAndSwap(false, true) {
		p.after(paceRise)
	}
}

func (p *pace) leave() { p.inside.Add(-1) }

func (p *pace) after(d time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.ended {
		p.timer = time.AfterFunc(d, p.look)
	}
}

// look adapts the number of Ps to that of the goroutines inside, and looks
// again while it is not what it was.
func (p *pace) look() {
	inside, procs := p.inside.Load(), p.procs.Load()
	switch {
	case inside >= procs:
		p.set(min(2*inside+p.base, paceMost))
	case inside < p.base && procs > p.base:
		p.set(p.base)
	}
	if p.procs.Load() > p.base {
		p.after(paceFall)
		return
	}
	p.looking.Store(false)
}

func (p *pace) set(procs int32) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.ended && procs != p.procs.Load() {
		runtime.GOMAXPROCS(int(procs))
		p.procs.Store(procs)
	}
}

// stop puts things back.
func (p *pace) stop() {
	p.set(p.base)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.ended = true
	if p.timer != nil {
		p.timer.Stop()
	}
}
