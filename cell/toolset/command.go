package toolset

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/berth-dev/berth/cell/codemode"
	"github.com/berth-dev/berth/cell/internal/process"
	"github.com/berth-dev/berth/cell/internal/strict"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Limits of a tool that is a command.
const (
	DefaultTimeout = time.Minute
	MaxResult      = 60 << 20 // bytes of standard output
	stderrTail     = 2 << 10  // bytes that a failure rejects with
	maxCommands    = 64       // commands of a Set running at once; further calls wait
	maxToolsFile   = 4 << 20  // bytes
)

// command is a tool of a --tools file.
type command struct {
	name    string
	argv    []string
	env     map[string]string
	dir     string
	timeout time.Duration
	slots   chan struct{} // shared by the commands of a file
}

// commandJSON is the long form of a command in a --tools file.
type commandJSON struct {
	Command        jsontext.Value    `json:"command"`
	Description    string            `json:"description"`
	InputSchema    jsontext.Value    `json:"input_schema"`
	OutputSchema   jsontext.Value    `json:"output_schema"`
	TimeoutSeconds float64           `json:"timeout_seconds"`
	Env            map[string]string `json:"env"`
	Cwd            string            `json:"cwd"`
}

// LoadCommands reads a --tools file: an object whose members are tools, each a
// command line, a list of words, or an object with command, description,
// input_schema, output_schema, timeout_seconds, env and cwd. All problems are
// reported at once, with their paths.
func LoadCommands(path string) ([]Tool, error) {
	data, err := readBounded(path, maxToolsFile)
	if err != nil {
		if e, ok := errors.AsType[*os.PathError](err); ok {
			err = e.Err
		}
		return nil, fmt.Errorf("tools file %q: %w", path, err)
	}
	tools, err := parseCommands(data, path)
	if err != nil {
		return nil, fmt.Errorf("tools file %q: %w", path, err)
	}
	return tools, nil
}

func readBounded(path string, limit int64) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	data, err := io.ReadAll(io.LimitReader(f, limit+1))
	if err != nil {
		return nil, err
	}
	if int64(len(data)) > limit {
		return nil, fmt.Errorf("more than %d bytes", limit)
	}
	return data, nil
}

func parseCommands(data []byte, path string) ([]Tool, error) {
	var members map[string]jsontext.Value
	if err := strict.Unmarshal(data, &members, "key"); err != nil {
		return nil, fmt.Errorf("read tools: %w", err)
	}
	slots := make(chan struct{}, maxCommands)
	var tools []Tool
	var problems []error
	for _, name := range slices.Sorted(maps.Keys(members)) {
		tool, err := parseCommand(name, members[name], slots)
		if err != nil {
			problems = append(problems, strict.Place(data, jsontext.Pointer("").AppendToken(name), fmt.Errorf("%s: %w", name, err)))
			continue
		}
		tool.Source = fmt.Sprintf("tools file %q", path)
		tools = append(tools, tool)
	}
	return tools, errors.Join(problems...)
}

func parseCommand(name string, value jsontext.Value, slots chan struct{}) (Tool, error) {
	long := commandJSON{Command: value}
	if value.Kind() == '{' {
		long.Command = nil
		if err := strict.Unmarshal(value, &long, "key"); err != nil {
			return Tool{}, err
		}
	}
	c := &command{name: name, env: long.Env, dir: long.Cwd, timeout: DefaultTimeout, slots: slots}
	switch long.Command.Kind() {
	case '"':
		var line string
		if err := json.Unmarshal(long.Command, &line); err != nil {
			return Tool{}, err
		}
		env, argv, err := splitCommand(line)
		if err != nil {
			return Tool{}, fmt.Errorf("command: %w", err)
		}
		c.argv = argv
		c.env = maps.Clone(env)
		if c.env == nil {
			c.env = map[string]string{}
		}
		maps.Copy(c.env, long.Env)
	case '[':
		if err := strict.Unmarshal(long.Command, &c.argv, "key"); err != nil {
			return Tool{}, fmt.Errorf("command: want a list of words: %w", err)
		}
	default:
		return Tool{}, errors.New("command: want a command line or a list of words")
	}
	if len(c.argv) == 0 || c.argv[0] == "" {
		return Tool{}, errors.New("command: there is no program")
	}
	if long.TimeoutSeconds < 0 || long.TimeoutSeconds > 24*3600 {
		return Tool{}, fmt.Errorf("timeout_seconds: %v, want 0 to 86400", long.TimeoutSeconds)
	}
	if long.TimeoutSeconds > 0 {
		c.timeout = time.Duration(long.TimeoutSeconds * float64(time.Second))
	}
	return Tool{Name: name, Description: long.Description, Input: codemode.RawJSON(long.InputSchema),
		Output: codemode.RawJSON(long.OutputSchema), Call: c.call}, nil
}

// call runs the command with input on its standard input, and kills it and all
// its descendants when it takes too long or the call is cancelled.
func (c *command) call(ctx context.Context, input codemode.RawJSON) (codemode.RawJSON, error) {
	select {
	case c.slots <- struct{}{}:
		defer func() { <-c.slots }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	tail := &process.Tail{Max: stderrTail}
	p, err := process.Start(c.argv[0], c.argv[1:], process.Options{Dir: c.dir, Env: c.environment(), Stderr: tail})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", c.name, err)
	}
	ctx, cancel := context.WithTimeoutCause(ctx, c.timeout, fmt.Errorf("%s: no result within %v", c.name, c.timeout))
	defer cancel()
	stop := context.AfterFunc(ctx, p.Kill)
	defer stop()
	out, err := c.exchange(p, input)
	if err != nil {
		p.Kill()
	}
	exit := p.Wait()
	_ = p.Stdout.Close()
	switch {
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case exit != nil && err == nil:
		return nil, c.failure(exit, tail)
	case err != nil:
		return nil, fmt.Errorf("%s: %w", c.name, err)
	}
	return c.result(out)
}

// exchange writes the input and reads the output, both to their end.
func (c *command) exchange(p *process.Process, input codemode.RawJSON) ([]byte, error) {
	if input == nil {
		input = codemode.RawJSON("null")
	}
	written := make(chan struct{})
	go func() { // ends with the process at the latest; a command need not read its input
		defer close(written)
		_, _ = p.Stdin.Write(append(slices.Clone(input), '\n'))
		_ = p.Stdin.Close()
	}()
	out, err := io.ReadAll(io.LimitReader(p.Stdout, MaxResult+1))
	if err == nil && len(out) > MaxResult {
		err = fmt.Errorf("output has more than %d bytes", MaxResult)
	}
	if err != nil {
		p.Kill()
	}
	<-written
	return out, err
}

func (c *command) environment() []string {
	if len(c.env) == 0 {
		return nil
	}
	env := os.Environ()
	for _, k := range slices.Sorted(maps.Keys(c.env)) {
		env = append(env, k+"="+c.env[k])
	}
	return env
}

// failure is how a command ended, and what it said before.
func (c *command) failure(exit error, tail *process.Tail) error {
	if said := strings.TrimSpace(strings.ToValidUTF8(tail.String(), "\uFFFD")); said != "" {
		return fmt.Errorf("%s: %s: %s", c.name, process.Ended(exit), said)
	}
	return fmt.Errorf("%s: %s", c.name, process.Ended(exit))
}

// result checks the output: one JSON value, or nothing, which is null.
func (c *command) result(out []byte) (codemode.RawJSON, error) {
	v := jsontext.Value(bytes.TrimSpace(out))
	if len(v) == 0 {
		return nil, nil
	}
	if !v.IsValid(jsontext.AllowDuplicateNames(true)) {
		head := v[:min(len(v), 100)]
		return nil, fmt.Errorf("%s: output is not JSON: %s", c.name, strings.ToValidUTF8(string(head), "\uFFFD"))
	}
	return codemode.RawJSON(v), nil
}
