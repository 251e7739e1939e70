package upstream_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/berth-dev/berth/cell/demomcp"
	"github.com/berth-dev/berth/cell/internal/upstream"
	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"go.uber.org/goleak"
)

// The test binary is also the servers, well-behaved and not.
func TestMain(m *testing.M) {
	switch role := os.Getenv("UPSTREAM_TEST_ROLE"); role {
	case "":
		goleak.VerifyTestMain(m)
	case "demo":
		_ = demomcp.Run(context.Background(), os.Stdin, os.Stdout, demomcp.Options{})
	default:
		script(role)
	}
}

// script is a server that answers by hand.
func script(role string) {
	say := func(format string, args ...any) { fmt.Printf(format+"\n", args...) }
	fmt.Fprintln(os.Stderr, "hello from", role)
	if role == "exit" {
		fmt.Fprint(os.Stderr, "no such database")
		os.Exit(7)
	}
	in := bufio.NewScanner(os.Stdin)
	for in.Scan() {
		var req struct {
			ID     json.RawMessage
			Method string
			Params struct {
				Name      string
				Arguments json.RawMessage
			}
		}
		if json.Unmarshal(in.Bytes(), &req) != nil || req.ID == nil {
			continue
		}
		switch {
		case role == "mute":
		case req.Method == "initialize":
			if role == "garbage" {
				say("Welcome to the garbage server!\n\n{\"not\": \"a message\"}")
			}
			say(`{"jsonrpc":"2.0","id":%s,"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{"listChanged":true}},"serverInfo":{"name":"s","version":"1"}}}`, req.ID)
		case req.Method == "tools/list":
			say(`{"jsonrpc":"2.0","id":%s,"result":{"tools":[{"name":"t","inputSchema":{"type":"object","x":1.50},"annotations":{"readOnlyHint":true,"title":"T"},"new":1}]}}`, req.ID)
		case req.Method == "tools/call":
			answerCall(say, req.ID, req.Params.Name, req.Params.Arguments)
		default:
			say(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"no"}}`, req.ID)
		}
	}
}

func answerCall(say func(string, ...any), id json.RawMessage, name string, args json.RawMessage) {
	switch name {
	case "die":
		fmt.Fprint(os.Stderr, "assertion failed")
		os.Exit(3)
	case "hang":
	case "refuse":
		say(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32602,"message":"bad arguments"}}`, id)
	case "strange":
		say(`{"jsonrpc":"2.0","id":%s,"result":{"content":[{"type":"hologram","z":1}],"structuredContent":{"b":1.50,"a":123456789012345678901234567890},"extra":true}}`, id)
	case "huge":
		say(`{"jsonrpc":"2.0","id":%s,"result":{"content":[{"type":"text","text":"%s"}]}}`, id, strings.Repeat("x", 20<<20))
	case "endless":
		for {
			fmt.Print(strings.Repeat("x", 1<<20))
		}
	case "args":
		say(`{"jsonrpc":"2.0","id":%s,"result":{"content":[],"structuredContent":%s}}`, id, args)
	case "change":
		say(`{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`)
		say(`{"jsonrpc":"2.0","id":%s,"result":{"content":[]}}`, id)
	default:
		say(`{"jsonrpc":"2.0","id":%s,"result":{"content":[]}}`, id)
	}
}

func start(t *testing.T, role string, opts upstream.Options) *upstream.Server {
	t.Helper()
	s, err := upstream.New(upstream.Config{Name: "srv", Command: os.Args[0],
		Env: map[string]string{"UPSTREAM_TEST_ROLE": role}}, opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

func TestCall(t *testing.T) {
	s := start(t, "garbage", upstream.Options{CallTimeout: time.Minute})
	tools, err := s.Tools(t.Context())
	want := []upstream.Tool{{Name: "t", Title: "T", InputSchema: []byte(`{"type":"object","x":1.50}`), ReadOnly: true}}
	if err != nil || !cmp.Equal(tools, want) {
		t.Fatalf("tools: %v %s", err, cmp.Diff(want, tools))
	}
	for _, c := range []struct{ tool, args, want, fail string }{
		{tool: "strange", want: `{"content":[{"type":"hologram","z":1}],"structuredContent":{"b":1.50,"a":123456789012345678901234567890},"extra":true}`},
		{tool: "args", args: `{"z":1.50,"a":[1e3,"<&>"]}`, want: `{"content":[],"structuredContent":{"z":1.50,"a":[1e3,"<&>"]}}`},
		{tool: "args", want: `{"content":[],"structuredContent":{}}`},
		{tool: "refuse", fail: "srv.refuse: bad arguments"},
	} {
		got, err := s.Call(t.Context(), c.tool, json.RawMessage(c.args), nil)
		if c.fail != "" {
			if err == nil || err.Error() != c.fail {
				t.Errorf("%s: %v, want %s", c.tool, err, c.fail)
			}
			continue
		}
		if err != nil || unescape(string(got)) != c.want {
			t.Errorf("%s: %s %v, want %s", c.tool, got, err, c.want)
		}
	}
	got, err := s.Call(t.Context(), "huge", nil, nil)
	if err != nil || len(got) < 20<<20 {
		t.Errorf("huge: %d bytes, %v", len(got), err)
	}
}

// unescape undoes the escapes with which the SDK sends arguments.
func unescape(s string) string {
	return strings.NewReplacer(`\u003c`, "<", `\u003e`, ">", `\u0026`, "&").Replace(s)
}

func TestDeathAndRestart(t *testing.T) {
	changed := make(chan struct{}, 10)
	var log syncBuffer
	s := start(t, "calls", upstream.Options{Stderr: &log, ToolsChanged: func() { changed <- struct{}{} }})
	for range 2 { // the first restart comes without a pause
		_, err := s.Call(t.Context(), "die", nil, nil)
		if want := "srv.die: server exited with status 3; its stderr: hello from calls\nassertion failed"; err == nil || err.Error() != want {
			t.Fatalf("got %v, want %s", err, want)
		}
	}
	<-changed
	_, err := s.Call(t.Context(), "t", nil, nil)
	if !errors.Is(err, upstream.ErrDown) || !strings.Contains(err.Error(), "assertion failed") {
		t.Fatalf("got %v, want a pause", err)
	}
	tick, deadline := time.NewTicker(10*time.Millisecond), time.Now().Add(10*time.Second)
	defer tick.Stop()
	for errors.Is(err, upstream.ErrDown) && time.Now().Before(deadline) {
		<-tick.C
		_, err = s.Call(t.Context(), "t", nil, nil)
	}
	if err != nil {
		t.Errorf("after the pause: %v", err)
	}
	s.Close()
	if got := log.String(); !strings.Contains(got, "[srv] hello from calls\n[srv] assertion failed\n") {
		t.Errorf("log %q", got)
	}
}

func TestPendingCallsFailWhenTheServerDies(t *testing.T) {
	s := start(t, "calls", upstream.Options{})
	if _, err := s.Tools(t.Context()); err != nil {
		t.Fatal(err)
	}
	failed := make(chan error)
	go func() {
		_, err := s.Call(t.Context(), "hang", nil, nil)
		failed <- err
	}()
	_, _ = s.Call(t.Context(), "die", nil, nil)
	if err := <-failed; err == nil || !strings.HasPrefix(err.Error(), "srv.hang: server exited with status 3") {
		t.Errorf("got %v", err)
	}
}

func TestTimeouts(t *testing.T) {
	s := start(t, "calls", upstream.Options{CallTimeout: 50 * time.Millisecond})
	_, err := s.Call(t.Context(), "hang", nil, nil)
	if want := "srv.hang: no answer and no progress within 50ms"; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
	if _, err := s.Call(t.Context(), "t", nil, nil); err != nil {
		t.Errorf("after a timeout: %v", err)
	}
	m := start(t, "mute", upstream.Options{StartTimeout: 100 * time.Millisecond})
	_, err = m.Call(t.Context(), "t", nil, nil)
	if want := "srv.t: start: no answer within 100ms; is it an MCP server?"; err == nil || !strings.HasPrefix(err.Error(), want) {
		t.Errorf("got %v, want %s", err, want)
	}
}

func TestEndlessLine(t *testing.T) {
	s := start(t, "calls", upstream.Options{})
	_, err := s.Call(t.Context(), "endless", nil, nil)
	if err == nil || !strings.HasPrefix(err.Error(), "srv.endless: ") {
		t.Errorf("got %v", err)
	}
}

func TestStartFails(t *testing.T) {
	s := start(t, "exit", upstream.Options{})
	_, err := s.Tools(t.Context())
	if err == nil || !strings.Contains(err.Error(), "start: it exited with status 7 before it answered; is it an MCP server? its stderr: hello from exit\nno such database") {
		t.Errorf("got %v", err)
	}
	n, err := upstream.New(upstream.Config{Name: "n", Command: "/no/such/program"}, upstream.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer n.Close()
	if _, err := n.Tools(t.Context()); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("got %v", err)
	}
}

func TestCancel(t *testing.T) {
	s := start(t, "demo", upstream.Options{})
	ctx, cancel := context.WithCancel(t.Context())
	var reports []float64
	_, err := s.Call(ctx, "slow", json.RawMessage(`{"steps":1000,"step_ms":10}`), func(p *mcp.ProgressNotificationParams) {
		reports = append(reports, p.Progress)
		if p.Progress == 3 {
			cancel()
		}
	})
	if !errors.Is(err, context.Canceled) || len(reports) < 3 {
		t.Errorf("got %v after %v", err, reports)
	}
	if _, err := s.Call(t.Context(), "clock", nil, nil); err != nil {
		t.Errorf("after a cancel: %v", err)
	}
}

func TestToolsChanged(t *testing.T) {
	changed := make(chan struct{}, 10)
	s := start(t, "calls", upstream.Options{ToolsChanged: func() { changed <- struct{}{} }})
	if _, err := s.Call(t.Context(), "change", nil, nil); err != nil {
		t.Fatal(err)
	}
	<-changed
	if _, err := s.Tools(t.Context()); err != nil {
		t.Fatal(err)
	}
}

func TestHTTP(t *testing.T) {
	server := demomcp.New(demomcp.Options{})
	var auth sync.Map
	for name, opts := range map[string]*mcp.StreamableHTTPOptions{"events": nil, "json": {JSONResponse: true}} {
		t.Run(name, func(t *testing.T) {
			h := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server }, opts)
			ts := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				auth.Store(r.Header.Get("Authorization"), true)
				h.ServeHTTP(w, r)
			}))
			defer ts.Close()
			s, err := upstream.New(upstream.Config{Name: "web", URL: ts.URL, Headers: map[string]string{"Authorization": "Bearer x"}}, upstream.Options{})
			if err != nil {
				t.Fatal(err)
			}
			tools, err := s.Tools(t.Context())
			if err != nil || len(tools) != 8 || len(tools[0].InputSchema) == 0 {
				t.Fatalf("tools: %v %v", tools, err)
			}
			got, err := s.Call(t.Context(), "note_read", json.RawMessage(`{"id":3}`), nil)
			if err != nil || !bytes.Contains(got, []byte(`"structuredContent":{"body":"Bread, coffee, lemons.","id":3,`)) {
				t.Errorf("got %s %v", got, err)
			}
			s.Close()
			http.DefaultTransport.(*http.Transport).CloseIdleConnections()
		})
	}
	if _, ok := auth.Load(""); ok {
		t.Error("a request came without the configured header")
	}
}

// TestHTTPVerbatim has a server that spells its results in its own way.
func TestHTTPVerbatim(t *testing.T) {
	const result = `{"content":[{"type":"hologram"}],"structuredContent":{"b":1.50,"a":123456789012345678901234567890}}`
	h := func(w http.ResponseWriter, r *http.Request) {
		var req struct {
			ID     json.RawMessage
			Method string
		}
		if r.Method != http.MethodPost || json.NewDecoder(r.Body).Decode(&req) != nil {
			w.WriteHeader(http.StatusMethodNotAllowed)
			return
		}
		switch req.Method {
		case "initialize":
			w.Header().Set("Content-Type", "application/json")
			fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}}`, req.ID)
		case "tools/call":
			w.Header().Set("Content-Type", "text/event-stream; charset=utf-8")
			fmt.Fprintf(w, ": hello\r\nevent: message\r\ndata: {\"jsonrpc\":\"2.0\",\"id\":%s,\r\ndata:\"result\":%s}\r\n\r\n", req.ID, result)
		default:
			w.WriteHeader(http.StatusAccepted)
		}
	}
	ts := httptest.NewServer(http.HandlerFunc(h))
	defer ts.Close()
	s, err := upstream.New(upstream.Config{Name: "web", URL: ts.URL}, upstream.Options{})
	if err != nil {
		t.Fatal(err)
	}
	got, err := s.Call(t.Context(), "x", nil, nil)
	if err != nil || string(got) != result {
		t.Errorf("got %s %v", got, err)
	}
	s.Close()
	http.DefaultTransport.(*http.Transport).CloseIdleConnections()
}

func TestHTTPKeepsHeadersToItsHost(t *testing.T) {
	elsewhere := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("followed a redirect to another host") }))
	defer elsewhere.Close()
	ts := httptest.NewServer(http.RedirectHandler(elsewhere.URL, http.StatusTemporaryRedirect))
	defer ts.Close()
	s, err := upstream.New(upstream.Config{Name: "web", URL: ts.URL, Headers: map[string]string{"Authorization": "x"}}, upstream.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Tools(t.Context()); err == nil {
		t.Error("a redirect was taken for an answer")
	}
	s.Close()
	http.DefaultTransport.(*http.Transport).CloseIdleConnections()
}

func TestConfig(t *testing.T) {
	for want, c := range map[string]upstream.Config{
		"neither command nor url is set":                   {},
		"both command and url are set":                     {Command: "x", URL: "http://h"},
		"headers are for servers with a url":               {Command: "x", Headers: map[string]string{"a": "b"}},
		"args, env and cwd are for servers with a command": {URL: "http://h", Args: []string{"x"}},
		`url "ftp://h": want http://… or https://…`:        {URL: "ftp://h"},
	} {
		if _, err := upstream.New(c, upstream.Options{}); err == nil || err.Error() != `server "": `+want {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

type syncBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (s *syncBuffer) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.Write(p)
}

func (s *syncBuffer) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.String()
}

// What keeps a server from running is told to the operator, in words that help.
func TestOperatorIsTold(t *testing.T) {
	for name, c := range map[string]struct {
		config upstream.Config
		want   string
	}{
		"arguments in command": {upstream.Config{Name: "srv", Command: "no-such-program --flag"},
			`[srv] berth: start: start "no-such-program --flag": no such program; put its arguments into a list of their own (args)` + "\n"},
		"no folder": {upstream.Config{Name: "srv", Command: os.Args[0], Dir: "/no/such/folder"},
			`[srv] berth: start: start "` + os.Args[0] + `": working directory "/no/such/folder": no such file or directory` + "\n"},
		"no server": {upstream.Config{Name: "srv", Command: os.Args[0], Env: map[string]string{"UPSTREAM_TEST_ROLE": "exit"}},
			"[srv] hello from exit\n[srv] no such database\n" +
				"[srv] berth: start: it exited with status 7 before it answered; is it an MCP server? its stderr: hello from exit\n[srv] no such database\n"},
	} {
		var log bytes.Buffer
		s, err := upstream.New(c.config, upstream.Options{Stderr: &log})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := s.Tools(t.Context()); err == nil {
			t.Errorf("%s: the server started", name)
		}
		s.Close()
		if log.String() != c.want {
			t.Errorf("%s: log %q, want %q", name, log.String(), c.want)
		}
	}
}
