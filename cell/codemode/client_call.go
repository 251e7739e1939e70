package codemode

import "context"

// operationKind tells what answer an operation expects.
type operationKind uint8

const (
	openOperation operationKind = iota + 1
	executeOperation
	waitOperation
	terminateOperation
	shutdownOperation
	probeOperation // any answer will do
)

// operation is a request without its final answer. Its fields belong to
// Client.mu until answered is closed, and are then fixed.
type operation struct {
	id       RequestID
	kind     operationKind
	session  *Session
	cellID   WireCellID // of waits and terminates
	held     bool       // a slot was taken for it
	orphaned bool       // nobody waits for the answer any more

	answered chan struct{} // closed by the operation/response; nil if nobody cares
	value    HostResponse
	err      error
	cell     *Cell // of an execute that has started
}

// settle records the answer. The caller holds Client.mu.
func (op *operation) settle(value HostResponse, err error) {
	op.value, op.err = value, err
	if op.kind == waitOperation && op.session.waits[op.cellID] == op && (!op.orphaned || err != nil) {
		delete(op.session.waits, op.cellID)
	}
	if op.answered != nil {
		close(op.answered)
	}
}

// abort settles what is left of an operation when the connection ends. The
// caller holds Client.mu.
func (op *operation) abort(err error) {
	if op.cell != nil {
		op.cell.settle(nil, err)
		return
	}
	op.settle(nil, err)
}

// call sends a request and waits for its operation/response. When ctx ends
// first, abandon is called with the operation under Client.mu, and ctx's error
// is returned; the operation lives on until it is answered.
func (c *Client) call(ctx context.Context, op *operation, r HostRequest, abandon func()) error {
	select {
	case c.slots <- struct{}{}:
		op.held = true
	case <-ctx.Done():
		return ctx.Err()
	case <-c.done:
		return c.Err()
	}
	op.answered = make(chan struct{})
	if err := c.enqueue(op, r); err != nil {
		<-c.slots
		return err
	}
	select {
	case <-op.answered:
		return op.err
	case <-ctx.Done():
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	select {
	case <-op.answered: // it came meanwhile
		return op.err
	default:
		op.orphaned = true
		abandon()
		return ctx.Err()
	}
}

// enqueue allocates the id of a request and queues it.
func (c *Client) enqueue(op *operation, r HostRequest) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.enqueueLocked(op, r)
}

// enqueueLocked is enqueue for a caller that holds mu. It never blocks.
func (c *Client) enqueueLocked(op *operation, r HostRequest) error {
	if c.err != nil {
		return c.err
	}
	if err := c.postLocked(&OperationRequest{ID: c.lastID + 1, Request: r}); err != nil {
		return err
	}
	c.lastID++
	op.id = c.lastID
	c.pending[op.id] = op
	if op.kind == waitOperation && op.session.waits[op.cellID] == nil {
		op.session.waits[op.cellID] = op
	}
	return nil
}

// postLocked queues a message. An error is one of the encoding.
func (c *Client) postLocked(m ClientToHost) error {
	f, err := appendClientFrame(c.out.buffer(), c.options.Dialect, m)
	if err == nil {
		c.out.post(f)
	}
	c.out.recycle(f)
	return err
}

// cancelLocked asks the host to give an operation up.
func (c *Client) cancelLocked(op *operation) {
	// A cancel is an id in JSON: it can be encoded.
	_ = c.postLocked(&OperationCancel{ID: op.id})
}

// retire removes an operation that has its final answer. The caller holds mu.
func (c *Client) retire(op *operation) {
	delete(c.pending, op.id)
	if op.held {
		<-c.slots
	}
}
