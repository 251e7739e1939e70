// Command bench measures berth beside the programs that it replaces and prints
// a table: what was measured, ours, the peers', the ratio, the target.
//
//	make bench                                 # with set-up
//	go run ./bench -berth bin/berth -peer 0.144=…/codex-code-mode-host
//
// It exits 1 when something of ours could not be measured; a target that is missed is said in the
// table. docs/performance.md explains the figures.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"time"

	"github.com/berth-dev/berth/bench/cells"
	"github.com/berth-dev/berth/bench/report"
	"github.com/berth-dev/berth/cell/codemode"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stdout, os.Stderr); err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	flags := flag.NewFlagSet("bench", flag.ExitOnError)
	berth := flags.String("berth", "bin/berth", "the `program` to measure")
	codex := flags.String("codex", ".tools/codex", "`folder` with a Codex of npm for each release")
	only := flags.String("only", "", "take only figures whose name begins with `prefix`")
	asJSON := flags.Bool("json", false, "print JSON")
	if err := flags.Parse(args); err != nil {
		return err
	}
	programs := []cells.Program{{Name: "ours", Command: []string{*berth, "cell", "host"},
		Dialect: codemode.Base, Parallel: []string{"--workers", "2"}}}
	for _, peer := range []struct {
		release string
		dialect codemode.Dialect
	}{{"0.144.0", codemode.Base}, {"0.171.0", codemode.Timed}} {
		path, err := hostOf(filepath.Join(*codex, peer.release))
		if err != nil {
			return err
		}
		programs = append(programs, cells.Program{Name: "Codex " + peer.release, Command: []string{path}, Dialect: peer.dialect})
	}
	r := report.Report{Schema: report.Schema, Date: time.Now().UTC().Format(time.RFC3339), Machine: report.ThisMachine()}
	failed := cells.Measure(ctx, &r, programs, cells.Options{Only: *only, Log: stderr})
	write := r.WriteTable
	if *asJSON {
		write = r.WriteJSON
	}
	return errors.Join(failed, write(stdout))
}

// hostOf finds the code-mode host in a Codex that npm installed.
func hostOf(folder string) (string, error) {
	pattern := filepath.Join(folder, "lib/node_modules/@openai/codex/node_modules/@openai/codex-*/vendor/*/bin/codex-code-mode-host")
	found, err := filepath.Glob(pattern)
	if err != nil {
		return "", err
	}
	if len(found) != 1 {
		return "", fmt.Errorf("code-mode host in %s: found %d [%s], want 1: run make bench", folder, len(found), strings.Join(found, " "))
	}
	return found[0], nil
}
