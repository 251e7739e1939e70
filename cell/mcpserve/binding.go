package mcpserve

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/berth-dev/berth/cell/codemode"
	"github.com/berth-dev/berth/cell/internal/child"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// binding is a session at one host. It is the Delegate of its cells.
type binding struct {
	owner   *session
	number  int // counts the session's bindings, from 1
	host    *child.Host
	session *codemode.Session

	mu    sync.Mutex
	notes map[codemode.WireCellID]*notebook // guarded by mu
}

// cellName is what the client knows a cell by. After the loss of a host cells
// count from 1 again, and a prefix tells them from those of before.
func (b *binding) cellName(id codemode.WireCellID) string {
	if b.number == 1 {
		return string(id)
	}
	return fmt.Sprintf("g%d:%s", b.number, id)
}

// cellID is the inverse of cellName.
func (b *binding) cellID(name string) (codemode.WireCellID, error) {
	generation, id, prefixed := strings.Cut(name, ":")
	switch {
	case !prefixed && b.number == 1:
		return codemode.WireCellID(name), nil
	case prefixed && generation == fmt.Sprintf("g%d", b.number):
		return codemode.WireCellID(id), nil
	}
	return "", fmt.Errorf("cell %s belongs to a stale code-mode host generation", name)
}

// bind returns the session at a host that lives: the one it has, or a new one.
func (s *session) bind(ctx context.Context) (*binding, error) {
	select {
	case s.binding <- struct{}{}:
		defer func() { <-s.binding }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	s.mu.Lock()
	b := s.bound
	s.mu.Unlock()
	if b != nil && b.host.Client.Err() == nil {
		return b, nil
	}
	s.unbind(b)
	host, err := s.house.pool.Acquire(ctx)
	if err != nil {
		return nil, err
	}
	b = &binding{owner: s, host: host, notes: map[codemode.WireCellID]*notebook{}}
	b.session, err = host.Client.OpenSession(ctx, &codemode.SessionOpen{SessionID: s.house.sessionID(),
		OutputTruncation: codemode.TruncateByServer}, b)
	if err != nil {
		host.Release()
		return nil, err
	}
	s.mu.Lock()
	over := s.ctx.Err() != nil
	if !over {
		s.bound = b
		s.bindings++
		b.number = s.bindings
	}
	s.mu.Unlock()
	if over {
		b.release()
		return nil, errors.New("the session has ended")
	}
	return b, nil
}

// unbind gives b back if it is still the session's. Its cells end.
func (s *session) unbind(b *binding) {
	s.mu.Lock()
	ours := b != nil && s.bound == b
	if ours {
		s.bound = nil
	}
	s.mu.Unlock()
	if ours {
		b.release()
	}
}

func (b *binding) release() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	_ = b.session.Shutdown(ctx) // a host that is dead has no sessions
	b.host.Release()
}

type cellKey struct{}

// InvokeTool implements codemode.Delegate.
func (b *binding) InvokeTool(ctx context.Context, call *codemode.WireNestedToolCall) (codemode.RawJSON, error) {
	b.owner.mu.Lock()
	tool, ok := b.owner.tools[call.ToolName.Name]
	b.owner.mu.Unlock()
	if !ok {
		return nil, fmt.Errorf("there is no tool %q", call.ToolName.Name)
	}
	return tool.Call(context.WithValue(ctx, cellKey{}, b.cellName(call.CellID)), call.Input)
}

// Notify implements codemode.Delegate: the client hears of it at once if it can,
// and in any case with the next result of the cell.
func (b *binding) Notify(_ context.Context, n *codemode.NotificationSend) error {
	b.mu.Lock()
	book := b.notes[n.CellID]
	if book == nil {
		book = &notebook{}
		b.notes[n.CellID] = book
	}
	book.add(n.Text)
	b.mu.Unlock()
	b.owner.progress(b.cellName(n.CellID), &mcp.ProgressNotificationParams{Message: n.Text})
	return nil
}

// takeNotes returns the notifications of a cell since its last result.
func (b *binding) takeNotes(id codemode.WireCellID) []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	notes := b.notes[id].take()
	delete(b.notes, id)
	return notes
}
