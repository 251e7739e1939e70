package cellhost

import (
	"context"
	"errors"
	"math"
	"strconv"
	"sync"
	"time"

	"github.com/berth-dev/berth/cell"
	"github.com/berth-dev/berth/cell/codemode"
	"github.com/berth-dev/berth/cell/js"
)

// service joins one connection with one engine room. It implements
// codemode.Handler for the former and cell.Delegate for the latter.
type service struct {
	conn *codemode.Conn
	host *cell.Host
	trim *trimmer

	mu       sync.Mutex
	sessions map[codemode.SessionID]*session
}

// session is what the wire adds to a session of the engine room.
type session struct {
	*cell.Session
	bounded bool // the host truncates output
	trim    *trimmer

	mu      sync.Mutex
	catalog catalog
}

func newService(c *codemode.Conn, opts Options) *service {
	s := &service{conn: c, sessions: map[codemode.SessionID]*session{}}
	s.host = cell.New(opts.Engine, s, opts.cellOptions(c))
	s.trim = newTrimmer(func() int64 { return s.host.Stats().Memory })
	c.OnWaiting(func(delta int) {
		s.host.Hold(int64(delta))
		s.trim.gone(-delta)
	})
	return s
}

// Open implements codemode.Handler.
func (s *service) Open(_ context.Context, r *codemode.SessionOpen) error {
	opts := cell.SessionOptions{}
	if s.conn.Dialect().LaterRequests() {
		opts.Dialect = js.Later
	}
	if l := r.CellExecutionLimits; l != nil {
		if l.MaxYieldTimeMs != nil {
			opts.MaxYield = milliseconds(*l.MaxYieldTimeMs)
			if opts.MaxYield == 0 {
				opts.MaxYield = -1
			}
		}
		if l.MaxHeapSizeBytes != nil {
			// One byte is refused as any small number is; 0 would mean no limit.
			opts.CellMemory = int64(min(max(*l.MaxHeapSizeBytes, 1), math.MaxInt64))
		}
	}
	opened, err := s.host.Open(string(r.SessionID), opts)
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sessions[r.SessionID] = &session{Session: opened, trim: s.trim, bounded: r.OutputTruncation == codemode.TruncateByServer}
	return nil
}

func (s *service) session(id codemode.SessionID) (*session, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if found, ok := s.sessions[id]; ok {
		return found, nil
	}
	return nil, codemode.UnknownSession(id)
}

// Execute implements codemode.Handler.
func (s *service) Execute(ctx context.Context, x *codemode.Execution) error {
	sess, err := s.session(x.Session)
	if err != nil {
		return err
	}
	tools, err := sess.tools(x.Request)
	if err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return err // cancelled before it began
	}
	started := make(chan error, 1)
	op, err := sess.Execute(
		cell.Request{CallID: x.Request.ToolCallID, Source: x.Request.Source, Tools: tools,
			Yield: executeYield(x.Request.YieldTimeMs)},
		func(id string, err error) {
			if err == nil {
				x.Started(codemode.WireCellID(id))
			}
			started <- err
		},
		func(o cell.Observation) {
			r := sess.response(o, x.Request.MaxOutputTokens)
			x.Initial(&r)
		})
	if err != nil {
		return err
	}
	x.OnYield(op.Yield)
	select {
	case err = <-started:
	case <-ctx.Done():
		op.Cancel() // of no effect if it has started meanwhile
		err = <-started
	}
	return answer(err)
}

// answer maps what the engine room says to what the client reads.
func answer(err error) error {
	switch {
	case errors.Is(err, cell.ErrCancelled):
		return codemode.Cancelled()
	case errors.Is(err, cell.ErrRuntime):
		return codemode.InitializeFailed(err)
	}
	return err // the engine room's texts are the wire's
}

// Wait implements codemode.Handler.
func (s *service) Wait(ctx context.Context, c *codemode.Call, r *codemode.SessionWait) (*codemode.WireWaitOutcome, error) {
	sess, err := s.session(r.SessionID)
	if err != nil {
		return nil, err
	}
	done := make(chan cell.Observation, 1)
	op, err := sess.Wait(string(r.Request.CellID), milliseconds(r.Request.YieldTimeMs),
		func(o cell.Observation) { done <- o })
	if err != nil {
		return nil, err
	}
	c.OnYield(op.Yield)
	select {
	case o := <-done:
		return sess.outcome(o, r.MaxOutputTokens), nil
	case <-ctx.Done():
		if op.Cancel() {
			return nil, ctx.Err()
		}
		return sess.outcome(<-done, r.MaxOutputTokens), nil
	}
}

// Terminate implements codemode.Handler.
func (s *service) Terminate(_ context.Context, r *codemode.SessionTerminate) (*codemode.WireWaitOutcome, error) {
	sess, err := s.session(r.SessionID)
	if err != nil {
		return nil, err
	}
	done := make(chan cell.Observation, 1)
	if err := sess.Terminate(string(r.CellID), func(o cell.Observation) { done <- o }); err != nil {
		return nil, err
	}
	return sess.outcome(<-done, r.MaxOutputTokens), nil
}

// Shutdown implements codemode.Handler.
func (s *service) Shutdown(ctx context.Context, r *codemode.SessionShutdown) error {
	sess, err := s.session(r.SessionID)
	if err != nil {
		return err
	}
	s.mu.Lock()
	if s.sessions[r.SessionID] == sess {
		delete(s.sessions, r.SessionID)
	}
	s.mu.Unlock()
	defer s.trim.look()
	return sess.Close(ctx)
}

// Call implements cell.Delegate.
func (s *service) Call(ctx context.Context, c *cell.Call) error {
	done := func(result codemode.RawJSON, err error) {
		switch {
		case err != nil:
			s.host.Reject(c.ID, messageOf(err))
		case result == nil:
			s.host.Resolve(c.ID, []byte("null"))
		default:
			s.host.Resolve(c.ID, result)
		}
	}
	var id codemode.DelegateRequestID
	var err error
	if c.Tool == nil {
		id, err = s.conn.Notify(ctx, codemode.SessionID(c.Session), &codemode.NotificationSend{
			CallID: c.CallID, CellID: codemode.WireCellID(c.Cell), Text: c.Text}, done)
	} else {
		t := c.Tool.Target.(target)
		id, err = s.conn.InvokeTool(ctx, codemode.SessionID(c.Session), &codemode.WireNestedToolCall{
			CellID: codemode.WireCellID(c.Cell), RuntimeToolCallID: "tool-" + strconv.FormatUint(c.Seq, 10),
			ToolName: t.name, ToolKind: t.kind, Input: c.Input}, done)
	}
	if err != nil {
		return errors.New(messageOf(err))
	}
	c.Token = int64(id)
	return nil
}

// Cancel implements cell.Delegate.
func (s *service) Cancel(c *cell.Call) { s.conn.CancelCall(codemode.DelegateRequestID(c.Token)) }

// Closed implements cell.Delegate.
func (s *service) Closed(session, id string) {
	s.conn.CloseCell(codemode.SessionID(session), codemode.WireCellID(id))
	s.trim.look()
}

// messageOf is the part of an error that a cell gets to see.
func messageOf(err error) string {
	var e *codemode.Error
	if errors.As(err, &e) {
		return e.Message
	}
	return err.Error()
}

// milliseconds converts without overflow; 292 years are as good as more.
func milliseconds(ms uint64) time.Duration {
	return time.Duration(min(ms, math.MaxInt64/uint64(time.Millisecond))) * time.Millisecond
}

// executeYield converts to what cell.Request takes.
func executeYield(ms *uint64) time.Duration {
	switch {
	case ms == nil:
		return 0
	case *ms == 0:
		return -1
	}
	return milliseconds(*ms)
}
