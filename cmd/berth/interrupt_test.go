package main

import (
	"bufio"
	"errors"
	"io"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/berth-dev/berth/cell/codemode"
)

// program is this program under one of its names, which TestMain has put into
// the PATH.
func program(t *testing.T, name string, args ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), name, args...)
	cmd.WaitDelay = scriptPatience
	return cmd
}

// exitCode waits for a program that was started.
func exitCode(t *testing.T, cmd *exec.Cmd) int {
	t.Helper()
	err := cmd.Wait()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return cmd.ProcessState.ExitCode()
}

// TestRunInterrupted wants a program's output while it runs, and a signal to
// end the program and berth.
func TestRunInterrupted(t *testing.T) {
	for signal, want := range map[syscall.Signal]int{syscall.SIGINT: exitInterrupted, syscall.SIGTERM: exitTerminated} {
		t.Run(signal.String(), func(t *testing.T) {
			cmd := program(t, "berth", "cell", "run", "-", "--json")
			cmd.Stdin = strings.NewReader("text('before'); await new Promise((done) => setTimeout(done, 1)); for (;;);")
			var stderr strings.Builder
			cmd.Stderr = &stderr
			stdout, err := cmd.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			lines := bufio.NewReader(stdout)
			if first, err := lines.ReadString('\n'); err != nil || first != `{"schema":1,"event":"text","text":"before"}`+"\n" {
				t.Errorf("first line %q, %v", first, err)
			}
			if err := cmd.Process.Signal(signal); err != nil {
				t.Fatal(err)
			}
			rest, err := io.ReadAll(lines)
			if err != nil || !strings.HasPrefix(string(rest), `{"schema":1,"event":"end","status":"terminated",`) {
				t.Errorf("rest %q, %v", rest, err)
			}
			if code := exitCode(t, cmd); code != want {
				t.Errorf("exit code %d, want %d", code, want)
			}
			if stderr.Len() > 0 {
				t.Errorf("stderr: %q", stderr.String())
			}
		})
	}
}

// TestSecondSignal wants a second signal to end berth at once: here it waits
// for a tool that does not care.
func TestSecondSignal(t *testing.T) {
	ended := make(chan int, 1)
	cmd := program(t, "berth", "cell", "run", "-", "--mcp", "sh -c 'trap \"\" TERM INT; echo up >&2; while :; do sleep 1; done'", "--verbose")
	cmd.Stdin = strings.NewReader("text(1);")
	stderr, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewReader(stderr)
	for line := ""; !strings.HasSuffix(line, "up\n"); {
		if line, err = lines.ReadString('\n'); err != nil {
			t.Fatal(err)
		}
	}
	go func() {
		_, _ = io.Copy(io.Discard, lines)
		_ = cmd.Wait()
		ended <- cmd.ProcessState.ExitCode()
	}()
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case code := <-ended:
			if code != exitInterrupted {
				t.Errorf("exit code %d, want %d", code, exitInterrupted)
			}
			return
		case <-tick.C:
			_ = cmd.Process.Signal(syscall.SIGINT) // it may just have ended
		}
	}
}

// TestHostStopped wants a signal to end a code-mode host in the middle of a
// cell, and so the end of its input.
func TestHostStopped(t *testing.T) {
	for _, tt := range []struct {
		name string
		stop func(host *exec.Cmd, stdin io.Closer) error
		want int
	}{
		{"SIGTERM", func(host *exec.Cmd, _ io.Closer) error { return host.Process.Signal(syscall.SIGTERM) }, exitTerminated},
		{"SIGINT", func(host *exec.Cmd, _ io.Closer) error { return host.Process.Signal(syscall.SIGINT) }, exitInterrupted},
		{"end of input", func(_ *exec.Cmd, stdin io.Closer) error { return stdin.Close() }, exitDone},
	} {
		t.Run(tt.name, func(t *testing.T) {
			host := program(t, "codex-code-mode-host")
			stdin, err := host.StdinPipe()
			if err != nil {
				t.Fatal(err)
			}
			stdout, err := host.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := host.Start(); err != nil {
				t.Fatal(err)
			}
			client, err := codemode.Dial(t.Context(), pipes{stdin, stdout}, codemode.ClientOptions{})
			if err != nil {
				t.Fatal(err)
			}
			defer client.Close()
			session, err := client.OpenSession(t.Context(), &codemode.SessionOpen{SessionID: "s"}, echo{})
			if err != nil {
				t.Fatal(err)
			}
			yield := uint64(20)
			cell, err := session.Execute(t.Context(), &codemode.WireExecuteRequest{Source: "for (;;);", YieldTimeMs: &yield})
			if err != nil {
				t.Fatal(err)
			}
			if _, err := cell.Initial(t.Context()); err != nil {
				t.Fatal(err)
			}
			if err := tt.stop(host, stdin); err != nil {
				t.Fatal(err)
			}
			if code := exitCode(t, host); code != tt.want {
				t.Errorf("exit code %d, want %d", code, tt.want)
			}
		})
	}
}

// TestHostBrokenPipe wants a host to fail, and not to die by a signal, when its
// client reads no more.
func TestHostBrokenPipe(t *testing.T) {
	host := program(t, "codex-code-mode-host")
	stdin, err := host.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := host.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	var stderr strings.Builder
	host.Stderr = &stderr
	if err := host.Start(); err != nil {
		t.Fatal(err)
	}
	requests := codemode.NewFramedWriter(stdin, codemode.Base)
	if err := requests.WriteClientToHost(&codemode.ClientHello{SupportedVersions: codemode.SupportedProtocolVersions{codemode.V1}}); err != nil {
		t.Fatal(err)
	}
	if _, err := stdout.Read(make([]byte, 1)); err != nil {
		t.Fatal(err)
	}
	if err := stdout.Close(); err != nil {
		t.Fatal(err)
	}
	open := &codemode.OperationRequest{ID: 1, Request: &codemode.SessionOpen{SessionID: "s"}}
	if err := requests.WriteClientToHost(open); err != nil {
		t.Fatal(err)
	}
	if code := exitCode(t, host); code != exitFailed {
		t.Errorf("exit code %d, want %d", code, exitFailed)
	}
	if !strings.Contains(stderr.String(), "broken pipe") {
		t.Errorf("stderr: %q", stderr.String())
	}
}
