// Package process runs child processes that can't outlive their parent's
// interest: each leads a process group of its own, is killed as a group, dies
// with the parent where the kernel offers that, and has its stderr bounded.
package process

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"syscall"
	"time"
)

// Options tune a Process. The zero value inherits directory and environment.
type Options struct {
	Dir    string    // working directory; empty means ours
	Env    []string  // whole environment as KEY=value; nil means ours
	Stderr io.Writer // receives standard error from one goroutine; nil discards

	// Polite is how long the process may live on without its input before Stop
	// sends SIGTERM; 0 means as long as Stop says.
	Polite time.Duration
	// ParentDeath is sent to the process, on Linux, when ours dies without
	// stopping it; 0 means SIGKILL.
	ParentDeath syscall.Signal
}

// drainDelay is how long descendants may hold the output pipes open after the
// process itself has ended.
const drainDelay = 500 * time.Millisecond

// Process is a running child. It is safe for concurrent use, but Stdin and
// Stdout are for one goroutine each.
type Process struct {
	Stdin  *os.File
	Stdout *os.File // stays readable after the end; the caller closes it

	cmd    *exec.Cmd
	polite time.Duration
	done   chan struct{} // closed once the process has been reaped
	err    error         // of Wait; written before done is closed
}

// Start starts the program at path, which is looked up as a shell would. The
// caller must see to it that the process ends: by Stop, Kill or on its own.
func Start(path string, args []string, opts Options) (*Process, error) {
	if err := checkStart(path, args, opts.Dir); err != nil {
		return nil, fmt.Errorf("start %q: %w", path, err)
	}
	cmd := exec.Command(path, args...)
	cmd.Dir, cmd.Env, cmd.Stderr = opts.Dir, opts.Env, opts.Stderr
	cmd.WaitDelay = drainDelay
	if opts.ParentDeath == 0 {
		opts.ParentDeath = syscall.SIGKILL
	}
	cmd.SysProcAttr = attributes(opts.ParentDeath)

	inRead, inWrite, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("start %q: %w", path, err)
	}
	outRead, outWrite, err := os.Pipe()
	if err != nil {
		return nil, errors.Join(fmt.Errorf("start %q: %w", path, err), inRead.Close(), inWrite.Close())
	}
	cmd.Stdin, cmd.Stdout = inRead, outWrite
	p := &Process{Stdin: inWrite, Stdout: outRead, cmd: cmd, polite: opts.Polite, done: make(chan struct{})}

	started := make(chan error)
	go p.run(started)
	err = <-started
	_, _ = inRead.Close(), outWrite.Close() // the child has them now
	if err != nil {
		_, _ = inWrite.Close(), outRead.Close()
		return nil, fmt.Errorf("start %q: %w", path, err)
	}
	return p, nil
}

// checkStart finds what the system would blame on the program, or on nobody.
func checkStart(path string, args []string, dir string) error {
	if dir != "" {
		if info, err := os.Stat(dir); err != nil {
			return fmt.Errorf("working directory %q: %w", dir, bare(err))
		} else if !info.IsDir() {
			return fmt.Errorf("working directory %q: not a directory", dir)
		}
	}
	if !strings.ContainsAny(path, " \t") || len(args) > 0 {
		return nil
	}
	if _, err := exec.LookPath(path); errors.Is(err, exec.ErrNotFound) || errors.Is(err, fs.ErrNotExist) {
		return errors.New("no such program; put its arguments into a list of their own (args)")
	}
	return nil
}

// bare is what the system said, without the operation and the path.
func bare(err error) error {
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		return e.Err
	}
	return err
}

// Ended says in words how a process ended, from what Wait returned.
func Ended(err error) string {
	exit, ok := errors.AsType[*exec.ExitError](err)
	switch {
	case err == nil:
		return "exited with status 0"
	case !ok:
		return err.Error()
	}
	if status, ok := exit.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		return fmt.Sprintf("was ended by a signal (%v)", status.Signal())
	}
	return fmt.Sprintf("exited with status %d", exit.ExitCode())
}

// run owns the process from fork to reaping. It keeps one thread for itself,
// because the parent-death signal is that of the thread which forked.
func (p *Process) run(started chan<- error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	err := p.cmd.Start()
	started <- err
	if err != nil {
		return
	}
	err = p.cmd.Wait()
	if errors.Is(err, exec.ErrWaitDelay) {
		err = nil // it ended well; a descendant kept a pipe
	}
	p.err = err
	p.signal(syscall.SIGKILL) // whatever it left behind in its group
	close(p.done)
}

// PID returns the process id, which is also that of its group.
func (p *Process) PID() int { return p.cmd.Process.Pid }

// Done is closed when the process has ended and been reaped.
func (p *Process) Done() <-chan struct{} { return p.done }

// Wait waits for the end and returns an [*exec.ExitError] unless the process
// exited with 0. It may be called any number of times.
func (p *Process) Wait() error {
	<-p.done
	return p.err
}

// Kill ends the whole group at once and waits until it is gone.
func (p *Process) Kill() {
	p.signal(syscall.SIGKILL)
	<-p.done
}

// Stop asks the process to end, first by closing its input, after grace (or
// Options.Polite) by SIGTERM, and after grace again it kills the group. It is
// at once a Kill when ctx has ended.
func (p *Process) Stop(ctx context.Context, grace time.Duration) {
	_ = p.Stdin.Close()
	if p.ended(ctx, cmp.Or(p.polite, grace)) {
		return
	}
	p.signal(syscall.SIGTERM)
	if p.ended(ctx, grace) {
		return
	}
	p.Kill()
}

func (p *Process) ended(ctx context.Context, within time.Duration) bool {
	timer := time.NewTimer(within)
	defer timer.Stop()
	select {
	case <-p.done:
		return true
	case <-timer.C:
	case <-ctx.Done():
	}
	return false
}

// signal sends to the group, unless it is gone and its number may be another's.
func (p *Process) signal(s syscall.Signal) {
	select {
	case <-p.done:
	default:
		_ = syscall.Kill(-p.cmd.Process.Pid, s)
	}
}
