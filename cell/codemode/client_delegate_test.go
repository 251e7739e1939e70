package codemode_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/berth-dev/berth/cell/codemode"
)

// TestDelegateAnswers: what becomes of what a Delegate returns. Spec: §3, §9.
func TestDelegateAnswers(t *testing.T) {
	nested := func(n int) codemode.RawJSON {
		return codemode.RawJSON(strings.Repeat("[", n) + strings.Repeat("]", n))
	}
	for name, c := range map[string]struct {
		result codemode.RawJSON
		err    error
		panics bool
		want   string
	}{
		"value":         {result: codemode.RawJSON(`{ "a": 2.50 }`), want: `{"status":"ok","value":{"type":"tool/result","result":{"a":2.50}}}`},
		"nothing":       {want: `{"status":"ok","value":{"type":"tool/result","result":null}}`},
		"error":         {err: errors.New("note 3 does not exist"), want: `{"status":"error","message":"note 3 does not exist"}`},
		"typed error":   {err: fmt.Errorf("outer: %w", &codemode.Error{Message: "inner", Err: errors.New("secret")}), want: `{"status":"error","message":"inner"}`},
		"panic":         {panics: true, want: `{"status":"error","message":"code-mode delegate panicked: boom"}`},
		"not JSON":      {result: codemode.RawJSON(`{`), want: `{"status":"error","message":"failed to encode code-mode IPC frame: value of 1 bytes: invalid JSON"}`},
		"deepest value": {result: nested(124), want: `{"status":"ok","value":{"type":"tool/result","result":` + string(nested(124)) + `}}`},
		"too deep":      {result: nested(125), want: `{"status":"error","message":"code-mode IPC frame nests 128 levels, limit 127"}`},
		"too large": {err: errors.New(strings.Repeat("x", codemode.MaxFrameBytes)),
			want: `{"status":"error","message":"code-mode delegate response exceeds the IPC frame limit: code-mode IPC frame length 67108940 exceeds 67108864 bytes"}`},
	} {
		t.Run(name, func(t *testing.T) {
			c2, p := dial(t, codemode.ClientOptions{})
			s := openSession(t, c2, p, &delegate{tool: func(context.Context, *codemode.WireNestedToolCall) (codemode.RawJSON, error) {
				if c.panics {
					panic("boom")
				}
				return c.result, c.err
			}})
			executeCell(t, s, p)
			p.say(invokeText(7, 1, "1"))
			p.hear(answerText(7, c.want))
			p.say(`{"type":"delegate/request","id":8,"sessionId":"s","request":{"type":"notification/send","callId":"c","cellId":"1","text":"x"}}`)
			p.hear(answerText(8, `{"status":"ok","value":{"type":"notification/delivered"}}`))
		})
	}
}

// TestUnwantedAnswers: no answer follows a cancel, a closed cell or a closed
// session, and the delegate's context ends. Spec: §9, §13.
func TestUnwantedAnswers(t *testing.T) {
	for name, end := range map[string][]string{
		"cancel":         {`{"type":"delegate/cancel","id":1}`, closedText},
		"cell closed":    {closedText},
		"session closed": {okResponse(3, `{"type":"session/closed","sessionId":"s"}`)},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c, p := dial(t, codemode.ClientOptions{})
				entered, left := make(chan bool), make(chan bool)
				s := openSession(t, c, p, &delegate{notify: func(ctx context.Context, n *codemode.NotificationSend) error {
					if n.Text != "x" || n.CallID != "c" || n.CellID != "1" {
						t.Errorf("notification %+v", n)
					}
					entered <- true
					<-ctx.Done()
					left <- true
					return nil
				}})
				executeCell(t, s, p)
				p.say(`{"type":"delegate/request","id":1,"sessionId":"s","request":{"type":"notification/send","callId":"c","cellId":"1","text":"x"}}`)
				<-entered
				shutdown := async(func() (struct{}, error) { return struct{}{}, s.Shutdown(t.Context()) })
				p.hear(request(3, shutdownBody))
				p.say(end...)
				<-left
				synctest.Wait()
				if name != "session closed" {
					p.say(okResponse(3, `{"type":"session/closed","sessionId":"s"}`))
				}
				if _, err := shutdown(); err != nil {
					t.Error(err)
				}
				reopen := async(func() (*codemode.Session, error) {
					return c.OpenSession(t.Context(), &codemode.SessionOpen{SessionID: "s"}, new(delegate))
				})
				p.hear(request(4, openBody)) // and no answer before it
				p.say(okResponse(4, readyValue))
				if _, err := reopen(); err != nil {
					t.Error(err)
				}
			})
		})
	}
}

// TestManyCells: memory does not grow with the cells that have come and gone.
// Spec: §18.
func TestManyCells(t *testing.T) {
	c, p := dial(t, codemode.ClientOptions{})
	s := openSession(t, c, p, new(delegate))
	for n := 2; n < 2+4097; n++ {
		execute := async(func() (*codemode.Cell, error) {
			return s.Execute(t.Context(), &codemode.WireExecuteRequest{ToolCallID: "c"})
		})
		p.hear(request(n, executeText))
		p.say(okResponse(n, startedValue), fmt.Sprintf(`{"type":"execute/initialResponse","id":%d,"result":{"status":"ok","value":{"Result":{"cell_id":"1","content_items":[],"error_text":null}}}}`, n), closedText)
		cell, err := execute()
		if err != nil {
			t.Fatal(err)
		}
		<-cell.Closed()
	}
	if sizes := codemode.ClientSizes(c, s); sizes != [4]int{0, 1, 0, 0} {
		t.Errorf("pending, sessions, cells, waits: %v", sizes)
	}
}

// TestCallsOfServerAndClient puts both ends of ours together.
func TestCallsOfServerAndClient(t *testing.T) {
	host, client := pipes(t)
	h := &loopHost{calls: 2000, wide: 100}
	server := codemode.NewServer(func(c *codemode.Conn) codemode.Handler { h.conn = c; return h }, codemode.ServerOptions{})
	done := async(func() (struct{}, error) { return struct{}{}, server.Run(t.Context(), host) })
	c, err := codemode.Dial(t.Context(), client, codemode.ClientOptions{})
	if err != nil {
		t.Fatal(err)
	}
	s, err := c.OpenSession(t.Context(), &codemode.SessionOpen{SessionID: "s"}, notes{})
	if err != nil {
		t.Fatal(err)
	}
	cell, err := s.Execute(t.Context(), &codemode.WireExecuteRequest{})
	if err != nil {
		t.Fatal(err)
	}
	if r, err := cell.Initial(t.Context()); err != nil || r.State != codemode.Result {
		t.Errorf("initial: %+v, %v", r, err)
	}
	<-cell.Closed()
	_ = c.Close()
	if _, err := done(); err != nil && codemode.CodeOf(err) != codemode.CodeTransport {
		t.Errorf("Run returned %v", err)
	}
}
