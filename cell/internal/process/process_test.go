package process_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/berth-dev/berth/cell/internal/process"
)

// The test binary is also the children. Each role is one case.
func TestMain(m *testing.M) {
	switch os.Getenv("PROCESS_TEST_ROLE") {
	case "parent": // starts a sleeper, prints its pid, and dies without a word
		p, err := process.Start("sleep", []string{"1000"}, process.Options{})
		if err != nil {
			os.Exit(9)
		}
		_, _ = os.Stdout.WriteString(strconv.Itoa(p.PID()) + "\n")
		_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
	}
	os.Exit(m.Run())
}

func start(t *testing.T, opts process.Options, script string) *process.Process {
	t.Helper()
	p, err := process.Start("sh", []string{"-c", script}, opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		p.Kill()
		_ = p.Stdin.Close()
		_ = p.Stdout.Close()
	})
	return p
}

func TestRun(t *testing.T) {
	tail := &process.Tail{Max: 8}
	p := start(t, process.Options{Stderr: tail, Dir: "/", Env: []string{"X=hello", "PATH=" + os.Getenv("PATH")}},
		`cat; echo "$X $PWD"; echo 0123456789 >&2; exit 3`)
	if _, err := io.WriteString(p.Stdin, "in\n"); err != nil {
		t.Fatal(err)
	}
	_ = p.Stdin.Close()
	var exit *exec.ExitError
	if err := p.Wait(); !errors.As(err, &exit) || exit.ExitCode() != 3 {
		t.Errorf("wait: %v", err)
	}
	out, err := io.ReadAll(p.Stdout) // all of it, although the process is gone
	if want := "in\nhello /\n"; err != nil || string(out) != want {
		t.Errorf("stdout %q, want %q (%v)", out, want, err)
	}
	if got, want := tail.String(), "3456789\n"; got != want {
		t.Errorf("tail %q, want %q", got, want)
	}
}

func TestStartFails(t *testing.T) {
	_, err := process.Start("/nowhere/at/all", nil, process.Options{})
	if !errors.Is(err, os.ErrNotExist) || !strings.HasPrefix(err.Error(), `start "/nowhere/at/all": `) {
		t.Errorf("got %v", err)
	}
}

func gone(t *testing.T, pid int) {
	t.Helper()
	tick, deadline := time.NewTicker(5*time.Millisecond), time.After(10*time.Second)
	defer tick.Stop()
	for alive(pid) {
		select {
		case <-tick.C:
		case <-deadline:
			t.Fatalf("process %d is still there", pid)
		}
	}
}

// alive looks at the state too: without an init, orphans stay as zombies.
func alive(pid int) bool {
	if syscall.Kill(pid, 0) != nil {
		return false
	}
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return os.IsPermission(err)
	}
	_, rest, _ := bytes.Cut(stat, []byte(") "))
	return len(rest) > 0 && rest[0] != 'Z'
}

func readPID(t *testing.T, r io.Reader) int {
	t.Helper()
	var line []byte
	b := make([]byte, 1)
	for {
		if _, err := r.Read(b); err != nil {
			t.Fatal(err)
		}
		if b[0] == '\n' {
			break
		}
		line = append(line, b[0])
	}
	pid, err := strconv.Atoi(string(line))
	if err != nil {
		t.Fatal(err)
	}
	return pid
}

func TestKillTakesTheGroup(t *testing.T) {
	p := start(t, process.Options{}, `trap "" TERM HUP; sleep 1000 & echo $!; wait`)
	grandchild := readPID(t, p.Stdout)
	p.Kill()
	gone(t, grandchild)
}

func TestEndTakesTheGroup(t *testing.T) {
	p := start(t, process.Options{}, `sleep 1000 & echo $!`)
	grandchild := readPID(t, p.Stdout)
	if err := p.Wait(); err != nil {
		t.Errorf("wait: %v", err)
	}
	gone(t, grandchild)
}

func TestStop(t *testing.T) {
	for name, c := range map[string]struct {
		script string
		code   int
	}{
		"input":  {`cat; exit 4`, 4},
		"term":   {`trap "exit 5" TERM; echo; while :; do sleep 0.01; done`, 5},
		"kill":   {`trap "" TERM; echo; while :; do sleep 0.01; done`, -1},
		"cancel": {`trap "" TERM; echo; while :; do sleep 0.01; done`, -1},
	} {
		polite := map[string]time.Duration{"term": 10 * time.Millisecond}
		t.Run(name, func(t *testing.T) {
			p := start(t, process.Options{Polite: polite[name]}, c.script)
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			grace := 200 * time.Millisecond
			switch name {
			case "cancel":
				cancel()
				grace = time.Hour
			case "input":
				grace = time.Hour
			case "term":
				grace = time.Hour // after the signal: the shell may be slow
				fallthrough
			default:
				if _, err := p.Stdout.Read(make([]byte, 1)); err != nil { // the trap is set
					t.Fatal(err)
				}
			}
			p.Stop(ctx, grace)
			var exit *exec.ExitError
			if err := p.Wait(); !errors.As(err, &exit) || exit.ExitCode() != c.code {
				t.Errorf("wait: %v, want exit code %d", err, c.code)
			}
		})
	}
}

func TestLines(t *testing.T) {
	var dst bytes.Buffer
	l := &process.Lines{Dst: &dst, Prefix: "a: ", MaxLine: 5, MaxBytes: 40}
	for _, s := range []string{"one\n\ntw", "o\n123456", "78\n", "tail"} {
		if n, err := io.WriteString(l, s); n != len(s) || err != nil {
			t.Fatal(n, err)
		}
	}
	l.Flush()
	if got, want := dst.String(), "a: one\na: two\na: 12345 …\na: tail\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	for range 10 {
		_, _ = io.WriteString(l, "more\n")
	}
	if got, want := strings.TrimPrefix(dst.String(), "a: one\na: two\na: 12345 …\na: tail\n"), "a: further output is dropped\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
