// Command inittrace runs a Go program a few times and prints what its packages
// cost before main begins, as GODEBUG=inittrace=1 shows it:
//
//	inittrace bin/berth version
//
// Of each package it keeps the fastest run, so that a busy machine does not
// change the answer. It exits 1 when a package of ours takes longer than the
// limit: a host is started for every conversation, and its start is part of the
// first answer.
package main

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"time"
)

func main() {
	limit := flag.Duration("limit", 200*time.Microsecond, "longest initialisation of a package of ours")
	runs := flag.Int("runs", 7, "number of runs")
	flag.Parse()
	if flag.NArg() == 0 {
		fmt.Fprintln(os.Stderr, "usage: inittrace [flags] PROGRAM [ARGUMENT…]")
		os.Exit(2)
	}
	fastest := costs{}
	for range *runs {
		trace, err := run(flag.Args())
		if err != nil {
			fmt.Fprintln(os.Stderr, "error:", err)
			os.Exit(1)
		}
		fastest.keep(parse(trace))
	}
	if !fastest.report(os.Stdout, *limit) {
		os.Exit(1)
	}
}

// run returns what the program printed on standard error.
func run(command []string) ([]byte, error) {
	cmd := exec.Command(command[0], command[1:]...)
	cmd.Env = append(os.Environ(), "GODEBUG=inittrace=1")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	if err := cmd.Run(); err != nil {
		return nil, fmt.Errorf("run %s: %w", command[0], err)
	}
	return stderr.Bytes(), nil
}
