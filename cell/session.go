package cell

import (
	"context"
	"fmt"
	"strconv"
	"sync"
	"time"
)

// Session owns stored values, a counter of cell ids, and live cells.
type Session struct {
	host *Host
	id   string
	opts SessionOptions

	mu      sync.Mutex
	cells   map[string]*cell
	lastID  uint64
	closing bool
	empty   chan struct{} // closed when closing and no cell is left
	values  *values
}

func newSession(h *Host, id string, opts SessionOptions) *Session {
	limit := h.opts.CellMemory
	if opts.CellMemory > 0 && (limit == 0 || opts.CellMemory < limit) {
		limit = opts.CellMemory
	}
	opts.CellMemory = limit
	return &Session{host: h, id: id, opts: opts, cells: map[string]*cell{}, empty: make(chan struct{})}
}

// ID returns the id that the session was opened with.
func (s *Session) ID() string { return s.id }

// Execute admits a cell and runs req in a goroutine of the Host. started is
// called once: with the cell's id, before the program runs and before any of
// its calls is handed over, or with an error wrapping ErrRuntime,
// ErrCancelled or ErrSessionClosed. After a start without error observed is called once, as the
// cell's first observer. The errors that Execute itself returns are
// ErrSessionClosed, ErrTooManyCells, ErrOverloaded and ErrCellIDs; then neither
// is called. Spec: codemode §8.2.
func (s *Session) Execute(req Request, started func(id string, err error), observed func(Observation)) (*Op, error) {
	begun := time.Now()
	if err := s.host.admit(); err != nil {
		return nil, err
	}
	s.mu.Lock()
	var err error
	switch {
	case s.closing:
		err = ErrSessionClosed
	case s.lastID+1 == 0:
		err = ErrCellIDs
	}
	if err != nil {
		s.mu.Unlock()
		s.host.freeSlot()
		s.host.ended(false)
		return nil, err
	}
	s.lastID++
	c := newCell(s, strconv.FormatUint(s.lastID, 10), &req)
	s.cells[c.id] = c
	c.snapshot = s.values.hold()
	s.mu.Unlock()
	yield := req.Yield
	if yield == 0 {
		yield = DefaultYield
	}
	op := &Op{cell: c, begun: begun, yield: s.capYield(yield), observed: observed, first: true}
	c.op = op
	go c.run(&req, started) // counted by the Host; Shutdown waits for it
	return op, nil
}

// Wait attaches observed as the next observer of a cell; it is called once,
// perhaps before Wait returns. A yield that is not positive yields at once. If
// there is no such cell the observation is Missing and the Op does nothing.
// The error wraps ErrObserved; then observed is not called. Spec: codemode §8.3.
func (s *Session) Wait(id string, yield time.Duration, observed func(Observation)) (*Op, error) {
	op := &Op{begun: time.Now(), yield: s.capYield(yield), observed: observed}
	c := s.cell(id)
	if c == nil {
		observed(missing(id, op.begun))
		return op, nil
	}
	op.cell = c
	return op, c.observe(op)
}

// Terminate stops a cell; observed gets its end, Completed if it was over
// before, or Missing. The error wraps ErrTerminating; then observed is not
// called. Spec: codemode §8.5.
func (s *Session) Terminate(id string, observed func(Observation)) error {
	begun := time.Now()
	c := s.cell(id)
	if c == nil {
		observed(missing(id, begun))
		return nil
	}
	return c.stop(&Op{cell: c, begun: begun, observed: observed})
}

// Close removes the session, terminates its cells and waits until each is
// closed, which takes a few milliseconds at most. It returns an error wrapping
// ErrUnknownSession if Close or Shutdown was called before, or ctx's error.
// Spec: codemode §8.1.
func (s *Session) Close(ctx context.Context) error {
	if !s.terminateAll() {
		return fmt.Errorf("%w %s", ErrUnknownSession, s.id)
	}
	return s.settle(ctx)
}

// terminateAll begins Close, and reports whether it is the first to do so.
func (s *Session) terminateAll() bool {
	s.host.forget(s.id)
	s.mu.Lock()
	if s.closing {
		s.mu.Unlock()
		return false
	}
	s.closing = true
	if len(s.cells) == 0 {
		close(s.empty)
	}
	s.mu.Unlock()
	for _, c := range s.live() {
		_ = c.stop(nil) // fails only for an observer
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.values.release(&s.host.memory)
	s.values = nil
	return true
}

// settle waits until no cell is left.
func (s *Session) settle(ctx context.Context) error {
	late := time.NewTimer(closeGrace)
	defer late.Stop()
	for {
		select {
		case <-s.empty:
			return nil
		case <-late.C:
			for _, c := range s.live() {
				c.letGo()
			}
		case <-ctx.Done():
			return fmt.Errorf("close session %s: %w", s.id, ctx.Err())
		}
	}
}

func (s *Session) cell(id string) *cell {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.cells[id]
}

func (s *Session) live() []*cell {
	s.mu.Lock()
	defer s.mu.Unlock()
	cells := make([]*cell, 0, len(s.cells))
	for _, c := range s.cells {
		cells = append(cells, c)
	}
	return cells
}

// remove is called once the cell is closed.
func (s *Session) remove(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.cells, id)
	if s.closing && len(s.cells) == 0 {
		close(s.empty)
	}
}

// commit merges writes into the stored values, and reports false, changing
// nothing, if that would pass the limit. Spec: codemode §8.7.
func (s *Session) commit(writes map[string][]byte) bool {
	if len(writes) == 0 {
		return true
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closing {
		return true // nobody will load it
	}
	if limit := s.host.opts.StoreMemory; limit > 0 && s.values.sizeWith(writes) > limit {
		return false
	}
	next := s.values.with(writes, &s.host.memory) // the cell gives back its own charge
	s.values.release(&s.host.memory)
	s.values = next
	return true
}

// letGo gives back a snapshot.
func (s *Session) letGo(snapshot *values) {
	s.mu.Lock()
	defer s.mu.Unlock()
	snapshot.release(&s.host.memory)
}

func (s *Session) capYield(yield time.Duration) time.Duration {
	if s.opts.MaxYield != 0 {
		return min(yield, s.opts.MaxYield)
	}
	return yield
}
