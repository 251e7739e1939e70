//lint:file-ignore SA1019 roots and sampling pass through as long as there are clients and servers that speak them

package upstream

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"sync"
	"syscall"
	"time"

	"github.com/berth-dev/berth/cell/internal/process"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// link is one life of a server, from its greeting to its end.
type link struct {
	server  string
	timeout time.Duration
	rec     *recorder
	client  *mcp.Client
	session *mcp.ClientSession
	stdio   *stdio // nil for a URL

	gone  chan struct{} // closed when the Server has put the link aside
	cause error         // why it did; written before gone is closed

	listing sync.Mutex // held while the tools are listed

	mu       sync.Mutex
	tools    []Tool           // guarded by mu, as is what follows
	listed   bool             // tools are current
	edition  int              // counts what stale was told
	lastCall uint64           // token of the latest call
	progress map[string]*call // calls under way by token
	roots    []string         // URIs that the server was told
}

// call is a tool call under way.
type call struct {
	progress func(*mcp.ProgressNotificationParams) // may be nil
	silence  *time.Timer                           // fires after too long a silence
}

// wait returns why the link ended, once it has.
func (l *link) wait() error {
	err := l.session.Wait()
	if l.stdio != nil {
		_ = l.stdio.conn.Close()
		c := l.stdio.conn
		return fmt.Errorf("server %s%s", process.Ended(c.p.Wait()), c.said("; "))
	}
	if err == nil {
		err = io.EOF
	}
	return fmt.Errorf("server ended: %w", err)
}

func (l *link) stale() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.listed = false
	l.edition++
}

// list returns the tools, asking for them if they may have changed.
func (l *link) list(ctx context.Context) ([]Tool, error) {
	l.listing.Lock()
	defer l.listing.Unlock()
	l.mu.Lock()
	tools, listed, edition := l.tools, l.listed, l.edition
	l.mu.Unlock()
	if listed {
		return tools, nil
	}
	ctx, cancel := context.WithTimeoutCause(ctx, l.timeout, fmt.Errorf("no answer within %v", l.timeout))
	defer cancel()
	tools, err := listTools(ctx, l.session, l.rec)
	if err != nil {
		return nil, reason(ctx, err)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.tools, l.listed = tools, l.edition == edition
	return tools, nil
}

// Call calls a tool with the JSON object args, none if empty, and returns the
// CallToolResult as it was received. An error is a protocol error, a timeout or
// the server's death, and starts with `<server>.<tool>: `. progress, if not
// nil, is called for each report, in order, and holds up what the server sends
// until it returns. Ending ctx cancels the call.
func (s *Server) Call(ctx context.Context, tool string, args json.RawMessage, progress func(*mcp.ProgressNotificationParams)) (json.RawMessage, error) {
	l, err := s.connect(ctx)
	if err != nil {
		return nil, fmt.Errorf("%s.%s: %w", s.cfg.Name, tool, err)
	}
	result, err := l.call(ctx, tool, args, progress)
	if broken(err) {
		err = l.death(ctx, err)
	}
	if err != nil {
		return nil, fmt.Errorf("%s.%s: %w", s.cfg.Name, tool, err)
	}
	return result, nil
}

// death returns why l ended, once the Server has noticed too.
func (l *link) death(ctx context.Context, err error) error {
	timer := time.NewTimer(3 * stopGrace)
	defer timer.Stop()
	select {
	case <-l.gone:
		return l.cause
	case <-timer.C:
	case <-ctx.Done():
	}
	return err
}

func (l *link) call(ctx context.Context, tool string, args json.RawMessage, progress func(*mcp.ProgressNotificationParams)) (json.RawMessage, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	c := &call{progress: progress, silence: time.AfterFunc(l.timeout, func() {
		cancel(fmt.Errorf("no answer and no progress within %v", l.timeout))
	})}
	defer c.silence.Stop()
	token := l.begin(c)
	defer l.end(token)

	ctx, captured := withCapture(ctx)
	defer l.rec.forget(captured)
	params := &mcp.CallToolParams{Name: tool}
	if len(args) > 0 {
		params.Arguments = args
	}
	params.SetProgressToken(token)
	_, err := l.session.CallTool(ctx, params)
	raw := captured.take()
	var refusal *jsonrpc.Error
	switch {
	case raw != nil && !errors.As(err, &refusal):
		return raw, nil // as received, even if the SDK does not know all of it
	case err == nil:
		return nil, errors.New("the answer was lost")
	}
	return nil, reason(ctx, err)
}

func (l *link) begin(c *call) (token string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.lastCall++
	token = "call-" + strconv.FormatUint(l.lastCall, 10)
	l.progress[token] = c
	return token
}

func (l *link) end(token string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.progress, token)
}

func (l *link) progressed(p *mcp.ProgressNotificationParams) {
	token, _ := p.ProgressToken.(string)
	l.mu.Lock()
	c := l.progress[token]
	l.mu.Unlock()
	if c == nil {
		return
	}
	c.silence.Reset(l.timeout)
	if c.progress != nil {
		c.progress(p)
	}
}

func (l *link) setRoots(roots []*mcp.Root) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.client.RemoveRoots(l.roots...)
	l.roots = nil
	for _, r := range roots {
		l.roots = append(l.roots, r.URI)
	}
	l.client.AddRoots(roots...)
}

// reason turns an error of the SDK into what a reader needs.
func reason(ctx context.Context, err error) error {
	if cause := context.Cause(ctx); cause != nil {
		return cause
	}
	if e := (*jsonrpc.Error)(nil); errors.As(err, &e) {
		return fmt.Errorf("%w", e)
	}
	return err
}

// refused reports whether the server answered with an error.
func refused(err error) bool {
	var e *jsonrpc.Error
	return errors.As(err, &e)
}

// broken reports whether err is the end of the connection.
func broken(err error) bool {
	for _, end := range []error{mcp.ErrConnectionClosed, io.EOF, io.ErrUnexpectedEOF, syscall.EPIPE, os.ErrClosed} {
		if errors.Is(err, end) {
			return true
		}
	}
	return false
}

func writerOrDiscard(w io.Writer) io.Writer {
	if w == nil {
		return io.Discard
	}
	return w
}
