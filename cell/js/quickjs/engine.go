// Package quickjs is the js.Engine over QuickJS, transpiled to Go.
//
// It drives the engine's C interface directly, since three things that cells
// need are out of reach above it: each isolate's memory is a range of addresses
// of its own (see arena), so isolates are cloned from a template instead of
// built, are given back in constant time, and can be cut off from outside while
// a built-in runs; errors are shaped as V8's at the moment they are made; and
// frames of the engine's stack are charged to the cell.
//
// An isolate takes 4 GiB of addresses, and about 0.3 MB of memory at first.
// Marks such as §11.3 mean docs/contracts/codemode.md.
package quickjs

import (
	"os"
	"sync"

	"github.com/berth-dev/berth/cell/js"
	"github.com/berth-dev/berth/cell/js/internal/intl"
)

// Options tune an Engine. The zero value is ready to use.
type Options struct {
	Spare int // isolates kept ready; 0 means 4, negative none
	// Getenv tells locale (LC_ALL, LC_MESSAGES, LANG) and time zone (TZ) of the
	// cells; nil means os.Getenv.
	Getenv func(string) string
}

// Engine implements js.Engine.
type Engine struct {
	opts     Options
	template func() (*template, error)
	spare    chan *isolate // charged to nobody until they are used
	regions  regions       // used, for the next isolates

	mu      sync.Mutex // guards the fields below
	filling bool
	closed  bool
	filler  sync.WaitGroup
}

// New returns an engine. It does nothing before Prepare or the first New.
func New(opts Options) *Engine {
	if opts.Spare == 0 {
		opts.Spare = 4
	}
	if opts.Getenv == nil {
		opts.Getenv = os.Getenv
	}
	return &Engine{
		opts: opts,
		template: sync.OnceValues(func() (*template, error) {
			return newTemplate(intl.FromEnviron(opts.Getenv, os.Readlink))
		}),
		spare: make(chan *isolate, max(opts.Spare, 0)),
	}
}

var _ js.Engine = (*Engine)(nil)

// Prepare builds the environment and the spare isolates, so that nothing has to
// be loaded later. An error means that New will fail as well.
func (e *Engine) Prepare() error {
	if _, err := e.template(); err != nil {
		return err
	}
	return e.fill()
}

// New returns a fresh isolate.
func (e *Engine) New(host js.Host, acct js.Account) (js.Isolate, error) {
	defer e.refill()
	select {
	case i := <-e.spare:
		if err := i.adopt(host, acct); err != nil {
			i.Close()
			return nil, err
		}
		return i, nil
	default:
	}
	t, err := e.template()
	if err != nil {
		return nil, err
	}
	i, err := t.clone(&e.regions, host, acct)
	if err != nil {
		return nil, err // not a typed nil
	}
	return i, nil
}

// adopt charges a spare isolate to its user.
func (i *isolate) adopt(host js.Host, acct js.Account) error {
	charged := i.arena.charged
	if err := acct.Reserve(charged); err != nil {
		return err
	}
	_ = i.acct.Reserve(-charged)
	i.host, i.acct, i.arena.acct = host, acct, acct
	return nil
}

// refill starts to fill the spares, unless someone does.
func (e *Engine) refill() {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.closed || e.filling || cap(e.spare) == 0 {
		return
	}
	e.filling = true
	e.filler.Go(func() {
		_ = e.fill() // New reports what stands in the way
		e.mu.Lock()
		e.filling = false
		e.mu.Unlock()
	})
}

func (e *Engine) fill() error {
	t, err := e.template()
	if err != nil {
		return err
	}
	for len(e.spare) < cap(e.spare) {
		i, err := t.clone(&e.regions, nil, free{})
		switch {
		case err != nil && len(e.spare) > 0:
			return nil // addresses are scarce, but there are some
		case err != nil:
			return err
		}
		select {
		case e.spare <- i:
		default:
			i.Close()
			return nil
		}
	}
	return nil
}

// Close frees the spare isolates.
func (e *Engine) Close() error {
	e.mu.Lock()
	e.closed = true
	e.mu.Unlock()
	e.filler.Wait()
	for {
		select {
		case i := <-e.spare:
			i.Close()
		default:
			e.regions.close()
			return nil
		}
	}
}
