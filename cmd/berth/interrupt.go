package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

// interruption is the cause of a context that a signal ended.
type interruption struct{ signal os.Signal }

func (i interruption) Error() string { return i.signal.String() }

// code is the exit code that shells give to what a signal ended.
func (i interruption) code() int {
	if i.signal == syscall.SIGTERM {
		return exitTerminated
	}
	return exitInterrupted
}

// interruptible returns a context that the first SIGINT or SIGTERM cancels, so
// that the verb can stop politely. A second signal skips the waiting and ends
// the process at once. stop gives the signals back and waits for the goroutine.
func interruptible(parent context.Context) (ctx context.Context, stop func()) {
	ctx, cancel := context.WithCancelCause(parent)
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, syscall.SIGINT, syscall.SIGTERM)
	done, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		for {
			select {
			case s := <-signals:
				i := interruption{s}
				if ctx.Err() != nil {
					os.Exit(i.code())
				}
				cancel(i)
			case <-done:
				return
			}
		}
	}()
	return ctx, func() {
		signal.Stop(signals)
		close(done)
		<-ended
		cancel(nil)
	}
}
