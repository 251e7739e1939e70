package mcpserve_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/berth-dev/berth/cell/internal/upstream"
	"github.com/berth-dev/berth/cell/mcpserve"
	"github.com/google/go-cmp/cmp"
)

func load(t *testing.T, content string) (mcpserve.Config, []string, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "mcp.json")
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	c, warnings, err := mcpserve.LoadConfig(path, func(name string) (string, bool) {
		v, ok := map[string]string{"TOKEN": "s3cret", "EMPTY": ""}[name]
		return v, ok
	})
	if err != nil {
		if rest, ok := strings.CutPrefix(err.Error(), "configuration \""+path+"\": "); ok {
			err = plainError(rest)
		}
	}
	return c, warnings, err
}

type plainError string

func (e plainError) Error() string { return string(e) }

func TestLoadConfig(t *testing.T) {
	got, warnings, err := load(t, `{"$schema": "x", "mcpServers": {
		"web": {"type": "http", "url": "https://h/${EMPTY:-mcp}", "headers": {"Authorization": "Bearer ${TOKEN}"}, "ask": ["*"]},
		"notes": {"command": "berth", "args": ["demo-mcp", "${TOKEN}$TOKEN"], "env": {"A": "${NONE:-b}"}, "cwd": "/tmp",
			"allow": ["note_*"], "deny": ["x"], "timeout_seconds": 1.5, "alwaysAllow": [], "timeout": 5},
		"off": {"command": "x", "disabled": true}}}`)
	want := mcpserve.Config{Servers: []mcpserve.ServerConfig{
		{Config: upstream.Config{Name: "notes", Command: "berth", Args: []string{"demo-mcp", "s3cret$TOKEN"}, Env: map[string]string{"A": "b"}, Dir: "/tmp"},
			Allow: []string{"note_*"}, Deny: []string{"x"}, Timeout: 1500 * time.Millisecond},
		{Config: upstream.Config{Name: "web", URL: "https://h/mcp", Headers: map[string]string{"Authorization": "Bearer s3cret"}}, Ask: []string{"*"}},
	}}
	if err != nil || !cmp.Equal(got, want) {
		t.Errorf("%v %s", err, cmp.Diff(want, got))
	}
	if want := []string{"mcpServers.notes.alwaysAllow: ignored", "mcpServers.notes.timeout: ignored"}; !cmp.Equal(warnings, want) {
		t.Errorf("warnings %q", warnings)
	}
}

// A variable that is not set costs its own server and nothing else.
func TestUnsetVariables(t *testing.T) {
	got, warnings, err := load(t, `{"mcpServers": {
		"a": {"command": "x", "args": ["", "${NONE}"], "env": {"E": "${NADA}"}},
		"b": {"url": "http://h", "headers": {"H": "${TOKEN}${NADA}"}},
		"c": {"command": "x"},
		"off": {"command": "${NONE}", "disabled": true}}}`)
	if err != nil || len(got.Servers) != 1 || got.Servers[0].Name != "c" {
		t.Errorf("got %+v, %v; want c alone", got, err)
	}
	want := []string{
		"mcpServers.a is left out: args[1]: variable NONE is not set (set it, give a default as in ${NONE:-}, or remove the server)",
		"mcpServers.b is left out: headers.H: variable NADA is not set (set it, give a default as in ${NADA:-}, or remove the server)",
	}
	if !cmp.Equal(warnings, want) {
		t.Errorf("warnings %q, want %q", warnings, want)
	}
}

func TestConfigProblems(t *testing.T) {
	for content, want := range map[string][]string{
		`{`:                  {"line 1, column 2: unexpected EOF"},
		`[]`:                 {"want an object, got an array"},
		`{}`:                 {"mcpServers: is missing"},
		`{"mcpServers": 5}`:  {"mcpServers: want an object, got a number"},
		`{"mcpservers": {}}`: {`unknown key "mcpservers", want "mcpServers"`, "mcpServers: is missing"},
		`{"mcpServers": {"a": {"comand": "x"}, "b": {"command": 5}, "c": {"command": "x", "url": "http://h"}, "d": 1, " ": {"command": "x"}}}`: {
			`line 1, column 23: mcpServers.a: unknown key "comand", want "command", "args", `, `mcpServers.b: command: want a string`, "mcpServers.c: both command and url are set", "mcpServers.d: want an object", "mcpServers. : a name is missing"},
		`{"mcpServers": {"a": {"type": "sse", "url": "http://h"}}}`:      {`mcpServers.a: type: "sse", want stdio or http`},
		`{"mcpServers": {"a": {"command": "x", "timeout_seconds": -1}}}`: {"mcpServers.a: timeout_seconds: -1, want 0 to 86400"},
		`{"mcpServers": {"a": {"command": "x"}, "a": {"command": "y"}}}`: {"duplicate"},
		`{"mcpServers": {"a": {"url": "ftp://h"}, "b": {"args": []}}}`:   {`mcpServers.a: url "ftp://h"`, "mcpServers.b: neither command nor url is set"},
	} {
		_, _, err := load(t, content)
		for _, w := range want {
			if err == nil || !strings.Contains(err.Error(), w) {
				t.Errorf("%s: got %v, want %s", content, err, w)
			}
		}
	}
	if _, _, err := mcpserve.LoadConfig("/no/such/file", os.LookupEnv); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("got %v", err)
	}
}

func TestMatch(t *testing.T) {
	for _, c := range []struct {
		pattern, name string
		want          bool
	}{
		{"a", "a", true}, {"a", "b", false}, {"", "", true}, {"", "a", false}, {"*", "", true}, {"*", "anything", true},
		{"note_*", "note_read", true}, {"note_*", "notes", false}, {"*_read", "note_read", true}, {"*_read", "note_reader", false},
		{"a*b*c", "aXbYc", true}, {"a*b*c", "abc", true}, {"a*b*c", "acb", false}, {"a**b", "ab", true}, {"*aa", "aaa", true},
		{"a.c", "abc", false}, {"[a]", "a", false}, {"ab*ba", "aba", false},
	} {
		if got := mcpserve.Match(c.pattern, c.name); got != c.want {
			t.Errorf("%q %q: %v", c.pattern, c.name, got)
		}
	}
}
