package conformance_test

import (
	"io/fs"
	"os"
	"strings"
	"testing"

	"github.com/berth-dev/berth/conformance"
)

// recorder is a testing.TB that survives a fatal failure.
type recorder struct {
	testing.TB
	failed bool
}

func (r *recorder) Helper()               {}
func (r *recorder) Fatalf(string, ...any) { r.failed = true; panic(r) }

func fails(load func(testing.TB)) (failed bool) {
	r := new(recorder)
	defer func() {
		if recover() == r {
			failed = r.failed
		}
	}()
	load(r)
	return false
}

func TestEmptyAndMissingSetsFail(t *testing.T) {
	for name, load := range map[string]func(testing.TB){
		"missing set":              func(tb testing.TB) { conformance.Load(tb, "codemode/nowhere") },
		"missing transcript":       func(tb testing.TB) { conformance.LoadTranscript(tb, "codemode/nowhere") },
		"transcript as vectors":    func(tb testing.TB) { conformance.Load(tb, "codemode/golden") },
		"vectors as a transcript":  func(tb testing.TB) { conformance.LoadTranscript(tb, "codemode/client") },
		"name of a folder":         func(tb testing.TB) { conformance.Load(tb, "codemode") },
		"path out of the vectors":  func(tb testing.TB) { conformance.Load(tb, "../go") },
		"set that has no vectors":  func(tb testing.TB) { conformance.Load(tb, "") },
		"transcript without steps": func(tb testing.TB) { conformance.LoadTranscript(tb, "codemode/frames") },
	} {
		if !fails(load) {
			t.Errorf("%s: the test went on", name)
		}
	}
}

// TestEverySetLoads finds files that no test would load.
func TestEverySetLoads(t *testing.T) {
	names, err := fs.Glob(os.DirFS("."), "*/*.json")
	if err != nil || len(names) == 0 {
		t.Fatalf("no sets found: %v", err)
	}
	for _, name := range names {
		name = strings.TrimSuffix(name, ".json")
		vectors := !fails(func(tb testing.TB) { conformance.Load(tb, name) })
		steps := !fails(func(tb testing.TB) { conformance.LoadTranscript(tb, name) })
		if vectors == steps {
			t.Errorf("%s: loads as vectors %t, as a transcript %t", name, vectors, steps)
		}
	}
}
