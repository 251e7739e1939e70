package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
	"time"
)

// interruption is the cause of a context that a signal ended.
type interruption struct{ signal os.Signal }

func (i interruption) Error() string { return i.signal.String() }

// code is the exit code that shells give to what a signal ended.
func (i interruption) code() int {
	switch i.signal {
	case syscall.SIGTERM:
		return exitTerminated
	case syscall.SIGHUP:
		return exitHungUp
	}
	return exitInterrupted
}

// settleTime is how long after a signal was sent it may come.
const settleTime = 5 * time.Millisecond

// interruptible returns a context that the first SIGINT, SIGTERM or SIGHUP
// cancels, so that the verb can stop politely. A second signal skips the waiting
// and ends the process at once. A SIGHUP that our parent had us ignore, as nohup
// does, stays ignored.
//
// settle returns when ctx knows of every signal that has come: whoever met the
// end of its input can tell by it whether that was an interruption. stop gives
// the signals back and waits for the goroutine.
func interruptible(parent context.Context) (ctx context.Context, settle, stop func()) {
	ctx, cancel := context.WithCancelCause(parent)
	wanted := []os.Signal{syscall.SIGINT, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) {
		wanted = append(wanted, syscall.SIGHUP)
	}
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, wanted...)
	settling, done, ended := make(chan chan struct{}), make(chan struct{}), make(chan struct{})
	heed := func(s os.Signal) {
		i := interruption{s}
		if ctx.Err() != nil {
			os.Exit(i.code())
		}
		cancel(i)
	}
	go func() {
		defer close(ended)
		for {
			select {
			case s := <-signals:
				heed(s)
			case settled := <-settling:
				for len(signals) > 0 {
					heed(<-signals)
				}
				close(settled)
			case <-done:
				return
			}
		}
	}()
	settle = func() {
		// A signal to the process takes a moment to one of its threads.
		timer := time.NewTimer(settleTime)
		defer timer.Stop()
		select {
		case <-timer.C:
		case <-ctx.Done():
			return
		}
		other := make(chan os.Signal, 1)
		signal.Notify(other, wanted...)
		signal.Stop(other) // waits until signals under way are in their channels
		settled := make(chan struct{})
		settling <- settled
		<-settled
	}
	return ctx, settle, func() {
		signal.Stop(signals)
		close(done)
		<-ended
		cancel(nil)
	}
}
