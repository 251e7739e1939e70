//go:build linux && (amd64 || arm64)

package sandbox

import (
	"errors"
	"fmt"
	"runtime"
	"time"
	_ "time/tzdata" // time zones outlive the file system

	"github.com/landlock-lsm/go-landlock/landlock"
	landlocksys "github.com/landlock-lsm/go-landlock/landlock/syscall"
	"golang.org/x/net/bpf"
	"golang.org/x/sys/unix"
)

// Apply gives up files, network, other processes and new privileges, in all
// threads and for good. It is to be called once, before the process opens
// descriptors without close-on-exec or starts to run foreign code.
//
// A kernel without Landlock is no error, since the filter refuses the same
// things; Missing names it. An error means that the process is not sandboxed,
// or only in part: it must not go on to run foreign code.
func Apply(opts Options) (Report, error) {
	var r Report
	var err error
	if r.Closed, err = closeInherited(opts.Keep); err != nil {
		return r, fmt.Errorf("close inherited descriptors: %w", err)
	}
	preload()
	// The filter below takes from the calling thread what it gives to all.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return r, fmt.Errorf("set no-new-privs: %w", err)
	}
	if r.Landlock, err = restrictFiles(); err != nil {
		return r, fmt.Errorf("apply landlock: %w", err)
	}
	if r.Landlock == 0 {
		r.Missing = append(r.Missing, "this kernel has no Landlock; the seccomp filter alone refuses files and network")
	}
	if err := loadFilter(newPolicy(unix.Getpid())); err != nil {
		return r, fmt.Errorf("load seccomp filter: %w", err)
	}
	r.NoNewPrivs, r.Seccomp = true, true
	return r, nil
}

// preload makes the time package read TZ and /etc/localtime, which it does
// once, when first asked for a local time.
func preload() {
	_, _ = time.Now().Zone()
}

// restrictFiles refuses files, TCP, UDP, abstract sockets and signals to other
// processes, as far as the kernel knows how, and returns its Landlock version.
func restrictFiles() (version int, err error) {
	version, err = landlocksys.LandlockGetABIVersion()
	if errors.Is(err, unix.ENOSYS) || errors.Is(err, unix.EOPNOTSUPP) || errors.Is(err, unix.EPERM) {
		return 0, nil // not built in, switched off at boot, or refused by an outer sandbox
	}
	if err != nil {
		return 0, err
	}
	// Denials are the purpose here; they need not fill the audit log.
	config := landlock.V11.BestEffort().DisableLoggingForOriginatingProcess()
	return version, config.Restrict()
}

// loadFilter makes p the law for every thread, also for those to come.
func loadFilter(p policy) error {
	raw, err := bpf.Assemble(p.program())
	if err != nil {
		return fmt.Errorf("assemble: %w", err)
	}
	filter := make([]unix.SockFilter, len(raw))
	for i, in := range raw {
		filter[i] = unix.SockFilter{Code: in.Op, Jt: in.Jt, Jf: in.Jf, K: in.K}
	}
	return installFilter(filter)
}
