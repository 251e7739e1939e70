package main

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"
)

// ours reports whether the limit binds a package: one of this module, or the
// command itself, which a trace calls main.
func ours(pkg string) bool {
	return pkg == "main" || strings.HasPrefix(pkg, "github.com/berth-dev/berth/")
}

// shown is how many packages the report lists.
const shown = 8

// costs maps a package to the time that its initialisation takes.
type costs map[string]time.Duration

// parse reads lines of the form
//
//	init unicode @0.85 ms, 0.041 ms clock, 11400 bytes, 16 allocs
//
// and passes over all others.
func parse(trace []byte) costs {
	c := costs{}
	for line := range strings.Lines(string(trace)) {
		fields := strings.Fields(line)
		if len(fields) < 7 || fields[0] != "init" || fields[6] != "clock," {
			continue
		}
		if took, err := time.ParseDuration(fields[4] + fields[5]); err == nil {
			c[fields[1]] = took
		}
	}
	return c
}

// keep takes over what is new or faster in other.
func (c costs) keep(other costs) {
	for pkg, took := range other {
		if known, ok := c[pkg]; !ok || took < known {
			c[pkg] = took
		}
	}
}

// report prints the sum and the dearest packages and reports whether every
// package of ours keeps the limit. A trace without packages is not well either.
func (c costs) report(w io.Writer, limit time.Duration) bool {
	var sum time.Duration
	for _, took := range c {
		sum += took
	}
	fmt.Fprintf(w, "package initialisation: %v in %d packages\n", sum, len(c))
	dearest := slices.SortedFunc(maps.Keys(c), func(a, b string) int {
		return cmp.Or(cmp.Compare(c[b], c[a]), strings.Compare(a, b))
	})
	for _, pkg := range dearest[:min(shown, len(dearest))] {
		fmt.Fprintf(w, "%12v  %s\n", c[pkg], pkg)
	}
	well := len(c) > 0
	for _, pkg := range dearest {
		if ours(pkg) && c[pkg] > limit {
			fmt.Fprintf(w, "too slow: %s: %v, limit %v\n", pkg, c[pkg], limit)
			well = false
		}
	}
	return well
}
