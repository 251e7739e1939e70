package codemode_test

import (
	"context"
	"errors"
	"io"
	"os"
	"sync"
	"testing"

	"github.com/berth-dev/berth/cell/codemode"
)

// loopHost is a host whose cells make calls tool calls each, wide at a time.
type loopHost struct {
	codemode.Handler
	conn        *codemode.Conn
	calls, wide int
}

func (h *loopHost) Open(context.Context, *codemode.SessionOpen) error { return nil }

func (h *loopHost) Execute(ctx context.Context, x *codemode.Execution) error {
	x.Started("1")
	left := make(chan error, h.wide)
	answer := func(_ codemode.RawJSON, err error) { left <- err }
	for done := 0; done < h.calls; done += h.wide {
		for range h.wide {
			_, err := h.conn.InvokeTool(ctx, x.Session, &codemode.WireNestedToolCall{
				CellID: "1", RuntimeToolCallID: "tool-1", ToolName: codemode.WireToolName{Name: "read_note"},
				ToolKind: codemode.FunctionTool, Input: codemode.RawJSON(`{"id":3}`)}, answer)
			if err != nil {
				return err
			}
		}
		for range h.wide {
			if err := <-left; err != nil {
				return err
			}
		}
	}
	x.Initial(&codemode.WireRuntimeResponse{State: codemode.Result, CellID: "1"})
	h.conn.CloseCell(x.Session, "1")
	return nil
}

// notes is a client whose only tool answers at once.
type notes struct{}

func (notes) InvokeTool(context.Context, *codemode.WireNestedToolCall) (codemode.RawJSON, error) {
	return codemode.RawJSON(`{"title":"Groceries"}`), nil
}

func (notes) Notify(context.Context, *codemode.NotificationSend) error { return nil }

// ends are the two ends of a connection over operating system pipes.
type end struct {
	io.Reader
	io.Writer
	closers []io.Closer
}

func (e end) Close() error {
	var err error
	for _, c := range e.closers {
		err = errors.Join(err, c.Close())
	}
	return err
}

func pipes(tb testing.TB) (host, client io.ReadWriteCloser) {
	tb.Helper()
	hostIn, clientOut, err := os.Pipe()
	if err != nil {
		tb.Fatal(err)
	}
	clientIn, hostOut, err := os.Pipe()
	if err != nil {
		tb.Fatal(err)
	}
	return end{hostIn, hostOut, []io.Closer{hostIn, hostOut}}, end{clientIn, clientOut, []io.Closer{clientIn, clientOut}}
}

func benchmarkCalls(b *testing.B, wide int) {
	host, client := pipes(b)
	var running sync.WaitGroup
	h := &loopHost{wide: wide}
	server := codemode.NewServer(func(c *codemode.Conn) codemode.Handler { h.conn = c; return h }, codemode.ServerOptions{})
	running.Go(func() { _ = server.Run(context.Background(), host) })
	c, err := codemode.Dial(b.Context(), client, codemode.ClientOptions{})
	if err != nil {
		b.Fatal(err)
	}
	s, err := c.OpenSession(b.Context(), &codemode.SessionOpen{SessionID: "s"}, notes{})
	if err != nil {
		b.Fatal(err)
	}
	h.calls = max(b.N, wide)
	b.ReportAllocs()
	b.ResetTimer()
	cell, err := s.Execute(b.Context(), &codemode.WireExecuteRequest{})
	if err != nil {
		b.Fatal(err)
	}
	if _, err := cell.Initial(b.Context()); err != nil {
		b.Fatal(err)
	}
	b.StopTimer()
	b.ReportMetric(float64(h.calls)/b.Elapsed().Seconds(), "calls/s")
	_ = c.Close()
	running.Wait()
}

func BenchmarkCallsSequential(b *testing.B) { benchmarkCalls(b, 1) }
func BenchmarkCalls100Wide(b *testing.B)    { benchmarkCalls(b, 100) }
