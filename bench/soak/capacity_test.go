//go:build soak

package soak_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"syscall"
	"testing"
	"time"

	"regexp"

	"github.com/berth-dev/berth/cell/codemode"
)

const (
	hostMemory = "640MiB" // all users can have a cell that takes all it may
	cellMemory = "64MiB"
	hoarders   = 10  // cells that hold most of their memory, and together most of the host's
	cellSlots  = 128 // §10.2
	callWindow = 100 // §10.2

	mostIdle       = 128 << 20 // resident bytes of a host that has nothing to do; garbage is collected every 2 minutes
	mostGoroutines = 40        // of such a host
)

// whole shows that a host without sessions has all that it had when it was new:
// every slot for a cell, every byte of memory to give to cells, every place in
// the window of calls.
func whole(ctx context.Context, h *host, name string) error {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Minute)
	defer cancel()
	gate := &gate{open: make(chan struct{})}
	s, err := h.client.OpenSession(ctx, &codemode.SessionOpen{SessionID: codemode.SessionID(name)}, gate)
	if err != nil {
		return err
	}
	return errors.Join(allSlots(ctx, s), allMemory(ctx, s), allCalls(ctx, s, gate), s.Shutdown(ctx))
}

// allSlots has as many cells at once as a host allows.
func allSlots(ctx context.Context, s *codemode.Session) error {
	var cells []*codemode.Cell
	for n := range cellSlots {
		cell, err := start(ctx, s, `await new Promise(() => {});`, 0)
		if err != nil {
			return fmt.Errorf("cell %d of %d at once: %w", n+1, cellSlots, err)
		}
		cells = append(cells, cell)
	}
	for _, cell := range cells {
		if err := terminated(ctx, cell); err != nil {
			return err
		}
		if err := awaitClosed(ctx, cell); err != nil {
			return err
		}
	}
	return nil
}

// allMemory has cells hold most of the host's memory at the same time.
func allMemory(ctx context.Context, s *codemode.Session) error {
	var cells []*codemode.Cell
	for n := range hoarders {
		cell, err := start(ctx, s, `const held = []; for (let n = 0; n < 56; n++) held.push(new Uint8Array(1 << 20).fill(n));
text(held.length); yield_control(); await new Promise(() => {}); held.length;`, 60_000)
		if err != nil {
			return err
		}
		cells = append(cells, cell)
		r, err := cell.Initial(ctx)
		if err != nil {
			return err
		}
		if r.State != codemode.Yielded {
			return fmt.Errorf("hoarder %d of %d: state %v, error text %q", n+1, hoarders, r.State, failure(r))
		}
	}
	for _, cell := range cells {
		if _, err := cell.Terminate(ctx); err != nil {
			return err
		}
		if err := awaitClosed(ctx, cell); err != nil {
			return err
		}
	}
	return nil
}

// allCalls has a cell make as many calls as the window holds; none is answered
// before all have arrived.
func allCalls(ctx context.Context, s *codemode.Session, g *gate) error {
	cell, err := start(ctx, s, fmt.Sprintf(`const all = await Promise.all(Array.from({length: %d}, (_, n) => tools.echo({n})));
text(all.length);`, callWindow), 60_000)
	if err != nil {
		return err
	}
	if err := wantText(fmt.Sprint(callWindow), "")(ctx, cell); err != nil {
		return fmt.Errorf("%d calls at once, %d arrived: %w", callWindow, g.waiting(), err)
	}
	return awaitClosed(ctx, cell)
}

// gate answers calls once callWindow of them are there.
type gate struct {
	echo
	open chan struct{}

	mu    sync.Mutex
	calls int
}

func (g *gate) waiting() int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.calls
}

func (g *gate) InvokeTool(ctx context.Context, call *codemode.WireNestedToolCall) (codemode.RawJSON, error) {
	g.mu.Lock()
	if g.calls++; g.calls == callWindow {
		close(g.open)
	}
	g.mu.Unlock()
	select {
	case <-g.open:
		return call.Input, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// fewGoroutines ends a host that has nothing to do, for a list of its goroutines.
func fewGoroutines(t *testing.T, h *host) {
	t.Helper()
	if err := h.cmd.Process.Signal(syscall.SIGQUIT); err != nil {
		t.Fatal(err)
	}
	if err := h.ends(); err != nil {
		t.Fatal(err)
	}
	dump := h.stderr.String()
	n := len(regexp.MustCompile(`(?m)^goroutine \d+ `).FindAllString(dump, -1))
	t.Logf("goroutines of the idle host: %d", n)
	if n == 0 || n > mostGoroutines {
		t.Errorf("%d goroutines, want 1 to %d:\n%s", n, mostGoroutines, dump)
	}
}
