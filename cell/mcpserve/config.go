package mcpserve

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/berth-dev/berth/cell/internal/strict"
	"github.com/berth-dev/berth/cell/internal/upstream"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

const maxConfig = 4 << 20 // bytes of a configuration file

// Config is what `berth mcp` is told about its servers.
type Config struct {
	Servers []ServerConfig // sorted by name
}

// ServerConfig is one server, and what its tools may do.
type ServerConfig struct {
	upstream.Config
	Timeout time.Duration // silence of a call; 0 means 5 min

	// Patterns of tool names, in which * stands for any characters. Deny hides
	// a tool, Ask asks the user even about a tool that only reads, Allow runs
	// it without asking; the first that matches in this order counts.
	Allow, Deny, Ask []string
}

// serverJSON is a server in the file.
type serverJSON struct {
	Command string            `json:"command"`
	Args    []string          `json:"args"`
	Env     map[string]string `json:"env"`
	Cwd     string            `json:"cwd"`
	URL     string            `json:"url"`
	Headers map[string]string `json:"headers"`

	Allow          []string `json:"allow"`
	Deny           []string `json:"deny"`
	Ask            []string `json:"ask"`
	TimeoutSeconds float64  `json:"timeout_seconds"`
	Disabled       bool     `json:"disabled"`
	Type           string   `json:"type"`
}

// foreign are keys that other clients write; they mean nothing here, and are
// reported as warnings, since a file is often shared. Never written to.
var foreign = []string{"alwaysAllow", "autoApprove", "description", "envFile", "icon", "name", "oauth",
	"timeout", "transport", "trust"}

// LoadConfig reads a file with an object mcpServers, as many clients have it.
// ${NAME} and ${NAME:-default} in its strings stand for variables of lookup,
// usually os.LookupEnv. All problems are reported at once, each with its path.
// Warnings name keys that other programs know and this one ignores, and
// servers that are left out because a variable is not set.
func LoadConfig(path string, lookup func(string) (string, bool)) (c Config, warnings []string, err error) {
	data, err := readConfig(path)
	if err != nil {
		if e, ok := errors.AsType[*os.PathError](err); ok {
			err = e.Err
		}
		return Config{}, nil, fmt.Errorf("configuration %q: %w", path, err)
	}
	c, warnings, err = parseConfig(data, lookup)
	if err != nil {
		err = fmt.Errorf("configuration %q: %w", path, err)
	}
	return c, warnings, err
}

func readConfig(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	data, err := io.ReadAll(io.LimitReader(f, maxConfig+1))
	if err == nil && len(data) > maxConfig {
		err = fmt.Errorf("more than %d bytes", maxConfig)
	}
	return data, err
}

func parseConfig(data []byte, lookup func(string) (string, bool)) (Config, []string, error) {
	var file map[string]jsontext.Value
	if err := strict.Unmarshal(data, &file, "key"); err != nil {
		return Config{}, nil, err
	}
	var problems []error
	for _, key := range slices.Sorted(maps.Keys(file)) {
		if key != "mcpServers" && key != "$schema" {
			problems = append(problems, fmt.Errorf("unknown key %q, want \"mcpServers\"", key))
		}
	}
	var servers map[string]jsontext.Value
	if file["mcpServers"] == nil {
		problems = append(problems, errors.New("mcpServers: is missing"))
	} else if err := strict.Unmarshal(file["mcpServers"], &servers, "key"); err != nil {
		problems = append(problems, fmt.Errorf("mcpServers: %w", err))
	}
	var c Config
	var warnings []string
	for _, name := range slices.Sorted(maps.Keys(servers)) {
		path := "mcpServers." + name
		s, ignored, err := parseServer(name, servers[name], lookup)
		for _, key := range ignored {
			warnings = append(warnings, fmt.Sprintf("%s.%s: ignored", path, key))
		}
		unset := (*unsetError)(nil)
		switch {
		case errors.As(err, &unset):
			warnings = append(warnings, fmt.Sprintf("%s is left out: %v", path, err))
		case err != nil:
			at := jsontext.Pointer("/mcpServers").AppendToken(name)
			problems = append(problems, strict.Place(data, at, fmt.Errorf("%s: %w", path, err)))
		case s != nil:
			c.Servers = append(c.Servers, *s)
		}
	}
	return c, warnings, errors.Join(problems...)
}

// parseServer returns nil for a server that is disabled.
func parseServer(name string, value jsontext.Value, lookup func(string) (string, bool)) (*ServerConfig, []string, error) {
	if strings.TrimSpace(name) == "" {
		return nil, nil, errors.New("a name is missing")
	}
	var members map[string]jsontext.Value
	if err := strict.Unmarshal(value, &members, "key"); err != nil {
		return nil, nil, err
	}
	var ignored []string
	for _, key := range foreign {
		if _, ok := members[key]; ok {
			ignored = append(ignored, key)
			delete(members, key)
		}
	}
	rest, err := json.Marshal(members)
	if err != nil {
		return nil, ignored, err
	}
	var s serverJSON
	if err := strict.Unmarshal(rest, &s, "key"); err != nil {
		return nil, ignored, err
	}
	if s.Disabled {
		return nil, ignored, nil
	}
	if err := s.expand(lookup); err != nil {
		return nil, ignored, err
	}
	c, err := s.config(name)
	return c, ignored, err
}

func (s *serverJSON) config(name string) (*ServerConfig, error) {
	c := &ServerConfig{Allow: s.Allow, Deny: s.Deny, Ask: s.Ask,
		Config: upstream.Config{Name: name, Command: s.Command, Args: s.Args, Env: s.Env, Dir: s.Cwd, URL: s.URL, Headers: s.Headers}}
	switch s.Type {
	case "", "stdio", "http", "streamable-http", "streamableHttp":
	default:
		return nil, fmt.Errorf("type: %q, want stdio or http", s.Type)
	}
	if s.TimeoutSeconds < 0 || s.TimeoutSeconds > 24*3600 {
		return nil, fmt.Errorf("timeout_seconds: %v, want 0 to 86400", s.TimeoutSeconds)
	}
	c.Timeout = time.Duration(s.TimeoutSeconds * float64(time.Second))
	return c, c.Validate()
}

// expand replaces variables in all strings that say how to reach the server.
func (s *serverJSON) expand(lookup func(string) (string, bool)) error {
	var problems []error
	expand := func(at string, v *string) {
		out, err := expandVariables(*v, lookup)
		if err != nil {
			problems = append(problems, fmt.Errorf("%s: %w", at, err))
		}
		*v = out
	}
	expand("command", &s.Command)
	expand("cwd", &s.Cwd)
	expand("url", &s.URL)
	for i := range s.Args {
		expand(fmt.Sprintf("args[%d]", i), &s.Args[i])
	}
	expandAll := func(at string, m map[string]string) {
		for _, k := range slices.Sorted(maps.Keys(m)) {
			v := m[k]
			expand(at+"."+k, &v)
			m[k] = v
		}
	}
	expandAll("env", s.Env)
	expandAll("headers", s.Headers)
	// One is enough to leave the server out, and fits into a line.
	if len(problems) > 0 {
		return problems[0]
	}
	return nil
}

// unsetError says that a server can't be had: this variable is not set.
type unsetError struct{ name string }

func (e *unsetError) Error() string {
	return fmt.Sprintf("variable %s is not set (set it, give a default as in ${%s:-}, or remove the server)", e.name, e.name)
}

func expandVariables(s string, lookup func(string) (string, bool)) (string, error) {
	var problem error
	variable := regexp.MustCompile(`\$\{([A-Za-z_][A-Za-z0-9_]*)(:-[^}]*)?\}`)
	out := variable.ReplaceAllStringFunc(s, func(m string) string {
		name, fallback, has := strings.Cut(m[2:len(m)-1], ":-")
		if v, ok := lookup(name); ok && (v != "" || !has) {
			return v
		}
		if !has {
			problem = cmp.Or[error](problem, &unsetError{name})
		}
		return fallback
	})
	return out, problem
}
