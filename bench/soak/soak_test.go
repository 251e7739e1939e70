//go:build soak

package soak_test

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/berth-dev/berth/cell/codemode"
)

var (
	duration = flag.Duration("for", 10*time.Minute, "how long the tests run, together")
	program  = flag.String("berth", "../../bin/berth", "the `program` to soak")
	seed     = flag.Uint64("seed", uint64(time.Now().UnixNano()), "seed of the order of things")
)

const (
	users        = 8               // sessions at a time
	sessionCells = 100             // cells of a session before it is shut down
	epochs       = 8               // after each the host must be as small as before
	patience     = 2 * time.Minute // with what should take milliseconds
)

// TestUsers has users come and go at one host for a long time: every answer must
// be right, and whenever all have left, the host must have all that it had.
func TestUsers(t *testing.T) {
	t.Logf("-seed %d", *seed)
	h := startHost(t, "--cell-memory", cellMemory, "--memory", hostMemory)
	var sizes []int64
	for epoch := range epochs {
		ctx, cancel := context.WithTimeout(t.Context(), *duration*2/3/epochs)
		var running sync.WaitGroup
		for user := range users {
			running.Go(func() { comeAndGo(t, ctx, h.client, epoch, user) })
		}
		running.Wait()
		cancel()
		if err := whole(t.Context(), h, fmt.Sprintf("whole-%d", epoch)); err != nil {
			t.Fatalf("epoch %d: the host is not whole: %v", epoch, err)
		}
		size, err := settled(t.Context(), h.cmd.Process.Pid)
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("epoch %d: %d MiB resident", epoch, size>>20)
		sizes = append(sizes, size)
	}
	if most := slices.Max(sizes); most > mostIdle {
		t.Errorf("resident: %d bytes, limit %d", most, mostIdle)
	}
	// The first epoch makes the engine's pool and the heap what they will be.
	early, late := sizes[1:epochs/2], sizes[epochs/2:]
	if grown := slices.Min(late) - slices.Max(early); grown > 4<<20 {
		t.Errorf("the host grew by %d bytes: %d", grown, sizes)
	}
	fewGoroutines(t, h)
}

// comeAndGo opens one session after the other until ctx ends. The last cells of
// a session are still live when it is shut down.
func comeAndGo(t *testing.T, ctx context.Context, client *codemode.Client, epoch, user int) {
	random := rand.New(rand.NewPCG(*seed, uint64(epoch*users+user)))
	all := cases()
	for round := 0; ctx.Err() == nil; round++ {
		id := codemode.SessionID(fmt.Sprintf("user-%d-%d-%d", epoch, user, round))
		session, err := client.OpenSession(t.Context(), &codemode.SessionOpen{SessionID: id}, echo{})
		if err != nil {
			t.Errorf("open %s: %v", id, err)
			return
		}
		for n := 0; n < sessionCells && ctx.Err() == nil; n++ {
			c := all[random.IntN(len(all))]
			if err := c.run(t.Context(), session); err != nil {
				t.Errorf("%s, cell %d, %.60q: %v", id, n+1, c.source, err)
				return
			}
		}
		if err := leaveLive(t.Context(), session); err != nil {
			t.Errorf("shut down %s: %v", id, err)
			return
		}
	}
}

// leaveLive shuts a session down that has a busy and a waiting cell.
func leaveLive(ctx context.Context, s *codemode.Session) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	for _, source := range []string{"for (;;);", "await new Promise(() => {});"} {
		cell, err := start(ctx, s, source, 0)
		if err == nil {
			_, err = cell.Initial(ctx)
		}
		if err != nil {
			return err
		}
	}
	return s.Shutdown(ctx)
}

// start starts a cell that may call echo; yield is in milliseconds.
func start(ctx context.Context, s *codemode.Session, source string, yield uint64) (*codemode.Cell, error) {
	const name = "echo"
	return s.Execute(ctx, &codemode.WireExecuteRequest{
		EnabledTools: []codemode.WireToolDefinition{{Name: name, ToolName: codemode.WireToolName{Name: name}, Kind: codemode.FunctionTool}},
		Source:       source,
		YieldTimeMs:  &yield,
	})
}

func awaitClosed(ctx context.Context, c *codemode.Cell) error {
	select {
	case <-c.Closed():
		return nil
	case <-ctx.Done():
		return fmt.Errorf("wait for the cell's end: %w", ctx.Err())
	}
}

// echo answers each tool call with its input.
type echo struct{}

func (echo) InvokeTool(_ context.Context, call *codemode.WireNestedToolCall) (codemode.RawJSON, error) {
	return call.Input, nil
}

func (echo) Notify(context.Context, *codemode.NotificationSend) error { return nil }
