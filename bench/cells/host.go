package cells

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"time"

	"github.com/berth-dev/berth/cell/codemode"
)

// Program is a code-mode host to measure.
type Program struct {
	Name    string
	Command []string         // program and arguments
	Dialect codemode.Dialect // what it speaks

	// Parallel are arguments that let two sessions compute side by side; nil if
	// they do without.
	Parallel []string
}

// host is a running Program, a client of it and one open session.
type host struct {
	cmd     *exec.Cmd
	stderr  *bytes.Buffer
	client  *codemode.Client
	session *codemode.Session
	opened  int           // sessions so far
	ready   time.Duration // from before the start of the process to the end of the handshake
}

// pipes are the two directions of a child's standard streams.
type pipes struct {
	io.WriteCloser
	io.Reader
}

func startHost(ctx context.Context, p Program, args ...string) (*host, error) {
	h := &host{cmd: exec.Command(p.Command[0], append(p.Command[1:len(p.Command):len(p.Command)], args...)...), stderr: new(bytes.Buffer)}
	h.cmd.Stderr = h.stderr
	stdin, err := h.cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	stdout, err := h.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	begun := time.Now()
	if err := h.cmd.Start(); err != nil {
		return nil, err
	}
	h.client, err = codemode.Dial(ctx, pipes{stdin, stdout}, codemode.ClientOptions{
		Dialect: p.Dialect, Liveness: -1,
	})
	h.ready = time.Since(begun)
	if err != nil {
		h.kill()
		return nil, fmt.Errorf("start %s: %w: %s", p.Name, err, strings.TrimSpace(h.stderr.String()))
	}
	if h.session, err = h.open(ctx); err != nil {
		h.stop()
		return nil, err
	}
	return h, nil
}

// open opens a further session.
func (h *host) open(ctx context.Context) (*codemode.Session, error) {
	h.opened++
	id := codemode.SessionID("bench-" + strconv.Itoa(h.opened))
	return h.client.OpenSession(ctx, &codemode.SessionOpen{SessionID: id}, tools{})
}

// stopGrace is how long a host may take to end after its input has.
const stopGrace = 10 * time.Second

// stop closes the connection and waits for the process.
func (h *host) stop() {
	h.client.Close()
	h.end(stopGrace)
}

func (h *host) kill() { h.end(0) }

// end ends the process, which gets some time to do so by itself. How it ends
// is not what is measured.
func (h *host) end(grace time.Duration) {
	late := time.AfterFunc(grace, func() { h.cmd.Process.Kill() })
	defer late.Stop()
	_ = h.cmd.Wait()
}

// tools answer each call of a cell with the same small object.
type tools struct{}

var answer = codemode.RawJSON(`{"ok":true,"n":1}`)

func (tools) InvokeTool(context.Context, *codemode.WireNestedToolCall) (codemode.RawJSON, error) {
	return answer, nil
}

func (tools) Notify(context.Context, *codemode.NotificationSend) error { return nil }

// longYield is how long a cell may compute before its first observation, in
// milliseconds: no figure takes that long.
const longYield = 120_000

func (h *host) execute(ctx context.Context, s *codemode.Session, source string, yield uint64) (*codemode.Cell, error) {
	return s.Execute(ctx, &codemode.WireExecuteRequest{
		ToolCallID: "bench", Source: source, YieldTimeMs: &yield,
		EnabledTools: []codemode.WireToolDefinition{{Name: "echo",
			ToolName: codemode.WireToolName{Name: "echo"}, Kind: codemode.FunctionTool}},
	})
}

// run has the session run a program to its end and returns its first text.
func (h *host) run(ctx context.Context, s *codemode.Session, source string) (string, error) {
	cell, err := h.execute(ctx, s, source, longYield)
	if err != nil {
		return "", err
	}
	r, err := cell.Initial(ctx)
	switch {
	case err != nil:
		return "", err
	case r.State != codemode.Result:
		return "", fmt.Errorf("state %d, want a result", r.State)
	case r.ErrorText != nil:
		return "", errors.New(*r.ErrorText)
	case len(r.ContentItems) == 0:
		return "", nil
	}
	return r.ContentItems[0].Text, nil
}

// want runs a program that must say so.
func (h *host) want(ctx context.Context, source, text string) error {
	got, err := h.run(ctx, h.session, source)
	if err == nil && got != text {
		err = fmt.Errorf("got %.40q, want %.40q", got, text)
	}
	return err
}

// park starts a cell that is still there when it has yielded.
func (h *host) park(ctx context.Context, source string) (*codemode.Cell, error) {
	cell, err := h.execute(ctx, h.session, source, 0)
	if err != nil {
		return nil, err
	}
	r, err := cell.Initial(ctx)
	if err == nil && r.State != codemode.Yielded {
		err = fmt.Errorf("state %d, want yielded", r.State)
	}
	return cell, err
}

// terminate ends a cell and waits until the host has forgotten it.
func terminate(ctx context.Context, cell *codemode.Cell) error {
	o, err := cell.Terminate(ctx)
	if err != nil {
		return err
	}
	if o.Missing || o.Response.State != codemode.Terminated {
		return fmt.Errorf("state %d, want terminated", o.Response.State)
	}
	select {
	case <-cell.Closed():
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// resident returns the resident memory of the process in MB of 10^6 bytes.
func (h *host) resident() (float64, error) {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", h.cmd.Process.Pid))
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(string(status)) {
		if rest, ok := strings.CutPrefix(line, "VmRSS:"); ok {
			kib, err := strconv.ParseFloat(strings.TrimSuffix(strings.TrimSpace(rest), " kB"), 64)
			return kib * 1024 / 1e6, err
		}
	}
	return 0, errors.New("no VmRSS in the status of the process")
}

// settled waits until the host's memory has not shrunk for so many ticks, and
// returns it.
func (h *host) settled(ctx context.Context, ticks int) (float64, error) {
	ticker := time.NewTicker(settleTick)
	defer ticker.Stop()
	least, err := h.resident()
	for still := 0; still < ticks && err == nil; still++ {
		select {
		case <-ticker.C:
		case <-ctx.Done():
			return 0, ctx.Err()
		}
		var now float64
		if now, err = h.resident(); now < least*0.99 {
			least, still = now, 0
		}
	}
	if err != nil {
		return 0, err
	}
	return h.resident()
}

const (
	settleTick  = 100 * time.Millisecond
	settleTicks = 15
)
