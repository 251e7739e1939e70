package cell

import (
	"errors"
	"fmt"
	"runtime/debug"
	"time"

	"github.com/berth-dev/berth/cell/js"
)

// run is the cell's goroutine. The Host counts it; it ends when the program is
// over and its isolate is gone.
func (c *cell) run(req *Request, started func(string, error)) {
	defer c.leave()
	debug.SetPanicOnFault(true) // a fault in the isolate ends this cell alone
	isolate, err := c.newIsolate()
	if err == nil {
		defer c.closeIsolate()
	}
	if errors.Is(err, js.ErrMemory) {
		if c.begin(nil, nil, started) {
			c.finish(js.Outcome{Failed: true, ErrorText: c.account.LimitError()})
		}
		return
	}
	if !c.begin(isolate, err, started) {
		return
	}
	outcome, crashed := c.play(isolate, req)
	if crashed {
		c.writes = nil
	}
	c.finish(outcome)
}

func (c *cell) newIsolate() (isolate js.Isolate, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("new isolate: panic: %v", p)
		}
	}()
	return c.host.engine.New((*helpers)(c), &c.account)
}

// begin announces the cell, or says why there is none, and reports whether the
// program is to run. What was asked for meanwhile happens here: an execute can
// be cancelled until its cell is announced, and a stop comes right after.
func (c *cell) begin(isolate js.Isolate, err error, started func(string, error)) bool {
	c.mu.Lock()
	op := c.op
	c.isolate = isolate
	cancelled := op.cancelled
	c.mu.Unlock()
	if cancelled || err != nil {
		c.abandon()
		if cancelled {
			started("", ErrCancelled)
		} else {
			started("", fmt.Errorf("%w: %w", ErrRuntime, err))
		}
		return false
	}
	started(c.id, nil)
	c.mu.Lock()
	c.phase = running
	deferred := c.deferred
	c.deferred = nil
	c.arm(op)
	for _, stop := range deferred {
		if err := c.stop(stop); err != nil {
			stop.observed(missing(c.id, stop.begun))
		}
	}
	return len(deferred) == 0
}

// play runs the program to its end. A panic is the end, too.
func (c *cell) play(isolate js.Isolate, req *Request) (outcome js.Outcome, crashed bool) {
	defer func() {
		if recover() != nil {
			outcome, crashed = js.Outcome{Failed: true, ErrorText: textRuntimeLost}, true
		}
	}()
	p := player{cell: c, isolate: isolate}
	c.host.pace.enter()
	defer c.host.pace.leave()
	p.step(isolate.Start(req.program(c.session.opts.Dialect)))
	p.drain()
	for !p.over {
		settled := p.settleOne()
		p.drain()
		fired := p.fireOne()
		p.drain()
		if !p.over && !settled && !fired {
			c.host.pace.leave()
			c.sleep()
			c.host.pace.enter()
			p.look()
		}
	}
	return p.outcome, p.crashed
}

// player takes a program through its steps.
type player struct {
	cell    *cell
	isolate js.Isolate
	outcome js.Outcome
	over    bool
	crashed bool
}

// step looks at the state after JavaScript ran.
func (p *player) step(err error) {
	switch outcome, done := p.isolate.Done(); {
	case done:
		p.outcome, p.over = outcome, true
	case err != nil:
		// ErrInterrupted after a stop; anything else means the isolate is lost.
		p.outcome, p.over, p.crashed = js.Outcome{Failed: true, ErrorText: textRuntimeLost}, true, true
	default:
		p.look()
	}
}

// look ends the program if it was stopped from outside.
func (p *player) look() {
	c := p.cell
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.phase != running:
		p.over = true
	case c.refused:
		p.outcome, p.over = js.Outcome{Failed: true, ErrorText: c.account.LimitError()}, true
	}
}

// drain runs all queued jobs, unless the program is over: as in any engine, an answer or a timer comes
// only when no job is left. The slices are for looking around in between.
func (p *player) drain() {
	for more := true; more && !p.over; {
		var err error
		more, err = p.isolate.Drain(drainSlice)
		p.step(err)
	}
}

// settleOne settles the call that was answered first.
func (p *player) settleOne() bool {
	c := p.cell
	if p.over {
		return false
	}
	c.mu.Lock()
	if c.inbox.len() == 0 {
		c.mu.Unlock()
		return false
	}
	s := c.inbox.pop()
	c.mu.Unlock()
	c.account.giveBack(s.bytes)
	if s.failed {
		p.step(p.isolate.Reject(s.seq, s.reason))
	} else {
		p.step(p.isolate.Resolve(s.seq, s.result))
	}
	return true
}

// fireOne fires the timer that is due first.
func (p *player) fireOne() bool {
	c := p.cell
	if p.over {
		return false
	}
	id, ok := c.timers.due(time.Now())
	if !ok {
		return false
	}
	c.account.giveBack(timerBytes)
	p.step(p.isolate.Fire(id))
	return true
}

// sleep waits for an answer, a stop or the next timer.
func (c *cell) sleep() {
	select {
	case <-c.wake:
	case <-c.timers.tick():
	}
}

// finish is natural completion. Spec: codemode §8.6.
func (c *cell) finish(outcome js.Outcome) {
	c.mu.Lock()
	if c.phase == running {
		c.phase = ending
		c.emptyInbox()
		if c.op != nil && c.op.timer != nil {
			c.op.timer.Stop()
		}
	}
	c.mu.Unlock()
	for c.is(ending) && !c.host.window.idle(&c.calls) {
		c.closeIsolate() // it may take a while, and needs no memory for it
		<-c.wake
	}
	if !c.is(ending) {
		return
	}
	c.host.window.drop(&c.calls)
	c.mu.Lock()
	if c.phase != ending {
		c.mu.Unlock()
		return
	}
	if !c.session.commit(c.writes) {
		c.account.over.Store(c.host.opts.StoreMemory)
		outcome = js.Outcome{Failed: true, ErrorText: c.account.LimitError()}
	}
	c.phase, c.outcome, c.done = complete, outcome, time.Now()
	if c.op == nil {
		c.mu.Unlock()
		return
	}
	c.phase = collected
	op, obs := c.takeOp(), c.result(0)
	c.mu.Unlock()
	c.deliver(op, obs)
}

func (c *cell) is(p phase) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.phase == p
}

// closeIsolate gives the isolate back, once. The cell may be closed before.
func (c *cell) closeIsolate() {
	c.mu.Lock()
	isolate := c.isolate
	c.isolate = nil
	c.mu.Unlock()
	if isolate == nil {
		return
	}
	c.letGo()
	defer func() { _ = recover() }() // it crashed before; its memory is lost
	isolate.Close()
	c.account.freeHeap()
}

// leave is the goroutine's end.
func (c *cell) leave() {
	c.timers.stop()
	c.account.giveBack(c.stored + int64(len(c.timers.heap))*timerBytes)
	c.session.letGo(c.snapshot)
	c.snapshot, c.goroutine = nil, goroutine{} // a result may wait for long
	c.mu.Lock()
	c.left = true
	if c.grace != nil {
		c.grace.Stop()
	}
	c.emptyInbox()
	detached := c.detached
	c.mu.Unlock()
	c.letGo()
	c.host.ended(detached)
}
