package intl_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/berth-dev/berth/cell/js/internal/intl"
)

var update = flag.Bool("update", false, "record what we answer where it differs from the host")

const vectorDir = "../../../../conformance/codemode/intl"

// vectorSet is a file of vectors: an expression, the host's answer and, if we
// are known to differ, ours.
type vectorSet struct {
	Description string     `json:"description"`
	Vectors     [][]string `json:"vectors"`
}

func loadVectors(tb testing.TB) map[string]vectorSet {
	tb.Helper()
	files, err := filepath.Glob(vectorDir + "/*.json")
	if err != nil || len(files) == 0 {
		tb.Fatalf("no vectors in %s: %v", vectorDir, err)
	}
	sets := map[string]vectorSet{}
	for _, file := range files {
		raw, err := os.ReadFile(file)
		if err != nil {
			tb.Fatal(err)
		}
		var s vectorSet
		if err := json.Unmarshal(raw, &s); err != nil {
			tb.Fatalf("%s: %v", file, err)
		}
		if len(s.Vectors) == 0 {
			tb.Fatalf("%s has no vectors", file)
		}
		sets[file] = s
	}
	return sets
}

func TestVectors(t *testing.T) {
	total, differ := 0, 0
	for file, set := range loadVectors(t) {
		t.Run(filepath.Base(file), func(t *testing.T) {
			expressions := make([]string, len(set.Vectors))
			for i, v := range set.Vectors {
				expressions[i] = v[0]
			}
			got := newRealm(t, intl.Env{Locale: "en_US.UTF-8", TimeZone: "UTC"}).answers(t, expressions)
			for i, v := range set.Vectors {
				want := v[len(v)-1]
				if got[i] != want && !*update {
					t.Errorf("%s\n got %s\nwant %s", v[0], got[i], want)
				}
				set.Vectors[i] = v[:2]
				if got[i] != v[1] {
					set.Vectors[i] = append(v[:2:2], got[i])
					differ++
				}
				total++
			}
			if *update {
				writeVectors(t, file, set)
			}
		})
	}
	// The known differences are corners of ICU that no program relies on.
	if differ*100 > total*2 {
		t.Errorf("%d of %d answers differ from the host's", differ, total)
	}
}

func writeVectors(t *testing.T, file string, set vectorSet) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	b.WriteString("{\"description\": ")
	if err := e.Encode(set.Description); err != nil {
		t.Fatal(err)
	}
	b.WriteString(",\"vectors\": [\n")
	for i, v := range set.Vectors {
		if i > 0 {
			b.WriteString(",")
		}
		if err := e.Encode(v); err != nil {
			t.Fatal(err)
		}
	}
	b.WriteString("]}\n")
	if err := os.WriteFile(file, b.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
}
