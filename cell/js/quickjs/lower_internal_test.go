package quickjs

import (
	"strings"
	"testing"
)

// TestLowerLeavesAlone checks what is not lowered: sources that are too long,
// do not mention using, or are wrong in other ways.
func TestLowerLeavesAlone(t *testing.T) {
	for name, source := range map[string]string{
		"no using":      "const a = ;",
		"another error": "using a = ;",
		"too long":      "{ using a = null; }" + strings.Repeat(" ", maxLowered),
	} {
		if l := lower(source); l != nil {
			t.Errorf("%s: lowered to %.100q", name, l.text)
		}
	}
	if lower("{ using a = null; }"+strings.Repeat(" ", maxLowered-len("{ using a = null; }"))) == nil {
		t.Error("a source of just the most bytes is not lowered")
	}
}

// TestLowerNested checks that hostile nesting is not lowered where that takes
// long, and is where it does not. Go's own deadline is the watchdog.
func TestLowerNested(t *testing.T) {
	for _, test := range []struct{ open, middle, close string }{
		{"(", "1", ")"}, {"[", "1", "]"}, {"{", "", "}"}, {"a=>", "1", ""}, {"async a=>", "1", ""}, {"(a,b)=>", "1", ""},
		{"class A{m(){", "", "}}"}, {"if(a)", "b", ""}, {"while(a)", "b", ""}, {"for(;;)", "b", ""}, {"f(", "", ")"}, {"`${", "1", "}`"},
		{"!", "1", ""}, {"1**", "1", ""}, {"a?", "1", ":1"}, {"do ", ";", " while(0)"}, {"do ", ";", ""}, {"if(0);else ", "b", ""},
		{"new ", "A", ""}, {"function f(){", "", "}"}, {"a=", "1", ""}, {"try{", "", "}finally{}"}, {"{using a=null;", "", "}"},
		{"x=>({a:", "1", "})"}, {"switch(1){case 1:", "", "}"}, {"await ", "1", ""}, {"l:", ";", ""}, {"else ", "", ""},
	} {
		for _, n := range []int{20, 99, 201, 1000, 1 << 20} {
			n = min(n, (maxLowered-100)/(len(test.open)+len(test.close)))
			lower("{ using a = null; }\n" + strings.Repeat(test.open, n) + test.middle + strings.Repeat(test.close, n))
		}
	}
	if lower("{ using a = null; }\n"+strings.Repeat("[", 90)+strings.Repeat("]", 90)) == nil {
		t.Error("brackets 90 deep are too deep")
	}
}

// TestOrigin maps positions of lowered text back to the author's.
func TestOrigin(t *testing.T) {
	source := "text('é😀');\n{\n  using a = open();\n  f(1,   g(2));\n}\n"
	l := lower(source)
	if l == nil {
		t.Fatal("not lowered")
	}
	for _, test := range []struct {
		token        string
		line, column int
	}{{"f(1", 4, 3}, {"g(2", 4, 10}, {"open()", 3, 13}} {
		before, _, ok := strings.Cut(l.text, test.token)
		if !ok {
			t.Fatalf("%q is gone from %s", test.token, l.text)
		}
		line := 1 + strings.Count(before, "\n")
		column := len(before) - strings.LastIndex(before, "\n")
		if gotLine, gotColumn := l.origin(line, column); gotLine != test.line || gotColumn != test.column {
			t.Errorf("%s at %d:%d comes from %d:%d, want %d:%d", test.token, line, column, gotLine, gotColumn, test.line, test.column)
		}
	}
	for _, at := range [][2]int{{0, 1}, {1, 0}, {1, 1}, {1 << 20, 1}, {-1, -1}} {
		if line, _ := l.origin(at[0], at[1]); line != 0 {
			t.Errorf("%v comes from line %d, want none", at, line)
		}
	}
}

// FuzzDecodeMappings feeds the decoder what is no source map.
func FuzzDecodeMappings(f *testing.F) {
	for _, s := range []string{"", ";", "AAAA", "AAAA,CAAC;AACA", "A", "gggggggggggggggggggg", ";;;,,,A,", "AA!A", "////+///,D"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		l := &lowered{lines: decodeMappings(s)}
		if len(l.lines) != strings.Count(s, ";")+1 {
			t.Errorf("%d lines of %q", len(l.lines), s)
		}
		for line := range l.lines {
			for _, column := range []int{1, 2, 1000} {
				l.origin(line+1, column)
			}
		}
	})
}
