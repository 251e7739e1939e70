package v8err

import "strings"

// site is where and how an error came about.
type site struct {
	src *Source
	in  *Raw
	raw []rawFrame

	name, message string
	pos           int  // V8's offset in the topmost frame; -1 if evalPos tells
	classCall     bool // a class was called: its own frame is to be left out
}

// The engine's word for exhausted recursion, of programs and of its parser alike,
// and V8's.
const (
	overflow   = "stack overflow"
	overflowed = "Maximum call stack size exceeded"
)

// explain finds V8's name, message and position for an error of the engine.
func (c *site) explain() {
	if c.name == "RangeError" && strings.HasPrefix(c.message, overflow) {
		c.message = overflowed
		return
	}
	if c.name == "AggregateError" && c.message == "" {
		c.raw = nil
		c.set("All promises were rejected")
		return
	}
	if len(c.raw) == 0 {
		c.plain()
		return
	}
	if c.raw[0].native {
		c.builtin(c.raw[0].name)
		return
	}
	t := c.src.tokenOf(&c.raw[0])
	if t < 0 {
		c.plain()
		return
	}
	if !c.located(t) {
		c.plain()
	}
}

// set states the message.
func (c *site) set(parts ...string) bool {
	c.message = strings.Join(parts, "")
	return true
}
