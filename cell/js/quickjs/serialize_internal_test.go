package quickjs

import (
	"strings"
	"testing"

	"github.com/berth-dev/berth/conformance"
)

// TestUnserializable pins what strict readers say of JSON.stringify's output.
func TestUnserializable(t *testing.T) {
	const prefix = "failed to serialize JavaScript value: "
	deep := func(n int) string { return strings.Repeat("[", n) + strings.Repeat("]", n) }
	for _, test := range []struct{ json, want string }{
		{`null`, ""},
		{`"a\"b\\"`, ""},
		{`{"a":["b",{"c":1}]}`, ""},
		{`"\u0007\u001f"`, ""},
		{`"[[[[\\"`, ""},
		{deep(maxInputDepth), ""},
		{deep(maxInputDepth + 1), prefix + "recursion limit exceeded at line 1 column 125"},
		{deep(maxDepth), prefix + "recursion limit exceeded at line 1 column 125"},
		{deep(maxDepth + 1), prefix + "recursion limit exceeded at line 1 column 128"},
		{`[` + strings.Repeat("[],", 300) + `[]]`, ""},
		{`"\ud800"`, prefix + "unexpected end of hex escape at line 1 column 8"},
		{`"\ud800x"`, prefix + "unexpected end of hex escape at line 1 column 8"},
		{`"\ud800\n"`, prefix + "unexpected end of hex escape at line 1 column 9"},
		{`"\ud800\ud801"`, prefix + "lone leading surrogate in hex escape at line 1 column 13"},
		{`"\udc00"`, prefix + "lone leading surrogate in hex escape at line 1 column 7"},
		{`{"k\ud800":1}`, prefix + "unexpected end of hex escape at line 1 column 10"},
	} {
		if got := unserializable(test.json, maxInputDepth); got != test.want {
			t.Errorf("%.60s: %q, want %q", test.json, got, test.want)
		}
	}
}

// FuzzUnserializable compares with what the engine writes for any string.
func FuzzUnserializable(f *testing.F) {
	for _, v := range conformance.Load(f, "codemode/programs") {
		if strings.Contains(*v.Text, `\u`) {
			f.Add(*v.Text)
		}
	}
	f.Add("\x00\x1f\"\\\u2028")
	e := New(Options{Spare: -1, Getenv: func(string) string { return "" }})
	f.Cleanup(func() { _ = e.Close() })
	i, err := e.New(nil, free{})
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(i.Close)
	iso := i.(*isolate)
	f.Fuzz(func(t *testing.T, s string) {
		v := iso.newString(s)
		j := iso.stringify(v)
		iso.drop(v)
		text, ok := iso.text(j)
		iso.drop(j)
		if !ok {
			t.Fatal("no text")
		}
		if bad := unserializable(text, maxDepth); bad != "" { // UTF-8 has no lone surrogates
			t.Errorf("%s: %s", text, bad)
		}
		unserializable("["+text+",{"+text+":0}]", 0)
	})
}
