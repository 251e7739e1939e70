package v8err

import (
	"strings"
	"unicode/utf8"
)

// jsonFault is what JSON.parse refuses first in a text.
type jsonFault struct {
	pos  int    // byte offset
	what string // V8's words; "" for a character that fits nowhere
}

// jsonReader finds the first fault of a JSON text. It uses no recursion.
type jsonReader struct {
	text  string
	pos   int
	stack []byte // '{' or '[' for what is open
}

const trailing = "Unexpected non-whitespace character after JSON"

const (
	wantValue     = iota // a value
	wantFirst            // a value or the end of an array
	wantKey              // a property's name or the end of an object
	wantKeyOnly          // a property's name
	wantSeparator        // what follows a value
)

// jsonError is V8's message for a text that is no JSON. It is false if the
// text is JSON after all.
func jsonError(text string) (string, bool) {
	r := jsonReader{text: text}
	f, bad := r.fault()
	if !bad {
		return "", false
	}
	if f.what == trailing {
		return f.what + " at position " + place(text, f.pos), true
	}
	if f.what != "" {
		return f.what + " in JSON at position " + place(text, f.pos), true
	}
	if f.pos >= len(text) {
		return "Unexpected end of JSON input", true
	}
	switch c := text[f.pos]; {
	case isDigit(c) || c == '-':
		return "Unexpected number in JSON at position " + place(text, f.pos), true
	case c == '"':
		return "Unexpected string in JSON at position " + place(text, f.pos), true
	}
	switch text {
	case "NaN", "Infinity", "undefined", "[object Object]":
		return `"` + text + `" is not valid JSON`, true
	}
	return unexpectedJSON(text, f.pos), true
}

// fault reads the text up to its first fault.
func (r *jsonReader) fault() (jsonFault, bool) {
	want := wantValue
	for {
		r.blanks()
		if want == wantSeparator && len(r.stack) == 0 {
			if r.pos < len(r.text) {
				return jsonFault{r.pos, trailing}, true
			}
			return jsonFault{}, false
		}
		var f jsonFault
		var bad bool
		switch want {
		case wantSeparator:
			want, f, bad = r.separator()
		case wantKey, wantKeyOnly:
			want, f, bad = r.key(want)
		default:
			want, f, bad = r.value(want)
		}
		if bad {
			return f, true
		}
	}
}

func (r *jsonReader) blanks() {
	for r.pos < len(r.text) && strings.IndexByte(" \t\n\r", r.text[r.pos]) >= 0 {
		r.pos++
	}
}

func (r *jsonReader) peek() byte {
	if r.pos < len(r.text) {
		return r.text[r.pos]
	}
	return 0
}

// value reads a value, or its opening bracket.
func (r *jsonReader) value(want int) (int, jsonFault, bool) {
	switch c := r.peek(); {
	case c == '{':
		r.pos++
		r.stack = append(r.stack, c)
		return wantKey, jsonFault{}, false
	case c == '[':
		r.pos++
		r.stack = append(r.stack, c)
		return wantFirst, jsonFault{}, false
	case c == ']' && want == wantFirst:
		r.pos++
		r.stack = r.stack[:len(r.stack)-1]
	case c == '"':
		f, bad := r.str()
		return wantSeparator, f, bad
	case c == '-' || isDigit(c):
		f, bad := r.number()
		return wantSeparator, f, bad
	case c == 't' || c == 'f' || c == 'n':
		f, bad := r.word(map[byte]string{'t': "true", 'f': "false", 'n': "null"}[c])
		return wantSeparator, f, bad
	default:
		return 0, jsonFault{pos: r.pos}, true
	}
	return wantSeparator, jsonFault{}, false
}

// key reads a property's name and the colon behind it.
func (r *jsonReader) key(want int) (int, jsonFault, bool) {
	if r.peek() == '}' && want == wantKey {
		r.pos++
		r.stack = r.stack[:len(r.stack)-1]
		return wantSeparator, jsonFault{}, false
	}
	if r.peek() != '"' {
		if want == wantKeyOnly {
			return 0, jsonFault{r.pos, "Expected double-quoted property name"}, true
		}
		return 0, jsonFault{r.pos, "Expected property name or '}'"}, true
	}
	if f, bad := r.str(); bad {
		return 0, f, true
	}
	r.blanks()
	if r.peek() != ':' {
		return 0, jsonFault{r.pos, "Expected ':' after property name"}, true
	}
	r.pos++
	return wantValue, jsonFault{}, false
}

// separator reads a comma or a closing bracket.
func (r *jsonReader) separator() (int, jsonFault, bool) {
	open := r.stack[len(r.stack)-1]
	switch c := r.peek(); {
	case c == ',' && open == '{':
		r.pos++
		return wantKeyOnly, jsonFault{}, false
	case c == ',':
		r.pos++
		return wantValue, jsonFault{}, false
	case c == '}' && open == '{' || c == ']' && open == '[':
		r.pos++
		r.stack = r.stack[:len(r.stack)-1]
		return wantSeparator, jsonFault{}, false
	}
	if open == '{' {
		return 0, jsonFault{r.pos, "Expected ',' or '}' after property value"}, true
	}
	return 0, jsonFault{r.pos, "Expected ',' or ']' after array element"}, true
}

// str reads a string.
func (r *jsonReader) str() (jsonFault, bool) {
	for r.pos++; r.pos < len(r.text); r.pos++ {
		switch c := r.text[r.pos]; {
		case c == '"':
			r.pos++
			return jsonFault{}, false
		case c < 0x20:
			return jsonFault{r.pos, "Bad control character in string literal"}, true
		case c == '\\':
			r.pos++
			if r.pos >= len(r.text) {
				return jsonFault{r.pos, "Unterminated string"}, true
			}
			if r.text[r.pos] != 'u' {
				if strings.IndexByte(`"\/bfnrt`, r.text[r.pos]) < 0 {
					return jsonFault{r.pos, "Bad escaped character"}, true
				}
				continue
			}
			for range 4 {
				r.pos++
				if !isHex(r.peek()) {
					return jsonFault{r.pos, "Bad Unicode escape"}, true
				}
			}
		}
	}
	return jsonFault{len(r.text), "Unterminated string"}, true
}

func isHex(c byte) bool {
	return isDigit(c) || 'a' <= c|0x20 && c|0x20 <= 'f'
}

// number reads a number.
func (r *jsonReader) number() (jsonFault, bool) {
	if r.peek() == '-' {
		r.pos++
		if !isDigit(r.peek()) {
			return jsonFault{r.pos, "No number after minus sign"}, true
		}
	}
	if r.peek() == '0' {
		r.pos++
		if isDigit(r.peek()) {
			return jsonFault{r.pos, "Unexpected number"}, true
		}
	}
	r.digits()
	if r.peek() == '.' {
		r.pos++
		if !r.digits() {
			return jsonFault{r.pos, "Unterminated fractional number"}, true
		}
	}
	if r.peek()|0x20 == 'e' {
		r.pos++
		if c := r.peek(); c == '+' || c == '-' {
			r.pos++
		}
		if !r.digits() {
			return jsonFault{r.pos, "Exponent part is missing a number"}, true
		}
	}
	return jsonFault{}, false
}

func (r *jsonReader) digits() bool {
	from := r.pos
	for isDigit(r.peek()) {
		r.pos++
	}
	return r.pos > from
}

// word reads one of the literals.
func (r *jsonReader) word(w string) (jsonFault, bool) {
	for i := range len(w) {
		if r.peek() != w[i] {
			return jsonFault{pos: r.pos}, true
		}
		r.pos++
	}
	return jsonFault{}, false
}

// place is a position in a JSON text as V8 prints it.
func place(text string, pos int) string {
	line, start := 1, 0
	for i := range pos {
		if text[i] == '\n' || text[i] == '\r' && (i+1 >= len(text) || text[i+1] != '\n') {
			line, start = line+1, i+1
		}
	}
	return itoa(utf16Len(text[:pos])) + " (line " + itoa(line) + " column " + itoa(utf16Len(text[start:pos])+1) + ")"
}

// jsonContext is how many characters V8 shows on each side of a fault.
const jsonContext = 10

// unexpectedJSON is the message for a character that fits nowhere.
func unexpectedJSON(text string, pos int) string {
	r, _ := utf8.DecodeRuneInString(text[pos:])
	start, end := pos, pos
	before, after := 0, 0
	for start > 0 && before < jsonContext {
		_, n := utf8.DecodeLastRuneInString(text[:start])
		start -= n
		before++
	}
	for end < len(text) && after < jsonContext {
		_, n := utf8.DecodeRuneInString(text[end:])
		end += n
		after++
	}
	if len(text) < 8*jsonContext && utf16Len(text) <= 2*jsonContext {
		start, end = 0, len(text)
	} else if before < jsonContext {
		start = 0
	}
	msg := "Unexpected token '" + string(r) + "', "
	if start > 0 {
		msg += "..."
	}
	msg += `"` + text[start:end] + `"`
	if end < len(text) {
		msg += "..."
	}
	return msg + " is not valid JSON"
}
