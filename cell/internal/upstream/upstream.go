//lint:file-ignore SA1019 roots and sampling pass through as long as there are clients and servers that speak them

// Package upstream is the client's side of one MCP server: a command that
// speaks on its standard streams, or a URL that speaks streamable HTTP.
//
// A [Server] is started when it is first used and again when it has died, each
// time after a longer pause. A call's result is the JSON that the server sent,
// byte for byte. Everything a server sends is bounded: messages by [MaxMessage],
// tools by [MaxTools], its stderr by the log it goes to. Whatever is wrong with
// a server is an error of the call that met it, and of that alone.
package upstream

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Limits on what a server sends.
const (
	MaxMessage = 64 << 20 // bytes of one JSON-RPC message
	MaxTools   = 4096     // tools of one server
)

// ErrDown is returned while a server that has failed is not yet tried again,
// and by everything after Close.
var ErrDown = errors.New("server is down")

// Config says how to reach a server. Either Command or URL is set.
type Config struct {
	Name    string // in messages and logs
	Command string // program, looked up as a shell would
	Args    []string
	Env     map[string]string // added to our environment
	Dir     string            // working directory; empty means ours
	URL     string            // endpoint of a streamable HTTP server
	Headers map[string]string // sent with each HTTP request, to URL's host alone
}

// Validate returns what is wrong with the configuration.
func (c Config) Validate() error {
	switch {
	case c.Command == "" && c.URL == "":
		return errors.New("neither command nor url is set")
	case c.Command != "" && c.URL != "":
		return errors.New("both command and url are set")
	case c.Command != "" && len(c.Headers) > 0:
		return errors.New("headers are for servers with a url")
	case c.URL != "" && (len(c.Args) > 0 || len(c.Env) > 0 || c.Dir != ""):
		return errors.New("args, env and cwd are for servers with a command")
	case c.Command != "":
		return nil
	}
	u, err := url.Parse(c.URL)
	if e, ok := errors.AsType[*url.Error](err); ok {
		return fmt.Errorf("url: %w", e.Err) // the whole text may hold a password
	}
	if u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return fmt.Errorf("url %q: want http://… or https://…", u.Redacted())
	}
	return nil
}

// Redacted is URL without its password, for messages.
func (c Config) Redacted() string {
	u, err := url.Parse(c.URL)
	if err != nil {
		return "url"
	}
	return u.Redacted()
}

// Options tune a Server. The zero value is ready to use.
type Options struct {
	Version      string        // of berth, told to the server; empty means "dev"
	Stderr       io.Writer     // receives prefixed lines of stderr, and why the server does not run; nil discards
	StartTimeout time.Duration // from start to a list of tools; 0 means 30 s
	CallTimeout  time.Duration // silence of a call, progress breaks it; 0 means 5 min

	// Client returns what the server may ask of us and the roots we show it.
	// It is called for each start; nil offers nothing. The handler for changed
	// tools is the Server's own.
	Client func(ctx context.Context) (mcp.ClientOptions, []*mcp.Root)

	// ToolsChanged is called, from a goroutine of its own and never twice at
	// once, after the server has said that its tools changed or was restarted.
	ToolsChanged func()
}

func (o Options) withDefaults() Options {
	if o.Version == "" {
		o.Version = "dev"
	}
	if o.StartTimeout == 0 {
		o.StartTimeout = 30 * time.Second
	}
	if o.CallTimeout == 0 {
		o.CallTimeout = 5 * time.Minute
	}
	if o.Client == nil {
		o.Client = func(context.Context) (mcp.ClientOptions, []*mcp.Root) {
			return mcp.ClientOptions{Capabilities: &mcp.ClientCapabilities{}}, nil
		}
	}
	return o
}
