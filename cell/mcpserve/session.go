//lint:file-ignore SA1019 roots and sampling pass through as long as there are clients and servers that speak them

package mcpserve

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"sync"
	"time"

	"github.com/berth-dev/berth/cell/codemode"
	"github.com/berth-dev/berth/cell/internal/child"
	"github.com/berth-dev/berth/cell/internal/upstream"
	"github.com/berth-dev/berth/cell/toolset"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// patience is how long a client waits for servers that have not answered.
const patience = 10 * time.Second

// Options of a server. The zero value serves no upstream server at all.
type Options struct {
	Config  Config
	Version string       // of berth, told to clients and servers
	Log     io.Writer    // receives prefixed lines of the servers' stderr; must be safe for concurrent use; nil discards
	Logger  *slog.Logger // nil discards

	HostPath string   // the code-mode host's program; empty means this one
	HostArgs []string // nil means cell host
}

// house is what all sessions share.
type house struct {
	opts Options
	pool *child.Pool
	work sync.WaitGroup // goroutines that watch over sessions

	mu       sync.Mutex
	sessions map[*session]bool // guarded by mu
	closed   bool              // guarded by mu
	serial   int               // guarded by mu; sessions of the host so far
}

func newHouse(opts Options) *house {
	if opts.Logger == nil {
		opts.Logger = slog.New(slog.DiscardHandler)
	}
	if opts.Version == "" {
		opts.Version = "dev"
	}
	pool := child.New(child.Options{Path: opts.HostPath, Args: opts.HostArgs, Stderr: opts.Log})
	return &house{opts: opts, pool: pool, sessions: map[*session]bool{}}
}

// close ends all sessions and the host.
func (h *house) close() {
	h.closeSessions()
	h.work.Wait()
	h.pool.Close()
}

func (h *house) closeSessions() {
	h.mu.Lock()
	h.closed = true
	var closing sync.WaitGroup
	for s := range h.sessions {
		closing.Go(s.close)
	}
	h.mu.Unlock()
	closing.Wait()
}

func (h *house) sessionID() codemode.SessionID {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.serial++
	return codemode.SessionID(fmt.Sprintf("session-%d", h.serial))
}

// session is one client of ours with all that belongs to it.
type session struct {
	house    *house
	server   *mcp.Server
	roster   *roster
	consents consents
	ctx      context.Context // the session's own life
	cancel   context.CancelFunc
	work     sync.WaitGroup
	once     sync.Once // of close

	binding chan struct{} // holds a token while a binding is made

	mu       sync.Mutex
	peer     *mcp.ServerSession      // guarded by mu, as is what follows; nil until a client has come
	active   []*request              // exec and wait requests under way
	bound    *binding                // nil until the first exec
	bindings int                     // so far
	tools    map[string]toolset.Tool // all that a program may have been given
	listed   bool                    // the client has seen a description
}

// request is an exec or a wait under way.
type request struct {
	ctx   context.Context // carries what the SDK needs to answer on the same stream
	token any             // for progress; nil if the client wants none
	cell  string

	progress sync.Mutex // held while progress is sent
	last     float64    // guarded by progress
}

// newSession returns a session that waits for its client.
func (h *house) newSession() *session {
	s := &session{house: h, binding: make(chan struct{}, 1), tools: map[string]toolset.Tool{}}
	s.ctx, s.cancel = context.WithCancel(context.Background())
	s.roster = &roster{call: s.callUpstream, changed: s.announce, spawn: s.spawn, ctx: s.ctx,
		pending: len(h.opts.Config.Servers), loaded: make(chan struct{})}
	for _, c := range h.opts.Config.Servers {
		m := &member{config: c}
		server, err := upstream.New(c.Config, upstream.Options{Version: h.opts.Version, Stderr: h.opts.Log,
			CallTimeout: c.Timeout, Client: s.clientOptions, ToolsChanged: func() { s.roster.refresh(m) }})
		if err != nil { // the configuration has been checked
			panic(err)
		}
		m.server = server
		s.roster.members = append(s.roster.members, m)
	}
	s.server = mcp.NewServer(&mcp.Implementation{Name: "berth", Title: "berth code mode", Version: h.opts.Version}, &mcp.ServerOptions{
		Capabilities:            &mcp.ServerCapabilities{Tools: &mcp.ToolCapabilities{ListChanged: true}},
		Instructions:            "Use exec to call many tools in one program, and print only what matters.",
		RootsListChangedHandler: func(_ context.Context, _ *mcp.RootsListChangedRequest) { s.spawn(s.syncRoots) },
		// The handshake-era protocol has sessions, in which servers may ask.
		SupportedProtocolVersions: []string{"2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"},
	})
	s.server.AddTool(s.execTool(execText), s.exec)
	s.server.AddTool(waitTool(), s.wait)
	s.server.AddReceivingMiddleware(s.middleware)
	h.mu.Lock()
	closed := h.closed
	if !closed {
		h.sessions[s] = true
	}
	h.mu.Unlock()
	if closed {
		s.close()
	}
	return s
}

// spawn runs f in a goroutine that close waits for, unless the session is over.
func (s *session) spawn(f func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ctx.Err() == nil {
		s.work.Go(f)
	}
}

// abandon ends the session if no client comes for it in time.
func (s *session) abandon(after time.Duration) {
	s.spawn(func() {
		timer := time.NewTimer(after)
		defer timer.Stop()
		select {
		case <-s.ctx.Done():
			return
		case <-timer.C:
		}
		s.mu.Lock()
		missing := s.peer == nil
		s.mu.Unlock()
		if missing {
			s.house.work.Go(s.close) // close waits for this goroutine
		}
	})
}

// attach notes the client, and sees to it that its end is the session's.
func (s *session) attach(peer *mcp.ServerSession) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.peer != nil || s.ctx.Err() != nil {
		return
	}
	s.peer = peer
	s.house.work.Go(func() {
		_ = peer.Wait()
		s.close()
	})
}

// close ends everything that belongs to the session.
func (s *session) close() {
	s.once.Do(func() {
		s.mu.Lock()
		s.cancel()
		peer, bound := s.peer, s.bound
		s.mu.Unlock()
		if peer != nil {
			_ = peer.Close()
		}
		s.unbind(bound)
		var closing sync.WaitGroup
		for _, m := range s.roster.members {
			closing.Go(m.server.Close)
		}
		closing.Wait()
		s.work.Wait()
		s.house.mu.Lock()
		delete(s.house.sessions, s)
		s.house.mu.Unlock()
	})
}

// middleware notes the client, and describes exec anew whenever it lists tools.
func (s *session) middleware(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		if peer, ok := req.GetSession().(*mcp.ServerSession); ok {
			s.attach(peer)
		}
		result, err := next(ctx, method, req)
		list, ok := result.(*mcp.ListToolsResult)
		if err != nil || !ok {
			return result, err
		}
		c, err := s.roster.get(ctx, patience)
		if err != nil {
			return nil, err
		}
		s.mu.Lock()
		s.listed = true
		s.mu.Unlock()
		out := *list
		out.Tools = nil
		for _, t := range list.Tools {
			if t.Name == "exec" {
				t = s.execTool(c.description)
			}
			out.Tools = append(out.Tools, t)
		}
		return &out, nil
	}
}

// announce tells the client that exec's description is another. The tool is
// the same; adding it again is what makes the SDK say so.
func (s *session) announce() {
	s.mu.Lock()
	listed := s.listed
	s.mu.Unlock()
	if listed {
		s.server.AddTool(s.execTool(execText), s.exec)
	}
}
