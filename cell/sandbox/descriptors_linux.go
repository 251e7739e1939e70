//go:build linux && (amd64 || arm64)

package sandbox

import (
	"errors"
	"os"
	"slices"
	"strconv"

	"golang.org/x/sys/unix"
)

// scanned is how many descriptors are looked at one by one without /proc.
const scanned = 1 << 16

// closeInherited closes every descriptor that came through execve, except 0, 1,
// 2 and those in keep, and returns how many there were.
//
// A descriptor that is close-on-exec can't have come through execve, and all
// that Go opens is close-on-exec: the runtime's epoll and its cgroup files, and
// whatever the os and net packages open. So the flag tells the two apart.
func closeInherited(keep []int) (closed int, err error) {
	fds, err := inherited()
	if err != nil {
		return 0, err
	}
	for _, fd := range fds {
		if slices.Contains(keep, fd) {
			continue
		}
		_ = unix.Close(fd) // an error too leaves it closed on Linux
		closed++
	}
	return closed, nil
}

// inherited returns the open descriptors from 3 on that aren't close-on-exec.
func inherited() ([]int, error) {
	names, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		return inheritedByNumber()
	}
	var fds []int
	for _, name := range names {
		fd, err := strconv.Atoi(name.Name())
		if err != nil {
			return nil, err
		}
		if fd > 2 && survivesExec(fd) {
			fds = append(fds, fd)
		}
	}
	return fds, nil
}

// inheritedByNumber does without /proc. It closes what lies beyond its scan: a
// process opens the lowest free number, so nothing of ours is up there.
func inheritedByNumber() ([]int, error) {
	var fds []int
	for fd := 3; fd < scanned; fd++ {
		if survivesExec(fd) {
			fds = append(fds, fd)
		}
	}
	err := unix.CloseRange(scanned, ^uint(0)>>32, 0)
	if err != nil && !errors.Is(err, unix.ENOSYS) {
		return nil, os.NewSyscallError("close_range", err)
	}
	return fds, nil
}

// survivesExec reports whether fd is open and not close-on-exec.
func survivesExec(fd int) bool {
	flags, err := unix.FcntlInt(uintptr(fd), unix.F_GETFD, 0)
	return err == nil && flags&unix.FD_CLOEXEC == 0
}
