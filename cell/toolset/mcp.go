package toolset

import (
	"bytes"
	"context"
	"fmt"

	"github.com/berth-dev/berth/cell/codemode"
	"github.com/berth-dev/berth/cell/internal/upstream"
	"github.com/berth-dev/berth/cell/schema"
)

// MCPTool returns a server's tool under the given public name. Its result is
// the CallToolResult as the server sent it; an MCP tool that reports an error
// has a result too. call runs it, usually [upstream.Server.Call].
func MCPTool(name, source string, t upstream.Tool, call func(ctx context.Context, args codemode.RawJSON) (codemode.RawJSON, error)) Tool {
	return Tool{
		Name:        name,
		Description: t.Description,
		Input:       codemode.RawJSON(t.InputSchema),
		Output:      codemode.RawJSON(schema.CallToolResult(t.OutputSchema)),
		Source:      source,
		Call: func(ctx context.Context, input codemode.RawJSON) (codemode.RawJSON, error) {
			input = codemode.RawJSON(bytes.TrimSpace(input))
			switch {
			case len(input) == 0 || string(input) == "null":
				input = nil
			case input[0] != '{':
				return nil, errNoObject(name)
			}
			return call(ctx, input)
		},
	}
}

// Server is an MCP server whose tools a program gets.
type Server struct {
	Name    string // prefix of the tools' names, behind it two underscores; empty means none
	Command string // command line, split as a shell would, with VAR=value before the program
	URL     string // instead of Command: a streamable HTTP endpoint
	Headers map[string]string
}

func (s Server) config() (upstream.Config, error) {
	c := upstream.Config{Name: s.Name, URL: s.URL, Headers: s.Headers}
	if s.Command != "" {
		env, argv, err := splitCommand(s.Command)
		if err != nil {
			return c, fmt.Errorf("command %q: %w", s.Command, err)
		}
		c.Command, c.Args, c.Env = argv[0], argv[1:], env
	}
	if c.Name == "" {
		c.Name = baseName(c)
	}
	return c, c.Validate()
}

// baseName makes up a name for messages.
func baseName(c upstream.Config) string {
	name := c.Command
	if name == "" {
		return c.Redacted()
	}
	for i := len(name) - 1; i >= 0; i-- {
		if name[i] == '/' {
			return name[i+1:]
		}
	}
	return name
}

// serverTools starts a server and lists its tools.
func serverTools(ctx context.Context, s *upstream.Server, prefix string) ([]Tool, error) {
	listed, err := s.Tools(ctx)
	if err != nil {
		return nil, fmt.Errorf("mcp server %q: %w", s.Name(), err)
	}
	tools := make([]Tool, 0, len(listed))
	for _, t := range listed {
		name := t.Name
		if prefix != "" {
			name = prefix + "__" + t.Name
		}
		tools = append(tools, MCPTool(name, fmt.Sprintf("mcp server %q", s.Name()), t,
			func(ctx context.Context, args codemode.RawJSON) (codemode.RawJSON, error) {
				result, err := s.Call(ctx, t.Name, []byte(args), nil)
				return codemode.RawJSON(result), err
			}))
	}
	return tools, nil
}
