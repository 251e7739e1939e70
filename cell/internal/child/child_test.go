package child_test

import (
	"context"
	"errors"
	"os"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/berth-dev/berth/cell/codemode"
	"github.com/berth-dev/berth/cell/internal/child"
	"github.com/berth-dev/berth/cell/internal/hosttest"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) {
	hosttest.Main(map[string]func([]string) int{
		"dies":  func([]string) int { _, _ = os.Stderr.WriteString("no memory\n"); return 4 },
		"mute":  func([]string) int { _, _ = os.Stdin.Read(make([]byte, 1000)); <-time.After(time.Hour); return 0 },
		"print": func(env []string) int { _, _ = os.Stderr.WriteString(strings.Join(os.Environ(), " ")); return 1 },
	})
	goleak.VerifyTestMain(m)
}

func pool(t *testing.T, role string) *child.Pool {
	t.Helper()
	p := child.New(child.Options{Args: []string{role}})
	t.Cleanup(p.Close)
	return p
}

type delegate struct{}

func (delegate) InvokeTool(context.Context, *codemode.WireNestedToolCall) (codemode.RawJSON, error) {
	return nil, errors.New("no tools")
}
func (delegate) Notify(context.Context, *codemode.NotificationSend) error { return nil }

func acquire(t *testing.T, p *child.Pool) *child.Host {
	t.Helper()
	h, err := p.Acquire(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// run runs a program on a host and returns its output.
func run(t *testing.T, h *child.Host, session codemode.SessionID, source string) (string, error) {
	t.Helper()
	s, err := h.Client.OpenSession(t.Context(), &codemode.SessionOpen{SessionID: session}, delegate{})
	if err != nil {
		return "", err
	}
	cell, err := s.Execute(t.Context(), &codemode.WireExecuteRequest{Source: source})
	if err != nil {
		return "", err
	}
	seen, err := cell.Initial(t.Context())
	if err != nil {
		return "", err
	}
	var out []string
	for _, item := range seen.ContentItems {
		out = append(out, item.Text)
	}
	return strings.Join(out, ""), nil
}

func TestOneHostForAll(t *testing.T) {
	p := pool(t, hosttest.HostRole)
	var mu sync.Mutex
	seen := map[*child.Host]bool{}
	var users sync.WaitGroup
	for range 8 {
		users.Go(func() {
			h, err := p.Acquire(t.Context())
			if err != nil {
				t.Error(err)
				return
			}
			mu.Lock()
			seen[h] = true
			mu.Unlock()
			h.Release()
		})
	}
	users.Wait()
	if len(seen) != 1 {
		t.Errorf("%d hosts", len(seen))
	}
	if out, err := run(t, acquire(t, p), "s", "text(6*7)"); err != nil || out != "42" {
		t.Errorf("got %q %v", out, err)
	}
}

func TestDeadHostIsReplaced(t *testing.T) {
	p := pool(t, hosttest.HostRole)
	h := acquire(t, p)
	if err := syscall.Kill(h.PID(), syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	<-h.Client.Done()
	_, err := run(t, h, "s", "")
	if err = h.Death(err); err == nil || err.Error() != "code-mode host died: signal: killed" {
		t.Errorf("got %v", err)
	}
	h.Release()
	next := acquire(t, p)
	if next.Generation != 2 {
		t.Errorf("generation %d", next.Generation)
	}
	if out, err := run(t, next, "s", "text(1)"); err != nil || out != "1" {
		t.Errorf("got %q %v", out, err)
	}
	next.Release()
}

func TestRetiredHostServesItsUsers(t *testing.T) {
	p := pool(t, hosttest.HostRole)
	old := acquire(t, p)
	old.Retire()
	next := acquire(t, p)
	if next == old || next.Generation != 2 {
		t.Fatalf("the retired host was handed out again")
	}
	if out, err := run(t, old, "s", "text(1)"); err != nil || out != "1" {
		t.Errorf("old host: %q %v", out, err)
	}
	old.Release()
	<-old.Client.Done() // its last user has gone
	if out, err := run(t, next, "s", "text(2)"); err != nil || out != "2" {
		t.Errorf("new host: %q %v", out, err)
	}
	next.Release()
}

func TestHostThatDoesNotStart(t *testing.T) {
	for role, want := range map[string]string{"dies": "(exit status 4: no memory)"} {
		if _, err := pool(t, role).Acquire(t.Context()); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", role, err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := pool(t, "mute").Acquire(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("mute: %v", err)
	}
	p := child.New(child.Options{Path: "/no/such/host"})
	defer p.Close()
	if _, err := p.Acquire(t.Context()); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("missing: %v", err)
	}
}

func TestHostSeesNoSecrets(t *testing.T) {
	t.Setenv("API_TOKEN", "hunter2")
	t.Setenv("TZ", "Asia/Tokyo")
	_, err := pool(t, "print").Acquire(t.Context())
	if err == nil || strings.Contains(err.Error(), "hunter2") || !strings.Contains(err.Error(), "TZ=Asia/Tokyo") {
		t.Errorf("got %v", err)
	}
}

func TestClosedPool(t *testing.T) {
	p := pool(t, hosttest.HostRole)
	h := acquire(t, p)
	p.Close()
	if h.Client.Err() == nil {
		t.Error("the host lives")
	}
	if _, err := p.Acquire(t.Context()); err == nil {
		t.Error("a closed pool started a host")
	}
}
