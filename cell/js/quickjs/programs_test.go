package quickjs_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/berth-dev/berth/cell/js"
	"github.com/berth-dev/berth/conformance"
)

// TestPrograms runs the programs that were recorded from published hosts.
func TestPrograms(t *testing.T) { testPrograms(t, "codemode/programs") }

// TestLanguage does so with what the language and its library do.
func TestLanguage(t *testing.T) { testPrograms(t, "codemode/language") }

func testPrograms(t *testing.T, set string) {
	e := newEngine(t)
	for _, v := range conformance.Load(t, set) {
		dialects := map[string]js.Dialect{"base": js.Base, "later": js.Later}
		for name, dialect := range dialects {
			if v.Dialect != "" && v.Dialect != name {
				continue
			}
			t.Run(v.Name+"/"+name, func(t *testing.T) {
				if got, want := transcript(t, e, *v.Text, dialect), *v.Want; got != want {
					t.Errorf("%s\ngot  %s\nwant %s", *v.Text, got, want)
				}
			})
		}
	}
}

// transcript runs a program and writes what it did as the set's description says.
func transcript(t *testing.T, e js.Engine, source string, dialect js.Dialect) string {
	h := &host{answer: func(_ int, input string) (string, error) { return input, nil }}
	iso, err := e.New(h, newAccount(1<<30))
	if err != nil {
		t.Fatal(err)
	}
	defer iso.Close()
	p := js.Program{Source: source, Tools: []js.Tool{{Name: "echo", Description: "d echo"}}, Dialect: dialect}
	out, done, err := run(t, iso, h, p)
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for _, s := range h.out {
		if rest, ok := strings.CutPrefix(s, "image "); ok {
			detail, url, _ := strings.Cut(rest, " ")
			s = `{"type": "input_image", "image_url": ` + quote(url) + `, "detail": ` + quote(detail) + `}`
		}
		if url, ok := strings.CutPrefix(s, "audio "); ok {
			s = `{"type": "input_audio", "audio_url": ` + quote(url) + `}`
		}
		lines = append(lines, s)
	}
	switch {
	case !done:
		lines = append(lines, "<Yielded>")
	case out.Failed:
		lines = append(lines, "! "+out.ErrorText)
	}
	return strings.Join(lines, "\n")
}

func quote(s string) string {
	b, _ := json.Marshal(s)
	return string(b)
}
