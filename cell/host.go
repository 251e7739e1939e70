package cell

import (
	"cmp"
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/berth-dev/berth/cell/js"
)

// Options tune a Host. The zero value is ready to use.
type Options struct {
	Window      int // calls handed over and unanswered; 0 means 100 (§10.2)
	MaxCells    int // live cells; 0 means 128, negative no limit (§10.2)
	MaxDetached int // isolates that could not be stopped, before new cells are refused; 0 means 4

	CellMemory  int64 // bytes for one cell; 0 means 1 GiB, negative no limit
	StoreMemory int64 // bytes of one session's stored values; 0 means 256 MiB, negative no limit
	HostMemory  int64 // bytes for all; 0 means 60 % of the machine's or cgroup's memory, negative no limit

	// KeyList, if not empty, is a key under which load returns the list of the
	// keys that the session had when the cell started, whatever is stored there.
	// A parent that keeps stored values beyond the session finds them with it.
	KeyList string

	// Spread lets the Host raise GOMAXPROCS while cells compute on all of it, so
	// that others are served in between. It is for a process that has one Host
	// and nothing else to do.
	Spread bool
	// Grace is how long an isolate may take to stop before it is detached;
	// 0 means 100 ms.
	Grace time.Duration
	// Detached is told of each isolate that was detached. It must not block.
	Detached func(Detached)
}

// Detached reports an isolate that went on after it was told to stop.
type Detached struct {
	Session, Cell string
	Now           int // detached isolates of the Host, with this one
}

// Stats is what a Host holds at one moment.
type Stats struct {
	Sessions     int
	Cells        int // live, also those whose result waits
	Detached     int
	Memory       int64 // bytes charged
	CallsOut     int   // handed over and unanswered
	CallsWaiting int   // waiting for the window
}

const (
	drainSlice  = 1000                  // jobs between two looks at the cell's state
	closeGrace  = 10 * time.Millisecond // Close does not wait longer for isolates to stop
	idsKept     = 4096                  // session ids remembered (§4)
	cellMemory  = 1 << 30
	storeMemory = 256 << 20
)

// Host owns sessions and what they share: memory, slots, the window of calls.
type Host struct {
	engine   js.Engine
	delegate Delegate
	opts     Options
	memory   meter
	window   window
	pace     *pace

	mu       sync.Mutex
	sessions map[string]*Session
	opened   fifo[string]        // the last idsKept ids, oldest first
	known    map[string]struct{} // what opened holds
	cells    int
	detached int
	running  int           // goroutines: cells, without the detached, and the pump
	idle     chan struct{} // made by Shutdown, closed when running is 0
	done     bool          // idle is closed
	closed   bool
}

// New returns a Host whose cells run in isolates of engine and call delegate.
// It starts nothing.
func New(engine js.Engine, delegate Delegate, opts Options) *Host {
	opts.Window = cmp.Or(opts.Window, 100)
	opts.MaxCells = cmp.Or(opts.MaxCells, 128)
	opts.MaxDetached = cmp.Or(opts.MaxDetached, 4)
	opts.CellMemory = max(0, cmp.Or(opts.CellMemory, cellMemory))
	opts.StoreMemory = max(0, cmp.Or(opts.StoreMemory, storeMemory))
	opts.Grace = cmp.Or(opts.Grace, 100*time.Millisecond)
	if opts.HostMemory == 0 {
		opts.HostMemory = DefaultHostMemory()
	}
	h := &Host{engine: engine, delegate: delegate, opts: opts,
		sessions: map[string]*Session{}, known: map[string]struct{}{}}
	h.pace = newPace(opts.Spread)
	h.memory.limit = max(0, opts.HostMemory)
	h.window = window{host: h, delegate: delegate, size: opts.Window, out: map[int64]*Call{}}
	return h
}

// SessionOptions tune a session. The zero value is ready to use.
type SessionOptions struct {
	Dialect js.Dialect
	// MaxYield caps the yield deadline of each execute and wait; 0 means no cap,
	// negative that all yield at once. Spec: codemode §15.
	MaxYield   time.Duration
	CellMemory int64 // bytes for one cell, at most Options.CellMemory; 0 means that
}

// Open makes an empty session. An id that is open, or is among the last 4096
// that were, is refused with ErrSessionOpen or ErrSessionReused; after Shutdown
// the error is ErrHostClosed. Spec: codemode §4, §8.1.
func (h *Host) Open(id string, opts SessionOptions) (*Session, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed {
		return nil, ErrHostClosed
	}
	if _, ok := h.sessions[id]; ok {
		return nil, sessionError(id, ErrSessionOpen)
	}
	if _, ok := h.known[id]; ok {
		return nil, sessionError(id, ErrSessionReused)
	}
	if h.opened.len() == idsKept {
		delete(h.known, h.opened.pop())
	}
	h.opened.push(id)
	h.known[id] = struct{}{}
	s := newSession(h, id, opts)
	h.sessions[id] = s
	return s, nil
}

// Session returns an open session, or an error wrapping ErrUnknownSession.
func (h *Host) Session(id string) (*Session, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if s, ok := h.sessions[id]; ok {
		return s, nil
	}
	return nil, fmt.Errorf("%w %s", ErrUnknownSession, id)
}

// Resolve answers a tool call with JSON, which must not be changed after; a
// notification takes it as an answer too. Ids that are unknown, answered or
// cancelled are ignored here and below. Spec: codemode §9.
func (h *Host) Resolve(call int64, result []byte) { h.window.answer(call, answer{result: result}) }

// Reject answers a call with the string that the program's promise rejects with.
func (h *Host) Reject(call int64, reason string) {
	h.window.answer(call, answer{reason: reason, failed: true})
}

// Deliver answers a notification. A tool call that gets it rejects.
func (h *Host) Deliver(call int64) {
	h.window.answer(call, answer{delivered: true, failed: true, reason: textInvalidResult})
}

// Hold charges the Host for delta bytes that its owner keeps for the cells, and
// gives them back when negative. They were the cells' before, so there is no
// refusal; what cells take next may be refused. Spec: codemode §10.2.
func (h *Host) Hold(delta int64) { h.memory.used.Add(delta) }

// Stats returns what the Host holds.
func (h *Host) Stats() Stats {
	out, waiting := h.window.counts()
	h.mu.Lock()
	defer h.mu.Unlock()
	return Stats{Sessions: len(h.sessions), Cells: h.cells, Detached: h.detached,
		Memory: h.memory.used.Load(), CallsOut: out, CallsWaiting: waiting}
}

// Shutdown closes all sessions and waits for the goroutines of their cells,
// though not for detached ones. Nothing can be opened any more. It fails only
// with ctx's error.
func (h *Host) Shutdown(ctx context.Context) error {
	h.mu.Lock()
	h.closed = true
	if h.idle == nil {
		h.idle = make(chan struct{})
		if h.running == 0 {
			h.done = true
			close(h.idle)
		}
	}
	var sessions []*Session
	for _, s := range h.sessions {
		sessions = append(sessions, s)
	}
	h.mu.Unlock()
	for _, s := range sessions {
		s.terminateAll() // or somebody else began it
	}
	defer h.pace.stop()
	for _, s := range sessions {
		if err := s.settle(ctx); err != nil {
			return fmt.Errorf("shut down host: %w", err)
		}
	}
	select {
	case <-h.idle:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("shut down host: %w", ctx.Err())
	}
}

// admit takes a slot and the account for one goroutine with an isolate.
func (h *Host) admit() error {
	h.mu.Lock()
	defer h.mu.Unlock()
	switch {
	case h.closed:
		return ErrSessionClosed
	case h.detached >= h.opts.MaxDetached:
		return ErrOverloaded
	case h.opts.MaxCells > 0 && h.cells >= h.opts.MaxCells:
		return ErrTooManyCells
	}
	h.cells++
	h.running++
	return nil
}

// freeSlot is called once the cell is closed.
func (h *Host) freeSlot() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.cells--
}

// detach stops counting a goroutine among those that Shutdown waits for.
func (h *Host) detach(session, cell string) {
	h.mu.Lock()
	h.detached++
	now := h.detached
	h.left()
	h.mu.Unlock()
	if h.opts.Detached != nil {
		h.opts.Detached(Detached{Session: session, Cell: cell, Now: now})
	}
}

// began counts a goroutine that Shutdown waits for.
func (h *Host) began() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.running++
}

// ended is called at the end of each goroutine that was counted.
func (h *Host) ended(wasDetached bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if wasDetached {
		h.detached--
		return
	}
	h.left()
}

func (h *Host) left() {
	h.running--
	if h.running == 0 && h.idle != nil && !h.done {
		h.done = true
		close(h.idle)
	}
}

func (h *Host) forget(id string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.sessions, id)
}
