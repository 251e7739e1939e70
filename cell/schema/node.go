package schema

import (
	"bytes"
	"io"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// node is a parsed JSON value. Scalars keep their text in raw.
type node struct {
	kind    jsontext.Kind // as jsontext: n f t " 0 { [
	raw     jsontext.Value
	members []member // of an object, in order; a repeated name replaces
	items   []node   // of an array
}

type member struct {
	name  string
	value node
}

// parseDepth leaves room for the keywords between one schema and the next.
const parseDepth = 3*MaxDepth + 10

// parse reads one JSON text; ok is false if it is none, too long or too deep.
func parse(raw jsontext.Value) (n node, ok bool) {
	if len(raw) == 0 || len(raw) > MaxSchema {
		return node{}, false
	}
	dec := jsontext.NewDecoder(bytes.NewReader(raw), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	n, ok = parseValue(dec, 0)
	if !ok {
		return node{}, false
	}
	_, err := dec.ReadToken()
	return n, err == io.EOF // or there is something behind the value
}

func parseValue(dec *jsontext.Decoder, depth int) (node, bool) {
	n := node{kind: dec.PeekKind()}
	switch n.kind {
	case '{', '[':
	default:
		v, err := dec.ReadValue()
		n.raw = bytes.Clone(v)
		return n, err == nil
	}
	if depth == parseDepth {
		return node{kind: 'n', raw: jsontext.Value("null")}, dec.SkipValue() == nil
	}
	if _, err := dec.ReadToken(); err != nil {
		return n, false
	}
	ok := false
	if n.kind == '{' {
		ok = n.parseMembers(dec, depth)
	} else {
		ok = n.parseItems(dec, depth)
	}
	if !ok {
		return n, false
	}
	_, err := dec.ReadToken()
	return n, err == nil
}

func (n *node) parseMembers(dec *jsontext.Decoder, depth int) bool {
	index := map[string]int{}
	for dec.PeekKind() != '}' {
		tok, err := dec.ReadToken()
		if err != nil {
			return false
		}
		name := tok.String()
		v, ok := parseValue(dec, depth+1)
		if !ok {
			return false
		}
		if i, seen := index[name]; seen {
			n.members[i].value = v
			continue
		}
		index[name] = len(n.members)
		n.members = append(n.members, member{name, v})
	}
	return true
}

func (n *node) parseItems(dec *jsontext.Decoder, depth int) bool {
	for dec.PeekKind() != ']' {
		v, ok := parseValue(dec, depth+1)
		if !ok {
			return false
		}
		n.items = append(n.items, v)
	}
	return true
}

// get returns a member, nil if there is none or n is nil or no object.
func (n *node) get(name string) *node {
	if n == nil {
		return nil
	}
	for i := range n.members {
		if n.members[i].name == name {
			return &n.members[i].value
		}
	}
	return nil
}

// list returns the items of the array under name; anything else is empty.
func (n *node) list(name string) []node {
	if m := n.get(name); m != nil && m.kind == '[' {
		return m.items
	}
	return nil
}

// text returns the string under name; anything else is empty.
func (n *node) text(name string) string {
	if m := n.get(name); m != nil && m.kind == '"' {
		return m.str()
	}
	return ""
}

func (n *node) str() string {
	s, err := jsontext.AppendUnquote(nil, n.raw)
	if err != nil {
		return strings.ToValidUTF8(string(s), "\uFFFD")
	}
	return string(s)
}

// hasType reports whether the schema's type is the one name.
func (n *node) hasType(name string) bool { return n != nil && n.text("type") == name }

// isCallToolResult recognises the result of an MCP call. Spec: codemode §12.
func (n *node) isCallToolResult() bool {
	p := n.get("properties")
	if p == nil {
		return false
	}
	content := p.get("content")
	return content.hasType("array") && content.get("items").hasType("object") &&
		p.get("isError").hasType("boolean") && p.get("_meta").hasType("object")
}

// literal appends the value as compact JSON, numbers as they were spelt.
func (n *node) literal(b []byte) []byte {
	switch n.kind {
	case '{':
		b = append(b, '{')
		for i := range n.members {
			if i > 0 {
				b = append(b, ',')
			}
			b = append(quote(b, n.members[i].name), ':')
			b = n.members[i].value.literal(b)
		}
		return append(b, '}')
	case '[':
		b = append(b, '[')
		for i := range n.items {
			if i > 0 {
				b = append(b, ',')
			}
			b = n.items[i].literal(b)
		}
		return append(b, ']')
	case '"':
		return quote(b, n.str())
	}
	return append(b, n.raw...)
}

func quote(b []byte, s string) []byte {
	out, err := jsontext.AppendQuote(b, s)
	if err != nil {
		out, _ = jsontext.AppendQuote(b, strings.ToValidUTF8(s, "\uFFFD"))
	}
	return out
}
