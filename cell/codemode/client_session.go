package codemode

import "context"

// Session is a session of a host. It is safe for concurrent use.
type Session struct {
	client   *Client
	id       SessionID
	delegate Delegate

	// Guarded by client.mu.
	cells map[WireCellID]*Cell      // live ones
	waits map[WireCellID]*operation // the wait in flight, or an abandoned one's outcome
}

// Cell is a cell that was started. It is safe for concurrent use.
type Cell struct {
	session *Session
	id      WireCellID
	execute *operation
	initial chan struct{} // closed when the fields below are set
	closed  chan struct{} // closed by cell/closed or the end of the connection

	response *WireRuntimeResponse
	err      error
}

// OpenSession opens a session whose cells call d. When ctx ends first, the
// session is shut down as soon as it turns out to be open. An [*Error] with
// Remote set is the host's answer, one with [CodeClosed] the end of the
// connection; this holds for all operations. Spec: codemode §8.1.
func (c *Client) OpenSession(ctx context.Context, r *SessionOpen, d Delegate) (*Session, error) {
	s := &Session{client: c, id: r.SessionID, delegate: d,
		cells: make(map[WireCellID]*Cell), waits: make(map[WireCellID]*operation)}
	op := &operation{kind: openOperation, session: s}
	if err := c.call(ctx, op, r, func() {}); err != nil {
		return nil, err
	}
	return s, nil
}

// ID returns the session's id.
func (s *Session) ID() SessionID { return s.id }

// Execute starts a cell. When ctx ends first, the cell is cancelled, or
// terminated once it turns out to have started. Spec: codemode §8.2.
func (s *Session) Execute(ctx context.Context, r *WireExecuteRequest) (*Cell, error) {
	c := s.client
	op := &operation{kind: executeOperation, session: s}
	err := c.call(ctx, op, &SessionExecute{SessionID: s.id, Request: *r}, func() { c.cancelLocked(op) })
	if err != nil {
		return nil, err
	}
	return op.cell, nil
}

// Wait waits for the next observation of a cell; SessionID is filled in. When
// ctx ends first the wait is cancelled: a following Wait for the cell is held
// back until the host has answered the cancelled one, and gets what that one
// may still have brought. Spec: codemode §8.3, §8.4, §13.
func (s *Session) Wait(ctx context.Context, r *SessionWait) (*WireWaitOutcome, error) {
	c := s.client
	request := *r
	request.SessionID = s.id
	cell := request.Request.CellID
	for left := s.abandonedWait(cell); left != nil; left = s.abandonedWait(cell) {
		select {
		case <-left.answered:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
		if s.collect(left) && left.err == nil {
			return outcomeOf(left), nil
		}
	}
	op := &operation{kind: waitOperation, session: s, cellID: cell}
	if err := c.call(ctx, op, &request, func() { c.cancelLocked(op) }); err != nil {
		return nil, err
	}
	return outcomeOf(op), nil
}

// abandonedWait returns the cell's wait whose caller went away, if there is one.
func (s *Session) abandonedWait(cell WireCellID) *operation {
	s.client.mu.Lock()
	defer s.client.mu.Unlock()
	if op := s.waits[cell]; op != nil && op.orphaned {
		return op
	}
	return nil
}

// collect takes an abandoned wait, and reports whether nobody else has.
func (s *Session) collect(op *operation) bool {
	s.client.mu.Lock()
	defer s.client.mu.Unlock()
	if s.waits[op.cellID] != op {
		return false
	}
	delete(s.waits, op.cellID)
	return true
}

func outcomeOf(op *operation) *WireWaitOutcome {
	return &op.value.(*WaitCompleted).Outcome
}

// Terminate stops a cell; SessionID is filled in. Spec: codemode §8.5.
func (s *Session) Terminate(ctx context.Context, r *SessionTerminate) (*WireWaitOutcome, error) {
	request := *r
	request.SessionID = s.id
	op := &operation{kind: terminateOperation, session: s, cellID: request.CellID}
	if err := s.client.call(ctx, op, &request, func() {}); err != nil {
		return nil, err
	}
	return outcomeOf(op), nil
}

// Shutdown ends the session and its cells. Spec: codemode §8.1.
func (s *Session) Shutdown(ctx context.Context) error {
	op := &operation{kind: shutdownOperation, session: s}
	return s.client.call(ctx, op, &SessionShutdown{SessionID: s.id}, func() {})
}

// end closes what is left of a session. The caller holds Client.mu.
func (s *Session) end() {
	for id, cell := range s.cells {
		delete(s.cells, id)
		close(cell.closed)
	}
}

// ID returns the cell's id, unique within its session.
func (c *Cell) ID() WireCellID { return c.id }

// Closed is closed when the host has nothing more to say about the cell.
func (c *Cell) Closed() <-chan struct{} { return c.closed }

// Initial waits for what the execute saw. It may be called again and returns
// the same. When ctx ends first nothing is lost. Spec: codemode §8.2.
func (c *Cell) Initial(ctx context.Context) (*WireRuntimeResponse, error) {
	select {
	case <-c.initial:
		return c.response, c.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Wait is Session.Wait for this cell; yieldTimeMs is in milliseconds.
func (c *Cell) Wait(ctx context.Context, yieldTimeMs uint64) (*WireWaitOutcome, error) {
	return c.session.Wait(ctx, &SessionWait{Request: WireWaitRequest{CellID: c.id, YieldTimeMs: yieldTimeMs}})
}

// Terminate is Session.Terminate for this cell.
func (c *Cell) Terminate(ctx context.Context) (*WireWaitOutcome, error) {
	return c.session.Terminate(ctx, &SessionTerminate{CellID: c.id})
}

// Yield asks the host to answer the execute or wait that now observes the cell,
// and does nothing if there is none. Without [CapabilityYieldObservation] it is
// an error. Spec: codemode §15.
func (c *Cell) Yield() error {
	client := c.session.client
	if !client.hello.Capabilities.Has(CapabilityYieldObservation) {
		return violation("host has no capability %q", string(CapabilityYieldObservation))
	}
	client.mu.Lock()
	defer client.mu.Unlock()
	op := c.session.waits[c.id]
	if client.pending[c.execute.id] == c.execute {
		op = c.execute
	}
	if op == nil || op.orphaned || client.err != nil {
		return client.err
	}
	return client.postLocked(&OperationYield{ID: op.id})
}

// settle sets the outcome of the execute. The caller holds Client.mu.
func (c *Cell) settle(r *WireRuntimeResponse, err error) {
	c.response, c.err = r, err
	close(c.initial)
}
