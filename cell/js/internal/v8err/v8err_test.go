package v8err_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/berth-dev/berth/cell/js/internal/v8err"
	"github.com/berth-dev/berth/conformance"
)

const file = "exec_main.mjs"

type value struct{ Type, Text string }

// raw is what QuickJS says of an error before it is shaped, recorded from it.
type raw struct {
	Name, Message, Stack string
	Thrown               bool
	Args                 []value
	Vars                 map[string]value
}

// site is a program that fails and what the real host says of it.
type site struct {
	Source, Want string
	Raw          raw
}

func sites(t testing.TB, set string) []site {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", "raw.json"))
	if err != nil {
		t.Fatal(err)
	}
	var raws map[string]raw
	if err := json.Unmarshal(text, &raws); err != nil {
		t.Fatal(err)
	}
	var out []site
	for _, v := range conformance.Load(t, set) {
		r, ok := raws[v.Name]
		if !ok {
			t.Fatalf("%s: %s has no raw error", set, v.Name)
		}
		out = append(out, site{*v.Text, *v.Want, r})
	}
	return out
}

func (s *site) shape() v8err.Shaped {
	return v8err.NewSource(file, s.Source, nil).Shape(v8err.Raw{
		Name: s.Raw.Name, Message: s.Raw.Message, Stack: s.Raw.Stack, Thrown: s.Raw.Thrown, Limit: v8err.DefaultLimit,
		Arg: func(i int) (v8err.Value, bool) {
			if i < 0 || i >= len(s.Raw.Args) {
				return v8err.Value{}, false
			}
			return v8err.Value(s.Raw.Args[i]), true
		},
		Var: func(name string) (v8err.Value, bool) {
			v, ok := s.Raw.Vars[name]
			return v8err.Value(v), ok
		},
	})
}

// parts takes a stack apart: its first line, and the frames that are not async.
func parts(stack string) (header string, frames []string) {
	lines := strings.Split(stack, "\n    at ")
	for _, f := range lines[1:] {
		if !strings.HasPrefix(f, "async ") {
			frames = append(frames, f)
		}
	}
	return lines[0], frames
}

// place is line and column of the topmost frame in the program.
func place(frames []string) (line, column string) {
	for _, f := range frames {
		if i := strings.Index(f, file+":"); i >= 0 {
			line, column, _ = strings.Cut(strings.TrimSuffix(f[i+len(file)+1:], ")"), ":")
			return line, column
		}
	}
	return "", ""
}

// score counts what of the shaped errors is the real host's.
type score struct{ sites, names, lines, columns, headers, frames int }

func measure(t *testing.T, table []site) (n score) {
	t.Helper()
	for _, s := range table {
		n.sites++
		got, want := s.shape().Stack, s.Want
		gotHeader, gotFrames := parts(got)
		wantHeader, wantFrames := parts(want)
		gotLine, gotColumn := place(gotFrames)
		wantLine, wantColumn := place(wantFrames)
		gotName, _, _ := strings.Cut(gotHeader, ":")
		wantName, _, _ := strings.Cut(wantHeader, ":")
		count(&n.names, gotName == wantName)
		count(&n.lines, gotLine == wantLine)
		count(&n.columns, gotLine == wantLine && gotColumn == wantColumn)
		count(&n.headers, gotHeader == wantHeader)
		count(&n.frames, strings.Join(gotFrames, "\n") == strings.Join(wantFrames, "\n"))
		if got != want && len(wantFrames) == strings.Count(want, "\n    at ") {
			t.Logf("%s\n got %s\nwant %s", s.Source, got, want)
		}
	}
	t.Logf("of %d sites: names %d, lines %d, columns %d, first lines %d, frames %d", n.sites, n.names, n.lines, n.columns, n.headers, n.frames)
	return n
}

func count(n *int, ok bool) {
	if ok {
		*n++
	}
}

// atLeast fails unless n is p per cent of all.
func atLeast(t *testing.T, what string, n, all int, p float64) {
	t.Helper()
	if got := 100 * float64(n) / float64(all); got < p {
		t.Errorf("%s: %.1f %% are right, want %.1f %%", what, got, p)
	}
}

// Names that a program sets after it has made the error are the engine's
// business: Shape sees the error when it is made.
func TestSites(t *testing.T) {
	n := measure(t, sites(t, "codemode/error-sites"))
	atLeast(t, "lines", n.lines, n.sites, 99)
	atLeast(t, "names", n.names, n.sites, 98)
	atLeast(t, "columns", n.columns, n.sites, 97)
	atLeast(t, "first lines", n.headers, n.sites, 93)
	atLeast(t, "frames", n.frames, n.sites, 95)
}

func TestSyntaxErrors(t *testing.T) {
	n := measure(t, sites(t, "codemode/syntax-errors"))
	atLeast(t, "names", n.names, n.sites, 98)
	atLeast(t, "frames", n.frames, n.sites, 99)
	atLeast(t, "first lines", n.headers, n.sites, 93)
}

func TestUnknownPassesUnchanged(t *testing.T) {
	got := v8err.NewSource(file, "f();", nil).Shape(v8err.Raw{
		Name: "TypeError", Message: "no such words", Stack: "    at <anonymous> (exec_main.mjs:1:2)\n", Thrown: true, Limit: 10,
	})
	if want := "TypeError: no such words\n    at exec_main.mjs:1:1"; got.Stack != want {
		t.Errorf("stack %q, want %q", got.Stack, want)
	}
}

func TestConstructedKeepsMessage(t *testing.T) {
	got := v8err.NewSource(file, "throw new TypeError('not a function')", nil).Shape(v8err.Raw{
		Name: "TypeError", Message: "not a function", Stack: "    at <anonymous> (exec_main.mjs:1:20)\n", Limit: 10,
	})
	if want := "TypeError: not a function\n    at exec_main.mjs:1:7"; got.Stack != want {
		t.Errorf("stack %q, want %q", got.Stack, want)
	}
}

func TestHeader(t *testing.T) {
	for _, c := range []struct{ name, message, want string }{
		{"Error", "boom", "Error: boom"},
		{"Error", "", "Error"},
		{"", "boom", "boom"},
		{"", "", ""},
	} {
		if got := v8err.Header(c.name, c.message); got != c.want {
			t.Errorf("Header(%q, %q) = %q, want %q", c.name, c.message, got, c.want)
		}
	}
}

func TestLimit(t *testing.T) {
	raw := v8err.Raw{Name: "Error", Message: "m", Stack: strings.Repeat("    at f (exec_main.mjs:1:2)\n", 40)}
	src := v8err.NewSource(file, "f();", nil)
	for limit, want := range map[int]int{-1: 0, 0: 0, 2: 2, 10: 10, 30: 30} {
		raw.Limit = limit
		if got := len(src.Shape(raw).Frames); got != want {
			t.Errorf("limit %d: %d frames, want %d", limit, got, want)
		}
	}
}

func TestAwaiting(t *testing.T) {
	text := "async function f() {\n  const x = await g(1);\n}\nasync function g() { await null; throw new Error('x') }\nawait f();\n"
	got := v8err.NewSource(file, text, nil).Shape(v8err.Raw{
		Name: "Error", Message: "x", Limit: 10,
		Stack:    "    at g (exec_main.mjs:4:49)\n",
		Awaiting: "    at f (exec_main.mjs:2:20)\n    at <anonymous> (exec_main.mjs:5:8)\n",
	})
	want := "Error: x\n    at g (exec_main.mjs:4:40)\n    at async f (exec_main.mjs:2:13)\n    at async exec_main.mjs:5:1"
	if got.Stack != want {
		t.Errorf("stack\n%s\nwant\n%s", got.Stack, want)
	}
}

func TestRemap(t *testing.T) {
	src := v8err.NewSource(file, "let a;\na.b", func(line, column int) (int, int) { return line + 10, column + 100 })
	got := src.Shape(v8err.Raw{
		Name: "TypeError", Message: "cannot read property 'b' of undefined", Stack: "    at <anonymous> (exec_main.mjs:2:2)\n", Thrown: true, Limit: 10,
	})
	if want := "TypeError: Cannot read properties of undefined (reading 'b')\n    at exec_main.mjs:12:103"; got.Stack != want {
		t.Errorf("stack %q, want %q", got.Stack, want)
	}
}
