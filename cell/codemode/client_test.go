package codemode_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"github.com/berth-dev/berth/cell/codemode"
	"github.com/berth-dev/berth/conformance"
)

// delegate is a Delegate made of functions; one that is missing answers null.
type delegate struct {
	tool   func(context.Context, *codemode.WireNestedToolCall) (codemode.RawJSON, error)
	notify func(context.Context, *codemode.NotificationSend) error
}

func (d *delegate) InvokeTool(ctx context.Context, call *codemode.WireNestedToolCall) (codemode.RawJSON, error) {
	if d.tool == nil {
		return nil, nil
	}
	return d.tool(ctx, call)
}

func (d *delegate) Notify(ctx context.Context, n *codemode.NotificationSend) error {
	if d.notify == nil {
		return nil
	}
	return d.notify(ctx, n)
}

// dial connects a client to a scripted host.
func dial(t *testing.T, options codemode.ClientOptions) (*codemode.Client, *peer) {
	t.Helper()
	client, host := memory()
	p := newPeer(t, host)
	var spoken sync.WaitGroup
	spoken.Go(func() { p.hear(helloText); p.say(readyText) })
	c, err := codemode.Dial(t.Context(), client, options)
	if err != nil {
		t.Fatal(err)
	}
	spoken.Wait()
	t.Cleanup(func() { _ = c.Close() })
	return c, p
}

// async runs f in a goroutine and returns a function that waits for its result.
func async[T any](f func() (T, error)) func() (T, error) {
	type result struct {
		value T
		err   error
	}
	done := make(chan result, 1)
	go func() { v, err := f(); done <- result{v, err} }()
	return func() (T, error) { r := <-done; return r.value, r.err }
}

// openSession opens session s as request 1.
func openSession(t *testing.T, c *codemode.Client, p *peer, d codemode.Delegate) *codemode.Session {
	t.Helper()
	wait := async(func() (*codemode.Session, error) {
		return c.OpenSession(t.Context(), &codemode.SessionOpen{SessionID: "s"}, d)
	})
	p.hear(request(1, openBody))
	p.say(okResponse(1, readyValue))
	s, err := wait()
	if err != nil {
		t.Fatal(err)
	}
	return s
}

const executeText = `{"method":"session/execute","sessionId":"s","request":{"tool_call_id":"c","enabled_tools":[],"source":"","yield_time_ms":null,"max_output_tokens":null}}`

// executeCell starts cell 1 as request 2.
func executeCell(t *testing.T, s *codemode.Session, p *peer) *codemode.Cell {
	t.Helper()
	wait := async(func() (*codemode.Cell, error) {
		return s.Execute(t.Context(), &codemode.WireExecuteRequest{ToolCallID: "c"})
	})
	p.hear(request(2, executeText))
	p.say(okResponse(2, startedValue))
	cell, err := wait()
	if err != nil {
		t.Fatal(err)
	}
	return cell
}

func live(state, rest string) string {
	return fmt.Sprintf(`{"type":"wait/completed","outcome":{"LiveCell":{"%s":{"cell_id":"1","content_items":[]%s}}}}`, state, rest)
}

// TestGoldenClient replays §21 against a scripted host.
func TestGoldenClient(t *testing.T) {
	client, host := memory()
	p := newPeer(t, host)
	done := async(func() (struct{}, error) {
		for _, step := range conformance.LoadTranscript(t, "codemode/golden") {
			switch {
			case step.From == "host":
				p.say(step.Text)
			case step.Text == "":
				p.hearEnd()
			default:
				p.hear(step.Text)
			}
		}
		return struct{}{}, nil
	})
	c, err := codemode.Dial(t.Context(), client, codemode.ClientOptions{Dialect: codemode.Base})
	if err != nil {
		t.Fatal(err)
	}
	s, err := c.OpenSession(t.Context(), &codemode.SessionOpen{SessionID: "thread-7"}, &delegate{
		tool: func(_ context.Context, call *codemode.WireNestedToolCall) (codemode.RawJSON, error) {
			want := &codemode.WireNestedToolCall{CellID: "1", RuntimeToolCallID: "tool-1", ToolName: codemode.WireToolName{Name: "read_note"},
				ToolKind: codemode.FunctionTool, Input: codemode.RawJSON(`{"id":3}`)}
			if diff := cmp.Diff(want, call); diff != "" {
				t.Error(diff)
			}
			return codemode.RawJSON(` { "title" : "Groceries" } `), nil
		}})
	if err != nil {
		t.Fatal(err)
	}
	namespace, yield := "mcp__lab__", uint64(2500)
	cell, err := s.Execute(t.Context(), &codemode.WireExecuteRequest{ToolCallID: "call_ab12", EnabledTools: []codemode.WireToolDefinition{
		{Name: "read_note", ToolName: codemode.WireToolName{Name: "read_note"}, Description: "Reads one note.", Kind: codemode.FunctionTool,
			InputSchema: codemode.RawJSON(`{"type":"object","properties":{"id":{"type":"integer"}}}`)},
		{Name: "mcp__lab__run-sql", ToolName: codemode.WireToolName{Name: "run-sql", Namespace: &namespace}, Description: "Runs a statement.",
			Kind: codemode.FreeformTool, OutputSchema: codemode.RawJSON(`{"type":"string"}`)},
	}, Source: "const n = await tools.read_note({id: 3});\ntext(n.title);\n", YieldTimeMs: &yield})
	if err != nil {
		t.Fatal(err)
	}
	r, err := cell.Initial(t.Context())
	want := &codemode.WireRuntimeResponse{State: codemode.Result, CellID: "1", ContentItems: []codemode.WireContentItem{{Type: codemode.InputText, Text: "Groceries"}}}
	if diff := cmp.Diff(want, r); diff != "" || err != nil {
		t.Error(diff, err)
	}
	<-cell.Closed()
	if err := s.Shutdown(t.Context()); err != nil {
		t.Error(err)
	}
	if err := c.Close(); err != nil {
		t.Error(err)
	}
	if _, err := done(); err != nil {
		t.Error(err)
	}
}

// TestViolations checks every row of §13.
func TestViolations(t *testing.T) {
	for _, v := range conformance.Load(t, "codemode/violations") {
		t.Run(v.Name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c, p := dial(t, codemode.ClientOptions{})
				thread := func(s string) string { return strings.ReplaceAll(s, `"sessionId":"s"`, `"sessionId":"thread-7"`) }
				ctx := t.Context()
				open := async(func() (*codemode.Session, error) {
					return c.OpenSession(ctx, &codemode.SessionOpen{SessionID: "thread-7"}, new(delegate))
				})
				p.hear(thread(request(1, openBody)))
				p.say(thread(okResponse(1, readyValue)))
				s, err := open()
				if err != nil {
					t.Fatal(err)
				}
				var calls sync.WaitGroup
				execute := func() { _, _ = s.Execute(ctx, &codemode.WireExecuteRequest{ToolCallID: "c"}) }
				calls.Go(execute)
				p.hear(thread(request(2, executeText)))
				p.say(okResponse(2, startedValue))
				pending := []struct {
					call func()
					want string
				}{
					{execute, executeText},
					{func() {
						_, _ = s.Wait(ctx, &codemode.SessionWait{Request: codemode.WireWaitRequest{CellID: "1", YieldTimeMs: 5}})
					}, waitBody},
					{func() { _, _ = c.OpenSession(ctx, &codemode.SessionOpen{SessionID: "thread-8"}, new(delegate)) }, `{"method":"session/open","sessionId":"thread-8"}`},
					{func() { _, _ = s.Terminate(ctx, &codemode.SessionTerminate{CellID: "1"}) }, terminateBody},
					{func() { _ = s.Shutdown(ctx) }, shutdownBody},
				}
				for i, call := range pending {
					calls.Go(call.call)
					p.hear(thread(request(3+i, call.want)))
				}
				go func() { _, _ = io.Copy(io.Discard, p.rw) }() // answers to reverse calls
				p.say(v.Frames...)
				synctest.Wait()
				if err := c.Err(); err != nil {
					t.Fatalf("ended before the violation: %v", err)
				}
				p.say(string(v.Bytes))
				synctest.Wait()
				err = errors.Unwrap(c.Err())
				code := codemode.CodeOf(err)
				switch {
				case v.Verdict == "accept" && c.Err() != nil:
					t.Errorf("ended: %v", c.Err())
				case v.Verdict == "reject" && code != codemode.CodeViolation && code != codemode.CodeDecode:
					t.Errorf("got %v, want a violation", c.Err())
				}
				_ = c.Close()
				calls.Wait()
			})
		})
	}
}
