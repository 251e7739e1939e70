// Package v8err gives QuickJS's errors the shape that V8 gives its own: the
// message names what failed, and the stack lists V8's frames and columns.
//
// QuickJS says little ("not a function") and points at some token of the
// failing expression; the program's text tells the rest. A [Source] tokenises
// that text once, when the first error needs it, without recursion and in
// memory bounded by [maxTokens]; what lies beyond keeps QuickJS's position.
// A Source belongs to one goroutine. Nothing here fails or panics: what is
// unknown passes unchanged. Marks such as §11.2 mean docs/contracts/codemode.md.
package v8err

import "strings"

// DefaultLimit is how many frames a stack has unless Error.stackTraceLimit says
// otherwise.
const DefaultLimit = 10

// Raw is an error as QuickJS made it.
type Raw struct {
	Name    string // "TypeError"
	Message string
	// Stack is QuickJS's backtrace: lines of "    at name (file:line:column)",
	// "    at name (native)" or, for text that did not parse, "    at file:line:column".
	Stack string
	// Thrown tells an error that the engine threw from one that the program
	// constructed; only the former gets another message.
	Thrown bool
	// Limit is Error.stackTraceLimit: at most so many frames.
	Limit int
	// Arg gives an argument of the function that threw, where the engine knows
	// it; nil knows none.
	Arg func(i int) (Value, bool)
	// Var gives the value of a variable in the frame that threw, or of a property
	// reached from it ("a.b.c"), where the engine knows it; nil knows none.
	Var func(path string) (Value, bool)
	// Cycle gives the circle that JSON.stringify has run into, from the object
	// that it leads back to on; nil and an empty circle mean unknown.
	Cycle func() []Link
	// Awaiting lists what waits for the failing async function, nearest first,
	// as lines in the form of Stack; each becomes an "async" frame.
	Awaiting string
}

// Link is a step of a circle of objects.
type Link struct {
	Key   string // by which the object is reached; "" for the first
	Index bool   // Key is an array's index
	Class string // name of the object's constructor; "" for the last step, which leads back
}

// Value is what messages say about a JavaScript value.
type Value struct {
	Type string // as typeof gives it; "null" for null
	Text string // as String gives it; "#<Name>" for an object of class Name
}

// Shaped is an error as V8 would have made it.
type Shaped struct {
	Name    string // may differ: RangeError for code nested too deeply
	Message string
	Frames  []Frame
	// Trace is the stack without its first line: "\n    at …" for each frame.
	// V8 makes the first line when `stack` is first read: see [Header].
	Trace string
	// Stack is Header(Name, Message) followed by Trace.
	Stack string
}

// Header is the first line of a stack, as Error.prototype.toString gives it.
func Header(name, message string) string {
	switch {
	case name == "":
		return message
	case message == "":
		return name
	}
	return name + ": " + message
}

// Frame is one line of a stack.
type Frame struct {
	Func   string // "" at module level and in functions without a name
	Method string // property it was called by, where that differs from Func
	Type   string // class of the receiver, where it is known
	File   string // "" in built-ins; "index n" where Promise.all and its kin wait
	Line   int    // from 1; 0 in built-ins
	Column int    // from 1, in UTF-16 code units
	New    bool   // called as a constructor
	Async  bool   // waiting for the frame above
}

// Native reports whether f is a built-in function.
func (f Frame) Native() bool { return f.File == "" }

// Location is "file:line:column", or "<anonymous>" in built-ins.
func (f Frame) Location() string {
	if f.Native() {
		return "<anonymous>"
	}
	if f.Line == 0 {
		return f.File
	}
	return f.File + ":" + itoa(f.Line) + ":" + itoa(f.Column)
}

// String is the line of the frame without the leading "    at ".
func (f Frame) String() string {
	var b strings.Builder
	if f.Async {
		b.WriteString("async ")
	}
	name := f.Func
	if f.Type != "" {
		if name == "" {
			name = "<anonymous>"
		}
		name = f.Type + "." + name
		if f.Method != "" && f.Method != f.Func && f.Func != "" {
			name += " [as " + f.Method + "]"
		}
	}
	if f.New {
		b.WriteString("new ")
		if name == "" {
			name = "<anonymous>"
		}
	}
	if name == "" {
		b.WriteString(f.Location())
		return b.String()
	}
	b.WriteString(name)
	b.WriteString(" (")
	b.WriteString(f.Location())
	b.WriteByte(')')
	return b.String()
}

// Shape turns r into V8's form. It takes time linear in the source at worst,
// and microseconds once the source has been tokenised. Spec: codemode §11.2.
func (s *Source) Shape(r Raw) Shaped {
	out := Shaped{Name: r.Name, Message: r.Message}
	raw := parseStack(r.Stack)
	if len(raw) > 0 && raw[0].parse && r.Thrown {
		if len(raw) > 1 && raw[1].native && raw[1].name == "parse" {
			s.parseJSON(&out, &r, raw)
		} else {
			s.parseCode(&out, &r, raw)
		}
		return out
	}
	if len(raw) == 0 {
		s.index()
	}
	c := &site{src: s, raw: raw, in: &r, name: r.Name, message: r.Message, pos: -1}
	if r.Thrown {
		c.explain()
	}
	out.Name, out.Message = c.name, c.message
	out.Frames = s.frames(c, r.Limit)
	out.finish()
	return out
}

// finish derives the texts from name, message and frames.
func (out *Shaped) finish() {
	var b strings.Builder
	for _, f := range out.Frames {
		b.WriteString("\n    at ")
		b.WriteString(f.String())
	}
	out.Trace = b.String()
	out.Stack = Header(out.Name, out.Message) + out.Trace
}
