package cellhost

import (
	"context"
	"errors"
	"strconv"
	"time"

	"github.com/berth-dev/berth/cell/codemode"
)

// cancelGrace is how long a child may take to answer a cancelled request.
const cancelGrace = 5 * time.Second

// Execute implements codemode.Handler.
func (f *front) Execute(ctx context.Context, x *codemode.Execution) error {
	s, w, err := f.attach(x.Session)
	if err != nil {
		return err
	}
	if err := f.reserve(); err != nil {
		return err
	}
	started := make(chan error, 1)
	id := w.request(&codemode.SessionExecute{SessionID: x.Session, Request: *x.Request}, f.execution(x, s, w, started))
	x.OnYield(func() { w.post(&codemode.OperationYield{ID: id}) })
	return await(ctx, started, func() { w.post(&codemode.OperationCancel{ID: id}) })
}

// execution passes on what the child says about an execute. Both functions run
// in the goroutine that reads the child, so that order holds.
func (f *front) execution(x *codemode.Execution, s *pinned, w *worker, started chan<- error) *pending {
	var id codemode.WireCellID // "" before the start
	return &pending{
		response: func(v codemode.HostResponse, err error) {
			r, ok := v.(*codemode.ExecutionStarted)
			switch {
			case id != "":
			case err == nil && ok:
				id = f.begin(s, r.CellID)
				x.Started(id)
				started <- nil
			default:
				f.unreserve()
				if codemode.CodeOf(err) == codemode.CodeOverloaded {
					f.overloaded(w)
				}
				started <- err
			}
		},
		initial: func(r *codemode.WireRuntimeResponse, err error) {
			switch {
			case id == "":
				return
			case errors.Is(err, errWorkerLost):
				x.Initial(lostResult(id))
			case err != nil:
				x.Fail(err)
			default:
				r.CellID = id
				x.Initial(r)
			}
			f.told(x.Session, s, id)
		},
	}
}

// await waits for what comes through done; when ctx ends first it cancels and
// waits a little longer.
func await[T any](ctx context.Context, done <-chan T, cancel func()) T {
	select {
	case v := <-done:
		return v
	case <-ctx.Done():
	}
	cancel()
	late := time.NewTimer(cancelGrace)
	defer late.Stop()
	select {
	case v := <-done:
		return v
	case <-late.C:
		var none T
		return none
	}
}

// observation is how a wait or a terminate ended.
type observation struct {
	outcome *codemode.WireWaitOutcome
	err     error
}

// Wait implements codemode.Handler.
func (f *front) Wait(ctx context.Context, c *codemode.Call, r *codemode.SessionWait) (*codemode.WireWaitOutcome, error) {
	return f.observe(ctx, r.SessionID, r.Request.CellID, func(inside codemode.WireCellID, w *worker, p *pending) func() {
		inner := *r
		inner.Request.CellID = inside
		id := w.request(&inner, p)
		c.OnYield(func() { w.post(&codemode.OperationYield{ID: id}) })
		return func() { w.post(&codemode.OperationCancel{ID: id}) }
	})
}

// Terminate implements codemode.Handler.
func (f *front) Terminate(ctx context.Context, r *codemode.SessionTerminate) (*codemode.WireWaitOutcome, error) {
	return f.observe(ctx, r.SessionID, r.CellID, func(inside codemode.WireCellID, w *worker, p *pending) func() {
		inner := *r
		inner.CellID = inside
		w.request(&inner, p)
		return func() {} // terminates cannot be cancelled
	})
}

// observe sends a wait or a terminate to the child that has the cell.
func (f *front) observe(ctx context.Context, session codemode.SessionID, id codemode.WireCellID,
	send func(codemode.WireCellID, *worker, *pending) (cancel func())) (*codemode.WireWaitOutcome, error) {
	f.mu.Lock()
	s, ok := f.sessions[session]
	if !ok {
		f.mu.Unlock()
		return nil, codemode.UnknownSession(session)
	}
	c := s.cells[id]
	if c == nil {
		f.mu.Unlock()
		return missingCell(id), nil
	}
	c.awaited++
	w, inside := s.worker, s.inside(id)
	if c.dead {
		f.mu.Unlock()
		f.told(session, s, id)
		return &codemode.WireWaitOutcome{Response: *lostResult(id)}, nil
	}
	f.mu.Unlock()
	done := make(chan observation, 1)
	cancel := send(inside, w, &pending{response: func(v codemode.HostResponse, err error) {
		done <- f.translate(id, v, err)
		f.told(session, s, id)
	}})
	o := await(ctx, done, cancel)
	if o.outcome == nil && o.err == nil {
		o.err = ctx.Err()
	}
	return o.outcome, o.err
}

// translate puts the client's name of a cell into a child's answer.
func (f *front) translate(id codemode.WireCellID, v codemode.HostResponse, err error) observation {
	r, ok := v.(*codemode.WaitCompleted)
	switch code := codemode.CodeOf(err); {
	case errors.Is(err, errWorkerLost):
		return observation{outcome: &codemode.WireWaitOutcome{Response: *lostResult(id)}}
	case code == codemode.CodeObserved:
		return observation{err: codemode.AlreadyObserved(id)}
	case code == codemode.CodeTerminating:
		return observation{err: codemode.AlreadyTerminating(id)}
	case err != nil || !ok:
		return observation{err: err}
	case r.Outcome.Missing && r.Outcome.Response.CellID != id:
		return observation{outcome: missingCell(id)}
	default:
		r.Outcome.Response.CellID = id
		return observation{outcome: &r.Outcome}
	}
}

// Shutdown implements codemode.Handler.
func (f *front) Shutdown(ctx context.Context, r *codemode.SessionShutdown) error {
	f.mu.Lock()
	s, ok := f.sessions[r.SessionID]
	if !ok {
		f.mu.Unlock()
		return codemode.UnknownSession(r.SessionID)
	}
	delete(f.sessions, r.SessionID)
	w := s.worker
	f.mu.Unlock()
	if w != nil {
		done := make(chan error, 1)
		w.request(r, &pending{response: func(_ codemode.HostResponse, err error) { done <- err }})
		select {
		case err := <-done:
			if err != nil && !errors.Is(err, errWorkerLost) {
				return err
			}
		case <-ctx.Done():
			return ctx.Err()
		}
		f.unpin(r.SessionID, w)
	}
	f.mu.Lock()
	var dead []codemode.WireCellID
	for id := range s.cells {
		dead = append(dead, id)
	}
	f.live -= len(dead)
	clear(s.cells)
	f.mu.Unlock()
	for _, id := range dead {
		f.conn.CloseCell(r.SessionID, id)
	}
	return nil
}

// reserve takes a slot for a cell.
func (f *front) reserve() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.opts.MaxCells > 0 && f.live >= f.opts.MaxCells {
		return codemode.TooManyCells()
	}
	f.live++
	return nil
}

func (f *front) unreserve() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.live--
}

// begin enters a cell, which the execute awaits, and returns its name outside.
func (f *front) begin(s *pinned, inside codemode.WireCellID) codemode.WireCellID {
	f.mu.Lock()
	defer f.mu.Unlock()
	id := s.outside(inside)
	if n, err := strconv.ParseUint(string(id), 10, 64); err == nil {
		s.last = max(s.last, n)
	}
	s.cells[id] = &pinnedCell{awaited: 1}
	return id
}

// told notes that a request about a cell is answered. With the last one a cell
// whose child is gone is over.
func (f *front) told(session codemode.SessionID, s *pinned, id codemode.WireCellID) {
	f.mu.Lock()
	c := s.cells[id]
	over := false
	if c != nil {
		c.awaited--
		if over = c.dead && c.awaited == 0; over {
			delete(s.cells, id)
			f.live--
		}
	}
	f.mu.Unlock()
	if over {
		f.conn.CloseCell(session, id)
	}
}

// closed passes on that a child closed a cell.
func (f *front) closed(w *worker, m *codemode.CellClosed) {
	f.mu.Lock()
	s := w.pins[m.SessionID]
	if s == nil {
		f.mu.Unlock()
		return
	}
	id := s.outside(m.CellID)
	delete(s.cells, id)
	f.live--
	f.mu.Unlock()
	f.conn.CloseCell(m.SessionID, id)
}

func missingCell(id codemode.WireCellID) *codemode.WireWaitOutcome {
	text := codemode.CellNotFoundText(id)
	return &codemode.WireWaitOutcome{Missing: true, Response: codemode.WireRuntimeResponse{
		State: codemode.Result, CellID: id, ErrorText: &text}}
}

func lostResult(id codemode.WireCellID) *codemode.WireRuntimeResponse {
	text := errWorkerLost.Error()
	return &codemode.WireRuntimeResponse{State: codemode.Result, CellID: id, ErrorText: &text}
}
