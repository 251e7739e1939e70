//go:build linux && (amd64 || arm64)

package sandbox_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/berth-dev/berth/cell/sandbox"
)

// childMode names what the test binary does as a child; see child_linux_test.go.
const childMode = "BERTH_SANDBOX_TEST"

func TestMain(m *testing.M) {
	if mode := os.Getenv(childMode); mode != "" {
		os.Exit(child(mode))
	}
	// What the tester was given must not reach the children.
	if _, err := sandbox.CloseInherited(nil); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// answer is what a child writes.
type answer struct {
	Report  sandbox.Report
	Results []sandbox.Result
	Lines   []string // of mode "work": what went well
	Micros  int64    // time that Apply took
}

// users are whom a child runs as: the tester, and nobody if one may choose.
func users() map[string]*syscall.Credential {
	users := map[string]*syscall.Credential{"self": nil}
	if os.Getuid() == 0 {
		users["nobody"] = &syscall.Credential{Uid: 65534, Gid: 65534}
	}
	return users
}

// command is the test binary as a child in the given mode. It runs from a copy,
// since go test keeps its own where only one user can reach it.
func command(tb testing.TB, mode string, user *syscall.Credential) *exec.Cmd {
	tb.Helper()
	cmd := exec.CommandContext(tb.Context(), testBinary(tb))
	cmd.Env = append(os.Environ(), childMode+"="+mode, "TZ=Asia/Tokyo")
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: user}
	cmd.Dir = "/"
	return cmd
}

func testBinary(tb testing.TB) string {
	tb.Helper()
	exe, err := os.Executable()
	if err != nil {
		tb.Fatal(err)
	}
	data, err := os.ReadFile(exe)
	if err != nil {
		tb.Fatal(err)
	}
	dir, err := os.MkdirTemp("", "berth-sandbox")
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _ = os.RemoveAll(dir) })
	if err := os.Chmod(dir, 0o755); err != nil {
		tb.Fatal(err)
	}
	path := filepath.Join(dir, "child")
	if err := os.WriteFile(path, data, 0o755); err != nil {
		tb.Fatal(err)
	}
	return path
}

// run runs cmd to its end and returns its answer.
func run(tb testing.TB, cmd *exec.Cmd) answer {
	tb.Helper()
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		tb.Fatalf("child: %v\n%s", err, stderr.Bytes())
	}
	var a answer
	if err := json.Unmarshal(out, &a); err != nil {
		tb.Fatalf("child wrote %q: %v", out, err)
	}
	return a
}

func TestEverythingIsRefused(t *testing.T) {
	for name, user := range users() {
		t.Run(name, func(t *testing.T) {
			a := run(t, command(t, "check", user))
			if !a.Report.NoNewPrivs || !a.Report.Seccomp {
				t.Errorf("report: %+v", a.Report)
			}
			if (a.Report.Landlock == 0) != (len(a.Report.Missing) == 1) {
				t.Errorf("report: %+v; want a missing Landlock to be named", a.Report)
			}
			if len(a.Results) < 60 {
				t.Errorf("got %d results", len(a.Results))
			}
			for _, r := range a.Results {
				if !r.OK {
					t.Errorf("%s: want %s, got %s", r.Name, r.Expected, r.Actual)
				}
			}
		})
	}
}

// Without a sandbox the probes come off, or come to nothing of themselves: they
// see the difference, and they do no harm.
func TestCheckWithoutSandbox(t *testing.T) {
	before := tempFiles(t)
	a := run(t, command(t, "check-bare", nil))
	got := make(map[string]sandbox.Result)
	for _, r := range a.Results {
		got[r.Name] = r
	}
	for _, name := range []string{
		"no new privileges", "connect over TCP", "connect over UDP", "connect to a unix socket", "listen on TCP",
		"make a socket pair", "read /etc/passwd", "write a file", "create a file", "make a folder", "delete a file",
		"rename a file", "fork", "exec", "execveat", "signal the parent", "map executable memory",
		"make memory executable", "prlimit", "stat a file",
	} {
		if r, ok := got[name]; !ok || r.OK {
			t.Errorf("%s: got %+v; want it not to be refused", name, r)
		}
	}
	if after := tempFiles(t); strings.Join(before, "\n") != strings.Join(after, "\n") {
		t.Errorf("files left behind: before %q, after %q", before, after)
	}
}

func tempFiles(t *testing.T) []string {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(os.TempDir(), "berth-check-*"))
	if err != nil {
		t.Fatal(err)
	}
	return names
}

func TestInheritedDescriptorsAreClosed(t *testing.T) {
	cmd := command(t, "check", nil)
	var readers []*os.File
	for range 4 {
		r, w, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close()
		defer w.Close()
		readers = append(readers, r)
		cmd.ExtraFiles = append(cmd.ExtraFiles, w)
	}
	a := run(t, cmd)
	if a.Report.Closed != len(readers) {
		t.Errorf("closed %d, want %d", a.Report.Closed, len(readers))
	}
	for i, r := range readers {
		if err := cmd.ExtraFiles[i].Close(); err != nil {
			t.Fatal(err)
		}
		if b, err := io.ReadAll(r); err != nil || len(b) != 0 {
			t.Errorf("pipe %d: %q, %v", i, b, err)
		}
	}
}

func TestKeptDescriptorStaysOpen(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	cmd := command(t, "keep", nil)
	cmd.ExtraFiles = []*os.File{w, w}
	a := run(t, cmd)
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if b, err := io.ReadAll(r); err != nil || string(b) != "kept" {
		t.Errorf("read %q, %v; want what the child wrote to the kept one", b, err)
	}
	if a.Report.Closed != 1 {
		t.Errorf("closed %d, want 1", a.Report.Closed)
	}
}

func TestDescriptorsAreFoundWithoutProc(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	defer w.Close()
	cmd := command(t, "numbers", nil)
	cmd.ExtraFiles = []*os.File{r, w, w}
	if a := run(t, cmd); a.Report.Closed != 3 {
		t.Errorf("found %d, want 3", a.Report.Closed)
	}
}

func TestGoKeepsRunning(t *testing.T) {
	for name, user := range users() {
		t.Run(name, func(t *testing.T) {
			a := run(t, command(t, "work", user))
			want := []string{"goroutines", "threads", "collector", "timers", "memory", "faults", "pipes", "random", "zones", "local zone"}
			if strings.Join(a.Lines, " ") != strings.Join(want, " ") {
				t.Errorf("worked: %q, want %q", a.Lines, want)
			}
		})
	}
}

// Its parent can still stop it, politely and otherwise.
func TestParentSignals(t *testing.T) {
	for _, sig := range []syscall.Signal{unix.SIGTERM, unix.SIGKILL} {
		t.Run(sig.String(), func(t *testing.T) {
			cmd := command(t, "wait", nil)
			out, err := cmd.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			if _, err := io.ReadFull(out, make([]byte, len("ready"))); err != nil {
				t.Fatal(err)
			}
			if err := cmd.Process.Signal(sig); err != nil {
				t.Fatal(err)
			}
			rest, _ := io.ReadAll(out)
			_ = cmd.Wait()
			if sig == unix.SIGTERM && (string(rest) != "terminated" || cmd.ProcessState.ExitCode() != 7) {
				t.Errorf("got %q, %v", rest, cmd.ProcessState)
			}
			if sig == unix.SIGKILL && cmd.ProcessState.Success() {
				t.Errorf("got %v", cmd.ProcessState)
			}
		})
	}
}

// Landlock refuses by itself what the filter hides from it.
func TestLandlockAlone(t *testing.T) {
	a := run(t, command(t, "landlock", nil))
	if (len(a.Results) > 0) != (a.Report.Landlock > 0) {
		t.Errorf("version %d: %d results", a.Report.Landlock, len(a.Results))
	}
	for _, r := range a.Results {
		if !r.OK {
			t.Errorf("%s: want %s, got %s", r.Name, r.Expected, r.Actual)
		}
	}
}

func BenchmarkApply(b *testing.B) {
	path := testBinary(b)
	var micros int64
	for b.Loop() {
		cmd := exec.CommandContext(b.Context(), path)
		cmd.Env = append(os.Environ(), childMode+"=apply")
		micros += run(b, cmd).Micros
	}
	b.ReportMetric(float64(micros)/float64(b.N), "µs/Apply")
}
