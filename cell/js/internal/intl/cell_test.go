package intl_test

import (
	"encoding/json"
	"path/filepath"
	"testing"

	"github.com/berth-dev/berth/cell/js"
	"github.com/berth-dev/berth/cell/js/quickjs"
)

// output is a host of which a program only uses text.
type output struct {
	js.Host
	texts []string
}

func (o *output) Text(s string) error { o.texts = append(o.texts, s); return nil }

type unlimited struct{}

func (unlimited) Reserve(int64) error { return nil }
func (unlimited) LimitError() string  { return "" }

// Cells answer as the host does, with the engine's texts too.
func TestCells(t *testing.T) {
	environ := map[string]string{"LANG": "en_US.UTF-8", "TZ": "UTC"}
	engine := quickjs.New(quickjs.Options{Spare: -1, Getenv: func(name string) string { return environ[name] }})
	defer engine.Close()
	for file, set := range loadVectors(t) {
		t.Run(filepath.Base(file), func(t *testing.T) {
			expressions := make([]string, len(set.Vectors))
			for i, v := range set.Vectors {
				expressions[i] = v[0]
			}
			got := cellAnswers(t, engine, expressions)
			for i, v := range set.Vectors {
				if got[i] != v[1] && got[i] != v[len(v)-1] {
					t.Errorf("%s\n got %s\nwant %s", v[0], got[i], v[1])
				}
			}
		})
	}
}

func cellAnswers(t *testing.T, engine js.Engine, expressions []string) []string {
	list, err := json.Marshal(expressions)
	if err != nil {
		t.Fatal(err)
	}
	host := &output{}
	cell, err := engine.New(host, unlimited{})
	if err != nil {
		t.Fatal(err)
	}
	defer cell.Close()
	if err := cell.Start(js.Program{Source: show + "text(JSON.stringify(" + string(list) + ".map(show)))"}); err != nil {
		t.Fatal(err)
	}
	for more := true; more; {
		if more, err = cell.Drain(1000); err != nil {
			t.Fatal(err)
		}
	}
	if end, ok := cell.Done(); !ok || end.Failed || len(host.texts) != 1 {
		t.Fatalf("cell ended %t %+v with %d texts", ok, end, len(host.texts))
	}
	var out []string
	if err := json.Unmarshal([]byte(host.texts[0]), &out); err != nil {
		t.Fatal(err)
	}
	return out
}
