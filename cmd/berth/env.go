package main

import (
	"context"
	"io"
	"net"
	"os"
	"time"

	"github.com/berth-dev/berth/cell/mcpserve"
	"github.com/berth-dev/berth/cell/sandbox"
	"github.com/berth-dev/berth/cell/toolset"
)

// Env is all that a verb sees of the world outside: the process it runs in, and
// the wings' services. Tests hand verbs one of their own making.
type Env struct {
	Args   []string // Args[0] is the name that the program was started under
	Stdin  io.ReadCloser
	Stdout io.WriteCloser // data only
	Stderr io.Writer      // words for people
	Now    func() time.Time

	LookupEnv func(name string) (value string, ok bool)

	Terminal bool // Stdout is a terminal

	// Settle returns when a verb's context knows of every signal that has come;
	// nil if there are none.
	Settle func()

	CellHost  func(ctx context.Context, config hostConfig) error
	CellCheck func() (sandbox.Report, []sandbox.Result, error)
	CellRun   func(ctx context.Context, opts toolset.Options, emit func(toolset.Event) error) (toolset.Outcome, error)
	MCPStdio  func(ctx context.Context, in io.ReadCloser, out io.WriteCloser, opts mcpserve.Options) error
	MCPHTTP   func(ctx context.Context, l net.Listener, h mcpserve.HTTPOptions, opts mcpserve.Options) error
}

// osEnv is the environment of this process.
func osEnv() *Env {
	return &Env{
		Args:   os.Args,
		Stdin:  os.Stdin,
		Stdout: os.Stdout,
		Stderr: os.Stderr,
		Now:    time.Now,

		LookupEnv: os.LookupEnv,

		Terminal: isTerminal(os.Stdout),

		CellHost:  serveCells,
		CellCheck: checkCells,
		CellRun:   toolset.Run,
		MCPStdio:  mcpserve.ServeStdio,
		MCPHTTP:   mcpserve.ServeHTTP,
	}
}

// interrupted returns the cause of ctx's end, nil if it has not ended. A signal
// that came before the call counts, however shortly before it was.
func (env *Env) interrupted(ctx context.Context) error {
	if env.Settle != nil {
		env.Settle()
	}
	return context.Cause(ctx)
}

// isTerminal takes any character device for a terminal.
func isTerminal(f *os.File) bool {
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}
