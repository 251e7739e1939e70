package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/berth-dev/berth/cell/toolset"
)

// TestCellRunFlags follows every flag to what the cell wing is asked for.
func TestCellRunFlags(t *testing.T) {
	tools := filepath.Join(t.TempDir(), "tools.json")
	if err := os.WriteFile(tools, []byte(`{"date": "date"}`), 0o644); err != nil {
		t.Fatal(err)
	}
	env := testEnv("cell", "run", "-", "--mcp", "one --flag", "--mcp", "second: two", "--mcp-url", "http://127.0.0.1:1/mcp",
		"--mcp-header", "x-team: blue: green",
		"--tools", tools, "--store", "kept", "--out", "pictures", "--cell-memory", "64MiB", "--no-sandbox", "--verbose")
	env.Stdin = io.NopCloser(strings.NewReader("text(1);"))
	var got toolset.Options
	env.CellRun = func(_ context.Context, opts toolset.Options, _ func(toolset.Event) error) (toolset.Outcome, error) {
		got = opts
		return toolset.Outcome{Status: toolset.Completed}, nil
	}
	if code := run(t.Context(), env); code != exitDone {
		t.Fatalf("exit code %d", code)
	}
	want := toolset.Options{
		Source:  "text(1);",
		Servers: []toolset.Server{{Command: "one --flag"}, {Name: "second", Command: "two"}, {URL: "http://127.0.0.1:1/mcp", Headers: map[string]string{"X-Team": "blue: green"}}},
		Tools:   []toolset.Tool{{Name: "date", Source: `tools file "` + tools + `"`}},
		Store:   "kept", Images: "pictures", Stderr: env.Stderr,
		HostArgs: []string{"cell", "host", "--log-level", "warn", "--no-sandbox", "--cell-memory", "64MiB"},
	}
	ignored := cmp.Options{
		cmpopts.IgnoreFields(toolset.Options{}, "Version", "Waiting", "Slow"),
		cmpopts.IgnoreFields(toolset.Tool{}, "Call"),
		cmp.Comparer(func(a, b io.Writer) bool { return a == b }),
	}
	if diff := cmp.Diff(want, got, ignored); diff != "" {
		t.Errorf("asked for (-want +got):\n%s", diff)
	}
}

// The token of this machine's servers is for this machine's servers.
func TestTokenForLoopback(t *testing.T) {
	env := testEnv()
	env.LookupEnv = func(string) (string, bool) { return "secret", true }
	given := map[string]string{"Authorization": "Basic x"}
	for _, tt := range []struct {
		url     string
		headers map[string]string
		want    string
	}{
		{"http://127.0.0.1:7878/mcp", map[string]string{}, "Bearer secret"},
		{"http://[::1]:7878/mcp", map[string]string{}, "Bearer secret"},
		{"http://localhost/mcp", map[string]string{}, "Bearer secret"},
		{"http://localhost/mcp", given, "Basic x"},
		{"http://me:pass@localhost/mcp", map[string]string{}, ""},
		{"http://example.com/mcp", map[string]string{}, ""},
		{"http://localhost.example.com/mcp", map[string]string{}, ""},
		{"http://192.0.2.1/mcp", map[string]string{}, ""},
	} {
		if got := withToken(env, tt.url, tt.headers)["Authorization"]; got != tt.want {
			t.Errorf("%s: Authorization %q, want %q", tt.url, got, tt.want)
		}
	}
}

func TestShownAddress(t *testing.T) {
	taken := &net.TCPAddr{IP: net.IPv6unspecified, Port: 7878}
	for typed, want := range map[string]string{"0.0.0.0:0": "0.0.0.0:7878", "localhost:7878": "localhost:7878", "[::1]:0": "[::1]:7878", ":7878": "[::]:7878"} {
		if got := shownAddress(typed, taken); got != want {
			t.Errorf("%s: %s, want %s", typed, got, want)
		}
	}
}

func TestCellRunEnds(t *testing.T) {
	broken := errors.New("host died")
	for _, tt := range []struct {
		name    string
		outcome toolset.Outcome
		err     error
		code    int
		stderr  string
		last    string
	}{
		{"completed", toolset.Outcome{Status: toolset.Completed, Wall: 1500 * time.Millisecond}, nil, exitDone, "",
			`{"schema":1,"event":"end","status":"completed","wall_ms":1500}`},
		{"failed", toolset.Outcome{Status: toolset.Failed, Error: "Error: <no>\x1b[2J"}, nil, exitFailed, "error: Error: <no>␛[2J\n",
			`{"schema":1,"event":"end","status":"failed","error":"Error: <no>\u001b[2J","wall_ms":0}`},
		{"too early", toolset.Outcome{}, fmt.Errorf("start: %w", context.DeadlineExceeded), exitFailed, "error: the program took more than 1ns\n",
			`{"schema":1,"event":"end","status":"terminated","error":"the program took more than 1ns","wall_ms":0}`},
		{"broken", toolset.Outcome{}, broken, exitFailed, "error: host died\n",
			`{"schema":1,"event":"end","status":"error","error":"host died","wall_ms":0}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var stdout, stderr bytes.Buffer
			args := []string{"cell", "run", "-", "--json"}
			if errors.Is(tt.err, context.DeadlineExceeded) {
				args = append(args, "--timeout", "1ns")
			}
			env := testEnv(args...)
			env.Stdout, env.Stderr = discard{&stdout}, &stderr
			env.CellRun = func(context.Context, toolset.Options, func(toolset.Event) error) (toolset.Outcome, error) {
				return tt.outcome, tt.err
			}
			if code := run(t.Context(), env); code != tt.code {
				t.Errorf("exit code %d, want %d", code, tt.code)
			}
			if stderr.String() != tt.stderr {
				t.Errorf("stderr %q, want %q", stderr.String(), tt.stderr)
			}
			if got := strings.TrimSpace(stdout.String()); got != tt.last {
				t.Errorf("stdout %s, want %s", got, tt.last)
			}
		})
	}
}

func TestCellRunPrintsForPeople(t *testing.T) {
	events := []toolset.Event{
		{Kind: toolset.EventText, Text: "one"},
		{Kind: toolset.EventText, Text: "two\n"},
		{Kind: toolset.EventText, Text: "\x1b[31mred\r\u009b"},
		{Kind: toolset.EventImage, Path: "a.png"},
		{Kind: toolset.EventAudio, URL: "sound\a"},
		{Kind: toolset.EventNotification, Text: "half\x07way"},
	}
	for _, tt := range []struct {
		terminal bool
		want     string
	}{
		{false, "one\ntwo\n\x1b[31mred\r\u009b\n"},
		{true, "one\ntwo\n␛[31mred␍\uFFFD\n"},
	} {
		var stdout, stderr bytes.Buffer
		p := eventPrinter{out: &stdout, err: &stderr, terminal: tt.terminal}
		for _, e := range events {
			if err := p.text(e); err != nil {
				t.Fatal(err)
			}
		}
		if diff := cmp.Diff(tt.want, stdout.String()); diff != "" {
			t.Errorf("terminal %v: stdout (-want +got):\n%s", tt.terminal, diff)
		}
		if diff := cmp.Diff("image: a.png\naudio: sound␇\nnotify: half␇way\n", stderr.String()); diff != "" {
			t.Errorf("terminal %v: stderr (-want +got):\n%s", tt.terminal, diff)
		}
	}
}

func spaces(n int) *Env {
	env := testEnv()
	env.Stdin = io.NopCloser(strings.NewReader(strings.Repeat(" ", n)))
	return env
}

func TestReadProgramBounded(t *testing.T) {
	if _, err := readProgram(t.Context(), spaces(maxSource+1), "-"); err == nil {
		t.Error("a program over the limit was read")
	}
	if source, err := readProgram(t.Context(), spaces(maxSource), "-"); err != nil || len(source) != maxSource {
		t.Errorf("a program at the limit: %d bytes, %v", len(source), err)
	}
}
