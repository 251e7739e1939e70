package toolset_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/berth-dev/berth/cell/codemode"
	"github.com/berth-dev/berth/cell/toolset"
)

func toolsFile(t *testing.T, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "tools.json")
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// self returns words that run a role of the test binary, as JSON.
func self(t *testing.T, words ...string) string {
	t.Helper()
	b, err := json.Marshal(append([]string{os.Args[0]}, words...))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestCommands(t *testing.T) {
	tools, err := toolset.LoadCommands(toolsFile(t, `{
		"line": "X='a b' `+os.Args[0]+` echo one \"two three\"",
		"list": `+self(t, "echo", "$HOME *")+`,
		"long": {"command": `+self(t, "echo")+`, "description": "Echoes.", "env": {"X": "y"}, "cwd": "/",
			"input_schema": {"type": "object"}, "output_schema": true, "timeout_seconds": 9.5},
		"fail": `+self(t, "fail")+`, "silent": `+self(t, "silent")+`, "none": `+self(t, "none")+`,
		"words": `+self(t, "words")+`, "ignore": `+self(t, "ignore")+`, "flood": `+self(t, "flood")+`,
		"slow": {"command": `+self(t, "sleep")+`, "timeout_seconds": 0.2},
		"missing": "/no/such/program"
	}`))
	if err != nil {
		t.Fatal(err)
	}
	byName := map[string]toolset.Tool{}
	for _, tool := range tools {
		byName[tool.Name] = tool
	}
	if long := byName["long"]; long.Description != "Echoes." || string(long.Input) != `{"type": "object"}` || string(long.Output) != "true" {
		t.Errorf("long form: %+v", long)
	}
	for _, c := range []struct{ tool, input, want, fail string }{
		{tool: "line", input: `{"n":1.50}`, want: `{"input":{"n":1.50}` + "\n" + `,"args":["one","two three"],"x":"a b"}`},
		{tool: "list", input: ``, want: `{"input":null` + "\n" + `,"args":["$HOME *"],"x":""}`},
		{tool: "long", input: `"s"`, want: `{"input":"s"` + "\n" + `,"args":[],"x":"y"}`},
		{tool: "none", want: ``},
		{tool: "ignore", input: `"` + strings.Repeat("x", 1<<20) + `"`, want: `1.50`},
		{tool: "fail", fail: "fail: exited with status 3: " + strings.Repeat("a", 2048-8) + "the end"},
		{tool: "silent", fail: "silent: exited with status 5"},
		{tool: "words", fail: "words: output is not JSON: not JSON"},
		{tool: "flood", fail: "flood: output has more than 62914560 bytes"},
		{tool: "slow", fail: "slow: no result within 200ms"},
		{tool: "missing", fail: `missing: start "/no/such/program": fork/exec /no/such/program: no such file or directory`},
	} {
		var input codemode.RawJSON
		if c.input != "" {
			input = codemode.RawJSON(c.input)
		}
		got, err := byName[c.tool].Call(t.Context(), input)
		switch {
		case c.fail != "" && (err == nil || err.Error() != c.fail):
			t.Errorf("%s: %v, want %s", c.tool, err, c.fail)
		case c.fail == "" && (err != nil || string(got) != c.want):
			t.Errorf("%s: %s %v, want %s", c.tool, got, err, c.want)
		}
	}
}

func TestCancelledCommandIsKilled(t *testing.T) {
	tools, err := toolset.LoadCommands(toolsFile(t, `{"slow": `+self(t, "sleep")+`}`))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	if _, err := tools[0].Call(ctx, nil); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v", err)
	}
}

func TestToolsFileProblems(t *testing.T) {
	for content, want := range map[string][]string{
		`[]`:                      {"read tools: want an object, got an array"},
		`{"a":`:                   {"read tools: line 1, column 6: unexpected EOF"},
		`{"a":"x","a":"y"}`:       {`read tools: line 1, column 10: duplicate key "a"`},
		`{"a":5,"b":"","c":"'x"}`: {"a: command: want a command line or a list of words", "b: command: there is no program", "c: command: a quote is not closed"},
		`{"a":[]}`:                {"a: command: there is no program"},
		`{"a":["x",1]}`:           {"a: command: want a list of words: 1: want a string, got a number"},
		`{"a":{"command":"x","tiemout_seconds":1}}`:  {`a: unknown key "tiemout_seconds", want "command", "description", "input_schema", "output_schema", "timeout_seconds", "env" or "cwd"`},
		`{"a":{"command":"x","timeout_seconds":-1}}`: {"a: timeout_seconds: -1, want 0 to 86400"},
		`{"a":{"description":"x"}}`:                  {"a: command: want a command line or a list of words"},
	} {
		_, err := toolset.LoadCommands(toolsFile(t, content))
		for _, w := range want {
			if err == nil || !strings.Contains(err.Error(), w) {
				t.Errorf("%s: got %v, want %s", content, err, w)
			}
		}
	}
	if _, err := toolset.LoadCommands("/no/such/file"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("got %v", err)
	}
}

func TestParseServer(t *testing.T) {
	for _, c := range []struct {
		value string
		url   bool
		want  toolset.Server
		fail  string
	}{
		{value: "npx -y server", want: toolset.Server{Command: "npx -y server"}},
		{value: "lab: A=1 npx -y server", want: toolset.Server{Name: "lab", Command: "A=1 npx -y server"}},
		{value: "http://127.0.0.1:9/mcp", url: true, want: toolset.Server{URL: "http://127.0.0.1:9/mcp"}},
		{value: "my-lab: https://h/mcp", url: true, want: toolset.Server{Name: "my-lab", URL: "https://h/mcp"}},
		{value: "  ", fail: "neither command nor url is set"},
		{value: "A=1", fail: `command "A=1": there is no program`},
		{value: `x "`, fail: `command "x \"": a quote is not closed`},
		{value: "my notes: berth demo-mcp", fail: `name "my notes": want letters, digits, _ and - alone`},
		{value: "my notes: http://h/mcp", url: true, fail: `name "my notes": want letters, digits, _ and - alone`},
		{value: "sh -c 'echo: x'", want: toolset.Server{Command: "sh -c 'echo: x'"}},
		{value: "file:///x", url: true, fail: `url "file:///x": want http://… or https://…`},
	} {
		got, err := toolset.ParseServer(c.value, c.url)
		if c.fail != "" {
			if err == nil || err.Error() != c.fail {
				t.Errorf("%s: %v, want %s", c.value, err, c.fail)
			}
		} else if err != nil || got.Name != c.want.Name || got.Command != c.want.Command || got.URL != c.want.URL {
			t.Errorf("%s: %+v %v", c.value, got, err)
		}
	}
}

func TestSplitWords(t *testing.T) {
	for line, want := range map[string]string{
		`a  b	c`:           `["a","b","c"]`,
		`'a b' "c d" e\ f`: `["a b","c d","e f"]`,
		`"a\"b\$\x" 'a\b'`: `["a\"b$\\x","a\\b"]`,
		`a''b "" ''`:       `["ab","",""]`,
		`--x="y z"`:        `["--x=y z"]`,
		``:                 `null`,
		`é "😀 "`:           `["é","😀 "]`,
	} {
		words, err := toolset.SplitWords(line)
		got, _ := json.Marshal(words)
		if err != nil || string(got) != want {
			t.Errorf("%s: %s %v, want %s", line, got, err, want)
		}
	}
}
