package v8err_test

import (
	"strings"
	"testing"
	"time"

	"github.com/berth-dev/berth/cell/js/internal/v8err"
)

// hostile are texts made to cost much.
func hostile() map[string]string {
	const (
		most = 1_000_000
		n    = most / 5
	)
	return map[string]string{
		"brackets":  strings.Repeat("[", most),
		"calls":     "f" + strings.Repeat("()", n),
		"members":   "a" + strings.Repeat(".b", n) + ".c()",
		"news":      strings.Repeat("new ", n) + "X",
		"prefixes":  strings.Repeat("!", n) + "x",
		"parens":    strings.Repeat("(", most) + "x" + strings.Repeat(")", most) + "()",
		"templates": strings.Repeat("`${", n/4) + "x" + strings.Repeat("}`", n/4),
		"commas":    "f(" + strings.Repeat("1,", n) + "x())",
		"assigns":   strings.Repeat("a=", n) + "x",
		"arrows":    strings.Repeat("a=>", n) + "x()",
		"plus":      strings.Repeat("1+", n) + "x()",
		"patterns":  "let " + strings.Repeat("{a:", n/4) + "b" + strings.Repeat("}", n/4) + " = c",
		"lines":     strings.Repeat("\n", 10*most) + "x",
		"string":    "'" + strings.Repeat("x", 10*most) + "'.y.z",
		"returns":   strings.Repeat("return ", n) + "f()",
		"loops":     strings.Repeat("for(x of y)", n/8) + "z()",
		"classes":   strings.Repeat("class A{", n/8) + "x",
	}
}

// messages are texts of QuickJS that lead to all ways of looking at the source.
var messages = []string{
	"not a function", "not a constructor", "cannot read property 'b' of undefined", "cannot read property of null",
	"cannot set property 'c' of undefined", "'x' is not defined", "x is not initialized", "'x' is read-only",
	"cannot convert to object", "value is not iterable", "cannot read property 'Symbol.iterator' of undefined",
	"object is not extensible", "no setter for property", "could not delete property", "invalid 'in' operand",
	"parent class must be constructor", "invalid array length", "this is not initialized", "expecting ','",
}

func TestHostileSources(t *testing.T) {
	for name, text := range hostile() {
		t.Run(name, func(t *testing.T) {
			src := v8err.NewSource(file, text, nil)
			end := len(text) - strings.LastIndexByte(text, '\n')
			line := strings.Count(text, "\n") + 1
			start := time.Now()
			for _, column := range []int{1, 2, end / 2, end - 2, end - 1, end} {
				at := "exec_main.mjs:" + itoa(line) + ":" + itoa(max(column, 1))
				for _, m := range messages {
					src.Shape(v8err.Raw{Name: "TypeError", Message: m, Stack: "    at f (" + at + ")\n    at map (native)\n    at <anonymous> (" + at + ")\n", Thrown: true, Limit: 10})
					src.Shape(v8err.Raw{Name: "SyntaxError", Message: m, Stack: "    at " + at + "\n", Thrown: true, Limit: 10})
				}
			}
			if d := time.Since(start); d > 20*time.Second {
				t.Errorf("%d shapes took %v", 12*len(messages), d)
			}
		})
	}
}

func itoa(n int) string {
	var b []byte
	for ; n > 0 || b == nil; n /= 10 {
		b = append([]byte{byte('0' + n%10)}, b...)
	}
	return string(b)
}

func FuzzShape(f *testing.F) {
	for _, table := range []string{"codemode/error-sites", "codemode/syntax-errors"} {
		for _, s := range sites(f, table) {
			f.Add(s.Source, s.Raw.Name, s.Raw.Message, s.Raw.Stack, s.Raw.Thrown)
		}
	}
	f.Fuzz(func(t *testing.T, text, name, message, stack string, thrown bool) {
		src := v8err.NewSource(file, text, nil)
		got := src.Shape(v8err.Raw{
			Name: name, Message: message, Stack: stack, Thrown: thrown, Limit: 10, Awaiting: stack,
			Arg: func(i int) (v8err.Value, bool) { return v8err.Value{Type: "string", Text: message}, i < 2 },
			Var: func(string) (v8err.Value, bool) { return v8err.Value{Type: "number", Text: "5"}, true },
		})
		if len(got.Frames) > 10 {
			t.Errorf("%d frames", len(got.Frames))
		}
		if got.Stack != v8err.Header(got.Name, got.Message)+got.Trace {
			t.Errorf("stack %q is not its parts", got.Stack)
		}
		if !thrown && got.Message != message {
			t.Errorf("message %q of a constructed error became %q", message, got.Message)
		}
	})
}
