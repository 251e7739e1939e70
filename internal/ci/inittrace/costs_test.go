package main

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

const first = `init runtime @0.11 ms, 0.083 ms clock, 0 bytes, 0 allocs
init github.com/berth-dev/berth/cell @0.6 ms, 0.30 ms clock, 312 bytes, 7 allocs
something the program said
init of nothing
`

const second = `init runtime @0.11 ms, 0.1 ms clock, 0 bytes, 0 allocs
init github.com/berth-dev/berth/cell @0.6 ms, 0.20 ms clock, 312 bytes, 7 allocs
`

func TestFastestRunCounts(t *testing.T) {
	c := costs{}
	c.keep(parse([]byte(first)))
	var out strings.Builder
	if c.report(&out, 200*time.Microsecond) {
		t.Error("a package of ours over the limit went through")
	}
	if want := "too slow: github.com/berth-dev/berth/cell: 300µs, limit 200µs\n"; !strings.HasSuffix(out.String(), want) {
		t.Errorf("report ends with %q, want %q", out.String(), want)
	}

	c.keep(parse([]byte(second)))
	out.Reset()
	if !c.report(&out, 200*time.Microsecond) {
		t.Error("a package at the limit was refused")
	}
	want := `package initialisation: 283µs in 2 packages
       200µs  github.com/berth-dev/berth/cell
        83µs  runtime
`
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Errorf("report (-want +got):\n%s", diff)
	}
}

func TestNothingTracedIsNotWell(t *testing.T) {
	var out strings.Builder
	if parse([]byte("no trace\n")).report(&out, time.Hour) {
		t.Error("an empty trace went through")
	}
}
