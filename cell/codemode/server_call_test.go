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
)

// cell is a handler whose execute hands the connection to run, in a goroutine
// of its own that the handler's owner waits for.
func cell(running *sync.WaitGroup, run func(context.Context, *codemode.Conn)) *scripted {
	h := new(scripted)
	h.execute = func(ctx context.Context, x *codemode.Execution) error {
		x.Started("1")
		running.Go(func() { run(context.WithoutCancel(ctx), h.conn) })
		return nil
	}
	return h
}

func invocation(n int, input string) *codemode.WireNestedToolCall {
	return &codemode.WireNestedToolCall{CellID: "1", RuntimeToolCallID: fmt.Sprintf("tool-%d", n),
		ToolName: codemode.WireToolName{Name: "t"}, ToolKind: codemode.FunctionTool, Input: codemode.RawJSON(input)}
}

func invokeText(id, n int, input string) string {
	return fmt.Sprintf(`{"type":"delegate/request","id":%d,"sessionId":"s","request":{"type":"tool/invoke","invocation":{"cell_id":"1","runtime_tool_call_id":"tool-%d","tool_name":{"name":"t","namespace":null},"tool_kind":"function","input":%s}}}`, id, n, input)
}

func answerText(id int, result string) string {
	return fmt.Sprintf(`{"type":"delegate/response","id":%d,"result":%s}`, id, result)
}

// answered is what an Answer was called with.
type answered struct {
	result string
	err    error
}

func record(to chan answered) codemode.Answer {
	return func(result codemode.RawJSON, err error) { to <- answered{string(result), err} }
}

// startCell does the handshake and starts the handler's cell.
func startCell(t *testing.T, h *scripted, options codemode.ServerOptions) (*peer, func() error) {
	t.Helper()
	p, result := serveReady(t, h, options)
	p.say(request(1, executeBody))
	p.hear(okResponse(1, startedValue))
	return p, result
}

// TestAnswers: what a client may answer to a reverse call. Spec: §9.
func TestAnswers(t *testing.T) {
	const (
		okResult  = `{"status":"ok","value":{"type":"tool/result","result":{"a": 2.50}}}`
		delivered = `{"status":"ok","value":{"type":"notification/delivered"}}`
		failure   = `{"status":"error","message":"note 3 does not exist"}`
	)
	for name, c := range map[string]struct {
		notify  bool
		answer  string
		result  string
		code    codemode.Code
		message string
	}{
		"result":                  {answer: okResult, result: `{"a": 2.50}`},
		"null":                    {answer: strings.Replace(okResult, `{"a": 2.50}`, "null", 1), result: "null"},
		"error":                   {answer: failure, code: codemode.CodeOther, message: "note 3 does not exist"},
		"delivered to a tool":     {answer: delivered, code: codemode.CodeInvalidToolResult, message: "code-mode client returned an invalid tool result"},
		"delivered":               {notify: true, answer: delivered},
		"result to notification":  {notify: true, answer: okResult, code: codemode.CodeInvalidNotificationResult, message: "code-mode client returned an invalid notification result"},
		"error to a notification": {notify: true, answer: failure, code: codemode.CodeOther, message: "note 3 does not exist"},
	} {
		t.Run(name, func(t *testing.T) {
			got := make(chan answered, 9)
			var running sync.WaitGroup
			h := cell(&running, func(ctx context.Context, conn *codemode.Conn) {
				var id codemode.DelegateRequestID
				var err error
				if c.notify {
					id, err = conn.Notify(ctx, "s", &codemode.NotificationSend{CallID: "c", CellID: "1", Text: "x"}, record(got))
				} else {
					id, err = conn.InvokeTool(ctx, "s", invocation(1, "null"), record(got))
				}
				if id != 1 || err != nil {
					t.Errorf("id %d, %v", id, err)
				}
			})
			p, result := startCell(t, h, codemode.ServerOptions{})
			if c.notify {
				p.hear(`{"type":"delegate/request","id":1,"sessionId":"s","request":{"type":"notification/send","callId":"c","cellId":"1","text":"x"}}`)
			} else {
				p.hear(invokeText(1, 1, "null"))
			}
			// Answers to unknown calls, and second answers, are ignored.
			p.say(answerText(99, okResult), answerText(1, c.answer), answerText(1, okResult))
			a := <-got
			var e *codemode.Error
			switch {
			case a.result != c.result:
				t.Errorf("result %s", a.result)
			case c.code == "" && a.err != nil:
				t.Errorf("error %v", a.err)
			case c.code != "" && (!errors.As(a.err, &e) || e.Code != c.code || e.Message != c.message || e.Remote != (c.code == codemode.CodeOther)):
				t.Errorf("error %+v", a.err)
			}
			running.Wait()
			p.rw.Close()
			if err := result(); err != nil || len(got) != 0 {
				t.Errorf("Run returned %v, %d more answers", err, len(got))
			}
		})
	}
}

// TestCancelCall: a cancel follows its request, and its answer is ignored. Spec: §9.
func TestCancelCall(t *testing.T) {
	got := make(chan answered, 9)
	var running sync.WaitGroup
	h := cell(&running, func(ctx context.Context, conn *codemode.Conn) {
		id, err := conn.InvokeTool(ctx, "s", invocation(1, "1"), record(got))
		if err != nil || !conn.CancelCall(id) || conn.CancelCall(id) || conn.CancelCall(99) {
			t.Errorf("cancel of %d, %v", id, err)
		}
		conn.CloseCell("s", "1")
	})
	p, result := startCell(t, h, codemode.ServerOptions{})
	p.hear(invokeText(1, 1, "1"), `{"type":"delegate/cancel","id":1}`, closedText)
	p.say(answerText(1, `{"status":"error","message":"late"}`), request(2, openBody))
	p.hear(okResponse(2, readyValue))
	running.Wait()
	p.rw.Close()
	if err := result(); err != nil || len(got) != 0 {
		t.Errorf("Run returned %v, %d answers", err, len(got))
	}
}

// TestRefusedCalls fail alone; nothing of them is sent. Spec: §9, §10.2.
func TestRefusedCalls(t *testing.T) {
	got := make(chan answered, 9)
	var running sync.WaitGroup
	h := cell(&running, func(ctx context.Context, conn *codemode.Conn) {
		refuse := func(code codemode.Code, message string, input string) {
			call := invocation(1, input)
			if code == codemode.CodeFrameTooLarge {
				call.ToolName.Name = strings.Repeat("x", codemode.MaxFrameBytes)
			}
			id, err := conn.InvokeTool(ctx, "s", call, record(got))
			var e *codemode.Error
			if id != 0 || !errors.As(err, &e) || e.Code != code || e.Message != message {
				t.Errorf("id %d, error %v, want %s", id, err, code)
			}
		}
		refuse(codemode.CodeFrameTooLarge, "code-mode IPC frame length 67109082 exceeds 67108864 bytes", "1")
		refuse(codemode.CodeTooDeep, "code-mode IPC frame nests 128 levels, limit 127", strings.Repeat("[", 125)+strings.Repeat("]", 125))
		refuse(codemode.CodeEncode, "failed to encode code-mode IPC frame", "{")
		for n := range 2 {
			if _, err := conn.InvokeTool(ctx, "s", invocation(n, "0"), record(got)); err != nil {
				t.Error(err)
			}
		}
		refuse(codemode.CodeTooManyCalls, "code-mode host has too many pending delegate calls", "1")
	})
	p, result := startCell(t, h, codemode.ServerOptions{MaxCalls: 2})
	p.hear(invokeText(4, 0, "0"), invokeText(5, 1, "0"))
	running.Wait()
	p.rw.Close()
	if err := result(); err != nil {
		t.Errorf("Run returned %v", err)
	}
	for range 2 {
		if a := <-got; codemode.CodeOf(a.err) != codemode.CodeClosed {
			t.Errorf("at the end of the connection: %v", a.err)
		}
	}
	if _, err := h.conn.InvokeTool(context.Background(), "s", invocation(1, "1"), record(got)); codemode.CodeOf(err) != codemode.CodeClosed || len(got) != 0 {
		t.Errorf("after the end of the connection: %v", err)
	}
}

// TestSlowClient: a client that does not read stops only those who call; its
// answers and requests are still read. Spec: §10.2.
func TestSlowClient(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		input := `"` + strings.Repeat("x", 100<<10) + `"`
		sent, blocked := 0, make(chan error, 1)
		ctx, cancel := context.WithCancel(t.Context())
		var running sync.WaitGroup
		h := cell(&running, func(_ context.Context, conn *codemode.Conn) {
			for {
				if _, err := conn.InvokeTool(ctx, "s", invocation(sent, input), func(codemode.RawJSON, error) {}); err != nil {
					blocked <- err
					return
				}
				sent++
			}
		})
		p, result := startCell(t, h, codemode.ServerOptions{})
		synctest.Wait()
		if sent < 10 || sent > 20 {
			t.Errorf("%d calls of 100 KiB sent", sent)
		}
		short, stop := context.WithTimeout(ctx, time.Second)
		defer stop()
		if err := h.conn.Room(short); codemode.CodeOf(err) != codemode.CodeCallCancelled {
			t.Errorf("room in a full queue: %v", err)
		}
		p.say(request(2, openBody), `{"type":"operation/cancel","id":99}`, request(3, openBody))
		synctest.Wait() // all was read
		cancel()
		if err := <-blocked; codemode.CodeOf(err) != codemode.CodeCallCancelled {
			t.Errorf("blocked caller got %v", err)
		}
		running.Wait()
		for n := range sent {
			p.hear(invokeText(n+1, n, input))
		}
		p.hear(okResponse(2, readyValue), okResponse(3, readyValue))
		if err := h.conn.Room(t.Context()); err != nil {
			t.Errorf("no room in an empty queue: %v", err)
		}
		p.rw.Close()
		if err := result(); err != nil {
			t.Errorf("Run returned %v", err)
		}
	})
}

// TestWaitingAnswers: what a client does not read can be charged to somebody.
// Spec: §10.2.
func TestWaitingAnswers(t *testing.T) {
	for name, end := range map[string]func(p *peer, answers int){
		"read": func(p *peer, answers int) {
			for range answers {
				if _, err := p.r.Next(); err != nil {
					p.t.Error(err)
				}
			}
		},
		"closed": func(p *peer, _ int) { p.rw.Close() },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				waiting := 0
				h := &scripted{wait: func(context.Context, *codemode.Call, *codemode.SessionWait) (*codemode.WireWaitOutcome, error) {
					items := []codemode.WireContentItem{{Type: codemode.InputText, Text: strings.Repeat("x", 1<<20)}}
					return &codemode.WireWaitOutcome{Response: codemode.WireRuntimeResponse{State: codemode.Yielded, CellID: "1", ContentItems: items}}, nil
				}}
				p, result := serveReady(t, h, codemode.ServerOptions{})
				synctest.Wait() // there is a Conn
				h.conn.OnWaiting(func(delta int) { waiting += delta })
				for id := range 30 {
					p.say(request(id, waitBody))
				}
				p.say(request(30, openBody))
				synctest.Wait()
				if waiting < 30<<20 || waiting > 31<<20 {
					t.Errorf("%d bytes wait, want 30 MiB", waiting)
				}
				end(p, 31)
				synctest.Wait()
				if waiting != 0 {
					t.Errorf("%d bytes wait, want none", waiting)
				}
				p.rw.Close()
				if err := result(); name == "read" && err != nil {
					t.Errorf("Run returned %v", err)
				}
			})
		})
	}
}

// TestManyCancels: as many as there can be are not the client's fault, however
// late it reads them. Spec: §9, §15.
func TestManyCancels(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const heard, unheard = 4096, 2000
		h := new(scripted)
		p, result := serveReady(t, h, codemode.ServerOptions{})
		synctest.Wait() // there is a Conn
		call := func(n int) codemode.DelegateRequestID {
			id, err := h.conn.InvokeTool(t.Context(), "s", invocation(n, "1"), func(codemode.RawJSON, error) {})
			if err != nil {
				t.Fatal(err)
			}
			return id
		}
		var ids []codemode.DelegateRequestID
		for n := range heard {
			ids = append(ids, call(n))
			p.hear(invokeText(n+1, n, "1"))
		}
		for _, id := range ids {
			h.conn.CancelCall(id)
		}
		for n := range unheard {
			h.conn.CancelCall(call(heard + n))
		}
		p.say(request(1, openBody), request(2, openBody))
		for n := range heard {
			p.hear(fmt.Sprintf(`{"type":"delegate/cancel","id":%d}`, n+1))
		}
		for n := range unheard {
			n += heard
			p.hear(invokeText(n+1, n, "1"), fmt.Sprintf(`{"type":"delegate/cancel","id":%d}`, n+1))
		}
		p.hear(okResponse(1, readyValue), okResponse(2, readyValue))
		p.rw.Close()
		if err := result(); err != nil {
			t.Errorf("Run returned %v", err)
		}
	})
}

// TestFloodingClient: one that sends and never reads is given up, in bounded
// memory.
func TestFloodingClient(t *testing.T) {
	p, result := serveReady(t, new(scripted), codemode.ServerOptions{})
	for id := 0; ; id++ {
		if id > 6000 {
			t.Fatal("still served")
		}
		if err := p.w.WriteFrame([]byte(request(id, openBody))); err != nil {
			break
		}
	}
	if err := result(); codemode.CodeOf(err) != codemode.CodeSlowPeer {
		t.Errorf("Run returned %v", err)
	}
}

// TestEndOfInput: at a clean end nothing more is written, calls get told, and
// nothing is left behind, whatever is going on. Spec: §8.8.
func TestEndOfInput(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		entered, again := make(chan bool), make(chan bool)
		got := make(chan answered, 2)
		var running sync.WaitGroup
		h := cell(&running, func(ctx context.Context, conn *codemode.Conn) {
			_, _ = conn.InvokeTool(ctx, "s", invocation(1, "1"), record(got))
			<-again
			// Nobody reads this: the write is under way when the end comes.
			_, _ = conn.InvokeTool(ctx, "s", invocation(2, "1"), record(got))
		})
		h.wait = func(ctx context.Context, _ *codemode.Call, _ *codemode.SessionWait) (*codemode.WireWaitOutcome, error) {
			entered <- true
			<-ctx.Done()
			return nil, ctx.Err()
		}
		host, client := newHalfPipe()
		server := codemode.NewServer(func(c *codemode.Conn) codemode.Handler { h.conn = c; return h }, codemode.ServerOptions{})
		result := make(chan error, 1)
		go func() { result <- server.Run(t.Context(), host) }()
		p := newPeer(t, client)
		p.say(helloText)
		p.hear(readyText)
		p.say(request(1, executeBody))
		p.hear(okResponse(1, startedValue), invokeText(1, 1, "1"))
		close(again)
		p.say(request(2, waitBody))
		<-entered
		synctest.Wait()
		client.closeWrite()
		if err := <-result; err != nil {
			t.Errorf("Run returned %v", err)
		}
		running.Wait()
		for range 2 {
			if a := <-got; codemode.CodeOf(a.err) != codemode.CodeClosed {
				t.Errorf("pending call got %v", a.err)
			}
		}
		p.hearEnd()
		h.conn.CloseCell("s", "1") // harmless
	})
}

// halfPipe is an end whose writing side can be closed alone, like a stdin.
type halfPipe struct {
	*io.PipeReader
	w *io.PipeWriter
}

func (h halfPipe) Write(p []byte) (int, error) { return h.w.Write(p) }
func (h halfPipe) Close() error                { return errors.Join(h.PipeReader.Close(), h.w.Close()) }
func (h halfPipe) closeWrite()                 { _ = h.w.Close() }

func newHalfPipe() (a, b halfPipe) {
	ar, bw := io.Pipe()
	br, aw := io.Pipe()
	return halfPipe{ar, aw}, halfPipe{br, bw}
}

// TestBrokenOutput: a client that can't be written to ends the connection.
func TestBrokenOutput(t *testing.T) {
	host, client := newHalfPipe()
	h := new(scripted)
	server := codemode.NewServer(func(c *codemode.Conn) codemode.Handler { h.conn = c; return h }, codemode.ServerOptions{})
	result := make(chan error, 1)
	go func() { result <- server.Run(t.Context(), host) }()
	p := newPeer(t, client)
	p.say(helloText)
	p.hear(readyText)
	_ = client.PipeReader.Close()
	p.say(request(1, openBody))
	if err := <-result; codemode.CodeOf(err) != codemode.CodeTransport || !errors.Is(err, io.ErrClosedPipe) {
		t.Errorf("Run returned %v", err)
	}
}

// TestContextEndsRun also before the hello.
func TestContextEndsRun(t *testing.T) {
	for _, ready := range []bool{false, true} {
		host, client := memory()
		ctx, cancel := context.WithCancel(t.Context())
		server := codemode.NewServer(func(*codemode.Conn) codemode.Handler { return new(scripted) }, codemode.ServerOptions{})
		result := make(chan error, 1)
		go func() { result <- server.Run(ctx, host) }()
		p := newPeer(t, client)
		if ready {
			p.say(helloText)
			p.hear(readyText)
		}
		cancel()
		if err := <-result; !errors.Is(err, context.Canceled) {
			t.Errorf("Run returned %v", err)
		}
		p.hearEnd()
	}
}

// TestManyCallers: calls of many cells at once all arrive and are answered.
func TestManyCallers(t *testing.T) {
	const cells, calls = 20, 500
	var running sync.WaitGroup
	h := new(scripted)
	h.execute = func(_ context.Context, x *codemode.Execution) error {
		x.Started("1")
		for range cells {
			running.Go(func() {
				left := make(chan answered, calls)
				for n := range calls {
					if _, err := h.conn.InvokeTool(context.Background(), "s", invocation(n, "1"), record(left)); err != nil {
						t.Error(err)
						return
					}
				}
				for range calls {
					if a := <-left; a.err != nil || a.result != "2" {
						t.Errorf("answer %+v", a)
					}
				}
			})
		}
		running.Wait()
		h.conn.CloseCell("s", "1")
		return nil
	}
	p, result := serveReady(t, h, codemode.ServerOptions{MaxCalls: cells * calls})
	p.say(request(1, executeBody))
	p.hear(okResponse(1, startedValue))
	for range cells * calls {
		frame, err := p.r.Next()
		if err != nil {
			t.Fatal(err)
		}
		m, err := codemode.NewDecoder(codemode.Base).DecodeHostToClient(frame)
		if err != nil {
			t.Fatal(err)
		}
		p.say(answerText(int(m.(*codemode.DelegateCall).ID), `{"status":"ok","value":{"type":"tool/result","result":2}}`))
	}
	p.hear(closedText)
	p.rw.Close()
	if err := result(); err != nil {
		t.Errorf("Run returned %v", err)
	}
}
