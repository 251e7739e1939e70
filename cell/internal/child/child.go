// Package child drives code-mode hosts that are child processes, so that no
// JavaScript ever runs in a process that has files, a network or children.
//
// A [Pool] has one current host, which it starts when it is first wanted, and
// again after the last one died or was retired as overloaded. Every host that
// was handed out lives until its last user has released it.
package child

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/berth-dev/berth/cell/codemode"
	"github.com/berth-dev/berth/cell/internal/process"
)

// Options tune a Pool. The zero value starts `berth cell host`.
type Options struct {
	Path   string    // program; empty means this one
	Args   []string  // nil means cell host
	Env    []string  // nil means what is safe of ours: locale, time zone, Go's debug settings
	Stderr io.Writer // receives prefixed lines; nil discards
}

const (
	stopGrace  = 2 * time.Second
	stderrTail = 400 // bytes kept for the reason of death
)

// Pool hands out hosts. It is safe for concurrent use.
type Pool struct {
	opts Options

	starting chan struct{} // holds a token while a host is started

	mu      sync.Mutex
	closed  bool  // guarded by mu, as is what follows
	current *Host // may be dead
	started int   // hosts so far
	hosts   map[*Host]bool
}

// Host is one child process and the connection to it.
type Host struct {
	Client     *codemode.Client
	Generation int // counts the pool's hosts, from 1

	pool *Pool
	proc *process.Process
	tail *process.Tail
	log  *process.Lines

	users   int  // guarded by pool.mu, as is what follows
	retired bool // not to be handed out again
	stop    sync.Once
}

// New returns a pool that has started nothing. Close must be called.
func New(opts Options) *Pool {
	if opts.Args == nil {
		opts.Args = []string{"cell", "host"}
	}
	if opts.Env == nil {
		opts.Env = safeEnvironment(os.Environ())
	}
	if opts.Stderr == nil {
		opts.Stderr = io.Discard
	}
	return &Pool{opts: opts, starting: make(chan struct{}, 1), hosts: map[*Host]bool{}}
}

// safeEnvironment keeps secrets out of a process that runs strangers' code.
func safeEnvironment(env []string) []string {
	kept := []string{}
	for _, kv := range env {
		name, _, _ := strings.Cut(kv, "=")
		switch {
		case name == "TZ", name == "LANG", name == "LANGUAGE", strings.HasPrefix(name, "LC_"),
			name == "GODEBUG", name == "GOMEMLIMIT", name == "GOGC", name == "GOMAXPROCS", name == "GOTRACEBACK", name == "GOCOVERDIR":
			kept = append(kept, kv)
		}
	}
	return kept
}

// Acquire returns the current host, or starts one. The caller must Release it.
func (p *Pool) Acquire(ctx context.Context) (*Host, error) {
	select {
	case p.starting <- struct{}{}:
		defer func() { <-p.starting }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	p.mu.Lock()
	if p.closed {
		p.mu.Unlock()
		return nil, errors.New("start code-mode host: closed")
	}
	if h := p.current; h != nil && !h.retired && h.Client.Err() == nil {
		h.users++
		p.mu.Unlock()
		return h, nil
	}
	p.started++
	generation := p.started
	p.mu.Unlock()

	h, err := p.start(ctx, generation)
	if err != nil {
		return nil, fmt.Errorf("start code-mode host: %w", err)
	}
	p.mu.Lock()
	closed := p.closed
	if !closed {
		h.users = 1
		p.hosts[h] = true
		if p.current != nil {
			p.current.retired = true
		}
		p.current = h
	}
	p.mu.Unlock()
	if closed {
		h.end()
		return nil, errors.New("start code-mode host: closed")
	}
	return h, nil
}

func (p *Pool) start(ctx context.Context, generation int) (*Host, error) {
	path := p.opts.Path
	if path == "" {
		var err error
		if path, err = os.Executable(); err != nil {
			return nil, err
		}
	}
	h := &Host{pool: p, Generation: generation, tail: &process.Tail{Max: stderrTail},
		log: &process.Lines{Dst: p.opts.Stderr, Prefix: "[code-mode host] "}}
	proc, err := process.Start(path, p.opts.Args, process.Options{Dir: "/", Env: p.opts.Env, Stderr: io.MultiWriter(h.tail, h.log)})
	if err != nil {
		return nil, err
	}
	h.proc = proc
	h.Client, err = codemode.Dial(ctx, pipes{proc}, codemode.ClientOptions{OptionalCapabilities: wanted()})
	if err != nil {
		proc.Kill()
		if ctx.Err() == nil {
			err = fmt.Errorf("%w (%s)", err, h.reason())
		}
		return nil, err
	}
	return h, nil
}

// wanted lists the capabilities that make a host more useful; all are optional.
func wanted() codemode.CapabilitySet {
	return codemode.CapabilitySet{codemode.CapabilityDelegateCapacity,
		codemode.CapabilityExecutionLimits, codemode.CapabilityYieldObservation}
}

// pipes is the connection to a process. Close kills it.
type pipes struct{ p *process.Process }

func (c pipes) Read(b []byte) (int, error)  { return c.p.Stdout.Read(b) }
func (c pipes) Write(b []byte) (int, error) { return c.p.Stdin.Write(b) }
func (c pipes) Close() error                { return errors.Join(c.p.Stdin.Close(), c.p.Stdout.Close()) }

// PID is the id of the host's process.
func (h *Host) PID() int { return h.proc.PID() }

// Release gives the host back. The last user of a retired or dead host ends it.
func (h *Host) Release() {
	h.pool.mu.Lock()
	h.users--
	idle := h.users == 0 && (h.retired || h.Client.Err() != nil)
	h.pool.mu.Unlock()
	if idle {
		h.end()
	}
}

// Retire keeps the host from being handed out again: it is overloaded. Its
// users go on with it.
func (h *Host) Retire() {
	h.pool.mu.Lock()
	defer h.pool.mu.Unlock()
	h.retired = true
}

// Death explains an error of the host's client: why the process ended, if it did.
func (h *Host) Death(err error) error {
	if codemode.CodeOf(err) != codemode.CodeClosed {
		return err
	}
	timer := time.NewTimer(stopGrace)
	defer timer.Stop()
	select {
	case <-h.proc.Done():
		return fmt.Errorf("code-mode host died: %s", h.reason())
	case <-timer.C:
		return err
	}
}

// end stops the process and waits for it.
func (h *Host) end() {
	h.stop.Do(func() {
		_ = h.Client.Close() // closes the pipes, and with its input a host ends
		h.proc.Stop(context.Background(), stopGrace)
		h.log.Flush()
		h.pool.mu.Lock()
		delete(h.pool.hosts, h)
		h.pool.mu.Unlock()
	})
}

func (h *Host) reason() string {
	state := "exit status 0"
	if err := h.proc.Wait(); err != nil {
		state = err.Error()
	}
	if said := strings.TrimSpace(h.tail.String()); said != "" {
		state += ": " + strings.ToValidUTF8(said, "\uFFFD")
	}
	return state
}

// Close ends all hosts, whoever uses them, and waits until they are gone.
func (p *Pool) Close() {
	p.mu.Lock()
	p.closed = true
	var ending sync.WaitGroup
	for h := range p.hosts {
		ending.Go(h.end)
	}
	p.mu.Unlock()
	ending.Wait()
}
