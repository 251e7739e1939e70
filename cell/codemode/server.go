package codemode

import (
	"context"
	"fmt"
	"io"
	"sync"
)

// Handler does the work of one connection's host; the wing's service package
// implements it. The Server calls Open in the goroutine that reads the
// connection, so that a request sent right behind it finds the session: Open
// must not block. It calls the others in a goroutine of their own for each
// request, any number up to ServerOptions.MaxRequests at once and in no order
// among themselves.
//
// ctx ends when the client cancels the request (executes and waits only) or the
// connection is over; a method must then return soon, for Run waits for it. An
// error is answered to the client: an [*Error] with its Message, a context's
// error as [Cancelled], any other with its text. Spec: codemode §8.
type Handler interface {
	// Open handles session/open.
	Open(ctx context.Context, r *SessionOpen) error
	// Execute handles session/execute: it starts a cell, calls x.Started and
	// returns; from then on any goroutine may call x.Initial, once. If it
	// returns an error before x.Started there is no cell, and the error is the
	// answer. After x.Started the ctx has no more say; it ends on return.
	Execute(ctx context.Context, x *Execution) error
	// Wait handles session/wait: it returns the cell's next observation. When
	// ctx ends first it detaches the observer and returns ctx's error.
	Wait(ctx context.Context, c *Call, r *SessionWait) (*WireWaitOutcome, error)
	// Terminate handles session/terminate.
	Terminate(ctx context.Context, r *SessionTerminate) (*WireWaitOutcome, error)
	// Shutdown handles session/shutdown: it returns once Conn.CloseCell was
	// called for every cell of the session.
	Shutdown(ctx context.Context, r *SessionShutdown) error
}

// ServerOptions tune a Server. The zero value is ready to use and serves Base
// clients as the real host does.
type ServerOptions struct {
	Capabilities CapabilitySet // known ones; those a client asks for are enabled

	// Dialect picks a connection's dialect by its hello; nil means
	// GuessDialect(hello, Timed).
	Dialect func(hello *ClientHello) Dialect

	MaxRequests int // requests in flight; 0 means 256. Spec: codemode §10.2
	MaxCalls    int // reverse calls without an answer; 0 means 4096
}

// Server serves connections, each with a Handler of its own.
type Server struct {
	accept  func(*Conn) Handler
	options ServerOptions
}

// NewServer returns a Server. accept is called once for each connection whose
// handshake succeeded, with the Conn by which its Handler reaches the client.
func NewServer(accept func(*Conn) Handler, options ServerOptions) *Server {
	if options.Dialect == nil {
		options.Dialect = func(h *ClientHello) Dialect { return GuessDialect(h, Timed) }
	}
	if options.MaxRequests == 0 {
		options.MaxRequests = 256
	}
	if options.MaxCalls == 0 {
		options.MaxCalls = 4096
	}
	return &Server{accept: accept, options: options}
}

// Run serves one connection until it is over and closes rw. When it returns,
// every goroutine it started is gone and nothing is written any more, provided
// that rw's Close ends a Read and a Write that are under way.
//
// Nil means that the client closed its side between frames, or that it was
// rejected or never said hello. Otherwise the error is ctx's, or an [*Error]
// with [CodeDecode], [CodeFrameTooLarge], [CodeTransport], [CodeViolation] or
// [CodeSlowPeer]. After a clean end, frames that were queued before it are still
// written if the client reads them at once; on any other end they are dropped.
// Spec: codemode §2, §5, §8.8.
func (s *Server) Run(ctx context.Context, rw io.ReadWriteCloser) error {
	var once sync.Once
	shut := func() { once.Do(func() { rw.Close() }) }
	defer shut()
	defer context.AfterFunc(ctx, shut)()

	reader := NewFramedReader(rw, Base)
	conn, err := s.handshake(reader, rw)
	if conn != nil {
		err = conn.serve(ctx, reader, shut)
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return err
}

// handshake returns a connection, or nil if there is to be none.
// Spec: codemode §5.
func (s *Server) handshake(reader *FramedReader, w io.Writer) (*Conn, error) {
	m, err := reader.ReadClientToHost()
	if err == io.EOF {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	writer := NewFramedWriter(w, Base)
	hello, ok := m.(*ClientHello)
	if !ok {
		return nil, writer.WriteHostToClient(&ConnectionRejected{HandshakeRejectReason{
			Kind: InvalidHello, Message: "first message must be connection/hello"}})
	}
	if hello.SupportedVersions[0] != V1 { // ascending, and 1 is the least
		return nil, writer.WriteHostToClient(&ConnectionRejected{HandshakeRejectReason{
			Kind: NoCompatibleVersion, SupportedVersions: SupportedProtocolVersions{V1}}})
	}
	enabled := CapabilitySet{}
	for _, c := range hello.RequiredCapabilities {
		if !s.options.Capabilities.Has(c) {
			return nil, writer.WriteHostToClient(&ConnectionRejected{HandshakeRejectReason{
				Kind: MissingRequiredCapability, Capability: c}})
		}
	}
	for _, c := range s.options.Capabilities {
		if hello.Asks(c) {
			enabled = append(enabled, c)
		}
	}
	if err := writer.WriteHostToClient(&HostHello{SelectedVersion: V1, Capabilities: enabled}); err != nil {
		return nil, err
	}
	dialect := s.options.Dialect(hello)
	reader.SetDialect(dialect)
	return newConn(s, w, dialect, enabled), nil
}

// serve reads and dispatches messages until the connection is over.
func (c *Conn) serve(ctx context.Context, reader *FramedReader, shut func()) error {
	ctx, cancel := context.WithCancel(ctx)
	writerDone := make(chan struct{})
	go func() {
		defer close(writerDone)
		c.out.drain(shut)
	}()
	handler := c.server.accept(c)

	err := c.read(ctx, handler, reader)
	if err == nil && ctx.Err() == nil {
		c.out.flush(flushTime) // answers given before the client closed its side
	}
	if broken := c.out.close(err); broken != nil {
		err = broken // a failed write closed the stream, the read only noticed
	}
	cancel()
	shut()
	c.calls.close(errClosed(err))
	c.handlers.Wait()
	<-writerDone
	return err
}

// read dispatches messages until the stream ends, which is nil, or fails.
func (c *Conn) read(ctx context.Context, handler Handler, reader *FramedReader) error {
	for {
		m, err := reader.ReadClientToHost()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		switch m := m.(type) {
		case *DelegateAnswer:
			c.calls.answer(m)
		case *OperationRequest:
			if err := c.request(ctx, handler, m); err != nil {
				return err
			}
		case *OperationCancel:
			c.requests.cancel(m.ID)
		case *OperationYield:
			c.requests.yield(m.ID)
		case *ClientHello:
			return violation("received a second code-mode client hello")
		default:
			return violation("received an unknown message %T", m)
		}
		if c.out.slow() {
			return &Error{Code: CodeSlowPeer, Message: fmt.Sprintf("client sends but leaves %d frames unread", maxUnread)}
		}
	}
}

// request admits a request and starts its handler. Spec: codemode §4, §10.2.
func (c *Conn) request(ctx context.Context, h Handler, m *OperationRequest) error {
	call := &Call{conn: c, id: m.ID}
	admitted, err := c.requests.admit(call, c.server.options.MaxRequests)
	if err != nil {
		return err
	}
	if !admitted {
		c.respond(m.ID, nil, TooManyRequests())
		return nil
	}
	if open, ok := m.Request.(*SessionOpen); ok {
		err := h.Open(ctx, open)
		c.requests.finish(m.ID)
		c.respond(m.ID, &SessionReady{SessionID: open.SessionID}, err)
		return nil
	}
	ctx, cancel := context.WithCancel(ctx)
	call.arm(cancel, m.Request)
	c.handlers.Add(1)
	go func() {
		defer c.handlers.Done()
		defer cancel()
		c.handle(ctx, h, call, m.Request)
	}()
	return nil
}

// handle runs one request in its own goroutine and answers it.
func (c *Conn) handle(ctx context.Context, h Handler, call *Call, r HostRequest) {
	var value HostResponse
	var err error
	switch r := r.(type) {
	case *SessionExecute:
		c.execute(ctx, h, call, r)
		return
	case *SessionWait:
		value, err = c.completed(call, func() (*WireWaitOutcome, error) { return h.Wait(ctx, call, r) })
	case *SessionTerminate:
		value, err = c.completed(call, func() (*WireWaitOutcome, error) { return h.Terminate(ctx, r) })
	case *SessionShutdown:
		value, err = &SessionClosed{SessionID: r.SessionID}, h.Shutdown(ctx, r)
	default:
		err = InvalidExecute(fmt.Sprintf("unknown request %T", r))
	}
	c.requests.finish(call.id)
	c.respond(call.id, value, err)
}

func (c *Conn) completed(call *Call, observe func() (*WireWaitOutcome, error)) (HostResponse, error) {
	outcome, err := observe()
	if err != nil {
		return nil, err
	}
	w := &WaitCompleted{Outcome: *outcome}
	call.stamp(&w.Outcome.Response)
	return w, nil
}

func (c *Conn) execute(ctx context.Context, h Handler, call *Call, r *SessionExecute) {
	x := &Execution{Call: call, Session: r.SessionID, Request: &r.Request}
	err := invalidBudget(c.dialect, &r.Request)
	if err == nil {
		err = h.Execute(ctx, x)
	}
	x.returned(err)
}

// respond queues the answer to a request, or an error in place of one that is
// too large. Spec: codemode §10.3.
func (c *Conn) respond(id RequestID, value HostResponse, err error) {
	m := &OperationResponse{ID: id}
	if err != nil {
		m.Result.Err = asError(err)
	} else {
		m.Result.Value = value
	}
	if err := c.reply(m); err != nil {
		m.Result = WireResult[HostResponse]{Err: replaceTooLarge(responseTooLargePrefix, err)}
		c.mustReply(m)
	}
}

// reply encodes a message and queues it. An error is one of the encoding.
func (c *Conn) reply(m HostToClient) error {
	f, err := appendHostFrame(c.out.buffer(), c.dialect, m)
	if err == nil {
		c.out.post(f)
	}
	c.out.recycle(f)
	return err
}

// mustReply queues a message that can always be encoded, being small and ours.
func (c *Conn) mustReply(m HostToClient) {
	if err := c.reply(m); err != nil {
		panic(fmt.Sprintf("encode %T: %v", m, err))
	}
}
