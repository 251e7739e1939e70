//go:build codex && linux

package codextest_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"golang.org/x/sys/unix"
)

// hosts returns the processes that run the program in berth's place under the
// name of the code-mode host, for this client.
func (c *client) hosts() ([]int, error) {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return nil, err
	}
	var pids []int
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil {
			continue
		}
		dir := filepath.Join("/proc", e.Name())
		// Processes come and go: what can't be read is not it.
		exe, _ := os.Readlink(filepath.Join(dir, "exe"))
		args, _ := os.ReadFile(filepath.Join(dir, "cmdline"))
		env, _ := os.ReadFile(filepath.Join(dir, "environ"))
		name, _, _ := bytes.Cut(args, []byte{0})
		if exe == c.host && filepath.Base(string(name)) == "codex-code-mode-host" &&
			bytes.Contains(env, []byte("HOME="+c.home+"\x00")) {
			pids = append(pids, pid)
		}
	}
	return pids, nil
}

// kill kills the one host and waits until it is gone.
func (c *client) kill() error {
	pids, err := c.hosts()
	if err != nil {
		return err
	}
	if len(pids) != 1 {
		return fmt.Errorf("hosts: %v, want one", pids)
	}
	if err := unix.Kill(pids[0], unix.SIGKILL); err != nil {
		return os.NewSyscallError("kill", err)
	}
	return poll(func() bool {
		pids, err := c.hosts()
		return err == nil && len(pids) == 0
	})
}

// appears waits for a file in the work folder.
func (c *client) appears(name string) error {
	return poll(func() bool {
		_, err := os.Stat(filepath.Join(c.work, name))
		return err == nil
	})
}

// make makes a file in the work folder, which a cell's tool call waits for.
func (c *client) make(name string) error {
	return os.WriteFile(filepath.Join(c.work, name), nil, 0o644)
}

// poll waits until ok says so.
func poll(ok func() bool) error {
	deadline := time.NewTimer(30 * time.Second)
	defer deadline.Stop()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for !ok() {
		select {
		case <-tick.C:
		case <-deadline.C:
			return errors.New("waited for 30 s")
		}
	}
	return nil
}
