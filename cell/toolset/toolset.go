// Package toolset gives cells their tools, from MCP servers and from commands,
// and runs one program with them ([Run], the service behind `berth cell run`).
//
//	program ── codemode ──> child host        (no files, no network)
//	   tools.x(…) <── Set ── MCP server | command
//
// A [Set] is fixed once it is built and safe for concurrent use. A call that
// fails rejects with text that a model can read; it never ends the program.
// Sections such as §12 mean docs/contracts/codemode.md.
package toolset

import (
	"context"

	"fmt"

	"github.com/berth-dev/berth/cell/codemode"
	"github.com/berth-dev/berth/cell/schema"
)

// Tool is one entry of a Set.
type Tool struct {
	Name        string // public name, before normalisation (§11.3)
	Description string
	Freeform    bool             // takes a string instead of an object
	Input       codemode.RawJSON // JSON Schema; nil means unknown
	Output      codemode.RawJSON // JSON Schema; nil means unknown
	Source      string           // where it comes from, for messages

	// Call runs the tool with a JSON value, nil if there is no argument. An
	// error's text is what the cell's promise rejects with.
	Call func(ctx context.Context, input codemode.RawJSON) (codemode.RawJSON, error)
}

// Set is a catalogue of tools.
type Set struct {
	tools  []Tool
	byName map[string]int
	wire   []codemode.WireToolDefinition
}

// NewSet returns the catalogue of the given tools, in their order. Two tools
// that a cell could not tell apart are an error.
func NewSet(tools []Tool) (*Set, error) {
	s := &Set{tools: tools, byName: map[string]int{}}
	for i, t := range tools {
		id := schema.Identifier(t.Name)
		if other, taken := s.byName[id]; taken {
			return nil, &CollisionError{Name: id, First: tools[other].Source, Second: t.Source}
		}
		s.byName[id] = i
		s.wire = append(s.wire, definition(id, t))
	}
	return s, nil
}

// CollisionError says that two tools would have the same name in a cell.
type CollisionError struct {
	Name          string // the common name
	First, Second string // the tools' sources
}

func (e *CollisionError) Error() string {
	return fmt.Sprintf("tool %q comes from both %s and %s", e.Name, e.First, e.Second)
}

func definition(id string, t Tool) codemode.WireToolDefinition {
	described := schema.Tool{Name: id, Description: t.Description, Freeform: t.Freeform, Input: []byte(t.Input), Output: []byte(t.Output)}
	kind := codemode.FunctionTool
	if t.Freeform {
		kind = codemode.FreeformTool
	}
	return codemode.WireToolDefinition{
		Name:        id,
		ToolName:    codemode.WireToolName{Name: id},
		Description: described.Describe(),
		Kind:        kind,
	}
}

// Definitions returns the catalogue for an execute request. The schemas are in
// the descriptions. It must not be changed.
func (s *Set) Definitions() []codemode.WireToolDefinition { return s.wire }

// Tools returns the tools in order. It must not be changed.
func (s *Set) Tools() []Tool { return s.tools }

// InvokeTool runs a cell's call, as a codemode.Delegate does.
func (s *Set) InvokeTool(ctx context.Context, call *codemode.WireNestedToolCall) (codemode.RawJSON, error) {
	i, ok := s.byName[call.ToolName.Name]
	if !ok {
		return nil, fmt.Errorf("there is no tool %q", call.ToolName.Name)
	}
	return s.tools[i].Call(ctx, call.Input)
}

// errNoObject is the refusal of an argument. Spec: codemode §12.
func errNoObject(name string) error {
	return fmt.Errorf("tool `%s` expects a JSON object for arguments", name)
}
