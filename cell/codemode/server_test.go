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
	"time"

	"github.com/berth-dev/berth/cell/codemode"
	"github.com/berth-dev/berth/conformance"
)

// scripted is a Handler made of functions; one that is missing answers at once.
type scripted struct {
	conn      *codemode.Conn
	open      func(*codemode.SessionOpen) error
	execute   func(context.Context, *codemode.Execution) error
	wait      func(context.Context, *codemode.Call, *codemode.SessionWait) (*codemode.WireWaitOutcome, error)
	terminate func(context.Context, *codemode.SessionTerminate) (*codemode.WireWaitOutcome, error)
	shutdown  func(context.Context, *codemode.SessionShutdown) error
}

func (s *scripted) Open(_ context.Context, r *codemode.SessionOpen) error {
	if s.open == nil {
		return nil
	}
	return s.open(r)
}

func (s *scripted) Execute(ctx context.Context, x *codemode.Execution) error {
	if s.execute == nil {
		return codemode.UnknownSession(x.Session)
	}
	return s.execute(ctx, x)
}

func (s *scripted) Wait(ctx context.Context, c *codemode.Call, r *codemode.SessionWait) (*codemode.WireWaitOutcome, error) {
	if s.wait == nil {
		return nil, codemode.UnknownSession(r.SessionID)
	}
	return s.wait(ctx, c, r)
}

func (s *scripted) Terminate(ctx context.Context, r *codemode.SessionTerminate) (*codemode.WireWaitOutcome, error) {
	if s.terminate == nil {
		return nil, codemode.UnknownSession(r.SessionID)
	}
	return s.terminate(ctx, r)
}

func (s *scripted) Shutdown(ctx context.Context, r *codemode.SessionShutdown) error {
	if s.shutdown == nil {
		return nil
	}
	return s.shutdown(ctx, r)
}

// serve runs a server with handler h and returns its scripted client, and a
// function that waits for Run's result.
func serve(t *testing.T, h *scripted, options codemode.ServerOptions) (*peer, func() error) {
	t.Helper()
	host, client := memory()
	server := codemode.NewServer(func(c *codemode.Conn) codemode.Handler { h.conn = c; return h }, options)
	result := make(chan error, 1)
	go func() { result <- server.Run(t.Context(), host) }()
	p := newPeer(t, client)
	return p, func() error { return <-result }
}

// serveReady is serve after the handshake.
func serveReady(t *testing.T, h *scripted, options codemode.ServerOptions) (*peer, func() error) {
	t.Helper()
	p, result := serve(t, h, options)
	p.say(helloText)
	p.hear(readyText)
	return p, result
}

func allCapabilities(t *testing.T) codemode.CapabilitySet {
	t.Helper()
	all, err := codemode.NewCapabilitySet(codemode.CapabilityBoundedOutput, codemode.CapabilityDelegateCapacity,
		codemode.CapabilityExecutionLimits, codemode.CapabilityCatalogRevision, codemode.CapabilityYieldObservation)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func okResponse(id int, value string) string {
	return fmt.Sprintf(`{"type":"operation/response","id":%d,"result":{"status":"ok","value":%s}}`, id, value)
}

func errorResponse(id int, message string) string {
	return fmt.Sprintf(`{"type":"operation/response","id":%d,"result":{"status":"error","message":%q}}`, id, message)
}

func request(id int, body string) string {
	return fmt.Sprintf(`{"type":"operation/request","id":%d,"request":%s}`, id, body)
}

const (
	openBody      = `{"method":"session/open","sessionId":"s"}`
	executeBody   = `{"method":"session/execute","sessionId":"s","request":{"tool_call_id":"c","enabled_tools":[],"source":""}}`
	waitBody      = `{"method":"session/wait","sessionId":"s","request":{"cell_id":"1","yield_time_ms":5}}`
	terminateBody = `{"method":"session/terminate","sessionId":"s","cellId":"1"}`
	shutdownBody  = `{"method":"session/shutdown","sessionId":"s"}`
	readyValue    = `{"type":"session/ready","sessionId":"s"}`
	startedValue  = `{"type":"execution/started","cellId":"1"}`
	closedText    = `{"type":"cell/closed","sessionId":"s","cellId":"1"}`
)

func TestHandshake(t *testing.T) {
	for _, v := range conformance.Load(t, "codemode/handshake") {
		t.Run(v.Name, func(t *testing.T) {
			var options codemode.ServerOptions
			if v.Dialect == "timed" {
				options.Capabilities = allCapabilities(t)
			}
			p, result := serve(t, new(scripted), options)
			if len(v.Bytes) == 0 {
				p.rw.Close()
			} else {
				p.say(string(v.Bytes))
			}
			if v.Want != nil {
				p.hear(*v.Want)
			}
			if v.Verdict == "ready" {
				p.rw.Close()
			} else if v.Verdict != "eof" {
				p.hearEnd()
			}
			err := result()
			if fatal := codemode.CodeOf(err) == codemode.CodeDecode; fatal != (v.Verdict == "fatal") || !fatal && err != nil {
				t.Errorf("Run returned %v", err)
			}
		})
	}
}

// TestGoldenServer replays §21 against a scripted handler.
func TestGoldenServer(t *testing.T) {
	h := new(scripted)
	h.execute = func(ctx context.Context, x *codemode.Execution) error {
		if got := x.Request; len(got.EnabledTools) != 2 || *got.YieldTimeMs != 2500 || got.ToolCallID != "call_ab12" {
			t.Errorf("execute request %+v", got)
		}
		x.Started("1")
		call := &codemode.WireNestedToolCall{CellID: "1", RuntimeToolCallID: "tool-1",
			ToolName: x.Request.EnabledTools[0].ToolName, ToolKind: x.Request.EnabledTools[0].Kind, Input: codemode.RawJSON(`{ "id": 3 }`)}
		_, err := h.conn.InvokeTool(ctx, x.Session, call, func(result codemode.RawJSON, err error) {
			if string(result) != `{"title":"Groceries"}` || err != nil {
				t.Errorf("result %s, %v", result, err)
			}
			x.Initial(&codemode.WireRuntimeResponse{State: codemode.Result, CellID: "1",
				ContentItems: []codemode.WireContentItem{{Type: codemode.InputText, Text: "Groceries"}}})
			h.conn.CloseCell(x.Session, "1")
		})
		return err
	}
	p, result := serve(t, h, codemode.ServerOptions{})
	for _, step := range conformance.LoadTranscript(t, "codemode/golden") {
		switch {
		case step.From == "host":
			p.hear(step.Text)
		case step.Text == "":
			p.rw.Close()
		default:
			p.say(step.Text)
		}
	}
	if err := result(); err != nil {
		t.Errorf("Run returned %v", err)
	}
}

// TestFatal: what ends the connection, and with which error. Spec: §2, §4, §5.
func TestFatal(t *testing.T) {
	for name, c := range map[string]struct {
		say  []string
		code codemode.Code
		text string
	}{
		"second hello":            {[]string{helloText}, codemode.CodeViolation, "received a second code-mode client hello"},
		"duplicate active id":     {[]string{request(7, waitBody), request(7, waitBody)}, codemode.CodeViolation, "duplicate code-mode request ID RequestId(7)"},
		"id of a finished one":    {[]string{request(-7, openBody), request(-7, openBody)}, codemode.CodeViolation, "duplicate code-mode request ID RequestId(-7)"},
		"undecodable":             {[]string{`{}`}, codemode.CodeDecode, "failed to decode code-mode IPC frame"},
		"later message in base":   {[]string{`{"type":"operation/yield","id":1}`}, codemode.CodeDecode, "failed to decode code-mode IPC frame"},
		"host's message":          {[]string{closedText}, codemode.CodeDecode, "failed to decode code-mode IPC frame"},
		"later field in base":     {[]string{request(1, `{"method":"session/open","sessionId":"s","cellExecutionLimits":null}`)}, codemode.CodeDecode, "failed to decode"},
		"blank session id":        {[]string{request(1, `{"method":"session/open","sessionId":" "}`)}, codemode.CodeDecode, "identifier must not be empty"},
		"bad answer to no call":   {[]string{`{"type":"delegate/response","id":1,"result":{"status":"ok"}}`}, codemode.CodeDecode, "failed to decode"},
		"output budget too large": {[]string{request(1, strings.Replace(executeBody, `""}`, `"","max_output_tokens":2147483648}`, 1))}, codemode.CodeDecode, "32 bits"},
	} {
		t.Run(name, func(t *testing.T) {
			h := &scripted{wait: func(ctx context.Context, _ *codemode.Call, _ *codemode.SessionWait) (*codemode.WireWaitOutcome, error) {
				<-ctx.Done()
				return nil, ctx.Err()
			}}
			p, result := serveReady(t, h, codemode.ServerOptions{})
			var heard sync.WaitGroup
			heard.Go(func() { _, _ = io.Copy(io.Discard, p.rw) })
			p.say(c.say...)
			err := result()
			if codemode.CodeOf(err) != c.code || !strings.Contains(err.Error(), c.text) {
				t.Errorf("Run returned %v", err)
			}
			heard.Wait()
		})
	}
}

// TestTruncatedStream: an end inside a frame is an error. Spec: §8.8.
func TestTruncatedStream(t *testing.T) {
	p, result := serveReady(t, new(scripted), codemode.ServerOptions{})
	if _, err := p.rw.Write([]byte("\x22\x00\x00\x00{")); err != nil {
		t.Fatal(err)
	}
	p.rw.Close()
	if err := result(); !errors.Is(err, io.ErrUnexpectedEOF) || codemode.CodeOf(err) != codemode.CodeTransport {
		t.Errorf("Run returned %v", err)
	}
}

// TestFinishedIDsAreForgotten: 4096 finished ids are remembered. Spec: §4.
func TestFinishedIDsAreForgotten(t *testing.T) {
	p, result := serveReady(t, new(scripted), codemode.ServerOptions{})
	for id := range 4097 {
		p.say(request(id, openBody))
		p.hear(okResponse(id, readyValue))
	}
	p.say(request(0, openBody))
	p.hear(okResponse(0, readyValue))
	p.say(request(2, openBody))
	p.hearEnd()
	if err := result(); codemode.CodeOf(err) != codemode.CodeViolation {
		t.Errorf("Run returned %v", err)
	}
}

// TestInFlightLimit: requests over the limit are answered with an error, an
// execute counts until its initial response. Spec: §8.2, §10.2.
func TestInFlightLimit(t *testing.T) {
	started := make(chan *codemode.Execution)
	h := &scripted{
		execute: func(_ context.Context, x *codemode.Execution) error { x.Started("1"); started <- x; return nil },
		wait: func(ctx context.Context, _ *codemode.Call, _ *codemode.SessionWait) (*codemode.WireWaitOutcome, error) {
			<-ctx.Done()
			return nil, ctx.Err()
		},
	}
	p, result := serveReady(t, h, codemode.ServerOptions{})
	p.say(request(0, executeBody))
	p.hear(okResponse(0, startedValue))
	x := <-started
	for id := 1; id < 256; id++ {
		p.say(request(id, waitBody))
	}
	p.say(request(256, openBody))
	p.hear(errorResponse(256, "code-mode host has too many in-flight requests"))
	x.Initial(&codemode.WireRuntimeResponse{State: codemode.Yielded, CellID: "1"})
	p.hear(`{"type":"execute/initialResponse","id":0,"result":{"status":"ok","value":{"Yielded":{"cell_id":"1","content_items":[]}}}}`)
	p.say(request(257, openBody))
	p.hear(okResponse(257, readyValue))
	p.rw.Close()
	if err := result(); err != nil {
		t.Errorf("Run returned %v", err)
	}
}

// TestCancel: waits and starting executes end, others do not notice. Spec: §8.4.
func TestCancel(t *testing.T) {
	entered, release := make(chan bool), make(chan bool)
	until := func(ctx context.Context) error { entered <- true; <-ctx.Done(); return ctx.Err() }
	h := &scripted{
		execute: func(ctx context.Context, _ *codemode.Execution) error { return until(ctx) },
		wait: func(ctx context.Context, _ *codemode.Call, _ *codemode.SessionWait) (*codemode.WireWaitOutcome, error) {
			return nil, fmt.Errorf("wait: %w", until(ctx))
		},
		shutdown: func(ctx context.Context, _ *codemode.SessionShutdown) error {
			entered <- true
			<-release
			return ctx.Err()
		},
	}
	p, result := serveReady(t, h, codemode.ServerOptions{})
	cancel := func(id int) string { return fmt.Sprintf(`{"type":"operation/cancel","id":%d}`, id) }
	p.say(cancel(99))
	for id, body := range []string{executeBody, waitBody} {
		p.say(request(id, body))
		<-entered
		p.say(cancel(id))
		p.hear(errorResponse(id, "code-mode request cancelled"))
		p.say(cancel(id))
	}
	p.say(request(2, shutdownBody))
	<-entered
	p.say(cancel(2), request(3, openBody))
	p.hear(okResponse(3, readyValue))
	close(release)
	p.hear(okResponse(2, `{"type":"session/closed","sessionId":"s"}`))
	p.rw.Close()
	if err := result(); err != nil {
		t.Errorf("Run returned %v", err)
	}
}

// TestExecutionOrder: whatever a handler does, the order on the wire holds, and
// every accepted execute gets one answer of each kind. Spec: §10.1.
func TestExecutionOrder(t *testing.T) {
	yielded := &codemode.WireRuntimeResponse{State: codemode.Yielded, CellID: "1"}
	yieldedText := `{"type":"execute/initialResponse","id":0,"result":{"status":"ok","value":{"Yielded":{"cell_id":"1","content_items":[]}}}}`
	failed := `{"type":"execute/initialResponse","id":0,"result":{"status":"error","message":"boom"}}`
	boom := errors.New("boom")
	for name, c := range map[string]struct {
		execute func(*codemode.Execution) error
		want    []string
	}{
		"error before started":   {func(*codemode.Execution) error { return boom }, []string{errorResponse(0, "boom")}},
		"nothing":                {func(*codemode.Execution) error { return nil }, []string{errorResponse(0, "failed to initialize code mode runtime")}},
		"initial before started": {func(x *codemode.Execution) error { x.Initial(yielded); return boom }, []string{errorResponse(0, "boom")}},
		"error after started":    {func(x *codemode.Execution) error { x.Started("1"); return boom }, []string{okResponse(0, startedValue), failed}},
		"twice": {func(x *codemode.Execution) error {
			x.Started("1")
			x.Started("2")
			x.Initial(yielded)
			x.Initial(yielded)
			x.Fail(boom)
			return boom
		}, []string{okResponse(0, startedValue), yieldedText}},
		"error as initial": {func(x *codemode.Execution) error { x.Started("1"); x.Fail(boom); return nil }, []string{okResponse(0, startedValue), failed}},
	} {
		t.Run(name, func(t *testing.T) {
			h := &scripted{execute: func(_ context.Context, x *codemode.Execution) error { return c.execute(x) }}
			p, result := serveReady(t, h, codemode.ServerOptions{})
			p.say(request(0, executeBody))
			p.hear(c.want...)
			p.say(request(1, openBody)) // nothing came in between
			p.hear(okResponse(1, readyValue))
			p.rw.Close()
			if err := result(); err != nil {
				t.Errorf("Run returned %v", err)
			}
		})
	}
}

// TestNegativeBudget is an operation error, before anything else. Spec: §7, §15.
func TestNegativeBudget(t *testing.T) {
	body := strings.Replace(executeBody, `""}`, `"","max_output_tokens":-1}`, 1)
	for dialect, want := range map[codemode.Dialect]string{
		codemode.Base:  "invalid code-mode execute request: out of range integral type conversion attempted",
		codemode.Timed: "invalid code-mode execute request: number too small to fit in target type",
	} {
		p, result := serveReady(t, new(scripted), codemode.ServerOptions{Dialect: func(*codemode.ClientHello) codemode.Dialect { return dialect }})
		p.say(request(1, body))
		p.hear(errorResponse(1, want))
		p.rw.Close()
		if err := result(); err != nil {
			t.Errorf("Run returned %v", err)
		}
	}
}

// TestOversizedResponses cost the answer, not the connection. Spec: §10.3.
func TestOversizedResponses(t *testing.T) {
	huge := codemode.WireRuntimeResponse{State: codemode.Result, CellID: "1", ContentItems: []codemode.WireContentItem{
		{Type: codemode.InputText, Text: strings.Repeat("x", codemode.MaxFrameBytes)}}}
	h := &scripted{
		execute: func(_ context.Context, x *codemode.Execution) error { x.Started("1"); x.Initial(&huge); return nil },
		wait: func(context.Context, *codemode.Call, *codemode.SessionWait) (*codemode.WireWaitOutcome, error) {
			return &codemode.WireWaitOutcome{Response: huge}, nil
		},
	}
	p, result := serveReady(t, h, codemode.ServerOptions{})
	p.say(request(1, executeBody))
	p.hear(okResponse(1, startedValue), `{"type":"execute/initialResponse","id":1,"result":{"status":"error","message":"code-mode initial response exceeds the IPC frame limit: code-mode IPC frame length 67109033 exceeds 67108864 bytes"}}`)
	p.say(request(2, waitBody))
	p.hear(errorResponse(2, "code-mode host response exceeds the IPC frame limit: code-mode IPC frame length 67109077 exceeds 67108864 bytes"))
	p.say(request(3, openBody))
	p.hear(okResponse(3, readyValue))
	p.rw.Close()
	if err := result(); err != nil {
		t.Errorf("Run returned %v", err)
	}
}

// TestTimedDialect: durations are filled in, yields reach the call. Spec: §15.
func TestTimedDialect(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		yields := make(chan bool, 3)
		var early *codemode.Execution
		h := new(scripted)
		h.execute = func(_ context.Context, x *codemode.Execution) error { x.Started("1"); early = x; return nil }
		h.wait = func(ctx context.Context, c *codemode.Call, _ *codemode.SessionWait) (*codemode.WireWaitOutcome, error) {
			c.OnYield(func() { yields <- true })
			<-yields
			<-time.After(5 * time.Nanosecond)
			buffered := uint64(7)
			return &codemode.WireWaitOutcome{Response: codemode.WireRuntimeResponse{State: codemode.Result, CellID: "1", BufferedNS: &buffered}}, nil
		}
		p, result := serve(t, h, codemode.ServerOptions{Capabilities: allCapabilities(t)})
		p.say(`{"type":"connection/hello","supportedVersions":[1],"requiredCapabilities":[],"optionalCapabilities":["yield-observation"]}`)
		p.hear(`{"type":"connection/ready","selectedVersion":1,"capabilities":["yield-observation"]}`)
		p.say(request(1, executeBody))
		p.hear(okResponse(1, startedValue))
		if h.conn.Dialect() != codemode.Timed || !h.conn.Capabilities().Has(codemode.CapabilityYieldObservation) {
			t.Errorf("dialect %s, capabilities %q", h.conn.Dialect(), h.conn.Capabilities())
		}
		p.say(`{"type":"operation/yield","id":1}`, `{"type":"operation/yield","id":99}`)
		synctest.Wait()
		early.OnYield(func() { yields <- true })
		<-yields
		early.Initial(&codemode.WireRuntimeResponse{State: codemode.Yielded, CellID: "1"})
		p.hear(`{"type":"execute/initialResponse","id":1,"result":{"status":"ok","value":{"Yielded":{"cell_id":"1","content_items":[],"code_mode_host_duration_ns":0}}}}`)
		p.say(request(2, waitBody), `{"type":"operation/yield","id":2}`)
		p.hear(okResponse(2, `{"type":"wait/completed","outcome":{"LiveCell":{"Result":{"cell_id":"1","content_items":[],"error_text":null,"code_mode_host_duration_ns":5,"result_buffered_for_ns":7}}}}`))
		p.rw.Close()
		if err := result(); err != nil {
			t.Errorf("Run returned %v", err)
		}
	})
}
