package codemode

import "sync"

// rememberedRequests is how many finished requests' ids are still refused.
// Spec: codemode §4.
const rememberedRequests = 4096

// memory is a set of the last ids that were put into it.
type memory[T comparable] struct {
	set  map[T]struct{}
	ring []T
	next int
	size int
}

func newMemory[T comparable](size int) memory[T] {
	return memory[T]{set: make(map[T]struct{}), size: size}
}

func (m *memory[T]) has(id T) bool {
	_, ok := m.set[id]
	return ok
}

func (m *memory[T]) put(id T) {
	if len(m.ring) < m.size {
		m.ring = append(m.ring, id)
	} else {
		delete(m.set, m.ring[m.next])
		m.ring[m.next] = id
		m.next = (m.next + 1) % m.size
	}
	m.set[id] = struct{}{}
}

// requests is the book of a connection's requests. It is safe for concurrent use.
type requests struct {
	mu       sync.Mutex // guards the fields below
	active   map[RequestID]*Call
	finished memory[RequestID]
}

func newRequests() *requests {
	return &requests{active: make(map[RequestID]*Call), finished: newMemory[RequestID](rememberedRequests)}
}

// admit enters a call. It reports false if limit requests are in flight; an id
// that is remembered is an error, and fatal. Spec: codemode §4.
func (r *requests) admit(c *Call, limit int) (bool, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, ok := r.active[c.id]; ok || r.finished.has(c.id) {
		return false, violation("duplicate code-mode request ID RequestId(%d)", c.id)
	}
	if len(r.active) >= limit {
		r.finished.put(c.id)
		return false, nil
	}
	r.active[c.id] = c
	return true, nil
}

// finish moves a request from the active to the finished ones. It comes before
// the answer, so that an answered request no longer counts.
func (r *requests) finish(id RequestID) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.active, id)
	r.finished.put(id)
}

func (r *requests) find(id RequestID) *Call {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.active[id]
}

// cancel asks an active execute or wait to end. Others are ignored.
func (r *requests) cancel(id RequestID) {
	if c := r.find(id); c != nil {
		c.requestCancel()
	}
}

// yield asks an active execute or wait to yield. Others are ignored.
func (r *requests) yield(id RequestID) {
	if c := r.find(id); c != nil {
		c.requestYield()
	}
}

// pendingCall is a reverse call without an answer.
type pendingCall struct {
	done Answer
	tool bool // a tool call, not a notification
}

// calls is the book of a connection's reverse calls. It is safe for concurrent
// use.
type calls struct {
	limit int

	mu      sync.Mutex // guards the fields below
	last    DelegateRequestID
	pending map[DelegateRequestID]pendingCall
	err     error // why no call can be made any more
}

func newCalls(limit int) *calls {
	return &calls{limit: limit, pending: make(map[DelegateRequestID]pendingCall)}
}

// enter allocates an id for a call.
func (c *calls) enter(call pendingCall) (DelegateRequestID, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.err != nil:
		return 0, c.err
	case len(c.pending) >= c.limit:
		return 0, TooManyCalls()
	}
	c.last++
	c.pending[c.last] = call
	return c.last, nil
}

// take removes a call and reports whether it was pending.
func (c *calls) take(id DelegateRequestID) (pendingCall, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	call, ok := c.pending[id]
	delete(c.pending, id)
	return call, ok
}

// answer settles the call that a client answered. Unknown ids, which are those
// of finished and cancelled calls too, are ignored. Spec: codemode §9.
func (c *calls) answer(m *DelegateAnswer) {
	call, ok := c.take(m.ID)
	if !ok {
		return
	}
	if m.Result.Err != nil {
		call.done(nil, m.Result.Err)
		return
	}
	switch r := m.Result.Value.(type) {
	case *ToolResult:
		if call.tool {
			call.done(r.Result, nil)
		} else {
			call.done(nil, InvalidNotificationResult())
		}
	case *NotificationDelivered:
		if call.tool {
			call.done(nil, InvalidToolResult())
		} else {
			call.done(nil, nil)
		}
	}
}

// close settles every pending call with err and refuses further ones.
func (c *calls) close(err error) {
	c.mu.Lock()
	pending := c.pending
	c.pending, c.err = nil, err
	c.mu.Unlock()
	for _, call := range pending {
		call.done(nil, err)
	}
}
