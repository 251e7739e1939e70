package codemode

import (
	"context"
	"errors"
	"io"
	"sync"
	"sync/atomic"
	"time"
)

// Delegate answers the reverse calls of a session's cells. It is called in a
// goroutine of its own for each call. ctx ends when the host cancels the call,
// its cell is closed or the connection is over; the method must then return
// soon, for Client.Close waits for it, and its answer is dropped.
type Delegate interface {
	// InvokeTool runs a tool. Nil stands for a result of null. An error becomes
	// the string that the cell's promise rejects with: an [*Error]'s Message,
	// or the error's text.
	InvokeTool(ctx context.Context, call *WireNestedToolCall) (RawJSON, error)
	// Notify delivers a notification. An error is only logged by the host.
	Notify(ctx context.Context, n *NotificationSend) error
}

// ClientOptions tune a Client. The zero value drives any published host.
type ClientOptions struct {
	RequiredCapabilities CapabilitySet
	OptionalCapabilities CapabilitySet

	Dialect     Dialect       // what the host speaks; AnyDialect accepts everything
	Handshake   time.Duration // until connection/ready; 0 means 10 s. Spec: codemode §5
	MaxRequests int           // requests in flight, further ones wait; 0 means 256

	// Liveness is how long the host may be silent while requests are in flight
	// before it is asked for a sign of life, and then again before it is given
	// up. 0 means 15 s, negative never. Spec: codemode §13.
	Liveness time.Duration
}

const (
	maxDelegates = 8192 // reverse calls of a host that run at once
	maxResting   = 128  // goroutines that wait for the next reverse call
)

// Client drives a host. It is safe for concurrent use.
type Client struct {
	options ClientOptions
	rw      io.ReadWriteCloser
	hello   *HostHello
	out     *outbox
	slots   chan struct{}  // a token for each request in flight
	heard   atomic.Uint64  // messages received
	owned   sync.WaitGroup // reader, writer, watchdog and delegates

	resting chan *reverseCall // unbuffered: taken by a goroutine at rest
	rests   atomic.Int32      // their number

	done chan struct{} // closed when err is set
	shut sync.Once     // closes rw

	mu       sync.Mutex // guards the fields below
	err      error      // why the connection is over
	lastID   RequestID
	pending  map[RequestID]*operation
	sessions map[SessionID]*Session
	running  map[DelegateRequestID]*reverseCall
	used     memory[DelegateRequestID]
}

// Dial negotiates with the host at the other end of rw and returns a Client
// that owns rw. If that fails, rw is closed. A host that refuses gives an
// [*Error] with [CodeRejected], one that does not answer within
// ClientOptions.Handshake one with [CodeTimeout], others as in [FramedReader].
// Spec: codemode §5.
func Dial(ctx context.Context, rw io.ReadWriteCloser, options ClientOptions) (*Client, error) {
	if options.Handshake == 0 {
		options.Handshake = 10 * time.Second
	}
	if options.MaxRequests == 0 {
		options.MaxRequests = 256
	}
	if options.Liveness == 0 {
		options.Liveness = 15 * time.Second
	}
	c := &Client{
		options: options, rw: rw, out: newOutbox(rw),
		slots: make(chan struct{}, options.MaxRequests), done: make(chan struct{}), resting: make(chan *reverseCall),
		pending: make(map[RequestID]*operation), sessions: make(map[SessionID]*Session),
		running: make(map[DelegateRequestID]*reverseCall), used: newMemory[DelegateRequestID](rememberedDelegates),
	}
	reader := NewFramedReader(rw, options.Dialect)
	if err := c.handshake(ctx, reader); err != nil {
		c.closeStream()
		return nil, err
	}
	c.start(func() { c.out.drain(c.closeStream) })
	c.start(func() { c.fail(c.read(reader)) })
	if options.Liveness > 0 {
		c.start(c.watch)
	}
	return c, nil
}

// start runs f in a goroutine that Close waits for.
func (c *Client) start(f func()) {
	c.owned.Add(1)
	go func() {
		defer c.owned.Done()
		f()
	}()
}

func (c *Client) closeStream() { c.shut.Do(func() { c.rw.Close() }) }

func (c *Client) handshake(ctx context.Context, reader *FramedReader) error {
	ctx, cancel := context.WithTimeout(ctx, c.options.Handshake)
	defer cancel()
	stop := context.AfterFunc(ctx, c.closeStream)
	m, err := c.exchangeHellos(reader)
	if !stop() { // the stream was closed under us
		if errors.Is(ctx.Err(), context.DeadlineExceeded) {
			return &Error{Code: CodeTimeout, Message: "timed out negotiating with the code-mode host", Err: ctx.Err()}
		}
		return ctx.Err()
	}
	if err != nil {
		return err
	}
	switch m := m.(type) {
	case *HostHello:
		if m.SelectedVersion != V1 {
			return violation("host selected protocol version %d", m.SelectedVersion)
		}
		for _, capability := range m.Capabilities {
			if !c.asksFor(capability) {
				return violation("host enabled capability %q that was not asked for", string(capability))
			}
		}
		c.hello = m
		return nil
	case *ConnectionRejected:
		return &Error{Code: CodeRejected, Message: "code-mode host rejected the connection: " + m.Reason.String(), Remote: true}
	default:
		return violation("host spoke %T before connection/ready", m)
	}
}

func (c *Client) exchangeHellos(reader *FramedReader) (HostToClient, error) {
	err := NewFramedWriter(c.rw, c.options.Dialect).WriteClientToHost(&ClientHello{
		SupportedVersions:    SupportedProtocolVersions{V1},
		RequiredCapabilities: c.options.RequiredCapabilities,
		OptionalCapabilities: c.options.OptionalCapabilities,
	})
	if err != nil {
		return nil, err
	}
	m, err := reader.ReadHostToClient()
	if err == io.EOF {
		return nil, hostGone()
	}
	return m, err
}

func hostGone() error {
	return &Error{Code: CodeTransport, Message: "code-mode host closed the connection", Err: io.EOF}
}

func (c *Client) asksFor(name Capability) bool {
	return c.options.RequiredCapabilities.Has(name) || c.options.OptionalCapabilities.Has(name)
}

// Capabilities returns those that the host enabled. It must not be changed.
func (c *Client) Capabilities() CapabilitySet { return c.hello.Capabilities }

// Done is closed when the connection is over; Err then tells why.
func (c *Client) Done() <-chan struct{} { return c.done }

// Err returns nil while the connection lives, then an [*Error] with
// [CodeClosed] whose cause is what ended it: nothing after Close, else an
// [*Error] with [CodeTransport], [CodeDecode], [CodeFrameTooLarge],
// [CodeViolation] or [CodeTimeout].
func (c *Client) Err() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.err
}

// Close ends the connection at once, sessions and all, and returns when every
// goroutine of the Client is gone. It must not be called by a [Delegate].
func (c *Client) Close() error {
	c.fail(nil)
	c.owned.Wait()
	return nil
}

// fail ends the connection for cause, the first time. Every operation gets the
// error, every live cell is closed once, every delegate cancelled.
func (c *Client) fail(cause error) {
	c.mu.Lock()
	if c.err != nil {
		c.mu.Unlock()
		return
	}
	c.err = errClosed(cause)
	pending := c.pending
	c.pending = make(map[RequestID]*operation)
	for _, op := range pending {
		op.abort(c.err)
	}
	for _, s := range c.sessions {
		s.end()
	}
	c.sessions = make(map[SessionID]*Session)
	for _, call := range c.running {
		call.cancel()
	}
	c.running = make(map[DelegateRequestID]*reverseCall)
	close(c.done)
	c.mu.Unlock()
	c.out.close(cause)
	c.closeStream()
}

// watch gives up a host that is silent while requests are in flight. It asks
// for a sign of life first: a wait for a session that never existed is answered
// by every host that lives. Spec: codemode §13, §16.
func (c *Client) watch() {
	timer := time.NewTicker(c.options.Liveness)
	defer timer.Stop()
	heard, asked := c.heard.Load(), false
	for {
		select {
		case <-c.done:
			return
		case <-timer.C:
		}
		now := c.heard.Load()
		c.mu.Lock()
		idle := len(c.pending) == 0
		c.mu.Unlock()
		switch {
		case now != heard || idle:
			heard, asked = now, false
		case asked:
			c.fail(&Error{Code: CodeTimeout, Message: "code-mode host is silent"})
		default:
			asked = true
			c.enqueue(&operation{kind: probeOperation}, &SessionWait{SessionID: "berth-sign-of-life", Request: WireWaitRequest{}})
		}
	}
}
