package upstream

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/berth-dev/berth/cell/internal/process"
	"github.com/berth-dev/berth/frame"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

const (
	stopPolite   = 300 * time.Millisecond // for a server to end with its input; many wait for more
	stopGrace    = 2 * time.Second        // for it to end when it is told to
	writeTimeout = 30 * time.Second       // for a server to read what we send
	maxGarbage   = 1000                   // lines on stdout that are no messages
	stderrTail   = 400                    // bytes of stderr kept for the reason of death
)

// stdio is the transport to a server that is a command.
type stdio struct {
	cfg    Config
	stderr io.Writer
	rec    *recorder
	conn   *stdioConn // set by Connect
}

// Connect starts the command.
func (s *stdio) Connect(context.Context) (mcp.Connection, error) {
	tail := &process.Tail{Max: stderrTail}
	log := &process.Lines{Dst: s.stderr, Prefix: "[" + s.cfg.Name + "] "}
	p, err := process.Start(s.cfg.Command, s.cfg.Args, process.Options{
		Dir: s.cfg.Dir, Env: environment(s.cfg.Env), Stderr: io.MultiWriter(tail, log), ParentDeath: syscall.SIGTERM, Polite: stopPolite})
	if err != nil {
		return nil, err
	}
	s.conn = &stdioConn{p: p, rec: s.rec, tail: tail, in: frame.NewReader(p.Stdout, frame.Line, MaxMessage),
		junk: &process.Lines{Dst: s.stderr, Prefix: "[" + s.cfg.Name + " stdout] "}}
	s.conn.log = log
	return s.conn, nil
}

// environment is ours with additions, nil if there are none.
func environment(add map[string]string) []string {
	if len(add) == 0 {
		return nil
	}
	env := os.Environ()
	for _, k := range slices.Sorted(maps.Keys(add)) {
		env = append(env, k+"="+add[k])
	}
	return env
}

// stdioConn carries messages as lines. Read belongs to one goroutine.
type stdioConn struct {
	p       *process.Process
	rec     *recorder
	tail    *process.Tail
	log     *process.Lines // of stderr; ours once the process has ended
	in      *frame.Reader
	junk    *process.Lines
	garbage int
	parted  atomic.Bool // a Read or a Write has come to an end

	write sync.Mutex // held while a message is written
	close sync.Once
	quit  bool // it ended before it was asked to; written by Close
}

func (c *stdioConn) SessionID() string { return "" }

// Read skips lines that are no messages: many servers print a greeting.
func (c *stdioConn) Read(context.Context) (jsonrpc.Message, error) {
	for {
		if _, err := c.in.Next(); err != nil {
			c.parted.Store(true)
			return nil, fmt.Errorf("read message: %w", err)
		}
		line := c.in.Take()
		if msg, err := jsonrpc.DecodeMessage(line); err == nil {
			c.rec.received(msg)
			return msg, nil
		}
		if len(strings.TrimSpace(string(line[:min(len(line), 64)]))) == 0 {
			continue
		}
		_, _ = c.junk.Write(append(line, '\n'))
		if c.garbage++; c.garbage > maxGarbage {
			return nil, fmt.Errorf("read message: more than %d lines that are no JSON-RPC", maxGarbage)
		}
	}
}

func (c *stdioConn) Write(ctx context.Context, msg jsonrpc.Message) error {
	data, err := jsonrpc.EncodeMessage(msg)
	if err != nil {
		return fmt.Errorf("encode message: %w", err)
	}
	if req, ok := msg.(*jsonrpc.Request); ok && req.IsCall() {
		c.rec.sending(ctx, idKey(req.ID))
	}
	c.write.Lock()
	defer c.write.Unlock()
	if err := c.p.Stdin.SetWriteDeadline(time.Now().Add(writeTimeout)); err != nil && !errors.Is(err, os.ErrNoDeadline) {
		return fmt.Errorf("write message: %w", err)
	}
	if _, err := c.p.Stdin.Write(append(data, '\n')); err != nil {
		c.parted.Store(true)
		return fmt.Errorf("write message: %w", err)
	}
	return nil
}

// Close stops the command and waits for it, a few seconds at the most.
func (c *stdioConn) Close() error {
	c.close.Do(func() {
		c.quit = c.ended()
		c.p.Stop(context.Background(), stopGrace)
		_ = c.p.Stdin.Close()
		_ = c.p.Stdout.Close()
		c.log.Flush()
	})
	return nil
}

// ended reports whether the command ends by itself, for which it gets a moment
// if it has closed a stream.
func (c *stdioConn) ended() bool {
	if !c.parted.Load() {
		return false
	}
	timer := time.NewTimer(stopPolite)
	defer timer.Stop()
	select {
	case <-c.p.Done():
		return true
	case <-timer.C:
		return false
	}
}

// said is the end of what the command complained about, behind sep.
func (c *stdioConn) said(sep string) string {
	if said := strings.TrimSpace(c.tail.String()); said != "" {
		return sep + "its stderr: " + strings.ToValidUTF8(said, "\uFFFD")
	}
	return ""
}

// failure says why no conversation came about with a command that was started;
// err is what the SDK met. After Close only.
func (c *stdioConn) failure(err error) error {
	if !c.quit {
		return fmt.Errorf("%w%s", err, c.said("; "))
	}
	return fmt.Errorf("it %s before it answered; is it an MCP server?%s", process.Ended(c.p.Wait()), c.said(" "))
}
