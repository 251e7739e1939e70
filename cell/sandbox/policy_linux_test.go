//go:build linux && (amd64 || arm64)

package sandbox_test

import (
	"encoding/binary"
	"testing"

	"golang.org/x/net/bpf"
	"golang.org/x/sys/unix"

	"github.com/berth-dev/berth/cell/sandbox"
)

const (
	allow = unix.SECCOMP_RET_ALLOW
	perm  = unix.SECCOMP_RET_ERRNO | int(unix.EPERM)
	nosys = unix.SECCOMP_RET_ERRNO | int(unix.ENOSYS)

	self      = 4711
	threadFlg = unix.CLONE_VM | unix.CLONE_FS | unix.CLONE_FILES | unix.CLONE_SIGHAND | unix.CLONE_SYSVSEM | unix.CLONE_THREAD
)

// data is a struct seccomp_data as bpf.VM reads it: words in the kernel's
// places, each of them big-endian.
func data(arch, call uint32, args ...uint64) []byte {
	d := make([]byte, 64)
	binary.BigEndian.PutUint32(d, call)
	binary.BigEndian.PutUint32(d[4:], arch)
	for i, a := range args {
		binary.BigEndian.PutUint32(d[16+8*i:], uint32(a))
		binary.BigEndian.PutUint32(d[20+8*i:], uint32(a>>32))
	}
	return d
}

func newVM(t *testing.T) *bpf.VM {
	t.Helper()
	vm, err := bpf.NewVM(sandbox.Program(self))
	if err != nil {
		t.Fatal(err)
	}
	return vm
}

func TestFilter(t *testing.T) {
	const high = 1 << 32
	tests := []struct {
		name string
		call uint32
		args []uint64
		want int
	}{
		{"read", unix.SYS_READ, []uint64{0}, allow},
		{"futex", unix.SYS_FUTEX, nil, allow},
		{"exit_group", unix.SYS_EXIT_GROUP, nil, allow},
		{"openat to read", unix.SYS_OPENAT, []uint64{0, 0, unix.O_RDONLY}, perm},
		{"openat to write", unix.SYS_OPENAT, []uint64{0, 0, unix.O_WRONLY}, perm},
		{"socket", unix.SYS_SOCKET, []uint64{unix.AF_INET, unix.SOCK_STREAM}, perm},
		{"execve", unix.SYS_EXECVE, nil, perm},
		{"pwrite64", unix.SYS_PWRITE64, nil, perm},
		{"fcntl F_GETFL", unix.SYS_FCNTL, []uint64{3, unix.F_GETFL}, allow},
		// A command that is a number of an allowed call must not pass for it.
		{"fcntl F_DUPFD", unix.SYS_FCNTL, []uint64{3, unix.F_DUPFD}, perm},
		{"fcntl numbered as read", unix.SYS_FCNTL, []uint64{3, unix.SYS_READ}, perm},
		{"fcntl numbered as write", unix.SYS_FCNTL, []uint64{3, unix.SYS_WRITE | high}, perm},
		{"fcntl F_SETOWN", unix.SYS_FCNTL, []uint64{3, unix.F_SETOWN}, perm},
		{"fcntl F_GETFL in the low half", unix.SYS_FCNTL, []uint64{3, unix.F_GETFL | high}, perm},
		{"mmap to read and write", unix.SYS_MMAP, []uint64{0, 4096, unix.PROT_READ | unix.PROT_WRITE}, allow},
		{"mmap to execute", unix.SYS_MMAP, []uint64{0, 4096, unix.PROT_READ | unix.PROT_EXEC}, perm},
		{"mprotect to read", unix.SYS_MPROTECT, []uint64{0, 4096, unix.PROT_READ}, allow},
		{"mprotect to execute", unix.SYS_MPROTECT, []uint64{0, 4096, unix.PROT_EXEC}, perm},
		{"clone of a thread", unix.SYS_CLONE, []uint64{threadFlg}, allow},
		{"clone of a process", unix.SYS_CLONE, []uint64{uint64(unix.SIGCHLD)}, perm},
		{"clone as vfork", unix.SYS_CLONE, []uint64{unix.CLONE_VM | unix.CLONE_VFORK}, perm},
		{"clone into a namespace", unix.SYS_CLONE, []uint64{threadFlg | unix.CLONE_NEWNS}, perm},
		{"clone3", unix.SYS_CLONE3, nil, nosys},
		{"openat2", unix.SYS_OPENAT2, nil, nosys},
		{"tgkill itself", unix.SYS_TGKILL, []uint64{self, self, uint64(unix.SIGURG)}, allow},
		{"tgkill another", unix.SYS_TGKILL, []uint64{1, 1, 9}, perm},
		{"tgkill with a longer id", unix.SYS_TGKILL, []uint64{self | high, 1, 9}, perm},
		{"kill itself", unix.SYS_KILL, []uint64{self, 15}, allow},
		{"kill its group", unix.SYS_KILL, []uint64{0, 9}, perm},
		{"kill all", unix.SYS_KILL, []uint64{^uint64(0), 9}, perm},
		{"ioctl TCGETS", unix.SYS_IOCTL, []uint64{1, unix.TCGETS}, allow},
		{"ioctl TIOCSTI", unix.SYS_IOCTL, []uint64{0, unix.TIOCSTI}, perm},
		{"prctl PR_SET_VMA", unix.SYS_PRCTL, []uint64{unix.PR_SET_VMA}, allow},
		{"prctl PR_SET_DUMPABLE", unix.SYS_PRCTL, []uint64{unix.PR_SET_DUMPABLE, 1}, perm},
		{"read by its x32 number", unix.SYS_READ | 0x40000000, nil, perm},
		{"a call of the future", 5000, nil, perm},
	}
	vm := newVM(t)
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := vm.Run(data(sandbox.AuditArch, tt.call, tt.args...))
			if err != nil || got != tt.want {
				t.Errorf("got %#x, %v; want %#x", got, err, tt.want)
			}
		})
	}
}

// Another architecture's numbers mean other calls, so none of them passes.
func TestFilterOtherArchitecture(t *testing.T) {
	vm := newVM(t)
	for _, arch := range []uint32{unix.AUDIT_ARCH_I386, unix.AUDIT_ARCH_ARM, 0} {
		for call := range uint32(600) {
			got, err := vm.Run(data(arch, call, threadFlg, 1, 0))
			if err != nil || got != perm {
				t.Fatalf("arch %#x, call %d: got %#x, %v; want %#x", arch, call, got, err, perm)
			}
		}
	}
}

// Whatever the arguments are, a call is decided by its own rule.
func TestFilterForbiddenCalls(t *testing.T) {
	forbidden := []uint32{
		unix.SYS_SOCKET, unix.SYS_SOCKETPAIR, unix.SYS_CONNECT, unix.SYS_BIND, unix.SYS_LISTEN, unix.SYS_ACCEPT4,
		unix.SYS_SENDTO, unix.SYS_SENDMSG, unix.SYS_EXECVE, unix.SYS_EXECVEAT, unix.SYS_PTRACE,
		unix.SYS_PROCESS_VM_READV, unix.SYS_PROCESS_VM_WRITEV, unix.SYS_OPENAT, unix.SYS_TRUNCATE, unix.SYS_FTRUNCATE,
		unix.SYS_UNLINKAT, unix.SYS_RENAMEAT2, unix.SYS_MKDIRAT, unix.SYS_LINKAT, unix.SYS_SYMLINKAT, unix.SYS_FCHMODAT,
		unix.SYS_FCHOWNAT, unix.SYS_MKNODAT, unix.SYS_MOUNT, unix.SYS_UMOUNT2, unix.SYS_MOVE_MOUNT, unix.SYS_OPEN_TREE,
		unix.SYS_IO_URING_SETUP, unix.SYS_IO_URING_ENTER, unix.SYS_IO_URING_REGISTER, unix.SYS_BPF, unix.SYS_USERFAULTFD,
		unix.SYS_KEYCTL, unix.SYS_PERF_EVENT_OPEN, unix.SYS_KEXEC_LOAD, unix.SYS_INIT_MODULE, unix.SYS_FINIT_MODULE,
		unix.SYS_MEMFD_CREATE, unix.SYS_PIDFD_OPEN, unix.SYS_PIDFD_GETFD, unix.SYS_PIDFD_SEND_SIGNAL, unix.SYS_SETNS,
		unix.SYS_UNSHARE, unix.SYS_RT_SIGQUEUEINFO, unix.SYS_RT_TGSIGQUEUEINFO, unix.SYS_TKILL, unix.SYS_PKEY_MPROTECT,
		unix.SYS_SECCOMP, unix.SYS_SETUID, unix.SYS_PRLIMIT64, unix.SYS_PERSONALITY, unix.SYS_SHMAT,
	}
	vm := newVM(t)
	for _, call := range forbidden {
		for arg := range uint64(512) {
			got, err := vm.Run(data(sandbox.AuditArch, call, arg, arg, arg, arg, arg, arg))
			if err != nil || got != perm {
				t.Fatalf("call %d with %d: got %#x, %v; want %#x", call, arg, got, err, perm)
			}
		}
	}
}
