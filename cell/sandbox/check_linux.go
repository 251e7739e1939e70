//go:build linux && (amd64 || arm64)

package sandbox

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// refused is what most probes expect.
const refused = "refused"

// probe is one thing to try. It returns nil if it came off, and the system's
// error if not. A probe that comes off leaves nothing behind.
type probe struct {
	name string
	try  func() error
}

// Check tries what a sandboxed process must be refused, and a few things that
// hold besides, in this process, in a fixed order. It is meant to be called
// after [Apply]. Without a sandbox it does no harm: what it manages to make it
// removes, and the rest has arguments that come to nothing.
func Check() []Result {
	probes := append(networkProbes(), fileProbes()...)
	probes = append(append(probes, processProbes()...), kernelProbes()...)
	results := make([]Result, 0, len(probes)+2)
	results = append(results, checkDescriptors(), checkPrivileges())
	for _, p := range probes {
		results = append(results, p.result())
	}
	return results
}

// result runs the probe. Only EPERM counts, with which the filter answers, and
// ENOSYS, which any caller of clone3, openat2 and io_uring must expect.
func (p probe) result() Result {
	err := p.try()
	r := Result{Name: p.name, Expected: refused}
	switch {
	case err == nil:
		r.Actual = "allowed"
	case errors.Is(err, unix.EPERM), errors.Is(err, unix.ENOSYS):
		r.Actual, r.OK = refused, true
	default:
		r.Actual = "not refused: " + err.Error()
	}
	return r
}

// checkDescriptors counts what is open besides 0, 1, 2 and what Go opened.
func checkDescriptors() Result {
	open := 0
	for fd := 3; fd < scanned; fd++ {
		if survivesExec(fd) {
			open++
		}
	}
	return Result{Name: "inherited descriptors", Expected: "0", Actual: strconv.Itoa(open), OK: open == 0}
}

// checkPrivileges asks for no-new-privs.
func checkPrivileges() Result {
	r := Result{Name: "no new privileges", Expected: "set", Actual: "not set"}
	set, err := unix.PrctlRetInt(unix.PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0)
	switch {
	case err != nil:
		r.Actual = err.Error()
	case set == 1:
		r.Actual, r.OK = "set", true
	}
	return r
}

// raw tries a system call whose arguments come to nothing.
func raw(name string, call uintptr, args ...uintptr) probe {
	return probe{name, func() error {
		var a [6]uintptr
		copy(a[:], args)
		_, _, errno := unix.Syscall6(call, a[0], a[1], a[2], a[3], a[4], a[5])
		if errno != 0 {
			return errno
		}
		return nil
	}}
}

// bad is a descriptor and an address that nobody has.
const bad = ^uintptr(0)

func networkProbes() []probe {
	return []probe{
		{"connect over TCP", func() error { return dial("tcp", "127.0.0.1:9") }},
		{"connect over UDP", func() error { return dial("udp", "127.0.0.1:9") }},
		{"connect to a unix socket", func() error { return dial("unix", "/nonexistent") }},
		{"connect to an abstract unix socket", func() error { return dial("unix", "@nonexistent") }},
		{"listen on TCP", func() error {
			l, err := net.Listen("tcp", "127.0.0.1:0")
			if err == nil {
				_ = l.Close()
			}
			return err
		}},
		{"make a socket pair", func() error {
			fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
			if err == nil {
				_, _ = unix.Close(fds[0]), unix.Close(fds[1])
			}
			return err
		}},
		raw("bind", unix.SYS_BIND, bad),
		raw("listen", unix.SYS_LISTEN, bad),
		raw("connect", unix.SYS_CONNECT, bad),
		raw("accept", unix.SYS_ACCEPT4, bad),
		raw("sendmsg", unix.SYS_SENDMSG, bad),
		raw("recvmsg", unix.SYS_RECVMSG, bad),
	}
}

func dial(network, address string) error {
	c, err := net.DialTimeout(network, address, time.Second)
	if err == nil {
		_ = c.Close()
	}
	return err
}

func fileProbes() []probe {
	// A name of our own in a folder that most users may write to.
	path := filepath.Join(os.TempDir(), "berth-check-"+strconv.Itoa(os.Getpid()))
	gone := path + "/nothing/here"
	return []probe{
		{"read /etc/passwd", func() error { return open("/etc/passwd", os.O_RDONLY) }},
		{"read the program", func() error { return open("/proc/self/exe", os.O_RDONLY) }},
		{"list the root folder", func() error { return open("/", os.O_RDONLY) }},
		{"write a file", func() error { return open("/dev/null", os.O_WRONLY) }},
		{"write its own memory", func() error { return open("/proc/self/mem", os.O_RDWR) }},
		{"create a file", func() error {
			err := open(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL)
			if err == nil {
				_ = os.Remove(path)
			}
			return err
		}},
		{"make a folder", func() error {
			err := os.Mkdir(path, 0o700)
			if err == nil {
				_ = os.Remove(path)
			}
			return err
		}},
		{"make a symbolic link", func() error {
			err := os.Symlink(gone, path)
			if err == nil {
				_ = os.Remove(path)
			}
			return err
		}},
		{"link a file", func() error { return os.Link(gone, path) }},
		{"rename a file", func() error { return os.Rename(gone, path) }},
		{"delete a file", func() error { return unix.Unlink(gone) }},
		{"delete a folder", func() error { return unix.Rmdir(gone) }},
		{"truncate a file", func() error { return unix.Truncate(gone, 0) }},
		{"change a mode", func() error { return unix.Chmod(gone, 0) }},
		{"change an owner", func() error { return unix.Lchown(gone, 0, 0) }},
		{"set an attribute", func() error { return unix.Setxattr(gone, "user.x", nil, 0) }},
		{"make a device", func() error { return unix.Mknod(gone, unix.S_IFIFO, 0) }},
		{"stat a file", func() error { return stat("/etc/passwd") }},
		{"openat2", func() error {
			fd, err := unix.Openat2(unix.AT_FDCWD, "/", &unix.OpenHow{Flags: unix.O_CLOEXEC})
			if err == nil {
				_ = unix.Close(fd)
			}
			return err
		}},
		{"memfd_create", func() error {
			fd, err := unix.MemfdCreate("check", unix.MFD_CLOEXEC)
			if err == nil {
				_ = unix.Close(fd)
			}
			return err
		}},
		raw("mount", unix.SYS_MOUNT, 0, 0, 0, bad),
		raw("chroot", unix.SYS_CHROOT, 0),
		raw("inotify_add_watch", unix.SYS_INOTIFY_ADD_WATCH, bad),
		raw("open_by_handle_at", unix.SYS_OPEN_BY_HANDLE_AT, bad),
	}
}

func open(path string, flag int) error {
	f, err := os.OpenFile(path, flag, 0o600)
	if err == nil {
		_ = f.Close()
	}
	return err
}

// stat asks for path's attributes, and not whether it is there.
func stat(path string) error {
	_, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

func processProbes() []probe {
	const nobody = 1<<31 - 1 // more than any pid_max
	return []probe{
		// With a fork granted, the child ends itself on finding no program.
		{"fork", func() error { return fork() }},
		{"exec", func() error { return unix.Exec("/nonexistent", []string{"nonexistent"}, nil) }},
		raw("execveat", unix.SYS_EXECVEAT, bad),
		raw("clone3", unix.SYS_CLONE3, 0, 0),
		raw("ptrace", unix.SYS_PTRACE, unix.PTRACE_ATTACH, nobody),
		raw("process_vm_readv", unix.SYS_PROCESS_VM_READV, nobody),
		raw("process_vm_writev", unix.SYS_PROCESS_VM_WRITEV, nobody),
		raw("pidfd_open", unix.SYS_PIDFD_OPEN, nobody),
		raw("pidfd_getfd", unix.SYS_PIDFD_GETFD, bad),
		raw("pidfd_send_signal", unix.SYS_PIDFD_SEND_SIGNAL, bad),
		{"signal the parent", func() error { return unix.Kill(os.Getppid(), 0) }},
		{"signal init", func() error { return unix.Kill(1, 0) }},
		{"signal a thread of the parent", func() error { return unix.Tgkill(os.Getppid(), os.Getppid(), 0) }},
		raw("setns", unix.SYS_SETNS, bad),
		{"make a namespace", func() error { return unix.Unshare(unix.CLONE_NEWUSER) }},
		raw("setuid", unix.SYS_SETUID, bad),
		raw("setpgid", unix.SYS_SETPGID, nobody),
		raw("prlimit", unix.SYS_PRLIMIT64, nobody),
		raw("set a process attribute", unix.SYS_PRCTL, bad),
	}
}

func fork() error {
	pid, err := syscall.ForkExec("/nonexistent", []string{"nonexistent"}, nil)
	if err == nil {
		return fmt.Errorf("started process %d", pid)
	}
	return err
}

func kernelProbes() []probe {
	return []probe{
		raw("io_uring_setup", unix.SYS_IO_URING_SETUP, 0, 0),
		raw("io_uring_enter", unix.SYS_IO_URING_ENTER, bad),
		raw("io_uring_register", unix.SYS_IO_URING_REGISTER, bad),
		raw("bpf", unix.SYS_BPF, bad),
		raw("perf_event_open", unix.SYS_PERF_EVENT_OPEN, 0, 0, 0, bad, bad),
		raw("userfaultfd", unix.SYS_USERFAULTFD, bad),
		raw("keyctl", unix.SYS_KEYCTL, bad),
		raw("add_key", unix.SYS_ADD_KEY, 0),
		raw("init_module", unix.SYS_INIT_MODULE, 0, 0, 0),
		raw("finit_module", unix.SYS_FINIT_MODULE, bad),
		raw("kexec_load", unix.SYS_KEXEC_LOAD, 0, 0, 0, bad),
		raw("reboot", unix.SYS_REBOOT, 0),
		raw("personality", unix.SYS_PERSONALITY, 0xffffffff),
		raw("seccomp", unix.SYS_SECCOMP, bad),
		raw("landlock_create_ruleset", unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, 1),
		raw("type into the terminal", unix.SYS_IOCTL, bad, unix.TIOCSTI),
		{"map executable memory", func() error {
			mem, err := unix.Mmap(-1, 0, os.Getpagesize(), unix.PROT_READ|unix.PROT_EXEC, unix.MAP_PRIVATE|unix.MAP_ANON)
			if err == nil {
				_ = unix.Munmap(mem)
			}
			return err
		}},
		{"make memory executable", func() error {
			mem, err := unix.Mmap(-1, 0, os.Getpagesize(), unix.PROT_READ, unix.MAP_PRIVATE|unix.MAP_ANON)
			if err != nil {
				return fmt.Errorf("map memory to try it with: %v", err)
			}
			err = unix.Mprotect(mem, unix.PROT_READ|unix.PROT_EXEC)
			_ = unix.Munmap(mem)
			return err
		}},
	}
}
