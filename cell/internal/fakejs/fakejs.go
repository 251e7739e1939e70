// Package fakejs is a js.Engine whose programs are Go functions, for tests of
// what drives an engine. A program's source is the name of its function. As in
// JavaScript, everything a program does happens in the isolate's goroutine:
// jobs, answers and timers call back.
package fakejs

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/berth-dev/berth/cell/js"
)

// Engine runs programs by name. The fields are set before the first New.
type Engine struct {
	Programs map[string]func(*Run)
	NewErr   error         // what New fails with
	NewGate  chan struct{} // if set, New waits for a token

	open atomic.Int64
}

// Open returns how many isolates are not closed.
func (e *Engine) Open() int { return int(e.open.Load()) }

// New implements js.Engine. An isolate is charged 1 KiB.
func (e *Engine) New(host js.Host, acct js.Account) (js.Isolate, error) {
	if e.NewGate != nil {
		<-e.NewGate
	}
	if e.NewErr != nil {
		return nil, e.NewErr
	}
	if err := acct.Reserve(1024); err != nil {
		return nil, fmt.Errorf("new isolate: %w", err)
	}
	e.open.Add(1)
	return &Run{Host: host, Account: acct, engine: e, stop: make(chan struct{}),
		calls: map[uint64]func([]byte, string, bool){}, timers: map[uint64]func(){}}, nil
}

// Close implements js.Engine.
func (e *Engine) Close() error { return nil }

// Run is one program at work.
type Run struct {
	Host    js.Host
	Account js.Account

	engine  *Engine
	program js.Program
	jobs    []func()
	calls   map[uint64]func([]byte, string, bool)
	timers  map[uint64]func()
	lastID  uint64
	held    bool
	ended   bool
	outcome js.Outcome

	once sync.Once
	stop chan struct{}
}

// stopped unwinds a program that was interrupted.
type stopped struct{}

// Source returns the program's source.
func (r *Run) Source() string { return r.program.Source }

// Hold keeps the program from being over when its function returns.
func (r *Run) Hold() { r.held = true }

// End ends the program well, Fail with a text.
func (r *Run) End() { r.ended = true }

// Fail ends the program with an error text.
func (r *Run) Fail(text string) { r.ended, r.outcome = true, js.Outcome{Failed: true, ErrorText: text} }

// Check ends the program if err, of a helper, wraps js.ErrMemory, and reports
// whether err is nil.
func (r *Run) Check(err error) bool {
	if errors.Is(err, js.ErrMemory) {
		r.Fail(r.Account.LimitError())
	}
	return err == nil
}

// Text appends output.
func (r *Run) Text(text string) { r.Check(r.Host.Text(text)) }

// Job queues a promise job.
func (r *Run) Job(f func()) { r.jobs = append(r.jobs, f) }

// Call calls a tool; then gets its result, or the reason that it was rejected for.
func (r *Run) Call(tool int, input string, then func(result, reason string, ok bool)) {
	id, err := r.Host.CallTool(tool, []byte(input))
	if r.Check(err) {
		r.calls[id] = func(result []byte, reason string, ok bool) { then(string(result), reason, ok) }
	}
}

// After sets a timer, and returns its id.
func (r *Run) After(ms uint64, f func()) uint64 {
	r.lastID++
	if r.Check(r.Host.SetTimer(r.lastID, ms)) {
		r.timers[r.lastID] = f
	}
	return r.lastID
}

// Spin is a busy loop: it goes on until the program is interrupted.
func (r *Run) Spin() {
	<-r.stop
	panic(stopped{})
}

// Interrupted is closed by Interrupt.
func (r *Run) Interrupted() <-chan struct{} { return r.stop }

func (r *Run) enter(f func()) (err error) {
	if r.interrupted() {
		return js.ErrInterrupted
	}
	defer func() {
		if p := recover(); p != nil {
			if _, ok := p.(stopped); !ok {
				panic(p)
			}
			err = js.ErrInterrupted
		}
	}()
	f()
	if r.interrupted() {
		return js.ErrInterrupted
	}
	return nil
}

func (r *Run) interrupted() bool {
	select {
	case <-r.stop:
		return true
	default:
		return false
	}
}

// Start implements js.Isolate.
func (r *Run) Start(p js.Program) error {
	r.program = p
	return r.enter(func() {
		f, ok := r.engine.Programs[p.Source]
		if !ok {
			r.Fail("no such program")
			return
		}
		f(r)
		if !r.held {
			r.End()
		}
	})
}

// Drain implements js.Isolate.
func (r *Run) Drain(n int) (bool, error) {
	err := r.enter(func() {
		for ; n > 0 && len(r.jobs) > 0 && !r.ended; n-- {
			job := r.jobs[0]
			r.jobs = r.jobs[1:]
			job()
		}
	})
	return len(r.jobs) > 0 && !r.ended, err
}

// Resolve implements js.Isolate.
func (r *Run) Resolve(call uint64, result []byte) error {
	return r.enter(func() { r.settle(call, result, "", true) })
}

// Reject implements js.Isolate.
func (r *Run) Reject(call uint64, reason string) error {
	return r.enter(func() { r.settle(call, nil, reason, false) })
}

func (r *Run) settle(call uint64, result []byte, reason string, ok bool) {
	if then := r.calls[call]; then != nil {
		delete(r.calls, call)
		then(result, reason, ok)
	}
}

// Fire implements js.Isolate.
func (r *Run) Fire(timer uint64) error {
	return r.enter(func() {
		f := r.timers[timer]
		delete(r.timers, timer)
		f()
	})
}

// Done implements js.Isolate.
func (r *Run) Done() (js.Outcome, bool) { return r.outcome, r.ended }

// Interrupt implements js.Isolate.
func (r *Run) Interrupt() { r.once.Do(func() { close(r.stop) }) }

// Close implements js.Isolate.
func (r *Run) Close() {
	r.engine.open.Add(-1)
	// The error is for delta > 0 alone.
	_ = r.Account.Reserve(-1024)
}
