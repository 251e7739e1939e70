// Package strict decodes JSON that people and models wrote, and says in their
// words what is wrong with it: the place, the key, the keys there are. Keys
// that are unknown or come twice are errors.
package strict

import (
	"bytes"
	"errors"
	"fmt"
	"reflect"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Unmarshal decodes data into what into points to. noun is what a member of an
// object is to the reader: a key or an argument. An error of syntax begins with
// its line and column, any other with the path of what it is about, unless that
// is the whole value.
func Unmarshal(data []byte, into any, noun string) error {
	err := json.Unmarshal(data, into, json.RejectUnknownMembers(true))
	if e, ok := errors.AsType[*jsontext.SyntacticError](err); ok {
		return syntax(data, e, noun)
	}
	e, ok := errors.AsType[*json.SemanticError](err)
	if !ok {
		return err
	}
	path := strings.Join(tokens(e.JSONPointer), ".")
	if errors.Is(e, json.ErrUnknownName) {
		text := fmt.Sprintf("unknown %s %q", noun, path)
		if known := keys(reflect.TypeOf(into)); len(known) > 0 && !strings.Contains(path, ".") {
			text += ", want " + choice(known)
		}
		return &Error{e.JSONPointer, text}
	}
	text := "want " + kind(e.GoType)
	if e.JSONKind != 0 {
		text += ", got " + article(e.JSONKind, e.GoType)
	}
	if path != "" {
		text = path + ": " + text
	}
	return &Error{e.JSONPointer, text}
}

// Error is what is wrong with a value that is JSON.
type Error struct {
	At   jsontext.Pointer // what the error is about, from the value that was decoded
	text string
}

func (e *Error) Error() string { return e.text }

// Place puts before err the line and the column, in data, of what it is about:
// the value at a pointer, or one in that value if err holds an [Error].
func Place(data []byte, at jsontext.Pointer, err error) error {
	if e, ok := errors.AsType[*Error](err); ok {
		at += e.At
	}
	decoder := jsontext.NewDecoder(bytes.NewReader(data))
	for {
		start := int(decoder.InputOffset())
		if _, end := decoder.ReadToken(); end != nil {
			return err
		}
		if decoder.StackPointer() == at {
			start += len(data[start:]) - len(bytes.TrimLeft(data[start:], " \t\r\n,:"))
			line, column := position(data[:start])
			return fmt.Errorf("line %d, column %d: %w", line, column, err)
		}
	}
}

// position is the line and the column behind data, both from 1 and in bytes.
func position(data []byte) (line, column int) {
	return 1 + bytes.Count(data, []byte("\n")), len(data) - bytes.LastIndexByte(data, '\n')
}

func syntax(data []byte, e *jsontext.SyntacticError, noun string) error {
	line, column := position(data[:min(int(e.ByteOffset), len(data))])
	what := error(e.Err)
	if errors.Is(e, jsontext.ErrDuplicateName) {
		what = fmt.Errorf("duplicate %s %q", noun, e.JSONPointer.LastToken())
	}
	return fmt.Errorf("line %d, column %d: %w", line, column, what)
}

func tokens(p jsontext.Pointer) (all []string) {
	for t := range p.Tokens() {
		all = append(all, t)
	}
	return all
}

// keys are the JSON names of the fields of a pointer's struct.
func keys(t reflect.Type) (names []string) {
	if t.Kind() != reflect.Pointer || t.Elem().Kind() != reflect.Struct {
		return nil
	}
	for field := range t.Elem().Fields() {
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		names = append(names, name)
	}
	return names
}

func choice(words []string) string {
	var b strings.Builder
	for i, w := range words {
		switch {
		case i == 0:
		case i == len(words)-1:
			b.WriteString(" or ")
		default:
			b.WriteString(", ")
		}
		fmt.Fprintf(&b, "%q", w)
	}
	return b.String()
}

// kind is the JSON word for what a Go type takes.
func kind(t reflect.Type) string {
	if t == nil {
		return "another value"
	}
	switch t.Kind() {
	case reflect.Pointer:
		return kind(t.Elem())
	case reflect.String:
		return "a string"
	case reflect.Bool:
		return "true or false"
	case reflect.Slice, reflect.Array:
		return "an array"
	case reflect.Map, reflect.Struct:
		return "an object"
	case reflect.Float32, reflect.Float64:
		return "a number"
	default:
		return "a whole number"
	}
}

// article is the JSON word for a value that t does not take.
func article(k jsontext.Kind, t reflect.Type) string {
	switch k {
	case '"':
		return "a string"
	case '0':
		if strings.HasSuffix(kind(t), "number") {
			return "another number"
		}
		return "a number"
	case '{':
		return "an object"
	case '[':
		return "an array"
	}
	return k.String()
}
