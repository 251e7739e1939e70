// Package demomcp is a small MCP server for demos and tests: notes, a clock, a
// slow tool that reports progress, an image, and a tool that always fails. It
// reads no files, uses no network and forgets everything when it ends.
package demomcp

import (
	"context"
	"io"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Options tune a server. The zero value is ready to use.
type Options struct {
	Version string           // reported to the client; empty means "dev"
	Now     func() time.Time // the clock; nil means time.Now
}

// New returns a server with a notebook of its own. The notebook is shared by
// all sessions of the server and safe for concurrent use.
func New(opts Options) *mcp.Server {
	if opts.Version == "" {
		opts.Version = "dev"
	}
	if opts.Now == nil {
		opts.Now = time.Now
	}
	s := mcp.NewServer(&mcp.Implementation{Name: "berth-demo", Title: "berth demo server", Version: opts.Version},
		&mcp.ServerOptions{Instructions: "A notebook, a clock and a few tools to try things with.",
			Capabilities: &mcp.ServerCapabilities{Tools: &mcp.ToolCapabilities{}}})
	addNotes(s, newNotebook())
	addClock(s, opts.Now)
	addSlow(s)
	addImage(s)
	addFail(s)
	return s
}

// Run serves one session on in and out, as newline-delimited JSON, until the
// client closes in or ctx ends. Neither is an error.
func Run(ctx context.Context, in io.ReadCloser, out io.WriteCloser, opts Options) error {
	err := New(opts).Run(ctx, &mcp.IOTransport{Reader: in, Writer: out})
	if ctx.Err() != nil {
		return nil
	}
	return err
}

// readOnly marks a tool that changes nothing.
func readOnly(title string) *mcp.ToolAnnotations {
	closed := false
	return &mcp.ToolAnnotations{Title: title, ReadOnlyHint: true, IdempotentHint: true, OpenWorldHint: &closed}
}
