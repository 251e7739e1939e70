package cellhost

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"strconv"
	"sync"

	"github.com/berth-dev/berth/cell/codemode"
)

// WorkerOptions tune RunWorkers. Count and Command are required.
type WorkerOptions struct {
	Count int // child hosts
	// Command runs a child host: program and arguments. The children must serve
	// the same dialect, with no limit of live cells and Options.Share of Count.
	Command []string
	Stderr  io.Writer // receives the children's standard error, from a goroutine for each; nil discards
}

// front serves one client with child hosts. A session stays with the child that
// it began with, until that dies: then its cells fail, its stored values are
// lost, and it goes on with the next child, whose cell ids are shifted so that
// none comes twice. It implements codemode.Handler.
type front struct {
	conn    *codemode.Conn
	opts    frontOptions
	ctx     context.Context // ends with the connection
	trim    *trimmer
	running sync.WaitGroup // the workers' goroutines

	mu       sync.Mutex // guards the fields below
	slots    []*worker  // the workers that take new sessions; nil: to be started
	sessions map[codemode.SessionID]*pinned
	opened   []codemode.SessionID // the last ids, oldest first
	known    map[codemode.SessionID]struct{}
	live     int // cells
	workers  map[*worker]struct{}
	closing  bool
}

type frontOptions struct {
	WorkerOptions
	MaxCells int // negative: no limit
	Log      *slog.Logger
}

// pinned is a session. Its fields are guarded by front.mu.
type pinned struct {
	open   *codemode.SessionOpen
	worker *worker // nil before the first execute
	shift  uint64  // added to the child's cell ids
	last   uint64  // the highest cell id so far
	cells  map[codemode.WireCellID]*pinnedCell
}

// pinnedCell is a cell that is not closed.
type pinnedCell struct {
	dead    bool // its child is; a result waits that says so
	awaited int  // requests that will tell the client
}

// errWorkerLost is what requests end with whose child is gone. Spec: codemode §17.
var errWorkerLost = errors.New("exec runtime ended unexpectedly")

const idsKept = 4096 // §4

// RunWorkers is Run over child hosts: cells that compute in different sessions
// use different processors. Of opts it uses the dialect, MaxRequests, MaxCells,
// Shutdown and Log. Children end with the connection.
func RunWorkers(ctx context.Context, in io.ReadCloser, out io.WriteCloser, opts Options, workers WorkerOptions) error {
	opts = opts.withDefaults()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var f *front
	server := codemode.NewServer(func(c *codemode.Conn) codemode.Handler {
		f = newFront(ctx, c, opts, workers)
		return f
	}, codemode.ServerOptions{
		Capabilities: capabilities(opts.Dialect),
		Dialect:      opts.dialect,
		MaxRequests:  opts.MaxRequests,
		MaxCalls:     max(opts.Window, largeWindow),
	})
	err := server.Run(ctx, stream{in, out})
	cancel()
	if f != nil {
		end, cancel := context.WithTimeout(context.WithoutCancel(ctx), opts.Shutdown)
		defer cancel()
		f.stop(end)
	}
	return err
}

func newFront(ctx context.Context, c *codemode.Conn, opts Options, workers WorkerOptions) *front {
	f := &front{conn: c, ctx: ctx, slots: make([]*worker, workers.Count),
		opts:     frontOptions{WorkerOptions: workers, MaxCells: opts.cellOptions(c).MaxCells, Log: opts.Log},
		sessions: map[codemode.SessionID]*pinned{}, known: map[codemode.SessionID]struct{}{},
		workers: map[*worker]struct{}{}, trim: newTrimmer(func() int64 { return 0 })}
	c.OnWaiting(func(delta int) { f.trim.gone(-delta) })
	if f.opts.MaxCells == 0 {
		f.opts.MaxCells = baseCells
	}
	return f
}

// stop ends the children and waits for them.
func (f *front) stop(ctx context.Context) {
	f.trim.stop()
	f.mu.Lock()
	f.closing = true
	var stopping sync.WaitGroup
	for w := range f.workers {
		stopping.Go(func() { w.stop(ctx) })
	}
	f.mu.Unlock()
	stopping.Wait()
	f.running.Wait()
}

// Open implements codemode.Handler. The child hears of it with the first execute.
func (f *front) Open(_ context.Context, r *codemode.SessionOpen) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if _, ok := f.sessions[r.SessionID]; ok {
		return codemode.SessionAlreadyOpen(r.SessionID)
	}
	if _, ok := f.known[r.SessionID]; ok {
		return codemode.SessionReused(r.SessionID)
	}
	if len(f.opened) == idsKept {
		delete(f.known, f.opened[0])
		f.opened = f.opened[1:]
	}
	f.opened = append(f.opened, r.SessionID)
	f.known[r.SessionID] = struct{}{}
	f.sessions[r.SessionID] = &pinned{open: r, cells: map[codemode.WireCellID]*pinnedCell{}}
	return nil
}

// attach returns the session and the child that it is pinned to, which is
// started if there is none.
func (f *front) attach(id codemode.SessionID) (*pinned, *worker, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	s, ok := f.sessions[id]
	switch {
	case !ok:
		return nil, nil, codemode.UnknownSession(id)
	case s.worker != nil:
		return s, s.worker, nil
	case f.closing:
		return nil, nil, codemode.HostShuttingDown()
	}
	w, err := f.place()
	if err != nil {
		return nil, nil, codemode.InitializeFailed(err)
	}
	w.pins[id] = s
	s.worker, s.shift = w, s.last
	w.request(s.open, &pending{response: func(codemode.HostResponse, error) {}})
	return s, w, nil
}

// place picks the child with the fewest sessions. f.mu is held.
func (f *front) place() (*worker, error) {
	best := 0
	for i, w := range f.slots {
		if w == nil {
			best = i
			break
		}
		if len(w.pins) < len(f.slots[best].pins) {
			best = i
		}
	}
	if f.slots[best] == nil {
		w, err := startWorker(f, best)
		if err != nil {
			return nil, err
		}
		f.slots[best] = w
		f.workers[w] = struct{}{}
	}
	return f.slots[best], nil
}

// lost unpins the sessions of a child that is gone, and marks their cells.
func (f *front) lost(w *worker) {
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.workers, w)
	if f.slots[w.slot] == w {
		f.slots[w.slot] = nil
	}
	if f.closing {
		return
	}
	for _, s := range w.pins {
		s.worker = nil
		for _, c := range s.cells {
			c.dead = true
		}
	}
	if !w.draining || len(w.pins) > 0 {
		f.opts.Log.Error("worker ended: its cells fail, its stored values are lost", "worker", w.slot, "sessions", len(w.pins))
	}
}

// unpin takes a session from its child; an overloaded child ends with its last.
func (f *front) unpin(id codemode.SessionID, w *worker) {
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(w.pins, id)
	if w.draining && len(w.pins) == 0 {
		f.running.Go(func() { w.stop(f.ctx) })
	}
}

// overloaded takes a child out of its slot, for another one to be started.
func (f *front) overloaded(w *worker) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.slots[w.slot] == w {
		f.slots[w.slot] = nil
		w.draining = true
		f.opts.Log.Warn("worker is overloaded and gets no new sessions", "worker", w.slot)
	}
}

// outside is the client's name for a cell of w.
func (f *front) outside(w *worker, session codemode.SessionID, inside codemode.WireCellID) codemode.WireCellID {
	f.mu.Lock()
	defer f.mu.Unlock()
	if s := w.pins[session]; s != nil {
		return s.outside(inside)
	}
	return inside
}

func (s *pinned) outside(inside codemode.WireCellID) codemode.WireCellID {
	n, err := strconv.ParseUint(string(inside), 10, 64)
	if err != nil || s.shift == 0 {
		return inside
	}
	return codemode.WireCellID(strconv.FormatUint(n+s.shift, 10))
}

func (s *pinned) inside(outside codemode.WireCellID) codemode.WireCellID {
	n, err := strconv.ParseUint(string(outside), 10, 64)
	if err != nil || s.shift == 0 || n <= s.shift {
		return outside
	}
	return codemode.WireCellID(strconv.FormatUint(n-s.shift, 10))
}
