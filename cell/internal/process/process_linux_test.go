package process_test

import (
	"bytes"
	"os"
	"os/exec"
	"strconv"
	"testing"
)

func TestChildDiesWithItsParent(t *testing.T) {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "PROCESS_TEST_ROLE=parent")
	out, _ := cmd.Output() // killed by its own hand
	pid, err := strconv.Atoi(string(bytes.TrimSpace(out)))
	if err != nil {
		t.Fatalf("no pid: %q", out)
	}
	gone(t, pid)
}
