package mcpserve_test

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

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
