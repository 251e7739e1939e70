package cell

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/berth-dev/berth/cell/js"
)

// phase is where a cell is in its life.
type phase uint8

const (
	starting phase = iota // its isolate is being made
	running
	ending   // the program is over, notifications are unanswered
	complete // the result waits for an observer
	stopping // terminated; the isolate may still be at work
	collected
)

// cell is one program. Everything that an observer can see is guarded by mu,
// which is never held while JavaScript or a callback runs.
type cell struct {
	session  *Session
	host     *Host
	id       string
	callID   string
	tools    []Tool
	account  account
	calls    calls         // owned by the window
	wake     chan struct{} // one token: the goroutine is to look at its state
	holds    atomic.Int32  // reasons to keep the cell open, see hold
	snapshot *values       // of the session, from before the program ran
	ctx      context.Context
	cancel   context.CancelFunc // ends ctx, the cell's lifetime as its calls see it

	mu        sync.Mutex
	phase     phase
	items     []Item
	itemBytes int64
	op        *Op   // the observer
	deferred  []*Op // terminations that came while starting; an Op may be nil
	inbox     fifo[settlement]
	refused   bool // an answer was refused for its size
	isolate   js.Isolate
	outcome   js.Outcome
	done      time.Time // when the program was complete
	busy      bool      // the goroutine may still run JavaScript
	left      bool      // the goroutine has ended
	detached  bool
	grace     *time.Timer

	goroutine // owned by the cell's goroutine
}

// goroutine is the part of a cell that its goroutine owns.
type goroutine struct {
	timers timers
	writes map[string][]byte // stored, not committed
	stored int64             // bytes charged for writes
	lastID uint64            // of calls
	grown  int64             // bytes by which writes change what load sees
}

// settlement is an answer on its way to the program.
type settlement struct {
	seq uint64
	answer
	bytes int64
}

func newCell(s *Session, id string, req *Request) *cell {
	c := &cell{session: s, host: s.host, id: id, callID: req.CallID, tools: req.Tools,
		wake: make(chan struct{}, 1), busy: true}
	c.ctx, c.cancel = context.WithCancel(context.Background())
	c.account.host = &s.host.memory
	c.account.cell.limit = s.opts.CellMemory
	c.calls.cell = c
	c.holds.Store(2) // one until it is collected, one while JavaScript may run
	return c
}

// hold keeps the cell open until release: cell/closed is the last word about
// it. It may be called only while another hold is known to exist.
func (c *cell) hold() { c.holds.Add(1) }

func (c *cell) release() {
	if c.holds.Add(-1) > 0 {
		return
	}
	c.host.freeSlot()
	c.host.delegate.Closed(c.session.id, c.id)
	c.session.remove(c.id)
}

// abandon ends a cell that never started.
func (c *cell) abandon() {
	c.mu.Lock()
	c.phase = collected
	c.cancel()
	deferred := c.deferred
	c.mu.Unlock()
	c.host.freeSlot()
	c.session.remove(c.id)
	for _, op := range deferred {
		if op != nil {
			op.observed(missing(c.id, op.begun))
		}
	}
}

// take detaches the output. c.mu is held.
func (c *cell) take() []Item {
	items := c.items
	c.account.giveBack(c.itemBytes)
	c.items, c.itemBytes = nil, 0
	return items
}

// takeOp detaches the observer. c.mu is held.
func (c *cell) takeOp() *Op {
	op := c.op
	c.op = nil
	if op != nil && op.timer != nil {
		op.timer.Stop()
	}
	return op
}

// deliver hands obs to op, if there is one, and lets go of a hold.
func (c *cell) deliver(op *Op, obs Observation) {
	if op != nil {
		obs.Cell = c.id
		obs.Took = time.Since(op.begun)
		op.observed(obs)
	}
	c.release()
}

// result describes a complete cell. c.mu is held.
func (c *cell) result(buffered time.Duration) Observation {
	return Observation{Kind: Completed, Items: c.take(), Failed: c.outcome.Failed,
		ErrorText: c.outcome.ErrorText, Buffered: buffered}
}

// observe attaches op.
func (c *cell) observe(op *Op) error {
	c.mu.Lock()
	switch {
	case c.phase == complete:
		c.phase = collected
		obs := c.result(time.Since(c.done))
		c.mu.Unlock()
		c.deliver(op, obs)
		return nil
	case c.phase == stopping || c.phase == collected:
		c.mu.Unlock()
		op.observed(missing(c.id, op.begun))
		return nil
	case c.op != nil || c.phase == starting:
		c.mu.Unlock()
		return cellError(c.id, ErrObserved)
	}
	c.op = op
	c.arm(op)
	return nil
}

// arm starts the deadline of op, which is attached. c.mu is held, and let go.
func (c *cell) arm(op *Op) {
	if c.phase == running && (op.yield <= 0 || op.asked) {
		c.answer() // at once: nobody finds this observer in the way
		return
	}
	if c.phase == running {
		op.timer = time.AfterFunc(op.yield, func() { c.yield(op) })
	}
	c.mu.Unlock()
}

// yield gives op what there is; a nil op means whoever observes. Once the
// program is over nobody yields (§8.6).
func (c *cell) yield(op *Op) {
	c.mu.Lock()
	if c.phase != running || c.op == nil || op != nil && c.op != op {
		c.mu.Unlock()
		return
	}
	c.answer()
}

// answer yields to the observer of a running cell. c.mu is held, and let go.
func (c *cell) answer() {
	op := c.takeOp()
	obs := Observation{Kind: Yielded, Items: c.take()}
	c.hold()
	c.mu.Unlock()
	c.deliver(op, obs)
}

// stop terminates the cell for op, which is nil for Close. Spec: codemode §8.5.
func (c *cell) stop(op *Op) error {
	c.mu.Lock()
	switch c.phase {
	case starting:
		c.deferred = append(c.deferred, op)
		c.mu.Unlock()
		return nil
	case complete:
		c.phase = collected
		obs := c.result(time.Since(c.done))
		c.mu.Unlock()
		c.deliver(op, obs)
		return nil
	case stopping:
		c.mu.Unlock()
		if op == nil {
			return nil
		}
		return cellError(c.id, ErrTerminating)
	case collected:
		c.mu.Unlock()
		if op != nil {
			op.observed(missing(c.id, op.begun))
		}
		return nil
	}
	c.phase = stopping
	if c.isolate != nil {
		c.isolate.Interrupt()
	}
	observer := c.takeOp()
	items := c.take()
	c.emptyInbox()
	if c.busy {
		c.grace = time.AfterFunc(c.host.opts.Grace/2, c.kill)
	}
	c.hold()
	c.mu.Unlock()
	c.poke()
	c.host.window.drop(&c.calls)
	c.deliver(observer, Observation{Kind: Terminated, Items: items})
	c.deliver(op, Observation{Kind: Terminated, Items: items})
	return nil
}

// kill stops an isolate by force, if it can be, and gives it as long again.
func (c *cell) kill() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.left {
		return
	}
	if k, ok := c.isolate.(js.Killer); ok {
		k.Kill()
	}
	c.grace = time.AfterFunc(c.host.opts.Grace/2, c.detach)
}

// detach gives up on an isolate that did not stop in time.
func (c *cell) detach() {
	c.mu.Lock()
	if c.left {
		c.mu.Unlock()
		return
	}
	c.detached = true
	c.mu.Unlock()
	c.host.detach(c.session.id, c.id)
	c.letGo()
}

// letGo lets go of the hold for JavaScript, once, when the program is over or
// nothing that it does can be seen any more.
func (c *cell) letGo() {
	c.mu.Lock()
	if !c.busy || c.phase == starting || c.phase == running {
		c.mu.Unlock()
		return
	}
	c.busy = false
	c.mu.Unlock()
	c.release()
}

// settle passes an answer of call to the program, in order of arrival.
func (c *cell) settle(call *Call, a answer) {
	c.account.giveBack(call.bytes)
	c.mu.Lock()
	if call.Tool != nil && (c.phase == running) && !c.refused {
		s := settlement{seq: call.Seq, answer: a, bytes: callOverhead + int64(len(a.result)+len(a.reason))}
		if c.account.charge(s.bytes) == nil {
			c.inbox.push(s)
		} else {
			c.refused = true
		}
	}
	c.mu.Unlock()
	c.poke()
}

// emptyInbox drops answers that the program will not see. c.mu is held.
func (c *cell) emptyInbox() {
	for _, s := range c.inbox.all() {
		c.account.giveBack(s.bytes)
	}
}

// poke makes the goroutine look at its state.
func (c *cell) poke() {
	select {
	case c.wake <- struct{}{}:
	default: // it is going to look anyway
	}
}

// emit appends an item of output, unless the program is over.
func (c *cell) emit(item Item) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.phase != running {
		return nil
	}
	if err := c.account.charge(item.size()); err != nil {
		return fmt.Errorf("append output: %w", err)
	}
	c.items = append(c.items, item)
	c.itemBytes += item.size()
	return nil
}
