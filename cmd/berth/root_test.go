package main

import (
	"errors"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"testing"
)

// full is an output that takes nothing.
type full struct{}

func (full) Write([]byte) (int, error) { return 0, syscall.ENOSPC }
func (full) Close() error              { return nil }

// Whatever is lost on standard output is a failure, help too.
func TestFullOutput(t *testing.T) {
	for _, line := range []string{"", "--help", "help version", "version", "version --json", "completion bash", "--version"} {
		env := testEnv(strings.Fields(line)...)
		var stderr strings.Builder
		env.Stdout, env.Stderr = full{}, &stderr
		if code := run(t.Context(), env); code != exitFailed || !strings.Contains(stderr.String(), syscall.ENOSPC.Error()) {
			t.Errorf("berth %s: exit code %d, want %d; stderr %q", line, code, exitFailed, stderr.String())
		}
	}
}

// raise sends a signal to this process, and returns when it has come.
func raise(t *testing.T, s syscall.Signal) {
	t.Helper()
	came := make(chan os.Signal, 1)
	signal.Notify(came, s)
	defer signal.Stop(came)
	if err := syscall.Kill(syscall.Getpid(), s); err != nil {
		t.Fatal(err)
	}
	<-came
}

// An interruption ends the waiting for a program, and nothing of it is run: also
// when the end of the input came with it.
func TestInterruptedInput(t *testing.T) {
	silent, end := io.Pipe()
	for name, input := range map[string]io.Reader{"waiting": silent, "at its end": strings.NewReader("text(1)")} {
		ctx, settle, stop := interruptible(t.Context())
		env := testEnv("cell", "run", "-", "--json")
		var stdout strings.Builder
		env.Stdin, env.Stdout, env.Settle = io.NopCloser(input), discard{&stdout}, settle
		raise(t, syscall.SIGTERM)
		code := run(ctx, env)
		stop()
		if want := `{"schema":1,"event":"end","status":"terminated","wall_ms":0}` + "\n"; code != exitTerminated || stdout.String() != want {
			t.Errorf("%s: exit code %d, want %d; stdout %q", name, code, exitTerminated, stdout.String())
		}
	}
	_ = end.Close()
}

// A server whose input ends at a signal was ended by the signal, every time.
func TestSignalAtTheEndOfInput(t *testing.T) {
	for range 20 {
		ctx, settle, stop := interruptible(t.Context())
		env := testEnv("demo-mcp")
		env.Settle = settle
		raise(t, syscall.SIGINT)
		err := env.interrupted(ctx)
		stop()
		if stopped, ok := errors.AsType[interruption](err); !ok || stopped.code() != exitInterrupted {
			t.Fatalf("interrupted by %v", err)
		}
	}
}
