package schema

import (
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

const unknown = "unknown"

// Type returns the TypeScript type of a JSON Schema. No schema, a broken one
// and one beyond the package's limits are `unknown`. Spec: codemode §12.
func Type(schema jsontext.Value) string {
	n, ok := parse(schema)
	if !ok {
		return unknown
	}
	w := writer{}
	if n.isCallToolResult() {
		w.callToolResult(&n)
	} else {
		w.schema(&n, 0)
	}
	if w.over() {
		return unknown
	}
	return string(w.b)
}

// writer builds one type. Past MaxType it stops descending; the caller of the
// outermost schema then drops everything.
type writer struct{ b []byte }

func (w *writer) over() bool   { return len(w.b) > MaxType }
func (w *writer) put(s string) { w.b = append(w.b, s...) }

func (w *writer) callToolResult(n *node) {
	w.put("CallToolResult")
	s := n.get("properties").get("structuredContent")
	if s == nil {
		return
	}
	inner := writer{}
	if inner.schema(s, 0); string(inner.b) != unknown {
		w.put("<" + string(inner.b) + ">")
	}
}

// schema writes n's type. The order of the rules is that of the contract.
func (w *writer) schema(n *node, depth int) {
	switch {
	case depth > MaxDepth || w.over():
		w.put(unknown)
		return
	case n.kind == 'f':
		w.put("never")
		return
	case n.kind != '{':
		w.put(unknown)
		return
	}
	if c := n.get("const"); c != nil {
		w.b = c.literal(w.b)
		return
	}
	if enum := n.list("enum"); len(enum) > 0 {
		w.join(len(enum), " | ", func(i int) { w.b = enum[i].literal(w.b) })
		return
	}
	for _, c := range []struct{ key, sep string }{{"anyOf", " | "}, {"oneOf", " | "}, {"allOf", " & "}} {
		if subs := n.list(c.key); len(subs) > 0 {
			w.join(len(subs), c.sep, func(i int) { w.schema(&subs[i], depth+1) })
			return
		}
	}
	w.byType(n, depth)
}

func (w *writer) byType(n *node, depth int) {
	names := typeNames(n.get("type"))
	has := func(keys ...string) bool {
		return slices.ContainsFunc(keys, func(k string) bool { return n.get(k) != nil })
	}
	switch {
	case len(names) > 0:
		w.join(len(names), " | ", func(i int) { w.named(names[i], n, depth) })
	case has("properties", "additionalProperties", "required"):
		w.object(n, depth)
	case has("items", "prefixItems"):
		w.array(n, depth)
	default:
		w.put(unknown)
	}
}

// typeNames returns the strings of a type keyword, which may be one or a list;
// whatever else stands there counts for nothing.
func typeNames(t *node) []string {
	switch {
	case t == nil:
		return nil
	case t.kind == '"':
		return []string{t.str()}
	}
	var names []string
	for i := range t.items {
		if t.items[i].kind == '"' {
			names = append(names, t.items[i].str())
		}
	}
	return names
}

func (w *writer) named(name string, n *node, depth int) {
	switch name {
	case "string", "boolean", "null":
		w.put(name)
	case "number", "integer":
		w.put("number")
	case "array":
		w.array(n, depth)
	case "object":
		w.object(n, depth)
	default:
		w.put(unknown)
	}
}

func (w *writer) array(n *node, depth int) {
	if items := n.get("items"); items != nil {
		w.put("Array<")
		w.schema(items, depth+1)
		w.put(">")
		return
	}
	prefix := n.list("prefixItems")
	if len(prefix) == 0 {
		w.put("unknown[]")
		return
	}
	w.put("[")
	w.join(len(prefix), ", ", func(i int) { w.schema(&prefix[i], depth+1) })
	w.put("]")
}

func (w *writer) object(n *node, depth int) {
	props := properties(n)
	required := map[string]bool{}
	for _, r := range n.list("required") {
		if r.kind == '"' {
			required[r.str()] = true
		}
	}
	commented := slices.ContainsFunc(props, func(p *member) bool { return p.value.text("description") != "" })
	before, after := " ", ""
	if commented {
		before, after = "\n  ", "\n"
	}
	w.put("{")
	start := len(w.b)
	for _, p := range props {
		if w.over() {
			return
		}
		for line := range strings.SplitSeq(p.value.text("description"), "\n") {
			if line = strings.TrimSpace(line); line != "" {
				w.put(before + "// " + line)
			}
		}
		w.put(before)
		if plainName(p.name) {
			w.put(p.name)
		} else {
			w.b = quote(w.b, p.name)
		}
		if !required[p.name] {
			w.put("?")
		}
		w.put(": ")
		w.schema(&p.value, depth+1)
		w.put(";")
	}
	w.additional(n, len(props) > 0, before, depth)
	if len(w.b) > start {
		if after == "" {
			after = " "
		}
		w.put(after)
	}
	w.put("}")
}

// additional writes the index signature of an object, if it has one.
func (w *writer) additional(n *node, closed bool, before string, depth int) {
	a := n.get("additionalProperties")
	switch {
	case a == nil && closed, a != nil && a.kind == 'f':
		return
	case a == nil:
		w.put(before + "[key: string]: unknown;")
	default:
		w.put(before + "[key: string]: ")
		w.schema(a, depth+1)
		w.put(";")
	}
}

// properties returns the object's properties sorted by name, in byte order.
func properties(n *node) []*member {
	p := n.get("properties")
	if p == nil {
		return nil
	}
	sorted := make([]*member, len(p.members))
	for i := range p.members {
		sorted[i] = &p.members[i]
	}
	slices.SortFunc(sorted, func(a, b *member) int { return strings.Compare(a.name, b.name) })
	return sorted
}

func (w *writer) join(n int, sep string, each func(i int)) {
	for i := range n {
		if w.over() {
			return
		}
		if i > 0 {
			w.put(sep)
		}
		each(i)
	}
}
