//lint:file-ignore SA1019 roots and sampling pass through as long as there are clients and servers that speak them

package mcpserve_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/berth-dev/berth/cell/internal/hosttest"
	"github.com/berth-dev/berth/cell/internal/upstream"
	"github.com/berth-dev/berth/cell/mcpserve"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"go.uber.org/goleak"
)

// The test binary is also the code-mode host and the upstream servers.
func TestMain(m *testing.M) {
	hosttest.Main(map[string]func([]string) int{
		"lab":  lab,
		"exit": func([]string) int { fmt.Fprintln(os.Stderr, "no licence"); return 9 },
		"mute": func([]string) int { _, _ = io.Copy(io.Discard, os.Stdin); return 0 },
		"many": many,

		"overloaded": overloaded,
		"serve": func(args []string) int { // berth mcp, for clients that start their servers
			var config upstream.Config
			if err := json.Unmarshal([]byte(args[0]), &config); err != nil {
				return 2
			}
			c := mcpserve.ServerConfig{Config: config, Allow: []string{"trigger-*"}}
			if mcpserve.ServeStdio(context.Background(), os.Stdin, os.Stdout, options(c)) != nil {
				return 1
			}
			return 0
		},
	})
	goleak.VerifyTestMain(m)
}

func textResult(s string) *mcp.CallToolResult {
	return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: s}}}
}

// lab is a server that asks its client for things, and misbehaves on demand.
func lab([]string) int {
	s := mcp.NewServer(&mcp.Implementation{Name: "lab", Version: "1"}, &mcp.ServerOptions{
		RootsListChangedHandler: func(context.Context, *mcp.RootsListChangedRequest) {},
	})
	tool := func(name string, readOnly bool, f func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error)) {
		s.AddTool(&mcp.Tool{Name: name, Description: "Does " + name + ".", InputSchema: map[string]any{"type": "object"},
			Annotations: &mcp.ToolAnnotations{ReadOnlyHint: readOnly}}, f)
	}
	tool("elicit", true, func(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		r, err := req.Session.Elicit(ctx, &mcp.ElicitParams{Message: "Which colour?", RequestedSchema: map[string]any{
			"type": "object", "properties": map[string]any{"colour": map[string]any{"type": "string"}}}})
		if err != nil {
			return nil, err
		}
		return textResult(fmt.Sprint(r.Action, r.Content["colour"])), nil
	})
	tool("sample", true, func(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		r, err := req.Session.CreateMessage(ctx, &mcp.CreateMessageParams{MaxTokens: 10,
			Messages: []*mcp.SamplingMessage{{Role: "user", Content: &mcp.TextContent{Text: "hi"}}}})
		if err != nil {
			return nil, err
		}
		return textResult(r.Content.(*mcp.TextContent).Text), nil
	})
	tool("roots", true, func(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		r, err := req.Session.ListRoots(ctx, nil)
		if err != nil {
			return nil, err
		}
		var uris []string
		for _, root := range r.Roots {
			uris = append(uris, root.URI)
		}
		return textResult(strings.Join(uris, " ")), nil
	})
	tool("grow", true, func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		tool("grown", true, func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return textResult("new"), nil
		})
		return textResult("ok"), nil
	})
	tool("die", true, func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		fmt.Fprintln(os.Stderr, "segmentation fault")
		os.Exit(11)
		return nil, nil
	})
	hung := make(chan struct{})
	tool("hang", true, func(ctx context.Context, _ *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		<-ctx.Done()
		close(hung)
		return nil, ctx.Err()
	})
	tool("unhung", true, func(ctx context.Context, _ *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		select {
		case <-hung:
			return textResult("cancelled"), nil
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	})
	tool("write", false, func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return textResult("written"), nil
	})
	tool("erase", false, func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return textResult("erased"), nil
	})
	tool("huge", true, func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return textResult(strings.Repeat("x", 2<<20)), nil
	})
	_ = s.Run(context.Background(), &mcp.StdioTransport{})
	return 0
}

// many has more tools than a description has room for.
func many([]string) int {
	s := mcp.NewServer(&mcp.Implementation{Name: "many", Version: "1"}, nil)
	for i := range 300 {
		s.AddTool(&mcp.Tool{Name: fmt.Sprintf("tool_%03d", i), Description: fmt.Sprintf("Handles item number %d of the warehouse, with care.", i),
			InputSchema: map[string]any{"type": "object"}, Annotations: &mcp.ToolAnnotations{ReadOnlyHint: true}},
			func(_ context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
				return textResult(req.Params.Name), nil
			})
	}
	s.AddTool(&mcp.Tool{Name: "send_invoice", Description: "Mails a bill to a customer.", Annotations: &mcp.ToolAnnotations{ReadOnlyHint: true},
		InputSchema: map[string]any{"type": "object", "properties": map[string]any{"customerEmail": map[string]any{"type": "string"}}}},
		func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return textResult("sent"), nil
		})
	_ = s.Run(context.Background(), &mcp.StdioTransport{})
	return 0
}

// server is a configuration that runs a role of the test binary.
func server(name, role string) mcpserve.ServerConfig {
	return mcpserve.ServerConfig{Config: upstream.Config{Name: name, Command: os.Args[0], Args: []string{role}}, Timeout: 20 * time.Second}
}

func options(servers ...mcpserve.ServerConfig) mcpserve.Options {
	return mcpserve.Options{Config: mcpserve.Config{Servers: servers}, HostArgs: []string{hosttest.HostRole}}
}

// serve starts a server and connects a client to it.
func serve(t *testing.T, opts mcpserve.Options, client *mcp.ClientOptions) *mcp.ClientSession {
	t.Helper()
	cs, _ := serveClient(t, opts, client)
	return cs
}

func serveClient(t *testing.T, opts mcpserve.Options, client *mcp.ClientOptions) (*mcp.ClientSession, *mcp.Client) {
	t.Helper()
	in, toServer := io.Pipe()
	fromServer, out := io.Pipe()
	served := make(chan error, 1)
	go func() { served <- mcpserve.ServeStdio(context.WithoutCancel(t.Context()), in, out, opts) }()
	if client == nil {
		client = &mcp.ClientOptions{Capabilities: &mcp.ClientCapabilities{}}
	}
	c := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, client)
	cs, err := c.Connect(t.Context(), &mcp.IOTransport{Reader: fromServer, Writer: toServer, MaxLineLength: -1}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cs.Close()
		if err := <-served; err != nil {
			t.Errorf("serve: %v", err)
		}
	})
	return cs, c
}

// call calls exec or wait and returns all text, and whether it is an error.
func call(t *testing.T, cs *mcp.ClientSession, tool string, args map[string]any) (string, bool) {
	t.Helper()
	r, err := cs.CallTool(t.Context(), &mcp.CallToolParams{Name: tool, Arguments: args})
	if err != nil {
		t.Fatalf("%s: %v", tool, err)
	}
	return texts(r), r.IsError
}

func texts(r *mcp.CallToolResult) string {
	var all []string
	for _, c := range r.Content {
		switch c := c.(type) {
		case *mcp.TextContent:
			all = append(all, c.Text)
		case *mcp.ImageContent:
			all = append(all, fmt.Sprintf("<%s %d>", c.MIMEType, len(c.Data)))
		case *mcp.AudioContent:
			all = append(all, fmt.Sprintf("<%s %d>", c.MIMEType, len(c.Data)))
		}
	}
	return strings.Join(all, "|")
}

// execText runs a program and returns its output without the heading.
func execText(t *testing.T, cs *mcp.ClientSession, source string) string {
	t.Helper()
	out, failed := call(t, cs, "exec", map[string]any{"source": source})
	head, rest, _ := strings.Cut(out, "Output:\n")
	if failed || !strings.HasPrefix(head, "Script completed\n") {
		return out
	}
	return strings.TrimPrefix(rest, "|")
}
