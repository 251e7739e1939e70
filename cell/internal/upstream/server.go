//lint:file-ignore SA1019 roots and sampling pass through as long as there are clients and servers that speak them

package upstream

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Pauses before a server that has failed is tried again.
const (
	firstPause = 500 * time.Millisecond
	lastPause  = time.Minute
	steady     = time.Minute // a server that lived this long is forgiven
)

// Server is one MCP server. It is safe for concurrent use.
type Server struct {
	cfg    Config
	opts   Options
	ctx    context.Context // the Server's own life, ended by Close
	cancel context.CancelFunc
	work   sync.WaitGroup // goroutines of ours

	changed chan struct{} // holds one word for the notifier

	mu       sync.Mutex
	closed   bool          // guarded by mu, as is what follows
	link     *link         // nil while there is no connection
	attempt  chan struct{} // closed when the attempt under way ends; nil if none is
	err      error         // why there is no link
	failures int           // in a row
	lived    bool          // there has been a link
	retryAt  time.Time
}

// New returns a server that has not been started. Close must be called.
func New(cfg Config, opts Options) (*Server, error) {
	if err := cfg.Validate(); err != nil {
		return nil, fmt.Errorf("server %q: %w", cfg.Name, err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	s := &Server{cfg: cfg, opts: opts.withDefaults(), ctx: ctx, cancel: cancel, changed: make(chan struct{}, 1)}
	if s.opts.ToolsChanged != nil {
		s.work.Go(s.notifier)
	}
	return s, nil
}

// Name returns the configured name.
func (s *Server) Name() string { return s.cfg.Name }

// Close stops the server and waits for it, a few seconds at the most.
func (s *Server) Close() {
	s.mu.Lock()
	s.closed = true
	l := s.link
	s.mu.Unlock()
	s.cancel()
	if l != nil {
		_ = l.session.Close()
	}
	s.work.Wait()
}

// notifier calls ToolsChanged, one call for all changes during the last one.
func (s *Server) notifier() {
	for {
		select {
		case <-s.ctx.Done():
			return
		case <-s.changed:
			s.opts.ToolsChanged()
		}
	}
}

func (s *Server) announce() {
	select {
	case s.changed <- struct{}{}:
	default: // one is waiting already
	}
}

// Tools returns the server's tools, starting it if need be. The slice must not
// be changed. An error says why there is none, and wraps [ErrDown] if the
// server was not even tried.
func (s *Server) Tools(ctx context.Context) ([]Tool, error) {
	l, err := s.connect(ctx)
	if err != nil {
		return nil, err
	}
	return l.list(ctx)
}

// connect returns the live connection, or waits for the attempt to make one.
// An attempt goes on when the caller that began it gives up.
func (s *Server) connect(ctx context.Context) (*link, error) {
	s.mu.Lock()
	switch {
	case s.closed:
		s.mu.Unlock()
		return nil, fmt.Errorf("%w: closed", ErrDown)
	case s.link != nil:
		defer s.mu.Unlock()
		return s.link, nil
	case s.attempt == nil:
		if wait := time.Until(s.retryAt); wait > 0 {
			defer s.mu.Unlock()
			return nil, fmt.Errorf("%w for another %v: %w", ErrDown, wait.Round(100*time.Millisecond), s.err)
		}
		began := make(chan struct{})
		s.attempt = began
		s.work.Go(func() { s.try(began) })
	}
	attempt := s.attempt
	s.mu.Unlock()

	select {
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-attempt:
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.link == nil {
		return nil, s.err
	}
	return s.link, nil
}

// try makes one attempt, and watches over what comes of it.
func (s *Server) try(attempt chan struct{}) {
	ctx, cancel := context.WithTimeout(s.ctx, s.opts.StartTimeout)
	l, err := s.dial(ctx)
	cancel()
	began := time.Now()

	s.mu.Lock()
	s.link, s.attempt = l, nil
	if err != nil {
		s.fail(err)
		s.report(err)
	}
	closed, again := s.closed, s.lived
	s.lived = s.lived || err == nil
	s.mu.Unlock()
	close(attempt)
	switch {
	case err != nil:
		return
	case closed:
		_ = l.session.Close()
	case again:
		s.announce() // its tools may be others now
	}

	err = l.wait()
	s.mu.Lock()
	s.link = nil
	if time.Since(began) > steady {
		s.failures = 0
	}
	s.fail(err)
	s.report(err)
	s.mu.Unlock()
	l.cause = err
	close(l.gone)
}

// fail notes why there is no link, and when to try again: after the first
// failure at once. The caller holds mu.
func (s *Server) fail(err error) {
	s.err = err
	s.failures++
	if s.failures == 1 {
		s.retryAt = time.Time{}
		return
	}
	pause := min(lastPause, firstPause<<min(s.failures-2, 10))
	s.retryAt = time.Now().Add(pause/2 + rand.N(pause/2))
}

// report tells the operator why there is no link. The caller holds mu.
func (s *Server) report(err error) {
	if !s.closed {
		prefix := "[" + s.cfg.Name + "] "
		text := strings.ReplaceAll("berth: "+err.Error(), "\n", "\n"+prefix)
		_, _ = fmt.Fprintf(writerOrDiscard(s.opts.Stderr), "%s%s\n", prefix, text)
	}
}

// dial starts the server and greets it: in the way that every server knows,
// and if it refuses that, in the newer, sessionless one.
func (s *Server) dial(ctx context.Context) (*link, error) {
	l, err := s.greet(ctx, "2025-11-25")
	if err == nil || ctx.Err() != nil || !refused(err) {
		return l, err
	}
	return s.greet(ctx, "")
}

func (s *Server) greet(ctx context.Context, version string) (*link, error) {
	l := &link{server: s.cfg.Name, timeout: s.opts.CallTimeout, rec: &recorder{}, progress: map[string]*call{}, gone: make(chan struct{})}
	l.rec.progress = l.progressed
	opts, roots := s.opts.Client(ctx)
	opts.ToolListChangedHandler = func(context.Context, *mcp.ToolListChangedRequest) {
		l.stale()
		s.announce()
	}
	client := mcp.NewClient(&mcp.Implementation{Name: "berth", Version: s.opts.Version}, &opts)
	l.client = client
	l.setRoots(roots)

	var transport mcp.Transport
	if s.cfg.Command != "" {
		l.stdio = &stdio{cfg: s.cfg, stderr: writerOrDiscard(s.opts.Stderr), rec: l.rec}
		transport = l.stdio
	} else {
		transport = newHTTP(s.cfg, l.rec)
	}
	session, err := client.Connect(ctx, transport, &mcp.ClientSessionOptions{ProtocolVersion: version})
	if err != nil {
		if l.stdio != nil && l.stdio.conn != nil {
			_ = l.stdio.conn.Close()
			if !refused(err) {
				err = l.stdio.conn.failure(err)
			}
		}
		if ctx.Err() != nil && s.ctx.Err() == nil {
			err = fmt.Errorf("no answer within %v", s.opts.StartTimeout)
			if l.stdio != nil && l.stdio.conn != nil {
				err = fmt.Errorf("%w; is it an MCP server?%s", err, l.stdio.conn.said(" "))
			}
		}
		return nil, fmt.Errorf("start: %w", err)
	}
	l.session = session
	return l, nil
}

// SetRoots replaces the roots that a running server sees, and tells it.
func (s *Server) SetRoots(roots []*mcp.Root) {
	s.mu.Lock()
	l := s.link
	s.mu.Unlock()
	if l != nil {
		l.setRoots(roots)
	}
}
