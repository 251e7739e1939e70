package main

import (
	"context"
	"io"
	"os"
	"time"

	"github.com/berth-dev/berth/cell/sandbox"
)

// Env is all that a verb sees of the world outside: the process it runs in, and
// the wings' services. Tests hand verbs one of their own making.
type Env struct {
	Args   []string // Args[0] is the name that the program was started under
	Stdin  io.ReadCloser
	Stdout io.WriteCloser // data only
	Stderr io.Writer      // words for people
	Now    func() time.Time

	CellHost  func(ctx context.Context, config hostConfig) error
	CellCheck func() (sandbox.Report, []sandbox.Result, error)
}

// osEnv is the environment of this process.
func osEnv() *Env {
	return &Env{
		Args:   os.Args,
		Stdin:  os.Stdin,
		Stdout: os.Stdout,
		Stderr: os.Stderr,
		Now:    time.Now,

		CellHost:  serveCells,
		CellCheck: checkCells,
	}
}
