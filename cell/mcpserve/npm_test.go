//go:build npm

package mcpserve_test

import (
	"bytes"
	"context"
	"encoding/json"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/berth-dev/berth/cell/internal/process"
	"github.com/berth-dev/berth/cell/internal/upstream"
	"github.com/berth-dev/berth/cell/mcpserve"
	"github.com/google/go-cmp/cmp"
)

// npmFolder is where `make tools` installs what these tests run.
func npmFolder(t *testing.T) string {
	t.Helper()
	dir, err := filepath.Abs("../../.tools/npm")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(dir, "node_modules/@modelcontextprotocol/sdk")); err != nil {
		t.Fatalf("%v; run make tools", err)
	}
	return dir
}

// everything is the reference server on stdio.
func everything(t *testing.T) mcpserve.ServerConfig {
	t.Helper()
	return mcpserve.ServerConfig{Allow: []string{"trigger-*"}, Config: upstream.Config{Name: "everything", Command: "node",
		Args: []string{everythingScript(t), "stdio"}}}
}

func everythingScript(t *testing.T) string {
	t.Helper()
	return filepath.Join(npmFolder(t), "node_modules/@modelcontextprotocol/server-everything/dist/index.js")
}

// typeScript runs the client in TypeScript and checks what it found.
func typeScript(t *testing.T, args ...string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, "node", append([]string{"testdata/client.mjs", npmFolder(t)}, args...)...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v\n%s%s", err, out, stderr.Bytes())
	}
	var got, want map[string]any
	if err := json.Unmarshal(out, &got); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if err := json.Unmarshal([]byte(`{"server": "berth", "tools": ["exec", "wait"], "declares": true,
		"sum": "The sum of 2 and 40 is 42.", "structured": "conditions,humidity,temperature", "image": "image/png",
		"elicit": "true", "asked": 1, "sampled": "true", "progress": true, "wait": "ab", "aborted": true, "failed": [true, true]}`), &want); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestTypeScriptClientOverStdio(t *testing.T) {
	config, err := json.Marshal(everything(t).Config)
	if err != nil {
		t.Fatal(err)
	}
	typeScript(t, "stdio", os.Args[0], "serve", string(config))
}

func TestTypeScriptClientOverHTTP(t *testing.T) {
	url := serveHTTP(t, mcpserve.HTTPOptions{Token: "tok"}, options(everything(t)))
	typeScript(t, "http", url, "tok")
}

// TestEverythingOverHTTP has the reference server as an upstream with a URL.
func TestEverythingOverHTTP(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	port := strconv.Itoa(l.Addr().(*net.TCPAddr).Port)
	_ = l.Close()
	tail := &process.Tail{Max: 2000}
	p, err := process.Start("node", []string{everythingScript(t), "streamableHttp"},
		process.Options{Env: append(os.Environ(), "PORT="+port), Stderr: tail})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		p.Kill()
		_ = p.Stdin.Close()
		_ = p.Stdout.Close()
	}()
	eventually(t, func() bool {
		conn, err := net.Dial("tcp", "127.0.0.1:"+port)
		if err != nil {
			return false
		}
		return conn.Close() == nil
	})
	cs := serve(t, options(mcpserve.ServerConfig{Config: upstream.Config{Name: "far", URL: "http://127.0.0.1:" + port + "/mcp"}}), nil)
	if got, want := execText(t, cs, `text((await tools.far__get_sum({a: 2, b: 40})).content[0].text)`), "The sum of 2 and 40 is 42."; got != want {
		t.Errorf("got %q; server: %s", got, tail.String())
	}
}
