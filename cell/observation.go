package cell

import (
	"fmt"
	"time"

	"github.com/berth-dev/berth/cell/js"
)

// DefaultYield is the yield deadline of a Request that names none. Spec: codemode §7.
const DefaultYield = 10 * time.Second

// Tool is one entry of a program's catalogue.
type Tool struct {
	Name        string // public name; the program sees it normalised (§11.3)
	Description string
	// Target is the caller's own name for the tool. It comes back in Call.Tool,
	// and nothing here looks at it.
	Target any
}

// Request is a program to run.
type Request struct {
	CallID string // the model's id for this execute; comes back in notifications
	Source string // one ECMAScript module
	Tools  []Tool // frozen; must not be changed after Execute
	// Yield is how long the program runs before its first observer gets what
	// there is; 0 means DefaultYield, negative at once. The clock starts with
	// the program. Spec: codemode §8.3.
	Yield time.Duration
}

// ItemKind tells the items of output apart.
type ItemKind uint8

// The kinds.
const (
	Text ItemKind = iota
	Image
	Audio
)

// Item is one item of output. Spec: codemode §7.
type Item struct {
	Kind   ItemKind
	Value  string // the text, or the URL
	Detail string // of an image: auto, low, high or original
}

// itemOverhead is charged for an item besides its bytes.
const itemOverhead = 64

func (i Item) size() int64 { return int64(len(i.Value)) + itemOverhead }

// Kind tells what an Observation reports.
type Kind uint8

// The kinds. Spec: codemode §7, WireRuntimeResponse and WireWaitOutcome.
const (
	Yielded    Kind = iota // still running
	Completed              // the program is over; Failed and ErrorText tell how
	Terminated             // stopped by Terminate, Close or Shutdown
	Missing                // there is no such cell; ErrorText says so
)

// Observation is what an observer of a cell gets: the output since the last
// one, and the cell's state.
type Observation struct {
	Cell      string
	Kind      Kind
	Items     []Item
	Failed    bool   // of Completed and Missing
	ErrorText string // meaningful, perhaps empty, when Failed
	// Took is the time from the request to this answer, Buffered how long a
	// completed result had waited for an observer. Spec: codemode §15.
	Took, Buffered time.Duration
}

func missing(id string, begun time.Time) Observation {
	return Observation{Cell: id, Kind: Missing, Failed: true,
		ErrorText: fmt.Sprintf(textMissing, id), Took: time.Since(begun)}
}

func (r *Request) program(d js.Dialect) js.Program {
	tools := make([]js.Tool, len(r.Tools))
	for i, t := range r.Tools {
		tools[i] = js.Tool{Name: t.Name, Description: t.Description}
	}
	return js.Program{Source: r.Source, Tools: tools, Dialect: d}
}
