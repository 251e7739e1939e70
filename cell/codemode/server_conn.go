package codemode

import (
	"context"
	"io"
	"sync"
	"time"
)

// Conn is the host's side of a connection, by which a [Handler] reaches the
// client. It is safe for concurrent use.
//
// Frames go out in the order of the calls that make them. Answers and closings
// never block: their number is bounded by that of requests and cells, and
// OnWaiting tells of their bytes. Only InvokeTool, Notify and Room block, while
// the client does not read.
type Conn struct {
	server  *Server
	dialect Dialect
	enabled CapabilitySet

	out      *outbox
	requests *requests
	calls    *calls
	handlers sync.WaitGroup
}

func newConn(s *Server, w io.Writer, d Dialect, enabled CapabilitySet) *Conn {
	return &Conn{server: s, dialect: d, enabled: enabled,
		out: newOutbox(w), requests: newRequests(), calls: newCalls(s.options.MaxCalls)}
}

// Dialect returns the dialect that the client speaks.
func (c *Conn) Dialect() Dialect { return c.dialect }

// Capabilities returns those that are enabled on the connection. It must not
// be changed.
func (c *Conn) Capabilities() CapabilitySet { return c.enabled }

// OnWaiting sets who is told how many bytes of answers the client has not taken
// yet: waits is called with each change, so that they can be charged to somebody.
// It must not block, nor call the Conn. It is to be set before the Server has
// the Handler. Spec: codemode §10.2.
func (c *Conn) OnWaiting(waits func(delta int)) {
	c.out.mu.Lock()
	defer c.out.mu.Unlock()
	c.out.waits = waits
}

// Room blocks while the client leaves a full queue unread, until ctx ends: who
// passes on what others say need not hear more of it before. The error is
// [CodeCallCancelled] or [CodeClosed].
func (c *Conn) Room(ctx context.Context) error { return c.out.ready(ctx) }

// CloseCell announces that a cell is over: exactly once per started cell, after
// its Initial and with nothing about it to follow. Spec: codemode §6.2, §10.1.
func (c *Conn) CloseCell(session SessionID, cell WireCellID) {
	c.mustReply(&CellClosed{SessionID: session, CellID: cell})
}

// Answer is called with what the client answered to a reverse call: a tool's
// result, which the callee may keep (nil for a notification), or an error whose
// [*Error] Message is what the cell's promise rejects with. It is called once,
// in the goroutine that reads the connection, and must not block. When the
// connection ends it is called with [CodeClosed]. It may be called before
// InvokeTool has returned.
type Answer func(result RawJSON, err error)

// InvokeTool sends a tool call and returns the id to cancel it by. It blocks
// while earlier frames fill the queue, until ctx ends. When it returns an error
// nothing was sent and done will not be called: [CodeFrameTooLarge],
// [CodeTooManyCalls], [CodeEncode] and [CodeCallCancelled] concern this call
// only, [CodeClosed] the connection. Spec: codemode §9.
func (c *Conn) InvokeTool(ctx context.Context, session SessionID, call *WireNestedToolCall, done Answer) (DelegateRequestID, error) {
	m := &DelegateCall{SessionID: session, Request: &ToolInvoke{Invocation: *call}}
	return c.send(ctx, m, pendingCall{done: done, tool: true})
}

// Notify sends a notification, like InvokeTool.
func (c *Conn) Notify(ctx context.Context, session SessionID, n *NotificationSend, done Answer) (DelegateRequestID, error) {
	return c.send(ctx, &DelegateCall{SessionID: session, Request: n}, pendingCall{done: done})
}

// CancelCall tells the client that an answer is no longer wanted, and reports
// whether that came in time: if so, the call's Answer will not be called.
// Ids that are not pending are ignored. Spec: codemode §9.
func (c *Conn) CancelCall(id DelegateRequestID) bool {
	if _, pending := c.calls.take(id); !pending {
		return false
	}
	f, err := appendHostFrame(c.out.buffer(), c.dialect, &DelegateCancel{ID: id})
	if err == nil { // it is small, and ours
		c.out.follow(f)
	}
	c.out.recycle(f)
	return true
}

// send allocates an id for a reverse call, encodes it and sends it.
func (c *Conn) send(ctx context.Context, m *DelegateCall, call pendingCall) (DelegateRequestID, error) {
	id, err := c.calls.enter(call)
	if err != nil {
		return 0, err
	}
	m.ID = id
	f, err := appendHostFrame(c.out.buffer(), c.dialect, m)
	if err == nil {
		err = c.out.send(ctx, f)
	}
	c.out.recycle(f)
	if err != nil {
		if _, pending := c.calls.take(id); pending {
			return 0, err
		}
	}
	return id, nil
}

// Call is an execute or a wait in progress. It is safe for concurrent use.
type Call struct {
	conn    *Conn
	id      RequestID
	started time.Time

	mu      sync.Mutex // guards the fields below
	cancel  context.CancelFunc
	yielded bool   // a yield came before OnYield
	onYield func() // nil until OnYield
}

// ID returns the request's id.
func (c *Call) ID() RequestID { return c.id }

// OnYield sets what is to happen when the client sends operation/yield for the
// call, and lets it happen at once if that was sent already. yield is called in
// the goroutine that reads the connection and must not block; it may also come
// when the call is just over. Spec: codemode §15.
func (c *Call) OnYield(yield func()) {
	c.mu.Lock()
	c.onYield = yield
	now := c.yielded
	c.mu.Unlock()
	if now {
		yield()
	}
}

func (c *Call) requestYield() {
	c.mu.Lock()
	c.yielded = true
	yield := c.onYield
	c.mu.Unlock()
	if yield != nil {
		yield()
	}
}

// arm makes the call cancellable if its kind of request is.
func (c *Call) arm(cancel context.CancelFunc, r HostRequest) {
	c.started = time.Now()
	switch r.(type) {
	case *SessionExecute, *SessionWait:
		c.mu.Lock()
		c.cancel = cancel
		c.mu.Unlock()
	}
}

func (c *Call) requestCancel() {
	c.mu.Lock()
	cancel := c.cancel
	c.mu.Unlock()
	if cancel != nil {
		cancel()
	}
}

// stamp fills in how long the host took, where the dialect wants it.
func (c *Call) stamp(r *WireRuntimeResponse) {
	if c.conn.dialect.timing() && r.HostDurationNS == nil {
		ns := uint64(time.Since(c.started))
		r.HostDurationNS = &ns
	}
}

// Execution is an execute in progress. It is safe for concurrent use.
type Execution struct {
	*Call
	Session SessionID
	Request *WireExecuteRequest

	mu      sync.Mutex // guards the fields below, and their order on the wire
	started bool
	done    bool
}

// Started answers that the cell has started. It comes before any reverse call
// of the cell. Calls after the first do nothing. Spec: codemode §8.2.
func (x *Execution) Started(cell WireCellID) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.started || x.done {
		return
	}
	x.started = true
	x.conn.respond(x.id, &ExecutionStarted{CellID: cell}, nil)
}

// Initial delivers what the execute, as the cell's first observer, saw, and
// ends the request. A response that is too large is replaced by an error.
// Calls after the first, and before Started, do nothing. Spec: codemode §8.2, §10.3.
func (x *Execution) Initial(r *WireRuntimeResponse) {
	m := &ExecuteInitialResponse{ID: x.id, Result: WireResult[WireRuntimeResponse]{Value: *r}}
	x.stamp(&m.Result.Value)
	x.initial(m)
}

// Fail delivers an error in place of Initial.
func (x *Execution) Fail(err error) {
	x.initial(&ExecuteInitialResponse{ID: x.id, Result: WireResult[WireRuntimeResponse]{Err: asError(err)}})
}

func (x *Execution) initial(m *ExecuteInitialResponse) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if !x.started || x.done {
		return
	}
	x.done = true
	if err := x.conn.reply(m); err != nil {
		m.Result = WireResult[WireRuntimeResponse]{Err: replaceTooLarge(initialTooLargePrefix, err)}
		x.conn.mustReply(m)
	}
	x.conn.requests.finish(x.id)
}

// returned settles what the handler left open when it returned.
func (x *Execution) returned(err error) {
	x.mu.Lock()
	started := x.started
	x.done = x.done || !started
	x.mu.Unlock()
	switch {
	case started && err != nil:
		x.Fail(err)
	case !started:
		if err == nil {
			err = InitializeFailed(nil)
		}
		x.conn.requests.finish(x.id)
		x.conn.respond(x.id, nil, err)
	}
}

// invalidBudget refuses a negative output budget. Spec: codemode §7, §15.
func invalidBudget(d Dialect, r *WireExecuteRequest) error {
	if r.MaxOutputTokens == nil || *r.MaxOutputTokens >= 0 {
		return nil
	}
	if d.LaterRequests() {
		return InvalidExecute("number too small to fit in target type")
	}
	return InvalidExecute("out of range integral type conversion attempted")
}
