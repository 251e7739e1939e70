package demomcp_test

import (
	"bytes"
	"context"
	"encoding/json"
	"image/png"
	"testing"
	"time"

	"github.com/berth-dev/berth/cell/demomcp"
	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

func connect(t *testing.T, opts *mcp.ClientOptions) *mcp.ClientSession {
	t.Helper()
	now := func() time.Time { return time.Date(2026, 3, 1, 12, 30, 0, 0, time.FixedZone("", 3600)) }
	here, there := mcp.NewInMemoryTransports()
	ss, err := demomcp.New(demomcp.Options{Now: now}).Connect(t.Context(), there, nil)
	if err != nil {
		t.Fatal(err)
	}
	cs, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, opts).Connect(t.Context(), here,
		&mcp.ClientSessionOptions{ProtocolVersion: "2025-11-25"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cs.Close()
		_ = ss.Wait()
	})
	return cs
}

func call(t *testing.T, cs *mcp.ClientSession, name string, args any) *mcp.CallToolResult {
	t.Helper()
	r, err := cs.CallTool(t.Context(), &mcp.CallToolParams{Name: name, Arguments: args})
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return r
}

func TestTools(t *testing.T) {
	cs := connect(t, nil)
	for _, c := range []struct{ name, args, want, fail string }{
		{name: "note_read", args: `{"id":3}`, want: `{"body":"Bread, coffee, lemons.","id":3,"title":"Groceries"}`},
		{name: "note_read", args: `{"id":9}`, fail: "note 9 does not exist"},
		{name: "note_create", args: `{"title":"T","body":"B"}`, want: `{"body":"B","id":4,"title":"T"}`},
		{name: "note_create", args: `{"title":" "}`, fail: "create note: title is blank"},
		{name: "note_search", args: `{"query":"COFFEE"}`, want: `{"notes":[{"body":"Bread, coffee, lemons.","id":3,"title":"Groceries"}]}`},
		{name: "note_search", args: `{"query":"nowhere"}`, want: `{"notes":[]}`},
		{name: "note_list", args: `{}`, want: `{"notes":[{"id":1,"title":"Welcome"},{"id":2,"title":"Ideas"},{"id":3,"title":"Groceries"},{"id":4,"title":"T"}]}`},
		{name: "clock", args: `{}`, want: `{"time":"2026-03-01T11:30:00Z","unix":1772364600}`},
		{name: "slow", args: `{"steps":0}`, fail: "slow: 0 steps of 100 ms, want 1 to 1000 of up to 60000"},
		{name: "fail", args: `{}`, fail: "this tool always fails"},
		{name: "fail", args: `{"message":"no"}`, fail: "no"},
	} {
		r := call(t, cs, c.name, json.RawMessage(c.args))
		if r.IsError != (c.fail != "") {
			t.Errorf("%s %s: isError = %v", c.name, c.args, r.IsError)
			continue
		}
		if c.fail != "" {
			if got := r.Content[0].(*mcp.TextContent).Text; got != c.fail {
				t.Errorf("%s %s: %q, want %q", c.name, c.args, got, c.fail)
			}
			continue
		}
		got, err := json.Marshal(r.StructuredContent)
		if err != nil || string(got) != c.want {
			t.Errorf("%s %s: %s, want %s (%v)", c.name, c.args, got, c.want, err)
		}
	}
}

func TestNotebookIsBounded(t *testing.T) {
	cs := connect(t, nil)
	for range 997 {
		if r := call(t, cs, "note_create", map[string]any{"title": "x"}); r.IsError {
			t.Fatal("refused before the limit")
		}
	}
	if r := call(t, cs, "note_create", map[string]any{"title": "x"}); !r.IsError {
		t.Error("note 1001 was accepted")
	}
	if r := call(t, cs, "note_create", map[string]any{"title": string(bytes.Repeat([]byte("x"), 65537))}); !r.IsError {
		t.Error("a title over the limit was accepted")
	}
}

func TestSlowReportsProgress(t *testing.T) {
	got := make(chan float64, 10)
	cs := connect(t, &mcp.ClientOptions{ProgressNotificationHandler: func(_ context.Context, r *mcp.ProgressNotificationClientRequest) {
		got <- r.Params.Progress
	}})
	p := &mcp.CallToolParams{Name: "slow", Arguments: map[string]any{"steps": 3, "step_ms": 1}}
	p.SetProgressToken("p")
	if _, err := cs.CallTool(t.Context(), p); err != nil {
		t.Fatal(err)
	}
	for want := range 3 { // the client may hear of them after the result
		select {
		case step := <-got:
			if step != float64(want+1) {
				t.Errorf("progress %v, want %d", step, want+1)
			}
		case <-time.After(time.Minute):
			t.Fatalf("no word of step %d", want+1)
		}
	}
}

func TestSlowStopsWhenCancelled(t *testing.T) {
	started := make(chan struct{}, 1)
	cs := connect(t, &mcp.ClientOptions{ProgressNotificationHandler: func(context.Context, *mcp.ProgressNotificationClientRequest) {
		select {
		case started <- struct{}{}:
		default:
		}
	}})
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		<-started
		cancel()
	}()
	p := &mcp.CallToolParams{Name: "slow", Arguments: map[string]any{"steps": 1000, "step_ms": 100}}
	p.SetProgressToken("p")
	if _, err := cs.CallTool(ctx, p); err == nil {
		t.Error("a cancelled call returned a result")
	}
	call(t, cs, "clock", nil) // the server still answers
}

func TestImage(t *testing.T) {
	cs := connect(t, nil)
	a, b := call(t, cs, "image", nil), call(t, cs, "image", nil)
	img := a.Content[0].(*mcp.ImageContent)
	m, err := png.Decode(bytes.NewReader(img.Data))
	if err != nil || m.Bounds().Dx() != 32 || img.MIMEType != "image/png" {
		t.Errorf("bad image: %v %v %s", err, m, img.MIMEType)
	}
	if !cmp.Equal(img.Data, b.Content[0].(*mcp.ImageContent).Data) {
		t.Error("two drawings differ")
	}
}

func TestAnnotations(t *testing.T) {
	cs := connect(t, nil)
	l, err := cs.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(l.Tools) != 8 {
		t.Errorf("%d tools", len(l.Tools))
	}
	for _, tool := range l.Tools {
		if ro := tool.Annotations.ReadOnlyHint; ro != (tool.Name != "note_create") {
			t.Errorf("%s: readOnlyHint = %v", tool.Name, ro)
		}
	}
}
