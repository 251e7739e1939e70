//go:build soak

package soak_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/berth-dev/berth/cell/codemode"
)

// host is a `berth cell host` and a client of it.
type host struct {
	cmd    *exec.Cmd
	client *codemode.Client
	stderr *tail
	exited chan struct{} // closed when state is set
	state  *os.ProcessState
}

type pipes struct {
	io.WriteCloser
	io.Reader
}

func startHost(t *testing.T, args ...string) *host {
	t.Helper()
	h := &host{cmd: exec.Command(*program, append([]string{"cell", "host"}, args...)...),
		stderr: new(tail), exited: make(chan struct{})}
	h.cmd.Stderr = h.stderr
	stdin, err := h.cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, stdoutEnd, err := os.Pipe() // Wait must not close what the client reads
	if err != nil {
		t.Fatal(err)
	}
	h.cmd.Stdout = stdoutEnd
	if err := h.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	stdoutEnd.Close()
	go func() { // ends with the process, which stop waits for
		_ = h.cmd.Wait()
		h.state = h.cmd.ProcessState
		close(h.exited)
	}()
	h.client, err = codemode.Dial(t.Context(), pipes{stdin, stdout}, codemode.ClientOptions{})
	if err != nil {
		t.Fatalf("%v: %s", err, h.stderr)
	}
	t.Cleanup(func() {
		h.client.Close()
		h.cmd.Process.Kill()
		<-h.exited
	})
	return h
}

// ends waits for the end of the process.
func (h *host) ends() error {
	select {
	case <-h.exited:
		return nil
	case <-time.After(patience):
		return fmt.Errorf("host %d has not ended after %v: %s", h.cmd.Process.Pid, patience, h.stderr)
	}
}

// tail keeps the last of what is written to it.
type tail struct {
	mu   sync.Mutex
	kept []byte
}

const tailSize = 4 << 20

func (t *tail) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.kept = append(t.kept, b...)
	t.kept = t.kept[max(0, len(t.kept)-tailSize):]
	return len(b), nil
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return string(bytes.TrimSpace(t.kept))
}

// resident asks ps, which Linux and macOS both have, for the bytes that a
// process has in memory.
func resident(pid int) (int64, error) {
	out, err := exec.Command("ps", "-o", "rss=", "-p", strconv.Itoa(pid)).Output()
	if err != nil {
		return 0, fmt.Errorf("ask ps for %d: %w", pid, err)
	}
	kilobytes, err := strconv.ParseInt(strings.TrimSpace(string(out)), 10, 64)
	return kilobytes << 10, err
}

// settled is the least that a process has in memory within a few seconds.
func settled(ctx context.Context, pid int) (int64, error) {
	ticks := time.NewTicker(200 * time.Millisecond)
	defer ticks.Stop()
	least, err := resident(pid)
	for range 15 {
		select {
		case <-ticks.C:
		case <-ctx.Done():
			return 0, ctx.Err()
		}
		now, failed := resident(pid)
		if failed != nil {
			return 0, failed
		}
		least = min(least, now)
	}
	return least, err
}

// children lists the processes that a process has started.
func children(pid int) ([]int, error) {
	out, err := exec.Command("ps", "-A", "-o", "pid=,ppid=,stat=").Output()
	if err != nil {
		return nil, fmt.Errorf("ask ps for children: %w", err)
	}
	var found []int
	for line := range strings.Lines(string(out)) {
		var child, parent int
		var stat string
		if _, err := fmt.Sscan(line, &child, &parent, &stat); err == nil && parent == pid {
			found = append(found, child)
		}
	}
	return found, nil
}

// gone waits until none of the processes is there any more.
func gone(pids []int) error {
	deadline := time.NewTimer(patience)
	defer deadline.Stop()
	ticks := time.NewTicker(20 * time.Millisecond)
	defer ticks.Stop()
	for {
		var left []int
		for _, pid := range pids {
			out, err := exec.Command("ps", "-o", "stat=", "-p", strconv.Itoa(pid)).Output()
			if err == nil && !strings.HasPrefix(strings.TrimSpace(string(out)), "Z") {
				left = append(left, pid)
			}
		}
		if len(left) == 0 {
			return nil
		}
		select {
		case <-ticks.C:
		case <-deadline.C:
			return fmt.Errorf("processes %v have not ended after %v", left, patience)
		}
	}
}
