package quickjs_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/berth-dev/berth/cell/js"
	"github.com/berth-dev/berth/conformance"
)

// TestErrorSites holds error texts to those recorded from the real host. Every
// line and every name must be the same, columns and words nearly all.
func TestErrorSites(t *testing.T) {
	// Here the engine refuses what V8 compiles and then fails to run.
	early := map[string]bool{"parse-051": true, "parse-054": true, "parse-283": true}
	for set, least := range map[string]struct{ columns, texts float64 }{
		"codemode/error-sites":   {97, 90},
		"codemode/syntax-errors": {98, 95},
	} {
		t.Run(set, func(t *testing.T) {
			e := newEngine(t)
			var all, columns, texts int
			for _, v := range conformance.Load(t, set) {
				all++
				got, want := errorText(t, e, *v.Text), *v.Want
				gotName, wantName := errorName(got), errorName(want)
				gotLine, gotColumn := errorPlace(got)
				wantLine, wantColumn := errorPlace(want)
				switch {
				case early[v.Name]:
				case gotName != wantName, gotLine != wantLine:
					t.Errorf("%s: %s\n got %s\nwant %s", v.Name, *v.Text, got, want)
				case got != want:
					t.Logf("%s: %s\n got %s\nwant %s", v.Name, *v.Text, got, want)
				}
				if gotLine == wantLine && gotColumn == wantColumn {
					columns++
				}
				if got == want {
					texts++
				}
			}
			t.Logf("of %d sites: columns %d, whole texts %d", all, columns, texts)
			if p := 100 * float64(columns) / float64(all); p < least.columns {
				t.Errorf("%.1f %% of the columns are right, want %.1f %%", p, least.columns)
			}
			if p := 100 * float64(texts) / float64(all); p < least.texts {
				t.Errorf("%.1f %% of the texts are right, want %.1f %%", p, least.texts)
			}
		})
	}
}

// errorText is what a program with one tool, which answers null, ends with.
func errorText(t *testing.T, e js.Engine, source string) string {
	h := &host{answer: func(int, string) (string, error) { return "null", nil }}
	iso, err := e.New(h, newAccount(1<<30))
	if err != nil {
		t.Fatal(err)
	}
	defer iso.Close()
	out, done, err := run(t, iso, h, js.Program{Source: source, Tools: []js.Tool{{Name: "t"}}})
	switch {
	case err != nil:
		t.Fatal(err)
	case !done:
		return "<still running>"
	case !out.Failed:
		return "<no error>"
	}
	return out.ErrorText
}

var topFrame = regexp.MustCompile(`\n    at (?:.*\()?exec_main\.mjs:(\d+):(\d+)`)

// errorName is the error's name, the text up to the first colon or line's end.
func errorName(text string) string {
	if i := strings.IndexAny(text, ":\n"); i >= 0 {
		return text[:i]
	}
	return text
}

// errorPlace is line and column of the topmost frame in the program.
func errorPlace(text string) (line, column string) {
	if m := topFrame.FindStringSubmatch(text); m != nil {
		return m[1], m[2]
	}
	return "", ""
}
