package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"strings"
)

// event is one line of `go test -json`, as `go doc test2json` describes it.
type event struct {
	Action      string
	Package     string
	ImportPath  string // of build output
	Test        string
	Output      string
	FailedBuild string
}

// test names one test of one package; a package's own output has no name.
type test struct{ pkg, name string }

// tally is what has been seen of a run.
type tally struct {
	out     io.Writer
	pending map[test][]string // output of tests that have not ended
	failing map[string]bool   // packages in which a test has failed
	skipped []test
	passed  int
	failed  int
}

// report copies what matters from in to out and reports whether all is well.
func report(in io.Reader, out io.Writer) bool {
	t := tally{out: out, pending: map[test][]string{}, failing: map[string]bool{}}
	lines := bufio.NewReader(in)
	for {
		line, err := lines.ReadBytes('\n')
		if len(line) > 0 {
			var e event
			if line[0] != '{' || json.Unmarshal(line, &e) != nil {
				out.Write(line) // the go command speaking for itself
			} else {
				t.add(e)
			}
		}
		if err != nil {
			break
		}
	}
	return t.close()
}

func (t *tally) add(e event) {
	key := test{e.Package, e.Test}
	switch e.Action {
	case "build-output":
		fmt.Fprint(t.out, e.Output)
	case "output":
		if e.Test != "" {
			t.pending[key] = append(t.pending[key], e.Output)
		} else if e.Output != "PASS\n" {
			fmt.Fprint(t.out, e.Output)
		}
	case "pass", "fail", "skip":
		if e.Test == "" {
			t.endPackage(e)
			return
		}
		t.endTest(key, e.Action)
	}
}

func (t *tally) endTest(key test, action string) {
	output := t.pending[key]
	delete(t.pending, key)
	switch action {
	case "pass":
		t.passed++
	case "skip":
		t.skipped = append(t.skipped, key)
	case "fail":
		t.failed++
		t.failing[key.pkg] = true
		fmt.Fprint(t.out, strings.Join(output, ""))
	}
}

// endPackage counts a package that failed without a failing test, such as one
// that does not build, as a failure of its own, and shows the tests that were
// under way when it ended.
func (t *tally) endPackage(e event) {
	for key, output := range t.pending {
		if key.pkg == e.Package {
			if e.Action == "fail" {
				fmt.Fprint(t.out, strings.Join(output, ""))
			}
			delete(t.pending, key)
		}
	}
	if e.Action == "fail" && !t.failing[e.Package] {
		t.failed++
	}
}

// close prints the closing lines and reports whether all is well.
func (t *tally) close() bool {
	for _, s := range t.skipped {
		fmt.Fprintf(t.out, "skipped: %s %s: a skipped test tests nothing\n", s.pkg, s.name)
	}
	if t.passed+t.failed == 0 {
		fmt.Fprintln(t.out, "no test ran")
	}
	fmt.Fprintf(t.out, "%d passed, %d failed\n", t.passed, t.failed)
	return t.failed == 0 && len(t.skipped) == 0 && t.passed > 0
}
