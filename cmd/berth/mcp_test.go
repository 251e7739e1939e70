package main

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// bearer adds a token to every request.
type bearer string

func (b bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+string(b))
	return http.DefaultTransport.RoundTrip(r)
}

// TestMCPOverHTTP wants the printed URL and token to be all that a client
// needs, and a signal to end the server.
func TestMCPOverHTTP(t *testing.T) {
	config := filepath.Join(t.TempDir(), "mcp.json")
	if err := os.WriteFile(config, []byte(`{"mcpServers": {"demo": {"command": "berth", "args": ["demo-mcp"]}}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	server := program(t, "berth", "mcp", "--config", config, "--http", "127.0.0.1:0", "--json")
	server.Env = append(server.Environ(), "BERTH_MCP_TOKEN=between you and me")
	var stderr strings.Builder
	server.Stderr = &stderr
	stdout, err := server.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	var endpoint mcpEndpoint
	if err := json.NewDecoder(stdout).Decode(&endpoint); err != nil {
		t.Fatal(err)
	}
	if endpoint.Schema != 1 || endpoint.Token != "" {
		t.Errorf("printed %+v", endpoint)
	}
	session, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(),
		&mcp.StreamableClientTransport{Endpoint: endpoint.URL, HTTPClient: &http.Client{Transport: bearer("between you and me")}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	result, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "exec", Arguments: map[string]any{
		"source": "text((await tools.demo__note_read({id: 3})).structuredContent.title)"}})
	if err != nil {
		t.Fatal(err)
	}
	if text, err := json.Marshal(result.Content); err != nil || !strings.Contains(string(text), "Groceries") {
		t.Errorf("result: %s, %v", text, err)
	}
	if err := session.Close(); err != nil {
		t.Error(err)
	}
	if err := server.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if code := exitCode(t, server); code != exitTerminated {
		t.Errorf("exit code %d, want %d; stderr: %s", code, exitTerminated, stderr.String())
	}
}

func TestBerthHome(t *testing.T) {
	for _, tt := range []struct {
		name    string
		environ map[string]string
		want    string
	}{
		{"said", map[string]string{"BERTH_HOME": "/b", "XDG_STATE_HOME": "/x", "HOME": "/h"}, "/b"},
		{"state home", map[string]string{"BERTH_HOME": "", "XDG_STATE_HOME": "/x", "HOME": "/h"}, filepath.FromSlash("/x/berth")},
		{"relative state home does not count", map[string]string{"XDG_STATE_HOME": "x", "HOME": "/h"}, filepath.FromSlash("/h/.local/state/berth")},
		{"home", map[string]string{"HOME": "/h"}, filepath.FromSlash("/h/.local/state/berth")},
		{"none", nil, ""},
	} {
		env := testEnv()
		env.LookupEnv = func(name string) (string, bool) { v, ok := tt.environ[name]; return v, ok }
		got, err := berthHome(env)
		if diff := cmp.Diff(tt.want, got); diff != "" || (err != nil) != (tt.want == "") {
			t.Errorf("%s: error %v (-want +got):\n%s", tt.name, err, diff)
		}
	}
}
