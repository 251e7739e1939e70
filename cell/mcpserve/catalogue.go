package mcpserve

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/berth-dev/berth/cell/codemode"
	"github.com/berth-dev/berth/cell/internal/upstream"
	"github.com/berth-dev/berth/cell/schema"
	"github.com/berth-dev/berth/cell/toolset"
	"github.com/go-json-experiment/json"
)

type toolCall = func(ctx context.Context, input codemode.RawJSON) (codemode.RawJSON, error)

// member is a configured server of a session.
type member struct {
	config ServerConfig
	server *upstream.Server

	// Guarded by roster.mu.
	tools  []upstream.Tool // those last heard of
	err    error           // why there are none, or no current ones
	asking bool            // the tools are being asked for
}

// catalogue is what the programs of a session may use at one time.
type catalogue struct {
	set         *toolset.Set
	description string // of exec
}

// roster is the servers of a session and the catalogue of their tools.
type roster struct {
	members []*member
	call    func(ctx context.Context, m *member, t upstream.Tool, args codemode.RawJSON) (codemode.RawJSON, error)
	changed func()          // called when the catalogue is another; may not block
	spawn   func(func())    // runs something that the session waits for, unless that is over
	ctx     context.Context // the session's

	mu      sync.Mutex
	current *catalogue    // guarded by mu, as is what follows
	begun   bool          // the servers were asked for their tools
	pending int           // members that have not answered the first time
	loaded  chan struct{} // closed when pending is 0
}

// get returns the catalogue. The first time it starts the servers, and waits
// for their tools, patience at the most: what comes later is announced.
// Servers that failed are tried again meanwhile.
func (r *roster) get(ctx context.Context, patience time.Duration) (*catalogue, error) {
	r.mu.Lock()
	for _, m := range r.members {
		if (!r.begun || m.err != nil) && !m.asking {
			m.asking = true
			r.spawn(func() { r.ask(m) })
		}
	}
	if !r.begun && len(r.members) == 0 {
		close(r.loaded)
	}
	r.begun = true
	r.mu.Unlock()

	timer := time.NewTimer(patience)
	defer timer.Stop()
	select {
	case <-r.loaded:
	case <-timer.C:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.current == nil {
		r.rebuild()
	}
	return r.current, nil
}

// ask asks a member for its tools and learns the answer.
func (r *roster) ask(m *member) {
	tools, err := m.server.Tools(r.ctx)
	r.mu.Lock()
	defer r.mu.Unlock()
	m.asking = false
	first := m.tools == nil && m.err == nil
	switch {
	case err == nil:
		m.tools, m.err = append([]upstream.Tool{}, tools...), nil
	case m.err == nil || !errors.Is(err, upstream.ErrDown): // that one changes from moment to moment
		m.err = err
	}
	if first {
		if r.pending--; r.pending == 0 {
			close(r.loaded)
		}
	}
	before := r.current
	if before == nil && r.pending > 0 {
		return // nobody has seen a catalogue, and more is to come
	}
	if r.rebuild(); before != nil && before.description != r.current.description {
		r.changed()
	}
}

// refresh is told that a member's tools may have changed.
func (r *roster) refresh(m *member) {
	r.mu.Lock()
	skip := m.asking || !r.begun
	m.asking = m.asking || r.begun
	r.mu.Unlock()
	if !skip {
		r.ask(m)
	}
}

// rebuild makes the catalogue from what the members have told. The caller
// holds mu.
func (r *roster) rebuild() {
	var tools []toolset.Tool
	var problems []string
	for _, m := range r.members {
		switch {
		case m.err != nil && !errors.Is(m.err, context.Canceled):
			problems = append(problems, fmt.Sprintf("The server %q is not available: %v.", m.config.Name, m.err))
		case m.tools == nil:
			problems = append(problems, fmt.Sprintf("The server %q has not answered yet.", m.config.Name))
		}
		for _, t := range m.tools {
			if m.config.judge(t.Name, t.ReadOnly) != hide {
				tools = append(tools, r.tool(m, t))
			}
		}
	}
	tools, clashes := distinct(tools)
	problems = append(problems, clashes...)
	description, search := describe(tools, problems)
	if search {
		tools = append(tools, searchTool(searcher(tools)))
	}
	set, err := toolset.NewSet(tools)
	if err != nil { // distinct has seen to it that there are no clashes
		panic(err)
	}
	r.current = &catalogue{set: set, description: description}
}

func (r *roster) tool(m *member, t upstream.Tool) toolset.Tool {
	return toolset.MCPTool(m.config.Name+"__"+t.Name, fmt.Sprintf("server %q", m.config.Name), t,
		func(ctx context.Context, args codemode.RawJSON) (codemode.RawJSON, error) {
			return r.call(ctx, m, t, args)
		})
}

// distinct drops tools that a cell could not tell from one before.
func distinct(tools []toolset.Tool) (kept []toolset.Tool, clashes []string) {
	first := map[string]toolset.Tool{"search_tools": {Source: "berth"}}
	for _, t := range tools {
		id := schema.Identifier(t.Name)
		if other, taken := first[id]; taken {
			clashes = append(clashes, fmt.Sprintf("A second tool %q, from %s beside %s, is left out.", id, t.Source, other.Source))
			continue
		}
		first[id] = t
		kept = append(kept, t)
	}
	return kept, clashes
}

// searcher returns the call of the search over tools. The index is made when
// it is first needed.
func searcher(tools []toolset.Tool) toolCall {
	index := sync.OnceValue(func() *index { return newIndex(tools) })
	return func(_ context.Context, input codemode.RawJSON) (codemode.RawJSON, error) {
		query, err := queryOf(input)
		if err != nil {
			return nil, err
		}
		found := []string{}
		for _, i := range index().find(query) {
			found = append(found, declared(tools[i]).Describe())
		}
		return json.Marshal(found)
	}
}

// queryOf takes a string, an object with one, or nothing.
func queryOf(input codemode.RawJSON) (string, error) {
	var query string
	if len(input) == 0 || string(input) == "null" || json.Unmarshal(input, &query) == nil {
		return query, nil
	}
	var object struct {
		Query string `json:"query"`
	}
	if err := json.Unmarshal(input, &object); err != nil {
		return "", errors.New("search_tools expects a string")
	}
	return object.Query, nil
}
