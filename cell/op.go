package cell

import "time"

// Op is an execute or a wait whose observer has not been answered yet.
type Op struct {
	cell     *cell // nil if there was none
	begun    time.Time
	yield    time.Duration
	observed func(Observation)
	first    bool // of an execute

	// Guarded by cell.mu.
	timer     *time.Timer
	asked     bool // to yield, before the program ran
	cancelled bool // before the program ran
}

// Cancel takes the observer of a wait off its cell, which is not touched
// otherwise, and reports true; observed is then not called. It reports false if
// the answer is on its way. An execute whose cell has not started ends with
// ErrCancelled; once it has, Cancel does nothing and reports false, for the
// execute's observer stays. Spec: codemode §8.4.
func (o *Op) Cancel() bool {
	c := o.cell
	if c == nil {
		return false
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.op != o:
		return false
	case c.phase == starting:
		o.cancelled = true
		return false
	case o.first:
		return false
	}
	c.takeOp()
	return true
}

// Yield asks for an answer now, with the output so far. It does nothing once
// the program is over. Spec: codemode §15, yield-observation.
func (o *Op) Yield() {
	c := o.cell
	if c == nil {
		return
	}
	c.mu.Lock()
	if c.phase == starting {
		o.asked = true
		c.mu.Unlock()
		return
	}
	c.mu.Unlock()
	c.yield(o)
}
