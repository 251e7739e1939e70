package lint_test

import (
	"os"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/berth-dev/berth/internal/lint"
)

// TestTree applies every rule to the project itself.
func TestTree(t *testing.T) {
	files, err := lint.Load(os.DirFS("../.."))
	if err != nil {
		t.Fatal(err)
	}
	var self bool
	for _, f := range files {
		self = self || f.Path == "internal/lint/lint_test.go"
	}
	if !self {
		t.Fatalf("load found %d files, and this one is not among them", len(files))
	}
	for _, problem := range lint.Imports(files) {
		t.Error(problem)
	}
	for _, problem := range lint.Lengths(files) {
		t.Error(problem)
	}
	for _, problem := range lint.Comments(files) {
		t.Error(problem)
	}
}

// load parses a tree given as path → source.
func load(t *testing.T, tree map[string]string) []lint.File {
	t.Helper()
	disk := fstest.MapFS{}
	for name, src := range tree {
		disk[name] = &fstest.MapFile{Data: []byte(src)}
	}
	files, err := lint.Load(disk)
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func importing(paths ...string) string {
	src := "package p\n"
	for _, p := range paths {
		src += "import _ \"" + strings.Replace(p, "~", lint.Module, 1) + "\"\n"
	}
	return src
}

func TestImports(t *testing.T) {
	for _, tt := range []struct {
		name string
		tree map[string]string
		want []string
	}{
		{"what the design allows", map[string]string{
			"cmd/berth/main.go":             importing("~/host", "~/cell/cellhost"),
			"cell/cellhost/host.go":         importing("~/cell", "~/cell/codemode", "~/cell/js/quickjs", "os"),
			"cell/cell.go":                  importing("~/cell/js", "context"),
			"cell/js/quickjs/engine.go":     importing("modernc.org/libquickjs", "~/cell/js"),
			"cell/codemode/codec.go":        importing("~/frame", "encoding/json"),
			"cell/codemode/codec_test.go":   importing("testing", "os/exec", "~/conformance"),
			"frame/frame.go":                importing("io"),
			"conformance/load.go":           importing("testing", "os"),
			"graph/store/storetest/s.go":    importing("testing"),
			"host/host.go":                  importing("~/cell", "~/graph"),
			"host/api/api.go":               importing("~/host"),
			"graph/rgp/internal/raw/raw.go": importing("~/frame"),
		}, nil},
		{"wing to wing", map[string]string{"cell/cell.go": importing("~/graph/value")},
			[]string{"cell/cell.go: imports graph/value: a wing never imports another wing"}},
		{"wing to wing in a test", map[string]string{"cell/cell_test.go": importing("~/graph/value")},
			[]string{"cell/cell_test.go: imports graph/value: a wing never imports another wing"}},
		{"wing to wing by a detour", map[string]string{
			"cell/cell.go":      importing("~/internal/mix"),
			"internal/mix/m.go": importing("~/agent"),
		}, []string{"cell/cell.go: imports internal/mix → agent: a wing never imports another wing"}},
		{"a wing to the daemon", map[string]string{"cell/cell.go": importing("~/host")},
			[]string{"cell/cell.go: imports host: only cmd/berth imports the daemon"}},
		{"anything to the command line", map[string]string{"bench/b.go": importing("~/cmd/berth")},
			[]string{"bench/b.go: imports cmd/berth: nothing below the command line imports it"}},
		{"ground floor upwards", map[string]string{"frame/f.go": importing("~/internal/clock")},
			[]string{"frame/f.go: imports internal/clock: the ground floor imports nothing above it"}},
		{"engine outside its folder", map[string]string{"cell/cellhost/h.go": importing("modernc.org/libc")},
			[]string{"cell/cellhost/h.go: imports modernc.org/libc: the JavaScript engine is seen by cell/js alone"}},
		{"engine room to one engine", map[string]string{"cell/cell.go": importing("~/cell/js/quickjs")},
			[]string{"cell/cell.go: imports cell/js/quickjs: the engine room knows no JavaScript engine but the seam in cell/js"}},
		{"wire to engine", map[string]string{"cell/codemode/server.go": importing("~/cell")},
			[]string{"cell/codemode/server.go: imports cell: a wire package imports no engine and no service"}},
		{"wire to processes", map[string]string{"graph/rgp/client.go": importing("os/exec")},
			[]string{"graph/rgp/client.go: imports os/exec: a wire package starts no process, opens no file and no socket"}},
		{"wire to sockets by a detour", map[string]string{
			"agent/relay/client.go": importing("~/internal/dial"),
			"internal/dial/d.go":    importing("net/http"),
		}, []string{"agent/relay/client.go: imports internal/dial → net/http: a wire package starts no process, opens no file and no socket"}},
		{"engine to wire", map[string]string{"graph/run.go": importing("~/graph/rgp")},
			[]string{"graph/run.go: imports graph/rgp: an engine knows no wire and no service"}},
		{"pure package to files", map[string]string{"cell/schema/s.go": importing("os")},
			[]string{"cell/schema/s.go: imports os: a pure package sees bytes only: no process, file, socket, wire, engine or service"}},
		{"testing outside tests", map[string]string{"cell/cell.go": importing("testing/synctest")},
			[]string{"cell/cell.go: imports testing/synctest: only test support imports testing"}},
		{"testing through test support", map[string]string{
			"cell/cell.go":        importing("~/conformance"),
			"conformance/load.go": importing("testing"),
		}, []string{"cell/cell.go: imports conformance → testing: only test support imports testing"}},
		{"a build constraint hides nothing", map[string]string{
			"cell/cell_plan9.go": "//go:build plan9\n\n" + importing("~/agent"),
		}, []string{"cell/cell_plan9.go: imports agent: a wing never imports another wing"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, lint.Imports(load(t, tt.tree))); diff != "" {
				t.Errorf("problems (-want +got):\n%s", diff)
			}
		})
	}
}

func TestLengths(t *testing.T) {
	long := "package p\n" + strings.Repeat("\n", lint.MaxLines)
	got := lint.Lengths(load(t, map[string]string{
		"cell/long.go":          long,
		"cell/long_test.go":     long,
		"cell/made.go":          "// Code generated by a tool. DO NOT EDIT.\n\n" + long,
		"cell/edge.go":          "package p\n" + strings.Repeat("\n", lint.MaxLines-1),
		"cell/testdata/long.go": long,
	}))
	want := []string{"cell/long.go: 801 lines, limit 800: look for a seam"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("problems (-want +got):\n%s", diff)
	}
}

func TestComments(t *testing.T) {
	got := lint.Comments(load(t, map[string]string{
		"good/doc.go":     "// Package good is explained.\npackage good\n",
		"good/other.go":   "// A licence, say.\n\npackage good\n",
		"none/none.go":    "package none\n",
		"none/x_test.go":  "// Package none_test does not count.\npackage none_test\n",
		"two/a.go":        "// Package two is this.\npackage two\n",
		"two/b.go":        "// Package two is that.\npackage two\n",
		"tests/x_test.go": "package tests\n",
	}))
	want := []string{
		"none: no package comment",
		"two: 2 package comments: two/a.go, two/b.go",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("problems (-want +got):\n%s", diff)
	}
}

func TestLoadRefusesWhatDoesNotParse(t *testing.T) {
	if _, err := lint.Load(fstest.MapFS{"a.go": {Data: []byte("pakage p\n")}}); err == nil {
		t.Error("a file that is not Go was loaded without an error")
	}
}
