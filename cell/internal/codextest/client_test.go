//go:build codex && linux

package codextest_test

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/berth-dev/berth/cell/internal/codextest"
)

// patience is how long a conversation may take. It takes two to five seconds.
const patience = 90 * time.Second

// client is an installed Codex of one version with berth in place as its host.
type client struct {
	host   string // the program that is in berth's place
	berth  string // berth itself, which has the demo MCP server too
	prefix string // npm's prefix, a copy of our own
	home   string // $HOME
	work   string // where Codex works
	recipe codextest.Recipe
}

// eachVersion runs a scenario with each client.
func eachVersion(t *testing.T, scenario func(t *testing.T, c *client)) {
	for _, version := range codextest.Versions() {
		t.Run(version, func(t *testing.T) { scenario(t, newClient(t, version)) })
	}
}

// newClient lays out a home as the recipe's reader has it: berth and Codex in
// the PATH, Codex installed by npm.
func newClient(t *testing.T, version string) *client {
	t.Helper()
	root, err := filepath.Abs("../../..")
	if err != nil {
		t.Fatal(err)
	}
	tools := filepath.Join(root, ".tools", "codex")
	if _, err := os.Stat(filepath.Join(tools, version, "bin", "codex")); err != nil {
		t.Fatalf("Codex %s is not installed, make test-codex does it: %v", version, err)
	}
	page, err := os.ReadFile(filepath.Join(root, "docs", "codex.md"))
	if err != nil {
		t.Fatal(err)
	}
	recipes, err := codextest.ParseRecipes(string(page))
	if err != nil {
		t.Fatal(err)
	}
	recipe, err := codextest.RecipeFor(recipes, version)
	if err != nil {
		t.Fatal(err)
	}
	// Beside the installed one, since it shares its files by hard links.
	dir, err := os.MkdirTemp(tools, "run-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	c := &client{
		berth:  filepath.Join(root, "bin", "berth"),
		prefix: filepath.Join(dir, "npm"), home: filepath.Join(dir, "home"), work: filepath.Join(dir, "work"),
		recipe: recipe,
	}
	if c.host, err = filepath.Abs(*hostPath); err != nil {
		t.Fatal(err)
	}
	if err := linkTree(filepath.Join(tools, version), c.prefix); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{c.work, filepath.Join(c.home, ".codex"), filepath.Join(dir, "bin")} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(c.host, filepath.Join(dir, "bin", "berth")); err != nil {
		t.Fatal(err)
	}
	return c
}

// linkTree copies a folder, its files as hard links.
func linkTree(from, to string) error {
	return filepath.WalkDir(from, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		dest := filepath.Join(to, rel)
		switch {
		case d.IsDir():
			return os.Mkdir(dest, 0o755)
		case d.Type()&fs.ModeSymlink != 0:
			target, err := os.Readlink(path)
			if err != nil {
				return err
			}
			return os.Symlink(target, dest)
		default:
			return os.Link(path, dest)
		}
	})
}

// config is Codex's configuration: the recipe's, and where the model is.
func (c *client) config(modelURL string) string {
	return fmt.Sprintf(`model = "gpt-5.5"
model_provider = "scripted"
check_for_update_on_startup = false

[model_providers.scripted]
name = "scripted"
base_url = "%s/v1"
wire_api = "responses"
request_max_retries = 0
stream_max_retries = 0
supports_websockets = false

[analytics]
enabled = false

[mcp_servers.demo]
command = "%s"
args = ["demo-mcp"]

%s`, modelURL, c.berth, c.recipe.Config)
}

// conversation is what came of one run of codex exec.
type conversation struct {
	requests []codextest.Request
	log      []byte // what Codex printed
}

// talk follows the recipe, then runs codex exec until the model, which takes
// the given turns, has said its last.
func (c *client) talk(t *testing.T, turns ...codextest.Turn) conversation {
	t.Helper()
	model := codextest.NewModel(turns...)
	server := httptest.NewServer(model)
	defer server.Close()
	if err := os.WriteFile(filepath.Join(c.home, ".codex", "config.toml"), []byte(c.config(server.URL)), 0o644); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, "bash", "-euc", c.recipe.Shell+"\n"+`exec codex exec "$@"`, "bash",
		"--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox", "--disable", "plugins", "-C", c.work, "Go.")
	cmd.Env = []string{
		"HOME=" + c.home, "LANG=C.UTF-8", "npm_config_prefix=" + c.prefix, "RUST_LOG=error",
		"PATH=" + filepath.Join(filepath.Dir(c.prefix), "bin") + ":" + filepath.Join(c.prefix, "bin") + ":" + os.Getenv("PATH"),
	}
	cmd.Dir = c.work
	cmd.SysProcAttr = &unix.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return unix.Kill(-cmd.Process.Pid, unix.SIGKILL) }
	cmd.WaitDelay = 5 * time.Second
	var log bytes.Buffer
	cmd.Stdout, cmd.Stderr = &log, &log
	err := cmd.Run()
	requests, errs := model.Requests()
	if err != nil || len(errs) > 0 || len(requests) != len(turns)+1 {
		t.Fatalf("codex exec: %v, model: %v, %d requests, want %d\n%s", err, errs, len(requests), len(turns)+1, log.Bytes())
	}
	return conversation{requests, log.Bytes()}
}

// outputs returns what the model was told of a call: the call's own output, and
// one more for each notification.
func (c conversation) outputs(t *testing.T, call string) [][]codextest.Content {
	t.Helper()
	outputs, err := c.requests[len(c.requests)-1].Outputs(call)
	if err != nil {
		t.Fatal(err)
	}
	if len(outputs) == 0 {
		t.Fatalf("no output for %s\n%s", call, c.log)
	}
	return outputs
}

// texts returns the texts of a call's own output. The first is Codex's header.
func (c conversation) texts(t *testing.T, call string) []string {
	t.Helper()
	var texts []string
	for _, part := range c.outputs(t, call)[0] {
		if part.Type == "input_text" {
			texts = append(texts, part.Text)
		}
	}
	return texts
}

// wantTexts checks a call's own output: the first line of its header, and all
// texts behind it.
func (c conversation) wantTexts(t *testing.T, call, header string, want ...string) {
	t.Helper()
	texts := c.texts(t, call)
	if len(texts) == 0 {
		t.Fatalf("%s: no text", call)
	}
	if got, _, _ := strings.Cut(texts[0], "\n"); got != header {
		t.Errorf("%s: got header %q, want %q; all: %q", call, got, header, texts)
	}
	if got := texts[1:]; strings.Join(got, "\x00") != strings.Join(want, "\x00") {
		t.Errorf("%s: got %q, want %q", call, got, want)
	}
}
