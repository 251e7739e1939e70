//go:build soak

package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/berth-dev/berth/cell/codemode"
)

var (
	soakFor  = flag.Duration("for", 10*time.Minute, "how long the soak test runs")
	soakHost = flag.String("berth", "../../bin/berth", "the `program` to soak")
	soakSeed = flag.Uint64("seed", uint64(time.Now().UnixNano()), "seed of the order of things")
)

const (
	soakUsers     = 8        // sessions at a time
	soakCells     = 200      // cells of a session before it is shut down
	soakIdleLimit = 96 << 20 // resident bytes of a host that has nothing to do
)

// soakCase is something that a user does with one cell, and what must come of it.
type soakCase struct {
	source string
	yield  uint64 // milliseconds
	check  func(ctx context.Context, c *codemode.Cell) error
}

func soakCases() []soakCase {
	return []soakCase{
		{"text(6 * 7);", 10_000, wantText("42", "")},
		{"text((await tools.echo({n: 3})).n);", 10_000, wantText("3", "")},
		{"const all = await Promise.all(Array.from({length: 100}, (_, n) => tools.echo({n}))); text(all.reduce((a, b) => a + b.n, 0));",
			10_000, wantText("4950", "")},
		{"store('k', (load('k') ?? []).slice(-50).concat(['x'.repeat(1000)])); text(load('k').at(-1).length);", 10_000, wantText("1000", "")},
		{"await new Promise((done) => setTimeout(done, 5)); text('late');", 10_000, wantText("late", "")},
		{"throw new TypeError('no');", 10_000, wantText("", "TypeError: no")},
		{"for (const hoard = [];;) hoard.push('x'.repeat(1 << 20) + hoard.length);", 10_000, wantText("", "RangeError: cell memory limit")},
		{"(function f() { f(); })();", 10_000, wantText("", "RangeError: Maximum call stack size exceeded")},
		{"text('x'.repeat(1 << 20));", 10_000, wantText(strings.Repeat("x", 1<<20), "")},
		{"text(JSON.stringify(Array.from({length: 1e5}, (_, n) => ({n}))).length);", 30_000, wantText("1188891", "")},
		{"for (;;);", 20, terminated},
		{"await new Promise(() => {});", 20, terminated},
	}
}

// wantText wants the cell to end with one text, or none, and an error text that
// begins as given.
func wantText(text, failure string) func(context.Context, *codemode.Cell) error {
	return func(ctx context.Context, c *codemode.Cell) error {
		r, err := c.Initial(ctx)
		for err == nil && r.State == codemode.Yielded && len(r.ContentItems) == 0 {
			var o *codemode.WireWaitOutcome
			if o, err = c.Wait(ctx, 10_000); err == nil {
				r = &o.Response
			}
		}
		if err != nil {
			return err
		}
		var got bytes.Buffer
		for _, item := range r.ContentItems {
			got.WriteString(item.Text)
		}
		failed := ""
		if r.ErrorText != nil {
			failed = *r.ErrorText
		}
		if r.State != codemode.Result || got.String() != text || !strings.HasPrefix(failed, failure) || failed != "" && failure == "" {
			return fmt.Errorf("state %v, %d bytes %.40q, error text %.80q", r.State, got.Len(), got.String(), failed)
		}
		return nil
	}
}

// terminated wants the cell to yield, and to stop when told to.
func terminated(ctx context.Context, c *codemode.Cell) error {
	r, err := c.Initial(ctx)
	if err != nil {
		return err
	}
	if r.State != codemode.Yielded {
		return fmt.Errorf("state %v, want yielded", r.State)
	}
	o, err := c.Terminate(ctx)
	if err == nil && o.Response.State != codemode.Terminated {
		err = fmt.Errorf("state %v, want terminated", o.Response.State)
	}
	return err
}

// TestSoak has users come and go at one host for a long time: every answer must
// be right, and at the end the host must be as small as when it was young.
func TestSoak(t *testing.T) {
	t.Logf("-seed %d", *soakSeed)
	host := exec.CommandContext(t.Context(), *soakHost, "cell", "host", "--cell-memory", "64MiB")
	host.Stderr = os.Stderr
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
	deadline, cancel := context.WithTimeout(t.Context(), *soakFor)
	defer cancel()
	var users sync.WaitGroup
	for user := range soakUsers {
		users.Go(func() { soakUser(t, deadline, client, uint64(user)) })
	}
	users.Wait()
	resident := residentBytes(t, host.Process.Pid)
	t.Logf("resident after the last session: %d MiB", resident>>20)
	if resident > soakIdleLimit {
		t.Errorf("resident: %d bytes, limit %d", resident, int64(soakIdleLimit))
	}
	if err := client.Close(); err != nil {
		t.Error(err)
	}
	if err := host.Wait(); err != nil {
		t.Error(err)
	}
}

// soakUser opens one session after the other until the deadline.
func soakUser(t *testing.T, deadline context.Context, client *codemode.Client, user uint64) {
	random := rand.New(rand.NewPCG(*soakSeed, user))
	cases := soakCases()
	for round := 0; deadline.Err() == nil; round++ {
		id := codemode.SessionID(fmt.Sprintf("user-%d-%d", user, round))
		session, err := client.OpenSession(t.Context(), &codemode.SessionOpen{SessionID: id}, echo{})
		if err != nil {
			t.Errorf("open %s: %v", id, err)
			return
		}
		for n := 0; n < soakCells && deadline.Err() == nil; n++ {
			c := cases[random.IntN(len(cases))]
			if err := soakCell(t.Context(), session, c); err != nil {
				t.Errorf("%s, cell %d, %.60q: %v", id, n+1, c.source, err)
				return
			}
		}
		if err := session.Shutdown(t.Context()); err != nil {
			t.Errorf("shut down %s: %v", id, err)
			return
		}
	}
}

func soakCell(ctx context.Context, session *codemode.Session, c soakCase) error {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Minute)
	defer cancel()
	name := "echo"
	cell, err := session.Execute(ctx, &codemode.WireExecuteRequest{
		EnabledTools: []codemode.WireToolDefinition{{Name: name, ToolName: codemode.WireToolName{Name: name}, Kind: codemode.FunctionTool}},
		Source:       c.source,
		YieldTimeMs:  &c.yield,
	})
	if err != nil {
		return err
	}
	return errors.Join(c.check(ctx, cell), awaitClosed(ctx, cell))
}

func awaitClosed(ctx context.Context, c *codemode.Cell) error {
	select {
	case <-c.Closed():
		return nil
	case <-ctx.Done():
		return fmt.Errorf("wait for the cell's end: %w", ctx.Err())
	}
}

// residentBytes asks ps, which Linux and macOS both have.
func residentBytes(t *testing.T, pid int) int64 {
	t.Helper()
	out, err := exec.Command("ps", "-o", "rss=", "-p", strconv.Itoa(pid)).Output()
	if err != nil {
		t.Fatal(err)
	}
	kilobytes, err := strconv.ParseInt(strings.TrimSpace(string(out)), 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return kilobytes << 10
}
