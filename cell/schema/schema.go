// Package schema turns a tool's JSON Schemas into the TypeScript that a model
// reads: identifiers, types, declarations and augmented descriptions.
//
//	{"type":"object","properties":{"id":{"type":"integer"}},"required":["id"]}
//	{ id: number; }
//
// Everything here is pure and safe for concurrent use. A schema is input from
// strangers: at most [MaxSchema] bytes are read, [MaxDepth] levels followed and
// [MaxType] bytes written; what lies beyond any of them becomes `unknown`, and
// so does a schema that is not JSON. Nothing returns an error.
// Sections such as §12 mean docs/contracts/codemode.md.
package schema

import (
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// Limits on one schema.
const (
	MaxSchema = 512 << 10 // bytes of JSON
	MaxDepth  = 100       // nested schemas; deeper ones are unknown
	MaxType   = 64 << 10  // bytes of TypeScript; a longer type is unknown as a whole
)

// Tool is what a declaration is made from.
type Tool struct {
	Name        string         // public name, before normalisation
	Description string         // the tool's own words
	Freeform    bool           // takes a string instead of an object
	Input       jsontext.Value // JSON Schema of the argument; empty means unknown
	Output      jsontext.Value // JSON Schema of the result; empty means unknown
}

// Identifier returns name as the JavaScript property under which a cell finds
// the tool: each character that an ASCII identifier may not hold at its place
// becomes an underscore, and the empty name is one. Spec: codemode §11.3.
func Identifier(name string) string {
	if name == "" {
		return "_"
	}
	var b strings.Builder
	b.Grow(len(name))
	for _, r := range name {
		if identifierRune(r, b.Len() == 0) {
			b.WriteRune(r)
		} else {
			b.WriteByte('_')
		}
	}
	return b.String()
}

func identifierRune(r rune, first bool) bool {
	switch {
	case 'a' <= r && r <= 'z', 'A' <= r && r <= 'Z', r == '_', r == '$':
		return true
	case '0' <= r && r <= '9':
		return !first
	}
	return false
}

// plainName reports whether a property needs no quotes.
func plainName(name string) bool { return name != "" && Identifier(name) == name }

// Declaration returns the tool as one TypeScript statement, for example
// `declare const tools: { now(args: unknown): Promise<string>; };`.
// Spec: codemode §12.
func (t Tool) Declaration() string {
	param, in := "args", Type(t.Input)
	if t.Freeform {
		param, in = "input", "string"
	}
	return "declare const tools: { " + Identifier(t.Name) + "(" + param + ": " + in + "): Promise<" + Type(t.Output) + ">; };"
}

// Describe returns the description with the declaration below it, as a cell's
// ALL_TOOLS shows it. A blank description leaves the declaration alone.
// Spec: codemode §12.
func (t Tool) Describe() string {
	decl := "exec tool declaration:\n```ts\n" + t.Declaration() + "\n```"
	if strings.TrimSpace(t.Description) == "" {
		return decl
	}
	return t.Description + "\n\n" + decl
}

// ReturnsCallToolResult reports whether the tool's output is shown as a
// CallToolResult, so that its reader needs [SharedTypes].
func (t Tool) ReturnsCallToolResult() bool {
	n, ok := parse(t.Output)
	return ok && n.isCallToolResult()
}

// CallToolResult returns the JSON Schema of an MCP call's result whose
// structuredContent has the given schema; an empty one leaves it open.
func CallToolResult(structured jsontext.Value) jsontext.Value {
	s := jsontext.Value("{}")
	if n, ok := parse(structured); ok && n.kind != '0' {
		s = structured
	}
	out := jsontext.Value(`{"type":"object","properties":{"content":{"type":"array","items":{"type":"object"}},` +
		`"structuredContent":`)
	out = append(out, s...)
	return append(out, `,"isError":{"type":"boolean"},"_meta":{"type":"object"}},"required":["content"]}`...)
}
