package codemode_test

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/berth-dev/berth/cell/codemode"
)

// TestDialFails: no handshake, no client. Spec: §5.
func TestDialFails(t *testing.T) {
	rejected := `{"type":"connection/rejected","reason":{"type":"missingRequiredCapability","capability":"x"}}`
	for name, c := range map[string]struct {
		answer string
		code   codemode.Code
		text   string
	}{
		"rejected":            {rejected, codemode.CodeRejected, `missing required capability "x"`},
		"nonsense":            {"{}", codemode.CodeDecode, "failed to decode"},
		"other message first": {closedText, codemode.CodeViolation, "before connection/ready"},
		"version 2":           {`{"type":"connection/ready","selectedVersion":2,"capabilities":[]}`, codemode.CodeViolation, "version 2"},
		"unasked capability":  {`{"type":"connection/ready","selectedVersion":1,"capabilities":["y"]}`, codemode.CodeViolation, `"y"`},
		"end":                 {"", codemode.CodeTransport, "closed the connection"},
	} {
		client, host := memory()
		p := newPeer(t, host)
		done := async(func() (struct{}, error) {
			p.hear(helloText)
			if c.answer == "" {
				return struct{}{}, host.Close()
			}
			p.say(c.answer)
			p.hearEnd()
			return struct{}{}, nil
		})
		_, err := codemode.Dial(t.Context(), client, codemode.ClientOptions{})
		if codemode.CodeOf(err) != c.code || !strings.Contains(err.Error(), c.text) {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := done(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestDialTimesOut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, reads := range []bool{false, true} {
			client, host := memory()
			done := async(func() (int64, error) {
				if reads {
					return io.Copy(io.Discard, host)
				}
				return 0, nil
			})
			start := time.Now()
			_, err := codemode.Dial(t.Context(), client, codemode.ClientOptions{})
			if codemode.CodeOf(err) != codemode.CodeTimeout || time.Since(start) != 10*time.Second {
				t.Errorf("after %s: %v", time.Since(start), err)
			}
			if _, err := done(); err != nil {
				t.Error(err)
			}
		}
		client, _ := memory()
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := codemode.Dial(ctx, client, codemode.ClientOptions{Handshake: time.Minute}); err == nil || codemode.CodeOf(err) == codemode.CodeDecode {
			t.Errorf("caller's deadline: %v", err)
		}
	})
}

// TestOperations: good and bad answers reach the caller.
func TestOperations(t *testing.T) {
	c, p := dial(t, codemode.ClientOptions{})
	refused := async(func() (*codemode.Session, error) {
		return c.OpenSession(t.Context(), &codemode.SessionOpen{SessionID: "s"}, new(delegate))
	})
	p.hear(request(1, openBody))
	p.say(errorResponse(1, "code-mode session ID `s` was reused"))
	var e *codemode.Error
	if _, err := refused(); !errors.As(err, &e) || e.Code != codemode.CodeSessionReused || !e.Remote {
		t.Errorf("open: %v", err)
	}
	open := async(func() (*codemode.Session, error) {
		return c.OpenSession(t.Context(), &codemode.SessionOpen{SessionID: "s"}, new(delegate))
	})
	p.hear(request(2, openBody))
	p.say(okResponse(2, readyValue))
	s, err := open()
	if err != nil || s.ID() != "s" {
		t.Fatal(err)
	}
	wait := async(func() (*codemode.WireWaitOutcome, error) {
		return s.Wait(t.Context(), &codemode.SessionWait{Request: codemode.WireWaitRequest{CellID: "1", YieldTimeMs: 5}})
	})
	p.hear(request(3, waitBody))
	p.say(okResponse(3, `{"type":"wait/completed","outcome":{"MissingCell":{"Result":{"cell_id":"1","content_items":[],"error_text":"exec cell 1 not found"}}}}`))
	if o, err := wait(); err != nil || !o.Missing || *o.Response.ErrorText != codemode.CellNotFoundText("1") {
		t.Errorf("wait: %+v, %v", o, err)
	}
	terminate := async(func() (*codemode.WireWaitOutcome, error) {
		return s.Terminate(t.Context(), &codemode.SessionTerminate{CellID: "1"})
	})
	p.hear(request(4, terminateBody))
	p.say(errorResponse(4, "exec cell 1 is already terminating"))
	if _, err := terminate(); codemode.CodeOf(err) != codemode.CodeTerminating {
		t.Errorf("terminate: %v", err)
	}
	shutdown := async(func() (struct{}, error) { return struct{}{}, s.Shutdown(t.Context()) })
	p.hear(request(5, shutdownBody))
	p.say(okResponse(5, `{"type":"session/closed","sessionId":"s"}`))
	if _, err := shutdown(); err != nil {
		t.Errorf("shutdown: %v", err)
	}
	deep := codemode.RawJSON(strings.Repeat("[", 123) + strings.Repeat("]", 123))
	_, err = s.Execute(t.Context(), &codemode.WireExecuteRequest{EnabledTools: []codemode.WireToolDefinition{{Kind: codemode.FunctionTool, InputSchema: deep}}})
	if codemode.CodeOf(err) != codemode.CodeTooDeep || c.Err() != nil {
		t.Errorf("schema that no host takes: %v", err)
	}
}

// TestCellLife: an execute, its first observation, waits and the end.
func TestCellLife(t *testing.T) {
	c, p := dial(t, codemode.ClientOptions{})
	s := openSession(t, c, p, new(delegate))
	cell := executeCell(t, s, p)
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := cell.Initial(ended); !errors.Is(err, context.Canceled) {
		t.Errorf("initial: %v", err)
	}
	p.say(`{"type":"execute/initialResponse","id":2,"result":{"status":"ok","value":{"Yielded":{"cell_id":"1","content_items":[]}}}}`)
	for range 2 {
		if r, err := cell.Initial(t.Context()); err != nil || r.State != codemode.Yielded {
			t.Errorf("initial: %+v, %v", r, err)
		}
	}
	wait := async(func() (*codemode.WireWaitOutcome, error) { return cell.Wait(t.Context(), 5) })
	p.hear(request(3, waitBody))
	p.say(okResponse(3, live("Result", `,"error_text":null`)), closedText)
	if o, err := wait(); err != nil || o.Response.State != codemode.Result {
		t.Errorf("wait: %+v, %v", o, err)
	}
	<-cell.Closed()
	if err := cell.Yield(); codemode.CodeOf(err) != codemode.CodeViolation {
		t.Errorf("yield without the capability: %v", err)
	}
}

// TestAbandonedOpen is shut down once it turns out to be open. Spec: §13.
func TestAbandonedOpen(t *testing.T) {
	c, p := dial(t, codemode.ClientOptions{})
	ctx, cancel := context.WithCancel(t.Context())
	open := async(func() (*codemode.Session, error) {
		return c.OpenSession(ctx, &codemode.SessionOpen{SessionID: "s"}, new(delegate))
	})
	p.hear(request(1, openBody))
	cancel()
	if _, err := open(); !errors.Is(err, context.Canceled) {
		t.Errorf("open: %v", err)
	}
	p.say(okResponse(1, readyValue))
	p.hear(request(2, shutdownBody))
	p.say(okResponse(2, `{"type":"session/closed","sessionId":"s"}`))
	openSessionAs(t, c, p, 3)
}

// openSessionAs opens session s as request id.
func openSessionAs(t *testing.T, c *codemode.Client, p *peer, id int) {
	t.Helper()
	open := async(func() (*codemode.Session, error) {
		return c.OpenSession(t.Context(), &codemode.SessionOpen{SessionID: "s"}, new(delegate))
	})
	p.hear(request(id, openBody))
	p.say(okResponse(id, readyValue))
	if _, err := open(); err != nil {
		t.Errorf("open: %v", err)
	}
}

// TestAbandonedExecute is cancelled, and terminated if it started. Spec: §13.
func TestAbandonedExecute(t *testing.T) {
	c, p := dial(t, codemode.ClientOptions{})
	s := openSession(t, c, p, new(delegate))
	ctx, cancel := context.WithCancel(t.Context())
	execute := async(func() (*codemode.Cell, error) {
		return s.Execute(ctx, &codemode.WireExecuteRequest{ToolCallID: "c"})
	})
	p.hear(request(2, executeText))
	cancel()
	if _, err := execute(); !errors.Is(err, context.Canceled) {
		t.Errorf("execute: %v", err)
	}
	p.hear(`{"type":"operation/cancel","id":2}`)
	p.say(okResponse(2, startedValue))
	p.hear(request(3, terminateBody))
	p.say(okResponse(3, live("Terminated", "")),
		`{"type":"execute/initialResponse","id":2,"result":{"status":"ok","value":{"Terminated":{"cell_id":"1","content_items":[]}}}}`, closedText)
	shutdown := async(func() (struct{}, error) { return struct{}{}, s.Shutdown(t.Context()) })
	p.hear(request(4, shutdownBody))
	p.say(okResponse(4, `{"type":"session/closed","sessionId":"s"}`))
	if _, err := shutdown(); err != nil {
		t.Errorf("shutdown: %v", err)
	}
}

// TestAbandonedWait is cancelled; the next wait is held back until it is
// answered, and gets what it may have brought. Spec: §13.
func TestAbandonedWait(t *testing.T) {
	for name, answer := range map[string]string{
		"cancelled":       errorResponse(3, "code-mode request cancelled"),
		"answered anyway": okResponse(3, live("Yielded", "")),
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c, p := dial(t, codemode.ClientOptions{})
				s := openSession(t, c, p, new(delegate))
				cell := executeCell(t, s, p)
				ctx, cancel := context.WithCancel(t.Context())
				first := async(func() (*codemode.WireWaitOutcome, error) { return cell.Wait(ctx, 5) })
				p.hear(request(3, waitBody))
				cancel()
				if _, err := first(); !errors.Is(err, context.Canceled) {
					t.Errorf("first wait: %v", err)
				}
				p.hear(`{"type":"operation/cancel","id":3}`)
				second := async(func() (*codemode.WireWaitOutcome, error) { return cell.Wait(t.Context(), 5) })
				impatient, stop := context.WithTimeout(t.Context(), time.Second)
				defer stop()
				if _, err := cell.Wait(impatient, 5); !errors.Is(err, context.DeadlineExceeded) {
					t.Errorf("wait behind an abandoned one: %v", err)
				}
				p.say(answer)
				next := 4
				if name == "cancelled" {
					next = 5
					p.hear(request(4, waitBody))
					p.say(okResponse(4, live("Result", `,"error_text":null`)))
				}
				if o, err := second(); err != nil || (o.Response.State == codemode.Yielded) != (name != "cancelled") {
					t.Errorf("second wait: %+v, %v", o, err)
				}
				third := async(func() (*codemode.WireWaitOutcome, error) { return cell.Wait(t.Context(), 5) })
				p.hear(request(next, waitBody))
				_ = c.Close()
				if _, err := third(); codemode.CodeOf(err) != codemode.CodeClosed {
					t.Errorf("third wait: %v", err)
				}
			})
		})
	}
}

// TestYield goes to whoever observes the cell. Spec: §15.
func TestYield(t *testing.T) {
	client, host := memory()
	p := newPeer(t, host)
	ready := async(func() (struct{}, error) {
		p.hear(`{"type":"connection/hello","supportedVersions":[1],"requiredCapabilities":[],"optionalCapabilities":["yield-observation"]}`)
		p.say(`{"type":"connection/ready","selectedVersion":1,"capabilities":["yield-observation"]}`)
		return struct{}{}, nil
	})
	c, err := codemode.Dial(t.Context(), client, codemode.ClientOptions{OptionalCapabilities: codemode.CapabilitySet{codemode.CapabilityYieldObservation}})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if _, err := ready(); err != nil || !c.Capabilities().Has(codemode.CapabilityYieldObservation) {
		t.Fatal(err)
	}
	s := openSession(t, c, p, new(delegate))
	cell := executeCell(t, s, p)
	yield := func(want int) {
		t.Helper()
		if err := cell.Yield(); err != nil {
			t.Error(err)
		}
		p.hear(strings.Replace(`{"type":"operation/yield","id":#}`, "#", string(rune('0'+want)), 1))
	}
	yield(2)
	p.say(`{"type":"execute/initialResponse","id":2,"result":{"status":"ok","value":{"Yielded":{"cell_id":"1","content_items":[],"code_mode_host_duration_ns":1}}}}`)
	if r, err := cell.Initial(t.Context()); err != nil || *r.HostDurationNS != 1 {
		t.Errorf("initial: %+v, %v", r, err)
	}
	if err := cell.Yield(); err != nil { // nobody observes: nothing is sent
		t.Error(err)
	}
	wait := async(func() (*codemode.WireWaitOutcome, error) { return cell.Wait(t.Context(), 5) })
	p.hear(request(3, waitBody))
	yield(3)
	p.say(okResponse(3, live("Yielded", `,"code_mode_host_duration_ns":1`)))
	if _, err := wait(); err != nil {
		t.Error(err)
	}
}

// TestHostDeath: every operation fails, every live cell is closed once. Spec: §13.
func TestHostDeath(t *testing.T) {
	c, p := dial(t, codemode.ClientOptions{})
	entered, left := make(chan bool), make(chan bool)
	s := openSession(t, c, p, &delegate{tool: func(ctx context.Context, _ *codemode.WireNestedToolCall) (codemode.RawJSON, error) {
		entered <- true
		<-ctx.Done()
		left <- true
		return nil, ctx.Err()
	}})
	cell := executeCell(t, s, p)
	p.say(invokeText(1, 1, "1"))
	<-entered
	wait := async(func() (*codemode.WireWaitOutcome, error) { return cell.Wait(t.Context(), 5) })
	p.hear(request(3, waitBody))
	_ = p.rw.Close()
	<-left
	<-cell.Closed()
	<-c.Done()
	if _, err := wait(); codemode.CodeOf(err) != codemode.CodeClosed || !errors.Is(err, io.EOF) {
		t.Errorf("wait: %v", err)
	}
	if _, err := cell.Initial(t.Context()); codemode.CodeOf(err) != codemode.CodeClosed {
		t.Errorf("initial: %v", err)
	}
	if _, err := s.Execute(t.Context(), &codemode.WireExecuteRequest{}); codemode.CodeOf(err) != codemode.CodeClosed {
		t.Errorf("execute: %v", err)
	}
	if err := cell.Yield(); err == nil {
		t.Error("yield after the end")
	}
}

// TestSilentHost is asked for a sign of life, and given up without one. Spec: §16.
func TestSilentHost(t *testing.T) {
	const probe = `{"method":"session/wait","sessionId":"berth-sign-of-life","request":{"cell_id":"","yield_time_ms":0}}`
	synctest.Test(t, func(t *testing.T) {
		c, p := dial(t, codemode.ClientOptions{})
		s := openSession(t, c, p, new(delegate))
		cell := executeCell(t, s, p)
		wait := async(func() (*codemode.WireWaitOutcome, error) { return cell.Wait(t.Context(), 5) })
		p.hear(request(3, waitBody))
		start := time.Now()
		p.hear(request(4, probe)) // slow, but alive
		p.say(errorResponse(4, "unknown code-mode session berth-sign-of-life"))
		p.hear(request(5, probe)) // silent
		if _, err := wait(); codemode.CodeOf(err) != codemode.CodeClosed || codemode.CodeOf(errors.Unwrap(err)) != codemode.CodeTimeout {
			t.Errorf("wait: %v", err)
		}
		if passed := time.Since(start); passed < 45*time.Second || passed > 75*time.Second {
			t.Errorf("given up after %s", passed)
		}
	})
	synctest.Test(t, func(t *testing.T) {
		c, p := dial(t, codemode.ClientOptions{})
		openSession(t, c, p, new(delegate))
		time.AfterFunc(time.Hour, func() {
			if c.Err() != nil {
				t.Errorf("idle connection ended: %v", c.Err())
			}
			_ = c.Close()
		})
		<-c.Done()
	})
}

// TestRequestLimit: requests over the limit wait. Spec: §10.2.
func TestRequestLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, p := dial(t, codemode.ClientOptions{MaxRequests: 2})
		s := openSession(t, c, p, new(delegate))
		cell := executeCell(t, s, p) // whose initial response is still to come
		first := async(func() (*codemode.WireWaitOutcome, error) { return cell.Wait(t.Context(), 5) })
		p.hear(request(3, waitBody))
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := cell.Terminate(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("terminate over the limit: %v", err)
		}
		second := async(func() (*codemode.WireWaitOutcome, error) { return cell.Terminate(t.Context()) })
		synctest.Wait()
		p.say(okResponse(3, live("Yielded", "")))
		p.hear(request(4, terminateBody))
		p.say(okResponse(4, live("Terminated", "")))
		for _, wait := range []func() (*codemode.WireWaitOutcome, error){first, second} {
			if _, err := wait(); err != nil {
				t.Error(err)
			}
		}
	})
}
