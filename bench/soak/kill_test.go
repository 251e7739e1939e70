//go:build soak

package soak_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"syscall"
	"testing"
	"time"

	"github.com/berth-dev/berth/cell/codemode"
)

// ending is a way in which a host comes to its end.
type ending struct {
	name string
	end  func(h *host) error
	code int // exit status; -1 for a signal
}

func endings() []ending {
	signal := func(s syscall.Signal) func(*host) error {
		return func(h *host) error { return h.cmd.Process.Signal(s) }
	}
	return []ending{
		{"killed", signal(syscall.SIGKILL), -1},
		{"terminated", signal(syscall.SIGTERM), 143},
		{"left by its client", func(h *host) error { return h.client.Close() }, 0},
	}
}

// TestKills ends host after host at work, with and without child hosts. A
// client is told, everything it waits for comes to an end, and no process is
// left behind.
func TestKills(t *testing.T) {
	t.Logf("-seed %d", *seed)
	random := rand.New(rand.NewPCG(*seed, 0))
	ways := endings()
	killed := 0
	for deadline := time.Now().Add(*duration / 3); time.Now().Before(deadline) && !t.Failed(); killed++ {
		var args []string
		if random.IntN(2) == 0 {
			args = []string{"--workers", "2"}
		}
		way := ways[random.IntN(len(ways))]
		t.Run(fmt.Sprintf("%s %v", way.name, args), func(t *testing.T) { endAtWork(t, way, args, random) })
	}
	t.Logf("hosts ended: %d", killed)
}

func endAtWork(t *testing.T, way ending, args []string, random *rand.Rand) {
	h := startHost(t, args...)
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	waits := make(chan error, 8)
	for n := range cap(waits) {
		id := codemode.SessionID(fmt.Sprint("doomed-", n))
		s, err := h.client.OpenSession(ctx, &codemode.SessionOpen{SessionID: id}, echo{})
		if err != nil {
			t.Fatal(err)
		}
		if err := (useCase{"text(6 * 7);", 10_000, wantText("42", "")}).run(ctx, s); err != nil {
			t.Fatal(err)
		}
		busy := []string{"for (;;);", "await new Promise(() => {});", "for (;;) await tools.echo({n: 1});"}[random.IntN(3)]
		cell, err := start(ctx, s, busy, 60_000)
		if err != nil {
			t.Fatal(err)
		}
		go func() { // ends with the connection, which endAtWork waits for
			_, err := cell.Initial(ctx)
			waits <- err
		}()
	}
	pids, err := children(h.cmd.Process.Pid)
	if err != nil {
		t.Fatal(err)
	}
	if want := len(args); len(pids) != want { // "--workers", "2"
		t.Errorf("%d child hosts, want %d", len(pids), want)
	}
	if err := way.end(h); err != nil {
		t.Fatal(err)
	}
	for range cap(waits) {
		if err := <-waits; codemode.CodeOf(err) != codemode.CodeClosed {
			t.Errorf("a wait ended with %v, want %v", err, codemode.CodeClosed)
		}
	}
	if err := errors.Join(h.ends(), gone(pids)); err != nil {
		t.Fatal(err)
	}
	if got := h.state.ExitCode(); got != way.code {
		t.Errorf("exit status %d, want %d: %s", got, way.code, h.stderr)
	}
}
