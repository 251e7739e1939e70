package cell

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"sync"
	"time"
)

// Call is a call of a tool, or a notification, that a program made. The
// Delegate answers it with Host.Resolve, Reject or Deliver. Spec: codemode §9.
type Call struct {
	ID      int64 // counts from 1 for a Host, in the order of Delegate.Call
	Session string
	Cell    string
	CallID  string // Request.CallID
	Tool    *Tool  // nil for a notification
	Seq     uint64 // of a tool call: counts from 1 for a cell, in call order
	Input   []byte // of a tool call: JSON
	Text    string // of a notification

	// Token is the Delegate's own; nothing here looks at it. What Call writes
	// there Cancel can read.
	Token int64

	owner *calls
	bytes int64
	state callState // guarded by window.mu
}

// answer is how a call ended.
type answer struct {
	result    []byte // JSON, of a tool call
	reason    string // if failed
	failed    bool
	delivered bool // the answer of a notification
}

// callOverhead is charged for a call or an answer besides its bytes.
const callOverhead = 256

var errPanicked = errors.New(textPanicked)

type callState uint8

const (
	callWaiting callState = iota
	callSending           // Delegate.Call is at work
	callSent
	callDone // answered or refused
	callCancelled
)

// Delegate is what a Host needs of its owner. It may call the Host back.
type Delegate interface {
	// Call hands over a call. It may block until ctx ends, which it does with
	// the cell; only cells that call wait for it. An error says that nothing
	// was handed over, and ends just this call: the program's promise rejects
	// with the error's text, a notification is dropped.
	Call(ctx context.Context, c *Call) error
	// Cancel says that c, which was handed over, needs no answer any more. It
	// must not block, and neither must Closed.
	Cancel(c *Call)
	// Closed ends a cell that started: nothing about it follows.
	Closed(session, cell string)
}

// window limits the calls that are handed over and not answered, and shares
// that limit round robin between the cells whose calls wait. Its lock is never
// held while the Delegate works; under it only Host.mu is taken.
type window struct {
	host     *Host
	delegate Delegate

	mu      sync.Mutex
	size    int
	lastID  int64
	out     map[int64]*Call // sending and sent
	ring    fifo[*calls]    // cells with waiting calls, each once
	waiting int             // calls of all cells that wait
	pumping bool            // one goroutine hands over at a time, so that order holds
	sending *Call           // what it hands over now
	handed  []chan struct{} // to be closed when it has
}

// calls are one cell's calls. The fields are guarded by window.mu.
type calls struct {
	cell    *cell
	waiting fifo[*Call]
	out     map[int64]*Call
	notes   int // notifications that wait or are out
	closed  bool
}

// put hands c over, if the way is free, else queues it. It blocks only while
// the Delegate does. After drop it does nothing and reports false.
func (w *window) put(c *Call) bool {
	w.mu.Lock()
	q := c.owner
	if q.closed {
		w.mu.Unlock()
		return false
	}
	if c.Tool == nil {
		q.notes++
	}
	if q.waiting.len() == 0 {
		w.ring.push(q)
	}
	q.waiting.push(c)
	w.waiting++
	if !w.pumping && w.ring.len() == 1 && w.room() {
		// Nobody else has a call to make. This saves a change of goroutines.
		w.pumping = true
		w.send(w.next())
		w.pumping = false
	}
	w.pump()
	return true
}

func (w *window) room() bool { return len(w.out) < w.size && w.ring.len() > 0 }

// pump sees to it that waiting calls are handed over while the window has room:
// in a goroutine, since whoever answers a call must not wait for the Delegate.
// It is entered with w.mu held and returns without it.
func (w *window) pump() {
	defer w.mu.Unlock()
	if w.pumping || !w.room() {
		return // who pumps looks again before it leaves
	}
	w.pumping = true
	w.host.began()
	go func() { // counted by the Host; it ends with the calls, or with their cells
		defer w.host.ended(false)
		w.mu.Lock()
		defer w.mu.Unlock()
		for w.room() {
			w.send(w.next())
		}
		w.pumping = false
	}()
}

// next takes the first call of the cell whose turn it is.
func (w *window) next() *Call {
	q := w.ring.pop()
	c := q.waiting.pop()
	w.waiting--
	if q.waiting.len() > 0 {
		w.ring.push(q)
	}
	w.lastID++
	c.ID, c.state = w.lastID, callSending
	w.out[c.ID] = c
	if q.out == nil {
		q.out = map[int64]*Call{}
	}
	q.out[c.ID] = c
	return c
}

// send hands c over, with w.mu let go meanwhile. The hold keeps the cell from
// being closed before all that is to be said about c has been said.
func (w *window) send(c *Call) {
	cell := c.owner.cell
	cell.hold()
	w.sending = c
	w.mu.Unlock()
	err := w.handOver(c)
	w.mu.Lock()
	cancelled := c.state == callCancelled
	refused := c.state == callSending && err != nil
	if c.state == callSending {
		c.state = callSent
	}
	if refused {
		w.finish(c, callDone)
	}
	w.mu.Unlock()
	switch {
	case refused:
		cell.settle(c, answer{reason: err.Error(), failed: true})
	case cancelled && err == nil:
		w.delegate.Cancel(c)
	}
	w.mu.Lock()
	w.sending = nil
	for _, ch := range w.handed {
		close(ch)
	}
	w.handed = nil
	w.mu.Unlock()
	cell.release()
	w.mu.Lock()
}

// handOver gives c to the Delegate; a panic there ends just this call.
func (w *window) handOver(c *Call) (err error) {
	defer func() {
		if recover() != nil {
			err = errPanicked
		}
	}()
	return w.delegate.Call(c.owner.cell.ctx, c)
}

// finish takes c out of the books. w.mu is held.
func (w *window) finish(c *Call, state callState) {
	c.state = state
	delete(w.out, c.ID)
	delete(c.owner.out, c.ID)
	if c.Tool == nil {
		c.owner.notes--
	}
}

// answer ends the call with that id, if it is out, and hands over more.
func (w *window) answer(id int64, a answer) {
	w.mu.Lock()
	c, ok := w.out[id]
	if !ok {
		w.mu.Unlock()
		return
	}
	w.finish(c, callDone)
	w.mu.Unlock()
	c.owner.cell.settle(c, a)
	w.mu.Lock()
	w.pump()
}

// drop forgets all calls of q for good, and cancels those that are out. When it
// returns the Delegate has heard the last of them, unless it does not come back
// from a call whose context has ended.
func (w *window) drop(q *calls) {
	w.mu.Lock()
	if q.closed {
		w.mu.Unlock()
		return
	}
	q.closed = true
	q.cell.cancel()
	var bytes int64
	if q.waiting.len() > 0 {
		w.leaveRing(q)
	}
	for _, c := range q.waiting.all() {
		bytes += c.bytes
		w.waiting--
	}
	var sent []*Call
	for _, c := range q.out {
		bytes += c.bytes
		if c.state == callSent {
			sent = append(sent, c)
		}
		w.finish(c, callCancelled)
	}
	q.notes = 0
	w.mu.Unlock()
	q.cell.account.giveBack(bytes)
	slices.SortFunc(sent, func(a, b *Call) int { return cmp.Compare(a.ID, b.ID) })
	for _, c := range sent {
		w.delegate.Cancel(c)
	}
	w.mu.Lock()
	if w.sending != nil && w.sending.owner == q {
		w.awaitHandover()
	}
	w.pump()
}

// handoverTime is how long drop waits for a Delegate to come back.
const handoverTime = 5 * time.Millisecond

// awaitHandover waits until what is being handed over has been. It is entered
// and left with w.mu held.
func (w *window) awaitHandover() {
	done := make(chan struct{})
	w.handed = append(w.handed, done)
	w.mu.Unlock()
	patience := time.NewTimer(handoverTime)
	defer patience.Stop()
	select {
	case <-done:
	case <-patience.C:
	}
	w.mu.Lock()
}

// leaveRing takes q, which is in the ring, out of it. The ring is as long as
// there are cells, at most.
func (w *window) leaveRing(q *calls) {
	for range w.ring.len() {
		if other := w.ring.pop(); other != q {
			w.ring.push(other)
		}
	}
}

// idle reports whether no notification of q is unanswered.
func (w *window) idle(q *calls) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return q.notes == 0
}

// counts returns how many calls are out and how many wait.
func (w *window) counts() (out, waiting int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(w.out), w.waiting
}
