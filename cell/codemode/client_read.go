package codemode

import (
	"context"
	"fmt"
	"io"
)

// rememberedDelegates is how many finished reverse calls' ids are still
// refused. Spec: codemode §13.
const rememberedDelegates = 4096

// reverseCall is a reverse call that a Delegate is answering.
type reverseCall struct {
	session *Session
	cell    WireCellID
	message *DelegateCall
	ctx     context.Context // ends with the call
	cancel  context.CancelFunc
}

// read handles messages until the connection fails, and returns why it did.
func (c *Client) read(reader *FramedReader) error {
	for {
		m, err := reader.ReadHostToClient()
		if err == io.EOF {
			return hostGone()
		}
		if err != nil {
			return err
		}
		c.heard.Add(1)
		c.mu.Lock()
		err = c.receive(m)
		c.mu.Unlock()
		if err != nil {
			return err
		}
	}
}

// receive handles one message. An error ends the connection. The caller holds
// mu. Spec: codemode §13.
func (c *Client) receive(m HostToClient) error {
	if c.err != nil {
		return c.err
	}
	switch m := m.(type) {
	case *OperationResponse:
		return c.response(m)
	case *ExecuteInitialResponse:
		return c.initialResponse(m)
	case *DelegateCall:
		return c.delegateCall(m)
	case *DelegateCancel:
		if call := c.running[m.ID]; call != nil {
			c.drop(m.ID, call)
		}
		return nil
	case *CellClosed:
		return c.cellClosed(m)
	default:
		return violation("host sent %T after the handshake", m)
	}
}

func (c *Client) response(m *OperationResponse) error {
	op := c.pending[m.ID]
	if op == nil || op.cell != nil {
		return violation("response to request %d, which is not pending", m.ID)
	}
	if m.Result.Err != nil {
		if op.kind == shutdownOperation {
			return violation("host refused to shut session %q down: %s", string(op.session.id), m.Result.Err.Message)
		}
		c.retire(op)
		op.settle(nil, m.Result.Err)
		return nil
	}
	if err := c.checkResponse(op, m.Result.Value); err != nil {
		return err
	}
	if op.kind != executeOperation { // whose final answer is yet to come
		c.retire(op)
	}
	op.settle(m.Result.Value, nil)
	return nil
}

// checkResponse checks that a response fits its request, and does what it says.
func (c *Client) checkResponse(op *operation, value HostResponse) error {
	switch r := value.(type) {
	case *SessionReady:
		if op.kind == openOperation && r.SessionID == op.session.id {
			return c.sessionReady(op)
		}
	case *SessionClosed:
		if op.kind == shutdownOperation && r.SessionID == op.session.id {
			op.session.end()
			c.dropCalls(func(call *reverseCall) bool { return call.session == op.session })
			delete(c.sessions, r.SessionID)
			return nil
		}
	case *WaitCompleted:
		isWait := op.kind == waitOperation || op.kind == terminateOperation
		if isWait && r.Outcome.Response.CellID == op.cellID || op.kind == probeOperation {
			return nil
		}
	case *ExecutionStarted:
		if op.kind == executeOperation {
			return c.cellStarted(op, r.CellID)
		}
	}
	return violation("response %T does not fit request %d", value, op.id)
}

func (c *Client) sessionReady(op *operation) error {
	if c.sessions[op.session.id] != nil {
		return violation("session %q was opened twice", string(op.session.id))
	}
	c.sessions[op.session.id] = op.session
	if op.orphaned {
		return c.enqueueLocked(&operation{kind: shutdownOperation, session: op.session}, &SessionShutdown{SessionID: op.session.id})
	}
	return nil
}

func (c *Client) cellStarted(op *operation, id WireCellID) error {
	s := op.session
	if c.sessions[s.id] != s || s.cells[id] != nil {
		return violation("cell %q of session %q started twice or without its session", string(id), string(s.id))
	}
	op.cell = &Cell{session: s, id: id, execute: op, initial: make(chan struct{}), closed: make(chan struct{})}
	s.cells[id] = op.cell
	if op.orphaned {
		return c.enqueueLocked(&operation{kind: terminateOperation, session: s, cellID: id}, &SessionTerminate{SessionID: s.id, CellID: id})
	}
	return nil
}

func (c *Client) initialResponse(m *ExecuteInitialResponse) error {
	op := c.pending[m.ID]
	switch {
	case op == nil || op.cell == nil:
		return violation("initial response to request %d, which has not started a cell", m.ID)
	case m.Result.Err != nil:
		op.cell.settle(nil, m.Result.Err)
	case m.Result.Value.CellID != op.cell.id:
		return violation("initial response about cell %q instead of %q", string(m.Result.Value.CellID), string(op.cell.id))
	default:
		op.cell.settle(&m.Result.Value, nil)
	}
	c.retire(op)
	return nil
}

func (c *Client) cellClosed(m *CellClosed) error {
	s := c.sessions[m.SessionID]
	if s == nil || s.cells[m.CellID] == nil {
		return violation("cell/closed for cell %q of session %q, which is not live", string(m.CellID), string(m.SessionID))
	}
	cell := s.cells[m.CellID]
	delete(s.cells, m.CellID)
	close(cell.closed)
	c.dropCalls(func(call *reverseCall) bool { return call.session == s && call.cell == m.CellID })
	return nil
}

// dropCalls cancels the reverse calls that match; they get no answer.
func (c *Client) dropCalls(match func(*reverseCall) bool) {
	for id, call := range c.running {
		if match(call) {
			c.drop(id, call)
		}
	}
}

func (c *Client) drop(id DelegateRequestID, call *reverseCall) {
	delete(c.running, id)
	call.cancel()
}

func (c *Client) delegateCall(m *DelegateCall) error {
	cell := calledBy(m.Request)
	s := c.sessions[m.SessionID]
	switch {
	case s == nil || s.cells[cell] == nil:
		return violation("reverse call for cell %q of session %q, which is not live", string(cell), string(m.SessionID))
	case c.used.has(m.ID) || c.running[m.ID] != nil:
		return violation("duplicate code-mode delegate request ID DelegateRequestId(%d)", m.ID)
	case len(c.running) >= maxDelegates:
		return violation("host has more than %d reverse calls pending", maxDelegates)
	}
	c.used.put(m.ID)
	ctx, cancel := context.WithCancel(context.Background())
	call := &reverseCall{session: s, cell: cell, message: m, ctx: ctx, cancel: cancel}
	c.running[m.ID] = call
	select {
	case c.resting <- call:
	default:
		c.start(func() { c.work(call) })
	}
	return nil
}

func calledBy(r DelegateRequest) WireCellID {
	switch r := r.(type) {
	case *ToolInvoke:
		return r.Invocation.CellID
	case *NotificationSend:
		return r.CellID
	default:
		return ""
	}
}

// work answers a reverse call and then rests until there is another one, unless
// enough others do. A goroutine whose stack has grown already saves a tenth of
// the client's time.
func (c *Client) work(call *reverseCall) {
	for {
		c.delegate(call)
		if c.rests.Add(1) > maxResting {
			c.rests.Add(-1)
			return
		}
		select {
		case call = <-c.resting:
			c.rests.Add(-1)
		case <-c.done:
			return
		}
	}
}

// delegate lets the session's Delegate answer a reverse call.
func (c *Client) delegate(call *reverseCall) {
	defer call.cancel()
	answer := &DelegateAnswer{ID: call.message.ID}
	if err := callDelegate(call.ctx, call.session.delegate, call.message.Request, &answer.Result); err != nil {
		answer.Result.Err = asError(err)
	}
	c.answer(call, answer)
}

// callDelegate calls the foreign code; a panic there fails only this call.
func callDelegate(ctx context.Context, d Delegate, r DelegateRequest, answer *WireResult[DelegateResponse]) (err error) {
	defer func() {
		if cause := recover(); cause != nil {
			err = fmt.Errorf("code-mode delegate panicked: %v", cause)
		}
	}()
	switch r := r.(type) {
	case *ToolInvoke:
		result := new(ToolResult)
		answer.Value = result
		result.Result, err = d.InvokeTool(ctx, &r.Invocation)
	case *NotificationSend:
		answer.Value = new(NotificationDelivered)
		err = d.Notify(ctx, r)
	}
	return err
}

// answer sends the answer to a reverse call that is still wanted. What can't be
// sent is replaced by an error. Spec: codemode §3, §9.
func (c *Client) answer(call *reverseCall, m *DelegateAnswer) {
	f, err := appendClientFrame(c.out.buffer(), c.options.Dialect, m)
	if err != nil {
		refusal := &Error{Code: CodeOf(err), Message: err.Error()}
		if refusal.Code == CodeFrameTooLarge {
			refusal = replaceTooLarge(delegateTooLargePrefix, err)
		}
		m.Result.Err = refusal
		if f, err = appendClientFrame(f[:0], c.options.Dialect, m); err != nil {
			panic("encode error answer: " + err.Error())
		}
	}
	c.mu.Lock()
	wanted := c.running[m.ID] == call
	delete(c.running, m.ID)
	c.mu.Unlock()
	if wanted {
		// It fails only when the connection is over, and then nobody waits.
		_ = c.out.send(context.Background(), f)
	}
	c.out.recycle(f)
}
