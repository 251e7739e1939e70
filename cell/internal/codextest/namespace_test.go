//go:build codex && linux

package codextest_test

import (
	"errors"
	"flag"
	"fmt"
	"net"
	"os"
	"os/exec"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// inside marks the process that has the network namespace.
const inside = "BERTH_CODEX_NAMESPACE"

// hostPath is what the recipes put in place as berth. The published host may be
// given too: the scenarios hold for it as well.
var hostPath = flag.String("host", "../../../bin/berth", "`program` to put in place as berth")

// TestMain runs the tests in a child that has loopback and no other network.
func TestMain(m *testing.M) {
	flag.Parse()
	var code int
	var err error
	if os.Getenv(inside) == "" {
		code, err = isolated()
	} else if err = loopback(); err == nil {
		code = m.Run()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}

// isolated runs this program in a network namespace of its own, and in a user
// namespace too if it takes that to be allowed the first.
func isolated() (int, error) {
	cmd := exec.Command("/proc/self/exe", os.Args[1:]...)
	cmd.Env = append(os.Environ(), inside+"=1")
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: unix.CLONE_NEWNET, Pdeathsig: unix.SIGKILL}
	if os.Getuid() != 0 {
		cmd.SysProcAttr.Cloneflags |= unix.CLONE_NEWUSER
		cmd.SysProcAttr.UidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getuid(), Size: 1}}
		cmd.SysProcAttr.GidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getgid(), Size: 1}}
	}
	err := cmd.Run()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return exit.ExitCode(), nil
	}
	if err != nil {
		return 1, fmt.Errorf("start in a network namespace: %w", err)
	}
	return 0, nil
}

// loopback switches the loopback interface on and makes sure it is the only one
// that is up.
func loopback() error {
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return os.NewSyscallError("socket", err)
	}
	defer unix.Close(fd)
	lo, err := unix.NewIfreq("lo")
	if err != nil {
		return err
	}
	lo.SetUint16(unix.IFF_UP | unix.IFF_RUNNING)
	if err := unix.IoctlIfreq(fd, unix.SIOCSIFFLAGS, lo); err != nil {
		return fmt.Errorf("switch loopback on: %w", err)
	}
	interfaces, err := net.Interfaces()
	if err != nil {
		return err
	}
	for _, i := range interfaces {
		if up, isLoopback := i.Flags&net.FlagUp != 0, i.Flags&net.FlagLoopback != 0; up != isLoopback {
			return fmt.Errorf("interface %s is %s in a namespace that should have loopback only", i.Name, i.Flags)
		}
	}
	return nil
}
