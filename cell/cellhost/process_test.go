package cellhost_test

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
)

// childHost is a host in a process of its own.
type childHost struct {
	*client
	cmd    *exec.Cmd
	stderr *bytes.Buffer
}

// spawn starts the test binary as a host.
func spawn(t *testing.T, detached int) *childHost {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self)
	cmd.Env = append(os.Environ(), childVariable+"="+strconv.Itoa(detached))
	stderr := &bytes.Buffer{}
	cmd.Stderr = stderr
	hostIn, in := pipe(t)
	out, hostOut := pipe(t)
	cmd.Stdin, cmd.Stdout = hostIn, hostOut
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	hostIn.Close()
	hostOut.Close()
	c := &client{t: t, in: in, out: out, done: make(chan struct{})}
	c.cond = sync.NewCond(&c.mu)
	reading := make(chan struct{})
	go func() {
		defer close(reading)
		c.read()
	}()
	go func() {
		defer close(c.done)
		c.err = cmd.Wait()
	}()
	t.Cleanup(func() {
		in.Close()
		_ = cmd.Process.Kill() // or it has ended
		<-c.done
		<-reading
		out.Close()
	})
	return &childHost{client: c, cmd: cmd, stderr: stderr}
}

// status waits for the end and returns the exit status.
func (c *childHost) status() int {
	c.t.Helper()
	var exit *exec.ExitError
	if err := c.end(); errors.As(err, &exit) {
		return exit.ExitCode()
	} else if err != nil {
		c.t.Fatal(err)
	}
	return 0
}

// Spec: codemode §8.8, as a parent sees it.
func TestExitStatus(t *testing.T) {
	for name, tc := range map[string]struct {
		end  func(c *childHost)
		want int
		text string
	}{
		"EOF": {func(c *childHost) { c.in.Close() }, 0, ""},
		"EOF under a busy loop": {func(c *childHost) {
			c.exec("s", `for(;;);`, `,"yield_time_ms":0`)
			c.await("Yielded")
			c.in.Close()
		}, 0, ""},
		"truncated frame": {func(c *childHost) { c.in.WriteString("\x05"); c.in.Close() }, 1, "Error: early eof"},
		"bad frame":       {func(c *childHost) { c.send("{") }, 1, "Error: failed to decode code-mode IPC frame"},
		"long frame": {func(c *childHost) { c.in.WriteString("\x01\x00\x00\x04") }, 1,
			"Error: code-mode IPC frame length 67108865 exceeds 67108864 bytes"},
		"duplicate id": {func(c *childHost) { c.lastID = 0; c.request(`{"method":"session/open","sessionId":"t"}`) }, 1,
			"Error: duplicate code-mode request ID RequestId(1)"},
		"broken pipe": {func(c *childHost) {
			c.stall()
			c.request(`{"method":"session/open","sessionId":"t"}`)
			c.out.Close()
			c.request(`{"method":"session/open","sessionId":"u"}`)
		}, 1, "broken pipe"},
	} {
		t.Run(name, func(t *testing.T) {
			c := spawn(t, 4)
			c.hello()
			c.open("s")
			tc.end(c)
			c.resume()
			status := c.status()
			if status != tc.want || !strings.Contains(c.stderr.String(), tc.text) {
				t.Errorf("status %d, want %d; standard error %q, want %q", status, tc.want, c.stderr, tc.text)
			}
		})
	}
}

func TestKilledHost(t *testing.T) {
	c := spawn(t, 4)
	c.hello()
	c.open("s")
	if err := c.cmd.Process.Signal(syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	if _, err := c.take(); err == nil {
		t.Error("a frame after the host's end")
	}
}
