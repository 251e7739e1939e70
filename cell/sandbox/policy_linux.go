//go:build linux && (amd64 || arm64)

package sandbox

import (
	"golang.org/x/net/bpf"
	"golang.org/x/sys/unix"
)

// policy is what the filter lets through. Whatever it does not name gets EPERM.
type policy struct {
	allow []uint32 // system calls, the frequent ones first
	some  []rule   // system calls that depend on their arguments
	nosys []uint32 // get ENOSYS: their callers then use an older one
}

// rule allows a system call if one of its conditions holds.
type rule struct {
	call uint32
	any  []condition
}

// condition holds if argument arg (0 to 5), cut down to mask, equals value. The
// upper half of an argument is looked at only if mask has bits there.
type condition struct {
	arg         int
	mask, value uint64
}

// is holds if argument arg is value, all 64 bits of it.
func is(arg int, value uint64) condition { return condition{arg, ^uint64(0), value} }

// clear holds if argument arg has none of the bits.
func clear(arg int, bits uint64) condition { return condition{arg, bits, 0} }

// namespaces are the clone flags that would make a new namespace.
const namespaces = unix.CLONE_NEWNS | unix.CLONE_NEWUTS | unix.CLONE_NEWIPC | unix.CLONE_NEWUSER |
	unix.CLONE_NEWPID | unix.CLONE_NEWNET | unix.CLONE_NEWCGROUP | unix.CLONE_NEWTIME

// newPolicy is the policy of the process pid.
func newPolicy(pid int) policy {
	self := uint64(pid)
	return policy{
		allow: []uint32{
			unix.SYS_FUTEX, unix.SYS_READ, unix.SYS_WRITE, unix.SYS_EPOLL_PWAIT,
			unix.SYS_NANOSLEEP, unix.SYS_CLOCK_GETTIME, unix.SYS_MADVISE, unix.SYS_MUNMAP, unix.SYS_MREMAP,
			unix.SYS_RT_SIGPROCMASK, unix.SYS_RT_SIGRETURN, unix.SYS_RT_SIGACTION, unix.SYS_SIGALTSTACK,
			unix.SYS_SCHED_YIELD, unix.SYS_GETPID, unix.SYS_GETTID,
			// Descriptors that are open already, and those that can't reach outside.
			unix.SYS_READV, unix.SYS_WRITEV, unix.SYS_PREAD64, unix.SYS_LSEEK, unix.SYS_FSTAT, unix.SYS_CLOSE,
			unix.SYS_EPOLL_CREATE1, unix.SYS_EPOLL_CTL, unix.SYS_EPOLL_PWAIT2, unix.SYS_EVENTFD2, unix.SYS_PIPE2,
			unix.SYS_PPOLL,
			// Memory, clocks and randomness.
			unix.SYS_BRK, unix.SYS_MINCORE, unix.SYS_GETRANDOM, unix.SYS_CLOCK_NANOSLEEP,
			unix.SYS_CLOCK_GETRES, unix.SYS_GETTIMEOFDAY, unix.SYS_GETRUSAGE,
			// Threads, and the runtime's profiler.
			unix.SYS_SCHED_GETAFFINITY, unix.SYS_SET_ROBUST_LIST, unix.SYS_RSEQ, unix.SYS_RESTART_SYSCALL,
			unix.SYS_SETITIMER, unix.SYS_TIMER_CREATE, unix.SYS_TIMER_SETTIME, unix.SYS_TIMER_DELETE,
			unix.SYS_EXIT, unix.SYS_EXIT_GROUP,
		},
		some: append([]rule{
			{unix.SYS_MMAP, []condition{clear(2, unix.PROT_EXEC)}},
			{unix.SYS_MPROTECT, []condition{clear(2, unix.PROT_EXEC)}},
			// Threads, but no processes. The runtime preempts by tgkill.
			{unix.SYS_CLONE, []condition{{0, unix.CLONE_THREAD | namespaces, unix.CLONE_THREAD}}},
			{unix.SYS_TGKILL, []condition{is(0, self)}},
			{unix.SYS_KILL, []condition{is(0, self)}},
			{unix.SYS_FCNTL, []condition{
				is(1, unix.F_GETFL), is(1, unix.F_SETFL), is(1, unix.F_GETFD), is(1, unix.F_SETFD),
			}},
			{unix.SYS_IOCTL, []condition{is(1, unix.TCGETS), is(1, unix.TIOCGWINSZ)}},
			{unix.SYS_PRCTL, []condition{
				is(0, unix.PR_SET_VMA), is(0, unix.PR_GET_NO_NEW_PRIVS), is(0, unix.PR_GET_SECCOMP),
			}},
		}, archRules()...),
		nosys: []uint32{unix.SYS_CLONE3, unix.SYS_OPENAT2},
	}
}

// What a filter returns, and where it finds what it looks at: a struct
// seccomp_data is 4 B number, 4 B architecture, 8 B instruction pointer, 6 × 8 B
// arguments, all little-endian here.
const (
	retAllow = unix.SECCOMP_RET_ALLOW
	retPerm  = unix.SECCOMP_RET_ERRNO | uint32(unix.EPERM)
	retNosys = unix.SECCOMP_RET_ERRNO | uint32(unix.ENOSYS)

	offNumber = 0
	offArch   = 4
	offArgs   = 16
)

// program is p for the kernel. It is made here and not by go-seccomp-bpf, whose
// programs go on comparing an argument with system call numbers when an
// argument's condition fails, so that fcntl(fd, 0) passes for read. Here each
// system call's part ends in a return and nothing falls through. The other
// architecture of the same kernel (386, arm) and x32 have other numbers: the
// first is refused outright, the second is in no list.
func (p policy) program() []bpf.Instruction {
	prog := []bpf.Instruction{
		bpf.LoadAbsolute{Off: offArch, Size: 4},
		bpf.JumpIf{Cond: bpf.JumpEqual, Val: auditArch, SkipTrue: 1},
		bpf.RetConstant{Val: retPerm},
		bpf.LoadAbsolute{Off: offNumber, Size: 4},
	}
	for _, call := range p.allow {
		prog = append(prog, onCall(call, 1), bpf.RetConstant{Val: retAllow})
	}
	for _, r := range p.some {
		body := r.body()
		prog = append(append(prog, onCall(r.call, len(body))), body...)
	}
	for _, call := range p.nosys {
		prog = append(prog, onCall(call, 1), bpf.RetConstant{Val: retNosys})
	}
	return append(prog, bpf.RetConstant{Val: retPerm})
}

// onCall skips the n instructions after it unless the system call is call.
func onCall(call uint32, n int) bpf.Instruction {
	return bpf.JumpIf{Cond: bpf.JumpEqual, Val: call, SkipFalse: uint8(n)}
}

// body is what decides about r's system call; it always returns.
func (r rule) body() []bpf.Instruction {
	var body []bpf.Instruction
	for _, c := range r.any {
		body = append(body, c.test()...)
	}
	return append(body, bpf.RetConstant{Val: retPerm})
}

// test returns retAllow if c holds and runs past its end if not.
func (c condition) test() []bpf.Instruction {
	lo := c.half(0, uint8(0))
	test := append(lo, bpf.RetConstant{Val: retAllow})
	if c.mask>>32 != 0 {
		test = append(c.half(32, uint8(len(lo))), test...)
	}
	return test
}

// half compares the 32 bits of c from bit shift on, and skips more instructions
// beyond the next one if they differ.
func (c condition) half(shift, more uint8) []bpf.Instruction {
	return []bpf.Instruction{
		bpf.LoadAbsolute{Off: offArgs + 8*uint32(c.arg) + uint32(shift)/8, Size: 4},
		bpf.ALUOpConstant{Op: bpf.ALUOpAnd, Val: uint32(c.mask >> shift)},
		bpf.JumpIf{Cond: bpf.JumpEqual, Val: uint32(c.value >> shift), SkipFalse: more + 1},
	}
}
