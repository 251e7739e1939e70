//lint:file-ignore SA1019 roots and sampling pass through as long as there are clients and servers that speak them

package mcpserve

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/berth-dev/berth/cell/codemode"
	"github.com/berth-dev/berth/cell/internal/upstream"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// begin notes a request of the client that is under way.
func (s *session) begin(ctx context.Context, req *mcp.CallToolRequest) *request {
	r := &request{ctx: ctx, token: req.Params.GetProgressToken()}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.active = append(s.active, r)
	return r
}

func (s *session) end(r *request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := range s.active {
		if s.active[i] == r {
			s.active = append(s.active[:i:i], s.active[i+1:]...)
			return
		}
	}
}

// observing notes which cell the request is about.
func (s *session) observing(r *request, cell string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r.cell = cell
}

// requestOf returns the request that observes the cell, or else the latest one
// that does not observe another, nil if there is none.
func (s *session) requestOf(cell string) *request {
	s.mu.Lock()
	defer s.mu.Unlock()
	var fallback *request
	for _, r := range s.active {
		switch r.cell {
		case cell:
			return r
		case "":
			fallback = r
		}
	}
	return fallback
}

// towards returns a context for asking the client: it ends with ctx, and goes
// with a request of the client if there is one, so that the question reaches
// the client on the stream where it waits.
func (s *session) towards(ctx context.Context, cell string) (context.Context, context.CancelFunc, *mcp.ServerSession) {
	base := s.ctx
	r := s.requestOf(cell)
	s.mu.Lock()
	if r == nil && len(s.active) > 0 {
		r = s.active[len(s.active)-1]
	}
	peer := s.peer
	s.mu.Unlock()
	if r != nil {
		base = r.ctx
	}
	out, cancel := context.WithCancelCause(base)
	stop := context.AfterFunc(ctx, func() { cancel(context.Cause(ctx)) })
	return out, func() { stop(); cancel(nil) }, peer
}

// capabilities are the client's, never nil.
func (s *session) capabilities() *mcp.ClientCapabilities {
	s.mu.Lock()
	peer := s.peer
	s.mu.Unlock()
	if peer != nil {
		if p := peer.InitializeParams(); p != nil && p.Capabilities != nil {
			return p.Capabilities
		}
	}
	return &mcp.ClientCapabilities{}
}

// clientOptions lets an upstream server ask of us what it may ask of our client.
func (s *session) clientOptions(ctx context.Context) (mcp.ClientOptions, []*mcp.Root) {
	theirs := s.capabilities()
	opts := mcp.ClientOptions{Capabilities: &mcp.ClientCapabilities{
		Elicitation: theirs.Elicitation, Sampling: theirs.Sampling, RootsV2: theirs.RootsV2}}
	if theirs.Elicitation != nil {
		opts.ElicitationHandler = func(ctx context.Context, req *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
			ctx, cancel, peer := s.towards(ctx, "")
			defer cancel()
			return peer.Elicit(ctx, req.Params)
		}
		opts.ElicitationCompleteHandler = func(ctx context.Context, req *mcp.ElicitationCompleteNotificationRequest) {
			ctx, cancel, peer := s.towards(ctx, "")
			defer cancel()
			_ = peer.NotifyElicitationComplete(ctx, req.Params) // best effort, as all notifications
		}
	}
	if theirs.Sampling != nil {
		opts.CreateMessageWithToolsHandler = func(ctx context.Context, req *mcp.CreateMessageWithToolsRequest) (*mcp.CreateMessageWithToolsResult, error) {
			ctx, cancel, peer := s.towards(ctx, "")
			defer cancel()
			return peer.CreateMessageWithTools(ctx, req.Params)
		}
	}
	if theirs.RootsV2 == nil {
		return opts, nil
	}
	roots, err := s.roots(ctx)
	if err != nil {
		s.house.opts.Logger.Warn("client has roots, but does not list them", "err", err)
	}
	return opts, roots
}

func (s *session) roots(ctx context.Context) ([]*mcp.Root, error) {
	ctx, cancel, peer := s.towards(ctx, "")
	defer cancel()
	list, err := peer.ListRoots(ctx, nil)
	if err != nil {
		return nil, err
	}
	return list.Roots, nil
}

// syncRoots passes changed roots on to the servers that run.
func (s *session) syncRoots() {
	ctx, cancel := context.WithTimeout(s.ctx, patience)
	defer cancel()
	roots, err := s.roots(ctx)
	if err != nil {
		s.house.opts.Logger.Warn("list changed roots", "err", err)
		return
	}
	for _, m := range s.roster.members {
		m.server.SetRoots(roots)
	}
}

// callUpstream runs a tool for a cell, if that is allowed.
func (s *session) callUpstream(ctx context.Context, m *member, t upstream.Tool, args codemode.RawJSON) (codemode.RawJSON, error) {
	cell, _ := ctx.Value(cellKey{}).(string)
	if m.config.judge(t.Name, t.ReadOnly) == ask {
		key := m.config.Name + "\x00" + t.Name
		err := s.consents.get(ctx, key, func(ctx context.Context) error { return s.question(ctx, cell, m, t, args) })
		if errors.Is(err, errCannotAsk) && matches(m.config.Allow, t.Name) {
			err = nil
		}
		if err != nil {
			return nil, fmt.Errorf("%s.%s: not allowed: %w", m.config.Name, t.Name, err)
		}
	}
	result, err := m.server.Call(ctx, t.Name, []byte(args), func(p *mcp.ProgressNotificationParams) {
		s.progress(cell, &mcp.ProgressNotificationParams{Progress: p.Progress, Total: p.Total,
			Message: strings.TrimSuffix(m.config.Name+"."+t.Name+": "+p.Message, ": ")})
	})
	return codemode.RawJSON(result), err
}

// question asks the user whether a tool may run in this session.
func (s *session) question(ctx context.Context, cell string, m *member, t upstream.Tool, args codemode.RawJSON) error {
	hint := fmt.Sprintf(`list it under "allow" of server %q in berth's configuration`, m.config.Name)
	if c := s.capabilities().Elicitation; c == nil || c.Form == nil && c.URL != nil {
		return fmt.Errorf("it is not marked as read-only, and %w; %s", errCannotAsk, hint)
	}
	ctx, cancel, peer := s.towards(ctx, cell)
	defer cancel()
	if len(args) == 0 {
		args = codemode.RawJSON("{}")
	}
	answer, err := peer.Elicit(ctx, &mcp.ElicitParams{Mode: "form",
		Message: fmt.Sprintf("May programs of this session use the tool %q of server %q? It may change things. The first call: %s",
			t.Name, m.config.Name, clip(string(args), 500)),
		RequestedSchema: jsontext.Value(`{"type":"object","properties":{}}`)})
	switch {
	case err != nil && ctx.Err() != nil:
		return ctx.Err()
	case err != nil:
		return fmt.Errorf("the user could not be asked: %v; %s", err, hint)
	case answer.Action != "accept":
		return fmt.Errorf("the user did not agree (%s)", answer.Action)
	}
	return nil
}

// progress tells the client how a cell gets on, if it wants to know.
func (s *session) progress(cell string, p *mcp.ProgressNotificationParams) {
	r := s.requestOf(cell)
	if r == nil || r.token == nil {
		return
	}
	s.mu.Lock()
	peer := s.peer
	s.mu.Unlock()
	r.progress.Lock()
	defer r.progress.Unlock()
	// Several calls report to one token, whose progress must grow all the same.
	if p.ProgressToken = r.token; p.Progress <= r.last {
		p.Progress, p.Total = r.last+1e-3, 0
	}
	r.last = p.Progress
	ctx, cancel := context.WithTimeout(r.ctx, time.Second)
	defer cancel()
	_ = peer.NotifyProgress(ctx, p) // best effort, as all notifications
}
