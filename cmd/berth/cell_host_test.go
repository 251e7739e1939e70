package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/berth-dev/berth/cell/cellhost"
	"github.com/berth-dev/berth/cell/sandbox"
)

// TestCellHostFlags follows every flag to what the cell wing is asked for.
func TestCellHostFlags(t *testing.T) {
	for _, tt := range []struct {
		name string
		args []string
		want hostConfig
	}{
		{"none", nil, hostConfig{Sandbox: true, Options: cellhost.Options{Ambiguous: cellhost.Timed, Share: 1}}},
		{"all", []string{"--listen", "stdio://", "--dialect", "base", "--ambiguous", "base", "--delegate-window", "7",
			"--max-cells", "-1", "--cell-memory", "64MiB", "--store-memory", "1MiB", "--memory", "2GiB", "--key-list", "k",
			"--no-sandbox", "--log-level", "debug"},
			hostConfig{Options: cellhost.Options{Dialect: cellhost.Base, Ambiguous: cellhost.Base, Window: 7, MaxCells: -1,
				CellMemory: 64 << 20, StoreMemory: 1 << 20, HostMemory: 2 << 30, KeyList: "k", Share: 1}}},
		{"workers", []string{"--workers", "2", "--memory", "2GiB", "--max-cells", "9", "--delegate-window", "8", "--no-sandbox"},
			hostConfig{Workers: 2, WorkerArgs: []string{"cell", "host", "--dialect", "auto", "--ambiguous", "timed", "--log-level", "info",
				"--max-cells", "-1", "--share", "2", "--delegate-window", "8", "--memory", "1GiB", "--no-sandbox"},
				Options: cellhost.Options{Ambiguous: cellhost.Timed, Window: 8, MaxCells: 9, HostMemory: 2 << 30, Share: 1}}},
		{"timed", []string{"--dialect", "timed"},
			hostConfig{Sandbox: true, Options: cellhost.Options{Dialect: cellhost.Timed, Ambiguous: cellhost.Timed, Share: 1}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			env := testEnv(append([]string{"cell", "host"}, tt.args...)...)
			var got hostConfig
			env.CellHost = func(_ context.Context, c hostConfig) error { got = c; return nil }
			if code := run(t.Context(), env); code != exitDone {
				t.Fatalf("exit code %d", code)
			}
			if diff := cmp.Diff(tt.want, got, cmpopts.IgnoreFields(cellhost.Options{}, "Log")); diff != "" {
				t.Errorf("asked for (-want +got):\n%s", diff)
			}
		})
	}
}

// TestCellHostLogLevel wants a level to be where the log begins.
func TestCellHostLogLevel(t *testing.T) {
	for level, want := range map[string]string{"debug": "dbg inf wrn err", "info": "inf wrn err", "warn": "wrn err", "error": "err"} {
		var stderr bytes.Buffer
		env := testEnv("cell", "host", "--log-level", level)
		env.Stderr = &stderr
		env.CellHost = func(_ context.Context, c hostConfig) error {
			c.Log.Debug("dbg")
			c.Log.Info("inf")
			c.Log.Warn("wrn")
			c.Log.Error("err")
			return nil
		}
		if code := run(t.Context(), env); code != exitDone {
			t.Fatalf("exit code %d", code)
		}
		var got []string
		for line := range strings.Lines(stderr.String()) {
			_, msg, _ := strings.Cut(strings.TrimSpace(line), "msg=")
			got = append(got, msg)
		}
		if diff := cmp.Diff(strings.Fields(want), got); diff != "" {
			t.Errorf("--log-level %s (-want +got):\n%s", level, diff)
		}
	}
}

// TestCellHostCheckFails wants a wall with a hole to be a failure, in both forms.
func TestCellHostCheckFails(t *testing.T) {
	results := []sandbox.Result{
		{Name: "fork", Expected: "refused", Actual: "refused", OK: true},
		{Name: "exec", Expected: "refused", Actual: "done"},
	}
	for _, tt := range []struct {
		flag string
		want string
	}{
		{"--json=false", "ok      fork  refused\nNOT OK  exec  done\nnote: no Landlock\n"},
		{"--json", ""},
	} {
		var stdout, stderr bytes.Buffer
		env := testEnv("cell", "host", "--check", tt.flag)
		env.Stdout, env.Stderr = discard{&stdout}, &stderr
		env.CellCheck = func() (sandbox.Report, []sandbox.Result, error) {
			return sandbox.Report{Missing: []string{"no Landlock"}}, results, nil
		}
		if code := run(t.Context(), env); code != exitFailed {
			t.Errorf("%s: exit code %d, want %d", tt.flag, code, exitFailed)
		}
		if want := "error: the sandbox does not hold\n"; stderr.String() != want {
			t.Errorf("%s: stderr %q, want %q", tt.flag, stderr.String(), want)
		}
		if tt.want != "" {
			if diff := cmp.Diff(tt.want, stdout.String()); diff != "" {
				t.Errorf("%s: stdout (-want +got):\n%s", tt.flag, diff)
			}
			continue
		}
		var got sandboxCheck
		if err := json.Unmarshal(stdout.Bytes(), &got); err != nil || got.OK || got.Schema != 1 || len(got.Checks) != 2 {
			t.Errorf("%s: %+v, %v", tt.flag, got, err)
		}
	}
}

func TestCellHostCheckError(t *testing.T) {
	env := testEnv("cell", "host", "--check")
	env.CellCheck = func() (sandbox.Report, []sandbox.Result, error) {
		return sandbox.Report{}, nil, errors.New("load seccomp filter: refused")
	}
	if code := run(t.Context(), env); code != exitFailed {
		t.Errorf("exit code %d, want %d", code, exitFailed)
	}
}
