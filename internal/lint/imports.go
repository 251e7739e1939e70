package lint

import (
	"fmt"
	"slices"
	"strings"
)

// within reports whether the folder dir is one of roots or below one.
func within(dir string, roots ...string) bool {
	for _, root := range roots {
		if dir == root || strings.HasPrefix(dir, root+"/") {
			return true
		}
	}
	return false
}

// The parts of the house that the rules speak of; never written to.
var (
	wings    = []string{"agent", "cell", "graph", "terminal"}
	wires    = []string{"agent/relay", "cell/codemode", "graph/rgp", "terminal/nodesession"}
	engines  = []string{"agent", "cell", "cell/js", "graph", "terminal"}
	pure     = []string{"agent/record", "cell/schema", "graph/value", "terminal/screen", "frame"}
	services = []string{"agent/worker", "agent/controller", "cell/cellhost", "cell/toolset", "cell/mcpserve", "cell/demomcp",
		"graph/driver", "terminal/node", "terminal/server", "terminal/console"}
)

// rule forbids imports. from and to tell folders of the module apart; to is
// given import paths of other modules as they are.
type rule struct {
	why    string
	tests  bool // binds test files too
	direct bool // forbids the import itself only, not what leads there
	from   func(dir string) bool
	to     func(from, imported string) bool
}

// rules are those of the house; never written to.
var rules = []rule{
	{
		why:   "a wing never imports another wing",
		tests: true,
		from:  func(dir string) bool { return within(dir, wings...) },
		to: func(from, to string) bool {
			return within(to, wings...) && wing(from) != wing(to)
		},
	},
	{
		why:    "only cmd/berth imports the daemon",
		tests:  true,
		direct: true,
		from:   func(dir string) bool { return !within(dir, "cmd/berth", "host") },
		to:     func(_, to string) bool { return within(to, "host") },
	},
	{
		why:   "nothing below the command line imports it",
		tests: true,
		from:  func(dir string) bool { return !within(dir, "cmd") },
		to:    func(_, to string) bool { return within(to, "cmd") },
	},
	{
		why:  "the ground floor imports nothing above it",
		from: func(dir string) bool { return within(dir, "frame") },
		to:   func(_, to string) bool { return ours(to) && !within(to, "frame") },
	},
	{
		why:    "the JavaScript engine is seen by cell/js alone",
		tests:  true,
		direct: true,
		from:   func(dir string) bool { return !within(dir, "cell/js") },
		to:     func(_, to string) bool { return strings.HasPrefix(to, "modernc.org/") },
	},
	{
		why:  "the engine room knows no JavaScript engine but the seam in cell/js",
		from: func(dir string) bool { return dir == "cell" },
		to:   func(_, to string) bool { return within(to, "cell/js") && to != "cell/js" },
	},
	{
		why:  "a wire package imports no engine and no service",
		from: func(dir string) bool { return within(dir, wires...) },
		to:   func(_, to string) bool { return slices.Contains(engines, to) || within(to, services...) },
	},
	{
		why:  "a wire package starts no process, opens no file and no socket",
		from: func(dir string) bool { return within(dir, wires...) },
		to:   func(_, to string) bool { return to == "os" || within(to, "os/exec", "net", "syscall") },
	},
	{
		why:  "an engine knows no wire and no service",
		from: func(dir string) bool { return slices.Contains(engines, dir) || within(dir, "cell/js") },
		to:   func(_, to string) bool { return within(to, wires...) || within(to, services...) },
	},
	{
		why:  "a pure package sees bytes only: no process, file, socket, wire, engine or service",
		from: func(dir string) bool { return within(dir, pure...) },
		to: func(_, to string) bool {
			return to == "os" || within(to, "os/exec", "net", "syscall") || slices.Contains(engines, to) ||
				within(to, wires...) || within(to, services...)
		},
	},
	{
		why:  "only test support imports testing",
		from: func(dir string) bool { return !within(dir, "conformance") && !within(dir, "graph/store/storetest") },
		to:   func(_, to string) bool { return to == "testing" || strings.HasPrefix(to, "testing/") },
	},
}

func wing(dir string) string {
	first, _, _ := strings.Cut(dir, "/")
	return first
}

// ours reports whether an import, as the rules see it, is a package of the module.
func ours(to string) bool {
	return to == "." || within(to, wings...) || within(to, "cmd", "host", "web", "frame", "internal", "conformance", "bench")
}

// Imports lists the imports that break a rule. What a package may not import
// it may not reach through other packages of the module either.
func Imports(files []File) []string {
	graph := map[string][]string{} // imports by folder, tests apart
	for _, f := range files {
		if !f.Test() {
			for _, imported := range f.Imports {
				graph[f.Dir()] = append(graph[f.Dir()], relative(imported))
			}
		}
	}
	var problems []string
	for _, f := range files {
		for _, imported := range f.Imports {
			for _, r := range rules {
				if f.Test() && !r.tests || !r.from(f.Dir()) {
					continue
				}
				if chain := r.reach(graph, f.Dir(), []string{relative(imported)}); chain != nil {
					problems = append(problems, fmt.Sprintf("%s: imports %s: %s", f.Path, strings.Join(chain, " → "), r.why))
				}
			}
		}
	}
	slices.Sort(problems)
	return slices.Compact(problems)
}

// reach returns how the last package of chain leads to a forbidden one, nil if
// it does not. Packages that the rule binds themselves are not followed: they
// are reported where they stand.
func (r rule) reach(graph map[string][]string, from string, chain []string) []string {
	last := chain[len(chain)-1]
	if r.to(from, last) {
		return chain
	}
	if r.direct || !ours(last) || r.from(last) {
		return nil
	}
	for _, next := range graph[last] {
		if slices.Contains(chain, next) {
			continue
		}
		if found := r.reach(graph, from, append(chain[:len(chain):len(chain)], next)); found != nil {
			return found
		}
	}
	return nil
}

// relative cuts the module from an import path of its own packages.
func relative(imported string) string {
	if imported == Module {
		return "."
	}
	if rest, ok := strings.CutPrefix(imported, Module+"/"); ok {
		return rest
	}
	return imported
}
