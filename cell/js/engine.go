// Package js is what a cell needs of a JavaScript engine: isolates that run one
// module each, call back into their [Host], and can be stopped from outside.
//
// An [Engine] hands out isolates, fresh or cloned from a snapshot, and may be
// shared. An [Isolate] belongs to one goroutine; only Interrupt may be called
// from another. Nothing here knows sessions, observers or a wire. Marks such as
// §11.2 mean docs/contracts/codemode.md.
package js

import "errors"

// Errors that a caller of [Isolate] branches on.
var (
	// ErrInterrupted is returned when Interrupt ended the JavaScript.
	ErrInterrupted = errors.New("interrupted")
	// ErrMemory is returned by Account.Reserve and by the Host's helpers when
	// the cell has reached its memory limit; the isolate then ends the program.
	ErrMemory = errors.New("memory limit exceeded")
)

// Engine makes isolates. It is safe for concurrent use.
type Engine interface {
	// New returns an isolate that has run nothing yet. It is charged to acct
	// from its first byte on; an error wraps ErrMemory if that was refused.
	New(host Host, acct Account) (Isolate, error)
	// Close frees prepared isolates. Isolates in use stay usable.
	Close() error
}

// Account is charged for the memory that an isolate takes. It is called from
// the isolate's goroutine, rarely: the isolate takes memory in large steps.
type Account interface {
	// Reserve adds delta bytes, negative to give back. When a limit would be
	// passed it reserves nothing and returns an error wrapping ErrMemory.
	// Giving back never fails.
	Reserve(delta int64) error
	// LimitError is the text that a program stopped for its memory ends with:
	// "RangeError: cell memory limit of <n> MiB exceeded".
	LimitError() string
}

// Dialect picks among the environments of published hosts. Spec: codemode §15.
type Dialect uint8

// The dialects.
const (
	Base  Dialect = iota // 0.144 to 0.146: no audio, Base error texts
	Later                // 0.149 and on: audio, later error texts and globals
)

// Tool is one entry of the program's catalogue.
type Tool struct {
	Name        string // public name, before normalisation (§11.3)
	Description string
}

// Program is one module to run.
type Program struct {
	Source  string
	Tools   []Tool // frozen; Host.CallTool gets an index into it
	Dialect Dialect
}

// Outcome is how a program ended. Spec: codemode §11.2.
type Outcome struct {
	Failed    bool
	ErrorText string // meaningful, perhaps empty, when Failed
}

// Isolate is one JavaScript heap with one program. All methods but Interrupt
// belong to one goroutine. A method that enters JavaScript returns nil also if
// the program failed (Done tells), and ErrInterrupted after Interrupt; from
// then on nothing enters JavaScript again and every method repeats it.
type Isolate interface {
	// Start compiles the program and begins to run it, up to its first await.
	// Jobs that it queues are left for Drain.
	Start(p Program) error
	// Drain runs at most n queued jobs and reports whether more are waiting.
	Drain(n int) (more bool, err error)
	// Resolve settles a call with a JSON value, Reject with a string.
	// Unknown and settled calls are ignored.
	Resolve(call uint64, result []byte) error
	Reject(call uint64, reason string) error
	// Fire runs the callback of a timer that Host.SetTimer announced.
	Fire(timer uint64) error
	// Done reports the program's end: its module settled, exit() was called,
	// a timer callback threw, or its memory was refused. It is to be asked
	// after each of the methods above. After exit() no JavaScript runs again.
	Done() (Outcome, bool)
	// Interrupt stops the JavaScript from any goroutine, uncatchably. It is
	// sticky: a stop asked for between two entries, or before Start, holds.
	// It returns at once; some built-ins go on for a while.
	Interrupt()
	// Close gives everything back, in time independent of the heap's size.
	// It is called by the owning goroutine, once nothing runs.
	Close()
}

// Killer is an isolate that can be stopped even in a built-in that does not look
// for an interrupt. After Kill, from any goroutine, whatever runs ends with
// ErrInterrupted very soon, and nothing is left to do but Close.
type Killer interface{ Kill() }

// Host is what the program's helpers reach. It is called in the isolate's own
// goroutine, from inside Start, Drain, Resolve, Reject and Fire. An error
// wrapping ErrMemory ends the program; any other is thrown as a string.
type Host interface {
	// Text, Image and Audio append an item of output. detail is one of auto,
	// low, high, original.
	Text(text string) error
	Image(url, detail string) error
	Audio(url string) error
	// Notify sends text, which is not blank, to the client.
	Notify(text string) error
	// CallTool starts a call of the program's tool number tool with the JSON
	// input, and returns an id for Resolve or Reject. It may wait for room.
	CallTool(tool int, input []byte) (call uint64, err error)
	// Store and Load keep JSON values by key. Load's ok is false if there is none.
	Store(key string, value []byte) error
	Load(key string) (value []byte, ok bool)
	// SetTimer asks for Fire(timer) after ms milliseconds; ids count from 1.
	SetTimer(timer uint64, ms uint64) error
	ClearTimer(timer uint64)
	// Yield is yield_control().
	Yield()
}
