//go:build unix

package cellhost

import (
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// Stdio takes standard input and output for Run. The process keeps neither:
// what else writes to standard output, be it the JavaScript engine's C library,
// lands on standard error. Close ends a Read or a Write that is under way if
// they are pipes or sockets, and a broken pipe is an error and no signal. It is
// called once, before anything else uses the two.
func Stdio() (in, out *os.File, err error) {
	if in, err = private(0, "stdin"); err != nil {
		return nil, nil, err
	}
	if out, err = private(1, "stdout"); err == nil {
		err = unix.Dup2(2, 1)
	}
	if err != nil {
		in.Close()
		return nil, nil, fmt.Errorf("take standard output: %w", err)
	}
	return in, out, nil
}

// private duplicates a descriptor out of the way of the children and of
// whoever writes to 1.
func private(fd int, name string) (*os.File, error) {
	dup, err := unix.FcntlInt(uintptr(fd), unix.F_DUPFD_CLOEXEC, 3)
	if err != nil {
		return nil, fmt.Errorf("duplicate %s: %w", name, err)
	}
	var stat unix.Stat_t
	if unix.Fstat(dup, &stat) == nil {
		if kind := stat.Mode & unix.S_IFMT; kind == unix.S_IFIFO || kind == unix.S_IFSOCK {
			// Then the runtime polls it. A terminal is shared with others and
			// stays as it is.
			if err := unix.SetNonblock(dup, true); err != nil {
				unix.Close(dup)
				return nil, fmt.Errorf("set %s non-blocking: %w", name, err)
			}
		}
	}
	return os.NewFile(uintptr(dup), name), nil
}
