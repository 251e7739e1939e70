package main

import (
	"io"
	"os"
	"time"
)

// Env is all that a verb sees of the world outside: the process it runs in.
// Tests hand verbs one of their own making.
type Env struct {
	Args   []string // Args[0] is the name that the program was started under
	Stdin  io.ReadCloser
	Stdout io.WriteCloser // data only
	Stderr io.Writer      // words for people
	Now    func() time.Time
}

// osEnv is the environment of this process.
func osEnv() *Env {
	return &Env{
		Args:   os.Args,
		Stdin:  os.Stdin,
		Stdout: os.Stdout,
		Stderr: os.Stderr,
		Now:    time.Now,
	}
}
