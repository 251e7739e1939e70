package cellhost

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"time"

	"github.com/berth-dev/berth/cell"
	"github.com/berth-dev/berth/cell/codemode"
	"github.com/berth-dev/berth/cell/js"
)

// Dialect fixes which releases' additions are spoken. Spec: codemode §15.
type Dialect uint8

// The dialects.
const (
	Auto  Dialect = iota // by the client's hello
	Base                 // without timing fields: 0.144 to 0.151
	Timed                // with them: 0.152 and on
)

// ParseDialect returns the dialect called auto, base or timed.
func ParseDialect(name string) (Dialect, error) {
	for i, n := range [...]string{"auto", "base", "timed"} {
		if n == name {
			return Dialect(i), nil
		}
	}
	return 0, fmt.Errorf("unknown dialect %q, want auto, base or timed", name)
}

// ErrShutdown is returned when the cells did not end in time. Spec: codemode §8.8.
var ErrShutdown = errors.New("timed out shutting down code-mode host state")

// Options tune a host. Engine is required for Run; the rest may be zero.
type Options struct {
	Engine  js.Engine
	Dialect Dialect
	// Ambiguous is what Auto makes of a hello that releases 0.149 to 0.155
	// share; zero means Timed.
	Ambiguous Dialect

	MaxRequests int // requests in flight; 0 means 256
	// MaxCells is the number of live cells; 0 means 128, or no limit where the
	// dialect is timed; negative means no limit.
	MaxCells int
	// Window is the number of reverse calls on the wire without an answer; 0
	// means 100, or 4096 for a client that asks for delegate-capacity-4096.
	Window      int
	MaxDetached int // see cell.Options
	CellMemory  int64
	StoreMemory int64
	HostMemory  int64
	KeyList     string // see cell.Options
	// Share is the number of hosts that serve the client together, see
	// RunWorkers; the window and the default of HostMemory are divided by it.
	// 0 means 1.
	Share int

	Shutdown time.Duration // how long cells may take to end; 0 means 5 s
	Log      *slog.Logger  // nil discards
}

const (
	baseCells    = 128
	baseWindow   = 100
	largeWindow  = 4096
	shutdownTime = 5 * time.Second
)

func (o Options) withDefaults() Options {
	if o.Ambiguous == Auto {
		o.Ambiguous = Timed
	}
	if o.Shutdown == 0 {
		o.Shutdown = shutdownTime
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	return o
}

// Run serves the client behind in and out until the connection is over, and
// closes both. Close must end a Read or Write that is under way; see Stdio. Nil
// means that the client closed its side between frames, or was rejected; else
// the error is ctx's, ErrShutdown or a *codemode.Error. Spec: codemode §2, §8.8.
func Run(ctx context.Context, in io.ReadCloser, out io.WriteCloser, opts Options) error {
	opts = opts.withDefaults()
	var s *service
	server := codemode.NewServer(func(c *codemode.Conn) codemode.Handler {
		s = newService(c, opts)
		return s
	}, codemode.ServerOptions{
		Capabilities: capabilities(opts.Dialect),
		Dialect:      opts.dialect,
		MaxRequests:  opts.MaxRequests,
		MaxCalls:     max(opts.Window, largeWindow),
	})
	err := server.Run(ctx, stream{in, out})
	if s == nil {
		return err
	}
	s.trim.stop()
	// The connection's context may be over; ending the cells has its own time.
	end, cancel := context.WithTimeout(context.WithoutCancel(ctx), opts.Shutdown)
	defer cancel()
	if s.host.Shutdown(end) != nil && err == nil {
		err = ErrShutdown
	}
	return err
}

// stream is both directions of a connection.
type stream struct {
	io.ReadCloser
	out io.WriteCloser
}

func (s stream) Write(b []byte) (int, error) { return s.out.Write(b) }

func (s stream) Close() error { return errors.Join(s.ReadCloser.Close(), s.out.Close()) }

// dialect picks the wire's dialect by a hello.
func (o Options) dialect(hello *codemode.ClientHello) codemode.Dialect {
	// Of the two generations that share a hello, the older has no timing.
	limits := codemode.Limits
	switch {
	case o.Dialect == Timed:
		return codemode.Timed
	case o.Dialect == Base && len(hello.OptionalCapabilities) == 0:
		return codemode.Base
	case o.Dialect == Base:
		return limits
	case o.Ambiguous == Timed:
		limits = codemode.Timed
	}
	return codemode.GuessDialect(hello, limits)
}

// capabilities are those that a client may have enabled.
func capabilities(d Dialect) codemode.CapabilitySet {
	if d == Base {
		return codemode.CapabilitySet{codemode.CapabilityExecutionLimits}
	}
	return codemode.CapabilitySet{ // ascending
		codemode.CapabilityBoundedOutput,
		codemode.CapabilityDelegateCapacity,
		codemode.CapabilityExecutionLimits,
		codemode.CapabilityCatalogRevision,
		codemode.CapabilityYieldObservation,
	}
}

// cellOptions are the engine room's for a connection.
func (o Options) cellOptions(c *codemode.Conn) cell.Options {
	window, maxCells := o.Window, o.MaxCells
	if window == 0 {
		window = baseWindow
		if c.Capabilities().Has(codemode.CapabilityDelegateCapacity) {
			window = largeWindow
		}
	}
	if maxCells == 0 && c.Dialect() == codemode.Timed {
		maxCells = -1
	}
	memory, share := o.HostMemory, max(o.Share, 1)
	if memory == 0 {
		memory = cell.DefaultHostMemory() / int64(share)
	}
	return cell.Options{Window: max(window/share, 1), MaxCells: maxCells, MaxDetached: o.MaxDetached,
		CellMemory: o.CellMemory, StoreMemory: o.StoreMemory, HostMemory: memory, KeyList: o.KeyList, Spread: true,
		Detached: func(d cell.Detached) {
			o.Log.Warn("engine detached: JavaScript went on after it was stopped",
				"session", d.Session, "cell", d.Cell, "detached", d.Now)
		}}
}
