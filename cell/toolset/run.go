package toolset

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"sync"
	"time"

	"github.com/berth-dev/berth/cell/codemode"
	"github.com/berth-dev/berth/cell/internal/child"
	"github.com/berth-dev/berth/cell/internal/dataurl"
	"github.com/berth-dev/berth/cell/internal/upstream"
	"github.com/go-json-experiment/json/jsontext"
	"golang.org/x/sync/errgroup"
)

// Options of a Run. Source is required, the rest has defaults.
type Options struct {
	Source  string   // one ECMAScript module
	Servers []Server // MCP servers whose tools the program gets
	Tools   []Tool   // and further tools, usually from LoadCommands

	Store  string // file that keeps stored values; empty means that they end with the run
	Images string // folder for images and clips; empty means the current one

	Version string    // of berth, told to MCP servers
	Stderr  io.Writer // receives what servers and the host say, prefixed; must be safe for concurrent use; nil discards
	Waiting func()    // called when another run holds the store; may be nil

	// Slow is called, by one goroutine at a time, for a server that has not
	// started after 2 s; it has 30. May be nil.
	Slow func(server string)

	HostPath string   // the code-mode host's program; empty means this one
	HostArgs []string // nil means cell host; the option for the key list is added if there is a Store
}

// EventKind tells events apart.
type EventKind string

// The kinds of events.
const (
	EventText         EventKind = "text"
	EventImage        EventKind = "image"
	EventAudio        EventKind = "audio"
	EventNotification EventKind = "notification"
)

// Event is a piece of a program's output.
type Event struct {
	Kind   EventKind `json:"event"`
	Text   string    `json:"text,omitempty"`   // of a text or a notification
	Path   string    `json:"path,omitempty"`   // of an image or a clip: its file
	MIME   string    `json:"mime,omitempty"`   // of an image or a clip, if known
	Detail string    `json:"detail,omitempty"` // of an image: auto, low, high or original
	URL    string    `json:"url,omitempty"`    // of an image or a clip that is not in a file, because its URL holds no data
}

// Status is how a program ended.
type Status string

// The ends of a program.
const (
	Completed  Status = "completed"
	Failed     Status = "failed"     // it threw
	Terminated Status = "terminated" // ctx ended
)

// Outcome is the end of a program.
type Outcome struct {
	Status Status        `json:"status"`
	Error  string        `json:"error,omitempty"` // of a failed program: what it threw
	Wall   time.Duration `json:"-"`
}

const (
	// tick is how long output may wait: less than 100 ms with the rest.
	tick = 60 * time.Millisecond
	// slowStart is when a server that is starting is worth a word.
	slowStart = 2 * time.Second
	// stopGrace is how long the program's end may take once ctx has ended.
	stopGrace = 5 * time.Second
)

// Run runs one program to its end and calls emit, never twice at once, for each
// piece of its output as it comes. When ctx ends, the program is terminated,
// nothing that it stored is kept, and the outcome says so; the error is nil,
// unless there was no program yet. Otherwise an error means that the program could not be run, that its host
// died, that emit failed, or that the stored values could not be kept; it is
// not the program's own failure, which is in the outcome.
func Run(ctx context.Context, opts Options, emit func(Event) error) (out Outcome, err error) {
	r := &run{opts: opts, emit: emit, media: media{dir: opts.Images}}
	if opts.Images != "" { // now, and not after the program's work
		if err := os.MkdirAll(opts.Images, 0o755); err != nil {
			return Outcome{}, fmt.Errorf("folder for images: %w", err)
		}
	}
	var values map[string]jsontext.Value
	if opts.Store != "" {
		var store *Store
		if store, values, err = OpenStore(ctx, opts.Store, opts.Waiting); err != nil {
			return Outcome{}, err
		}
		r.store, r.keeper = store, &keeper{keyList: newKeyList()}
		defer func() { err = errors.Join(err, store.Close()) }()
	}
	servers, set, err := r.connect(ctx)
	defer closeAll(servers)
	if err != nil {
		return Outcome{}, err
	}
	pool := child.New(child.Options{Path: opts.HostPath, Args: r.hostArgs(), Stderr: opts.Stderr})
	defer pool.Close()
	host, err := pool.Acquire(ctx)
	if err != nil {
		return Outcome{}, err
	}
	defer host.Release()
	out, err = r.session(ctx, host.Client, set, values)
	if err != nil {
		return Outcome{}, host.Death(err)
	}
	return out, nil
}

// run is one Run. emit is guarded by mu.
type run struct {
	opts   Options
	media  media
	store  *Store  // nil if values are not kept
	keeper *keeper // nil if values are not kept

	mu   sync.Mutex
	emit func(Event) error
	err  error // of emit; then nothing is emitted any more
}

func (r *run) hostArgs() []string {
	args := r.opts.HostArgs
	if args == nil {
		args = []string{"cell", "host"}
	}
	if r.keeper != nil {
		args = append(args[:len(args):len(args)], "--key-list", r.keeper.keyList)
	}
	return args
}

// connect starts all servers at once and makes the catalogue. The servers are
// to be closed even if there is an error.
func (r *run) connect(ctx context.Context) ([]*upstream.Server, *Set, error) {
	var servers []*upstream.Server
	listed := make([][]Tool, len(r.opts.Servers))
	work, ctx := errgroup.WithContext(ctx)
	for i, s := range r.opts.Servers {
		config, err := s.config()
		if err != nil {
			return servers, nil, fmt.Errorf("mcp server: %w", err)
		}
		server, err := upstream.New(config, upstream.Options{Version: r.opts.Version, Stderr: r.opts.Stderr})
		if err != nil {
			return servers, nil, err
		}
		servers = append(servers, server)
		work.Go(func() (err error) {
			defer r.patience(server.Name())()
			listed[i], err = serverTools(ctx, server, s.Name)
			return err
		})
	}
	if err := work.Wait(); err != nil {
		return servers, nil, err
	}
	var tools []Tool
	for _, l := range listed {
		tools = append(tools, l...)
	}
	set, err := NewSet(append(tools, r.opts.Tools...))
	return servers, set, err
}

// patience has the user told when a server takes long, until stop is called.
func (r *run) patience(server string) (stop func()) {
	told := make(chan struct{})
	timer := time.AfterFunc(slowStart, func() {
		defer close(told)
		r.mu.Lock()
		defer r.mu.Unlock()
		if r.opts.Slow != nil {
			r.opts.Slow(server)
		}
	})
	return func() {
		if !timer.Stop() {
			<-told
		}
	}
}

func closeAll(servers []*upstream.Server) {
	var closing sync.WaitGroup
	for _, s := range servers {
		closing.Go(s.Close)
	}
	closing.Wait()
}

// session runs the program in a session of its own, between the cells that
// bring stored values in and out.
func (r *run) session(ctx context.Context, client *codemode.Client, set *Set, values map[string]jsontext.Value) (Outcome, error) {
	d := &delegate{run: r, set: set}
	session, err := client.OpenSession(ctx, &codemode.SessionOpen{SessionID: "run"}, d)
	if err != nil {
		return Outcome{}, err
	}
	if len(values) > 0 {
		if err := r.keeper.restore(ctx, d.internal(session), values); err != nil {
			return Outcome{}, err
		}
	}
	out, err := r.program(ctx, session, set)
	if err != nil || out.Status == Terminated || r.keeper == nil {
		return out, err
	}
	values, err = r.keeper.save(ctx, d.internal(session))
	if err != nil {
		return out, err
	}
	return out, r.store.Save(values)
}

// program runs the user's program and passes its output on.
func (r *run) program(ctx context.Context, session *codemode.Session, set *Set) (Outcome, error) {
	begun, yield := time.Now(), uint64(tick.Milliseconds())
	cell, err := session.Execute(ctx, &codemode.WireExecuteRequest{ToolCallID: "run", EnabledTools: set.Definitions(),
		Source: r.opts.Source, YieldTimeMs: &yield})
	if err != nil {
		return Outcome{}, err
	}
	// Observations end by themselves within a tick. An observation that is cut
	// off may take output with it, so that they outlive ctx, for a while.
	look, release := lingering(ctx, stopGrace)
	defer release()
	seen, err := cell.Initial(look)
	for {
		if err != nil {
			return Outcome{}, err
		}
		if err := r.items(seen.ContentItems); err != nil {
			return Outcome{}, err
		}
		switch {
		case seen.State == codemode.Terminated:
			return Outcome{Status: Terminated, Wall: time.Since(begun)}, nil
		case seen.State == codemode.Result:
			out := Outcome{Status: Completed, Wall: time.Since(begun)}
			if seen.ErrorText != nil {
				out.Status, out.Error = Failed, *seen.ErrorText
			}
			return out, nil
		case ctx.Err() != nil:
			seen, err = observed(cell.Terminate(look))
		default:
			seen, err = observed(cell.Wait(look, yield))
		}
	}
}

// lingering returns a context that ends a while after ctx does.
func lingering(ctx context.Context, after time.Duration) (context.Context, context.CancelFunc) {
	out, cancel := context.WithCancel(context.WithoutCancel(ctx))
	timer := time.AfterFunc(time.Duration(math.MaxInt64), cancel)
	stop := context.AfterFunc(ctx, func() { timer.Reset(after) })
	return out, func() {
		stop()
		timer.Stop()
		cancel()
	}
}

func observed(w *codemode.WireWaitOutcome, err error) (*codemode.WireRuntimeResponse, error) {
	if err != nil {
		return nil, err
	}
	return &w.Response, nil
}

func (r *run) items(items []codemode.WireContentItem) error {
	for _, item := range items {
		if err := r.send(item.Type, item); err != nil {
			return err
		}
	}
	return nil
}

func (r *run) send(kind codemode.ContentType, item codemode.WireContentItem) error {
	switch kind {
	case codemode.InputText:
		return r.out(Event{Kind: EventText, Text: item.Text})
	case codemode.InputImage:
		return r.file(Event{Kind: EventImage, Detail: detail(item.Detail)}, item.URL)
	case codemode.InputAudio:
		return r.file(Event{Kind: EventAudio}, item.URL)
	}
	return nil
}

// file writes what the URL holds. A URL without data is passed on as it is.
func (r *run) file(e Event, dataURL string) error {
	mimeType, data, err := dataurl.Decode(dataURL)
	if err != nil {
		e.URL = dataURL
		return r.out(e)
	}
	if e.Path, err = r.media.save(string(e.Kind), mimeType, data); err != nil {
		return err
	}
	e.MIME = mimeType
	return r.out(e)
}

func (r *run) out(e Event) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.err == nil {
		r.err = r.emit(e)
	}
	return r.err
}

func detail(d codemode.WireImageDetail) string {
	switch d {
	case codemode.DetailAuto:
		return "auto"
	case codemode.DetailLow:
		return "low"
	case codemode.DetailHigh:
		return "high"
	case codemode.DetailOriginal:
		return "original"
	}
	return ""
}
