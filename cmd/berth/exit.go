package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
)

// The exit codes of every verb, as docs/cli-json.md lists them.
const (
	exitDone        = 0
	exitFailed      = 1
	exitUsage       = 2
	exitUnreachable = 3   // the daemon cannot be reached; kept for verbs that need it
	exitHungUp      = 129 // by SIGHUP
	exitInterrupted = 130 // by SIGINT
	exitTerminated  = 143 // by SIGTERM
)

// failure is an error that knows how the process should end.
type failure struct {
	code int    // exit code
	err  error  // nil when everything has been said already
	hint string // what to do next; may be empty, may have several lines
}

func (f *failure) Error() string {
	if f.err == nil {
		return fmt.Sprintf("exit status %d", f.code)
	}
	return f.err.Error()
}

func (f *failure) Unwrap() error { return f.err }

// usage is a failure of whoever typed the command.
func usage(hint, format string, args ...any) error {
	return &failure{code: exitUsage, err: fmt.Errorf(format, args...), hint: hint}
}

// hinted adds advice to an error.
func hinted(err error, hint string) error {
	return &failure{code: exitFailed, err: err, hint: hint}
}

// report prints err for people and returns the exit code it asks for. A verb
// that a signal stopped ends with the signal's code, and without a word if the
// interruption is all there is to say.
func report(ctx context.Context, stderr io.Writer, err error) int {
	if err == nil {
		return exitDone
	}
	code, hint := exitFailed, ""
	f, known := errors.AsType[*failure](err)
	if known {
		code, hint = f.code, f.hint
	}
	if stopped, ok := errors.AsType[interruption](context.Cause(ctx)); ok {
		code = stopped.code()
		if errors.Is(err, context.Canceled) || errors.Is(err, stopped) {
			return code
		}
	}
	if known && f.err == nil {
		return code
	}
	fmt.Fprintf(stderr, "error: %v\n", err)
	for line := range strings.Lines(hint) {
		fmt.Fprintf(stderr, "hint: %s\n", strings.TrimSuffix(line, "\n"))
	}
	return code
}
