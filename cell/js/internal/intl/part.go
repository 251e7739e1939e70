package intl

import (
	"encoding/json"
	"strings"
)

// A part is one entry of formatToParts.
type part struct {
	Type   string `json:"type"`
	Value  string `json:"value"`
	Unit   string `json:"unit,omitempty"`
	Source string `json:"source,omitempty"`
}

// text joins parts.
func text(parts []part) string {
	var b strings.Builder
	for _, p := range parts {
		b.WriteString(p.Value)
	}
	return b.String()
}

// appendText appends a literal, joining it to a literal before.
func appendText(parts []part, typ, s string) []part {
	if s == "" {
		return parts
	}
	if n := len(parts); n > 0 && typ == "literal" && parts[n-1].Type == "literal" && parts[n-1].Source == "" {
		parts[n-1].Value += s
		return parts
	}
	return append(parts, part{Type: typ, Value: s})
}

// answer is the joined text, or the parts as JSON if op asks for parts.
func answer(op string, parts []part) ([]byte, error) {
	if strings.HasSuffix(op, "arts") { // parts or rangeParts
		return encode(parts)
	}
	return []byte(text(parts)), nil
}

// encode is JSON without HTML's escapes.
func encode(v any) ([]byte, error) {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	return []byte(strings.TrimSuffix(b.String(), "\n")), nil
}

// fill expands a template: literal text, {n} for what is inside, and
// {type:text} for typed text, which replace may change.
func fill(template string, inside []part, replace func(typ, value string) string) []part {
	out := make([]part, 0, len(inside)+4)
	for template != "" {
		i := strings.IndexByte(template, '{')
		if i < 0 {
			return appendText(out, "literal", template)
		}
		out = appendText(out, "literal", template[:i])
		end := strings.IndexByte(template[i:], '}')
		if end < 0 {
			return out
		}
		token := template[i+1 : i+end]
		template = template[i+end+1:]
		if token == "n" {
			out = append(out, inside...)
			continue
		}
		typ, value, _ := strings.Cut(token, ":")
		if replace != nil {
			value = replace(typ, value)
		}
		out = appendText(out, typ, value)
	}
	return out
}
