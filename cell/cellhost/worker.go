package cellhost

import (
	"context"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/berth-dev/berth/cell/codemode"
	"github.com/berth-dev/berth/cell/internal/process"
)

// stopGrace is how long a child may take to end after its input has.
const stopGrace = time.Second

// worker is a child host and the connection to it. What it says is passed on in
// its order by the one goroutine that reads it.
type worker struct {
	front *front
	slot  int
	proc  *process.Process
	wake  chan struct{} // one token: frames wait, or the worker is over

	mu      sync.Mutex // guards the fields below; front.mu may be held outside
	frames  [][]byte   // to the child; bounded by the client's requests and its answers
	lastID  codemode.RequestID
	pending map[codemode.RequestID]*pending
	calls   map[codemode.DelegateRequestID]codemode.DelegateRequestID // child's to client's
	over    bool

	// Guarded by front.mu.
	pins     map[codemode.SessionID]*pinned
	draining bool // overloaded: it gets no new sessions
}

// pending is a request that a child has not answered for good.
type pending struct {
	// response gets the answer to the operation, in the reading goroutine; the
	// error is the child's or errWorkerLost.
	response func(codemode.HostResponse, error)
	// initial gets an execute's observation, after response; nil otherwise.
	initial func(*codemode.WireRuntimeResponse, error)
}

func startWorker(f *front, slot int) (*worker, error) {
	proc, err := process.Start(f.opts.Command[0], f.opts.Command[1:], process.Options{Stderr: f.opts.Stderr})
	if err != nil {
		return nil, fmt.Errorf("start worker %d: %w", slot, err)
	}
	w := &worker{front: f, slot: slot, proc: proc, wake: make(chan struct{}, 1),
		pins:    map[codemode.SessionID]*pinned{},
		pending: map[codemode.RequestID]*pending{}, calls: map[codemode.DelegateRequestID]codemode.DelegateRequestID{}}
	w.post(&codemode.ClientHello{SupportedVersions: codemode.SupportedProtocolVersions{codemode.V1},
		RequiredCapabilities: codemode.CapabilitySet{}, OptionalCapabilities: f.conn.Capabilities()})
	f.running.Go(w.read)
	f.running.Go(w.write)
	return w, nil
}

// post queues a message to the child.
func (w *worker) post(m codemode.ClientToHost) {
	frame, err := codemode.EncodeClientToHost(w.front.conn.Dialect(), m)
	if err != nil {
		// What was decoded from the client can be encoded for the child.
		w.front.opts.Log.Error("message to worker lost", "worker", w.slot, "err", err)
		return
	}
	w.mu.Lock()
	w.frames = append(w.frames, frame)
	w.mu.Unlock()
	w.signal()
}

func (w *worker) signal() {
	select {
	case w.wake <- struct{}{}:
	default:
	}
}

// request sends an operation and returns its id with the child.
func (w *worker) request(r codemode.HostRequest, p *pending) codemode.RequestID {
	w.mu.Lock()
	if w.over {
		w.mu.Unlock()
		p.response(nil, errWorkerLost)
		return 0
	}
	w.lastID++
	id := w.lastID
	w.pending[id] = p
	w.mu.Unlock()
	w.post(&codemode.OperationRequest{ID: id, Request: r})
	return id
}

func (w *worker) write() {
	for range w.wake {
		w.mu.Lock()
		frames, over := w.frames, w.over
		w.frames = nil
		w.mu.Unlock()
		if over {
			return
		}
		for _, f := range frames {
			if _, err := w.proc.Stdin.Write(f); err != nil {
				w.proc.Kill() // the reading goroutine tells everyone
				return
			}
		}
	}
}

// read passes on what the child says, until it is gone, and no faster than the
// client reads: what waits is in the child, and charged there.
func (w *worker) read() {
	r := codemode.NewFramedReader(w.proc.Stdout, w.front.conn.Dialect())
	var err error
	for err == nil {
		_ = w.front.conn.Room(w.front.ctx) // ends with the connection; then the child does
		var m codemode.HostToClient
		if m, err = r.ReadHostToClient(); err == nil {
			err = w.receive(m)
		}
	}
	if err != io.EOF {
		w.front.opts.Log.Error("worker speaks no sense", "worker", w.slot, "err", err)
	}
	w.lost()
}

func (w *worker) receive(m codemode.HostToClient) error {
	switch m := m.(type) {
	case *codemode.HostHello:
	case *codemode.OperationResponse:
		w.mu.Lock()
		p := w.pending[m.ID]
		if p != nil && (p.initial == nil || m.Result.Err != nil) {
			delete(w.pending, m.ID)
		}
		w.mu.Unlock()
		if p == nil {
			return fmt.Errorf("worker answers unknown request %d", m.ID)
		}
		if m.Result.Err != nil {
			p.response(nil, m.Result.Err)
		} else {
			p.response(m.Result.Value, nil)
		}
	case *codemode.ExecuteInitialResponse:
		w.mu.Lock()
		p := w.pending[m.ID]
		delete(w.pending, m.ID)
		w.mu.Unlock()
		if p == nil || p.initial == nil {
			return fmt.Errorf("worker answers unknown execute %d", m.ID)
		}
		if m.Result.Err != nil {
			p.initial(nil, m.Result.Err)
		} else {
			p.initial(&m.Result.Value, nil)
		}
	case *codemode.CellClosed:
		w.front.closed(w, m)
	case *codemode.DelegateCall:
		w.call(m)
	case *codemode.DelegateCancel:
		w.mu.Lock()
		id, ok := w.calls[m.ID]
		delete(w.calls, m.ID)
		w.mu.Unlock()
		if ok {
			w.front.conn.CancelCall(id)
		}
	default:
		return fmt.Errorf("worker sent %T", m)
	}
	return nil
}

// call passes a reverse call on, and its answer back.
func (w *worker) call(m *codemode.DelegateCall) {
	conn := w.front.conn
	done := func(result codemode.RawJSON, err error) { w.answered(m, result, err) }
	var id codemode.DelegateRequestID
	var err error
	// The wait for room ends with the connection.
	switch r := m.Request.(type) {
	case *codemode.ToolInvoke:
		r.Invocation.CellID = w.front.outside(w, m.SessionID, r.Invocation.CellID)
		id, err = conn.InvokeTool(w.front.ctx, m.SessionID, &r.Invocation, done)
	case *codemode.NotificationSend:
		r.CellID = w.front.outside(w, m.SessionID, r.CellID)
		id, err = conn.Notify(w.front.ctx, m.SessionID, r, done)
	}
	if err != nil {
		w.answered(m, nil, err)
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.calls[m.ID] = id
}

func (w *worker) answered(m *codemode.DelegateCall, result codemode.RawJSON, err error) {
	a := &codemode.DelegateAnswer{ID: m.ID}
	switch _, tool := m.Request.(*codemode.ToolInvoke); {
	case err != nil:
		a.Result.Err = &codemode.Error{Message: messageOf(err)}
	case tool:
		a.Result.Value = &codemode.ToolResult{Result: result}
	default:
		a.Result.Value = &codemode.NotificationDelivered{}
	}
	w.post(a)
}

// lost ends everything that was waiting for the child.
func (w *worker) lost() {
	w.mu.Lock()
	w.over = true
	pending, calls := w.pending, w.calls
	w.pending, w.calls, w.frames = nil, nil, nil
	w.mu.Unlock()
	w.signal()
	for _, id := range calls {
		w.front.conn.CancelCall(id)
	}
	w.front.lost(w)
	for _, p := range pending {
		p.response(nil, errWorkerLost) // does nothing for an execute that has started
		if p.initial != nil {
			p.initial(nil, errWorkerLost)
		}
	}
	w.proc.Kill()
	w.proc.Stdout.Close()
	w.proc.Stdin.Close()
}

// stop ends the child in its own time, and waits for it.
func (w *worker) stop(ctx context.Context) { w.proc.Stop(ctx, stopGrace) }
