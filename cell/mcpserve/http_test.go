package mcpserve_test

import (
	"context"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"

	"github.com/berth-dev/berth/cell/internal/hosttest"
	"github.com/berth-dev/berth/cell/mcpserve"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// serveHTTP starts a server on a loopback port and returns its URL.
func serveHTTP(t *testing.T, h mcpserve.HTTPOptions, opts mcpserve.Options) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	served := make(chan error, 1)
	go func() { served <- mcpserve.ServeHTTP(ctx, l, h, opts) }()
	t.Cleanup(func() {
		cancel()
		if err := <-served; err != nil {
			t.Errorf("serve: %v", err)
		}
		http.DefaultTransport.(*http.Transport).CloseIdleConnections()
	})
	return "http://" + l.Addr().String() + mcpserve.Path
}

// bearer adds the token.
type bearer string

func (b bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+string(b))
	return http.DefaultTransport.RoundTrip(r)
}

func connectHTTP(t *testing.T, url, token string, opts *mcp.ClientOptions) *mcp.ClientSession {
	t.Helper()
	cs, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, opts).Connect(t.Context(),
		&mcp.StreamableClientTransport{Endpoint: url, HTTPClient: &http.Client{Transport: bearer(token)}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cs.Close() })
	return cs
}

func TestHTTP(t *testing.T) {
	url := serveHTTP(t, mcpserve.HTTPOptions{Token: "tok"}, options(server("notes", hosttest.DemoRole), server("lab", "lab")))
	asking := &mcp.ClientOptions{ElicitationHandler: func(context.Context, *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
		return &mcp.ElicitResult{Action: "accept", Content: map[string]any{"colour": "red"}}, nil
	}}
	a, b := connectHTTP(t, url, "tok", asking), connectHTTP(t, url, "tok", &mcp.ClientOptions{Capabilities: &mcp.ClientCapabilities{}})
	execText(t, a, `store("k", 1); await tools.notes__note_create({title: "mine"})`)
	for _, c := range []struct {
		client       *mcp.ClientSession
		source, want string
	}{
		{a, `text(load("k"))`, "1"},
		{b, `text(load("k"))`, "undefined"}, // values, servers and consents are each session's own
		{a, `text((await tools.notes__note_list()).structuredContent.notes.length)`, "4"},
		{b, `text((await tools.notes__note_list()).structuredContent.notes.length)`, "3"},
		{a, `text((await tools.lab__write()).content[0].text)`, "written"},
		{b, `text((await tools.lab__write().catch(e => e)).slice(0, 22))`, "lab.write: not allowed"},
		{a, `text((await tools.lab__elicit()).content[0].text)`, "acceptred"},
	} {
		if got := execText(t, c.client, c.source); got != c.want {
			t.Errorf("%s: got %q, want %q", c.source, got, c.want)
		}
	}
	if err := b.Close(); err != nil {
		t.Error(err)
	}
	if got := execText(t, a, `text("still here")`); got != "still here" {
		t.Errorf("got %q", got)
	}
}

// Who is refused reads what was refused, and what would change that.
func TestHTTPRefusalIsExplained(t *testing.T) {
	url := serveHTTP(t, mcpserve.HTTPOptions{Token: "tok"}, options())
	for name, change := range map[string]func(*http.Request){
		`forbidden host "box.example"`:  func(r *http.Request) { r.Host = "box.example" },
		`forbidden origin ["http://b"]`: func(r *http.Request) { r.Header.Set("Origin", "http://b") },
	} {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, nil)
		if err != nil {
			t.Fatal(err)
		}
		change(req)
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(resp.Body)
		_ = resp.Body.Close()
		if err != nil || !strings.HasPrefix(string(body), name) || !strings.Contains(string(body), "--http-host") {
			t.Errorf("%s: %q, %v", name, body, err)
		}
	}
}

func TestHTTPGuard(t *testing.T) {
	url := serveHTTP(t, mcpserve.HTTPOptions{Token: "tok", Hosts: []string{"berth.example"}}, options())
	for _, c := range []struct {
		name   string
		change func(*http.Request)
		want   int
	}{
		{"good", func(*http.Request) {}, 200},
		{"good origin", func(r *http.Request) { r.Header.Set("Origin", "http://localhost:3000") }, 200},
		{"known origin", func(r *http.Request) { r.Header.Set("Origin", "https://berth.example") }, 200},
		{"scheme in other case", func(r *http.Request) { r.Header.Set("Authorization", "bearer tok") }, 200},
		{"no token", func(r *http.Request) { r.Header.Del("Authorization") }, 401},
		{"wrong token", func(r *http.Request) { r.Header.Set("Authorization", "Bearer tok2") }, 401},
		{"other scheme", func(r *http.Request) { r.Header.Set("Authorization", "tok") }, 401},
		{"foreign host", func(r *http.Request) { r.Host = "evil.example" }, 403},
		{"foreign origin", func(r *http.Request) { r.Header.Set("Origin", "https://evil.example") }, 403},
		{"foreign origin that looks like ours", func(r *http.Request) { r.Header.Set("Origin", "https://localhost.evil.example") }, 403},
		{"opaque origin", func(r *http.Request) { r.Header.Set("Origin", "null") }, 403},
		{"two origins", func(r *http.Request) { r.Header["Origin"] = []string{"http://localhost", "https://evil.example"} }, 403},
		{"other path", func(r *http.Request) { r.URL.Path = "/" }, 404},
		{"large body", func(r *http.Request) {
			r.Body = io.NopCloser(strings.NewReader(strings.Repeat(" ", 17<<20)))
			r.ContentLength = 17 << 20
		}, 413},
	} {
		t.Run(c.name, func(t *testing.T) {
			req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader(
				`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}`))
			if err != nil {
				t.Fatal(err)
			}
			req.Header.Set("Authorization", "Bearer tok")
			req.Header.Set("Content-Type", "application/json")
			req.Header.Set("Accept", "application/json, text/event-stream")
			c.change(req)
			resp, err := http.DefaultTransport.RoundTrip(req)
			if err != nil {
				t.Fatal(err)
			}
			_, _ = io.Copy(io.Discard, resp.Body)
			_ = resp.Body.Close()
			if resp.StatusCode != c.want {
				t.Errorf("status %d, want %d", resp.StatusCode, c.want)
			}
		})
	}
}

// publicListener pretends to listen where others can reach it.
type publicListener struct{ net.Listener }

func (publicListener) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv4(192, 0, 2, 1), Port: 80} }

func TestHTTPRefusesToStart(t *testing.T) {
	for want, h := range map[string]mcpserve.HTTPOptions{
		"serve MCP: a token is required":                    {},
		"serve MCP: 192.0.2.1:80 is not a loopback address": {Token: "x"},
	} {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		if err := mcpserve.ServeHTTP(t.Context(), publicListener{l}, h, options()); err == nil || err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
		if _, err := l.Accept(); err == nil {
			t.Error("the listener is open")
		}
	}
	if a, b := mcpserve.NewToken(), mcpserve.NewToken(); a == b || len(a) != 48 {
		t.Errorf("tokens %q %q", a, b)
	}
}
