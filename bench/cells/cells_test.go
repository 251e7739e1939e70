package cells_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/berth-dev/berth/bench/cells"
	"github.com/berth-dev/berth/bench/report"
	"github.com/berth-dev/berth/cell/cellhost"
	"github.com/berth-dev/berth/cell/codemode"
	"github.com/berth-dev/berth/cell/js/quickjs"
)

// hostRole is the argument that makes this test a code-mode host.
const hostRole = "bench-host"

func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == hostRole {
		if err := serve(); err != nil {
			fmt.Fprintln(os.Stderr, "error:", err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	goleak.VerifyTestMain(m)
}

func serve() error {
	in, out, err := cellhost.Stdio()
	if err != nil {
		return err
	}
	return cellhost.Run(context.Background(), in, out, cellhost.Options{Engine: quickjs.New(quickjs.Options{})})
}

// Every figure can be taken, from ours and from a peer.
func TestMeasure(t *testing.T) {
	self := func(name string) cells.Program {
		return cells.Program{Name: name, Command: []string{os.Args[0], hostRole}, Dialect: codemode.Base}
	}
	var r report.Report
	if err := cells.Measure(t.Context(), &r, []cells.Program{self("ours"), self("peer")}, cells.Options{Shrink: 20}); err != nil {
		t.Fatal(err)
	}
	if len(r.Figures) < 30 {
		t.Errorf("%d figures, want at least 30", len(r.Figures))
	}
	for _, f := range r.Figures {
		for i, v := range f.Values {
			if v == nil || (*v <= 0 && f.Unit != "MB") {
				t.Errorf("%s: no value of %s", f.Name, r.Columns[i])
			}
		}
	}
	var table bytes.Buffer
	if err := r.WriteTable(&table); err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(table.String(), "\n"); n < len(r.Figures) {
		t.Errorf("the table has %d lines for %d figures", n, len(r.Figures))
	}
}

// What a peer fails at is noted; what ours fails at is an error, and the other
// figures are taken all the same.
func TestMeasureBroken(t *testing.T) {
	good := cells.Program{Name: "good", Command: []string{os.Args[0], hostRole}, Dialect: codemode.Base}
	broken := cells.Program{Name: "broken", Command: []string{"false"}, Dialect: codemode.Base}
	opts := cells.Options{Shrink: 50, Only: "start"}

	var r report.Report
	if err := cells.Measure(t.Context(), &r, []cells.Program{good, broken}, opts); err != nil {
		t.Fatal(err)
	}
	if f := r.Figures[0]; f.Values[0] == nil || f.Values[1] != nil || len(f.Notes) != 1 || !strings.HasPrefix(f.Notes[0], "broken: ") {
		t.Errorf("figure of a broken peer: %+v", f)
	}
	r = report.Report{}
	if err := cells.Measure(t.Context(), &r, []cells.Program{broken, good}, opts); err == nil {
		t.Error("ours is broken: no error")
	}
	if f := r.Figures[0]; f.Values[0] != nil || f.Values[1] == nil {
		t.Errorf("figure of ours, broken: %+v", f)
	}
}
