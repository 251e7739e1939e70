package mcpserve_test

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/berth-dev/berth/cell/codemode"
	"github.com/berth-dev/berth/cell/internal/hosttest"
)

// hostScript starts hosts through a shell that notes their process ids, so that
// a test can kill them.
func hostScript(t *testing.T) (path string, pid func() int) {
	t.Helper()
	dir := t.TempDir()
	path, notes := filepath.Join(dir, "host"), filepath.Join(dir, "pid")
	script := "#!/bin/sh\necho $$ > " + notes + "\nexec " + os.Args[0] + " " + hosttest.HostRole + "\n"
	if err := os.WriteFile(path, []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	return path, func() int {
		b, err := os.ReadFile(notes)
		if err != nil {
			t.Fatal(err)
		}
		n, err := strconv.Atoi(strings.TrimSpace(string(b)))
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
}

func TestHostDeath(t *testing.T) {
	opts := options(server("lab", "lab"))
	path, pid := hostScript(t)
	opts.HostPath, opts.HostArgs = path, []string{}
	cs := serve(t, opts, nil)
	out, _ := call(t, cs, "exec", map[string]any{"source": `store("k", 1); yield_control(); await new Promise(() => {})`})
	if !strings.HasPrefix(out, "Script running with cell ID 1\n") {
		t.Fatalf("got %q", out)
	}
	if err := syscall.Kill(pid(), syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	out, failed := call(t, cs, "wait", map[string]any{"cell_id": "1"})
	if want := "wait: code-mode host died: signal: killed"; !failed || out != want {
		t.Errorf("got %q", out)
	}
	out, _ = call(t, cs, "exec", map[string]any{"source": `text(load("k")); yield_control(); await new Promise(() => {})`})
	if !strings.HasPrefix(out, "Script running with cell ID g2:1\n") || !strings.HasSuffix(out, "|undefined") {
		t.Errorf("got %q", out)
	}
	if out, failed = call(t, cs, "wait", map[string]any{"cell_id": "1"}); !failed || out != "cell 1 belongs to a stale code-mode host generation" {
		t.Errorf("got %q", out)
	}
	if out, _ = call(t, cs, "wait", map[string]any{"cell_id": "g2:1", "terminate": true}); !strings.HasPrefix(out, "Script terminated\n") {
		t.Errorf("got %q", out)
	}
}

// overloaded is a host that refuses every program.
func overloaded([]string) int {
	server := codemode.NewServer(func(*codemode.Conn) codemode.Handler { return refusing{} }, codemode.ServerOptions{})
	if server.Run(context.Background(), stdio{os.Stdin, os.Stdout}) != nil {
		return 1
	}
	return 0
}

type stdio struct {
	io.ReadCloser
	io.Writer
}

type refusing struct{}

func (refusing) Open(context.Context, *codemode.SessionOpen) error         { return nil }
func (refusing) Execute(context.Context, *codemode.Execution) error        { return codemode.Overloaded() }
func (refusing) Shutdown(context.Context, *codemode.SessionShutdown) error { return nil }
func (refusing) Terminate(context.Context, *codemode.SessionTerminate) (*codemode.WireWaitOutcome, error) {
	return nil, codemode.Overloaded()
}
func (refusing) Wait(context.Context, *codemode.Call, *codemode.SessionWait) (*codemode.WireWaitOutcome, error) {
	return nil, codemode.Overloaded()
}

func TestOverloadedHostIsReplaced(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "host")
	script := "#!/bin/sh\nif [ -e " + dir + "/again ]; then exec " + os.Args[0] + " " + hosttest.HostRole + "; fi\n" +
		"touch " + dir + "/again; exec " + os.Args[0] + " overloaded\n"
	if err := os.WriteFile(path, []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	opts := options()
	opts.HostPath, opts.HostArgs = path, []string{}
	cs := serve(t, opts, nil)
	if got := execText(t, cs, `text(6 * 7)`); got != "42" {
		t.Errorf("got %q", got)
	}
	opts.HostPath, opts.HostArgs = os.Args[0], []string{"overloaded"}
	out, failed := call(t, serve(t, opts, nil), "exec", map[string]any{"source": ""})
	if want := "exec: code-mode host is overloaded"; !failed || out != want {
		t.Errorf("got %q", out)
	}
}
