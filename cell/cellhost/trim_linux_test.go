//go:build !race

// The race detector keeps memory of its own for every byte ever used.

package cellhost_test

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"
)

// resident is the memory of a host in the machine, in bytes.
func (c *childHost) resident() int {
	c.t.Helper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", c.cmd.Process.Pid))
	if err != nil {
		c.t.Fatal(err)
	}
	_, rest, _ := bytes.Cut(status, []byte("VmRSS:"))
	kib, err := strconv.Atoi(string(bytes.Fields(rest)[0]))
	if err != nil {
		c.t.Fatal(err)
	}
	return kib << 10
}

// What large values took goes back to the system soon after they have gone.
func TestMemoryComesBack(t *testing.T) {
	for name, source := range map[string]string{
		"output": `text("x".repeat(60 * 2**20))`,
		"stored": `for (let i = 0; i < 8; i++) store(i, "x".repeat(2**23))`,
	} {
		t.Run(name, func(t *testing.T) {
			c := spawn(t, 4)
			c.hello()
			c.open("s")
			c.run("s", `text("x")`)
			before := c.resident()
			if got := c.run("s", source); strings.Contains(got, `"error_text":"`) {
				t.Fatalf("%.300s", got)
			}
			during := c.resident()
			if during < before+60<<20 {
				t.Errorf("%d MiB resident, want 60 more than %d", during>>20, before>>20)
			}
			c.shutdown("s")
			c.await("session/closed")
			late := time.NewTimer(patience)
			defer late.Stop()
			tick := time.NewTicker(50 * time.Millisecond)
			defer tick.Stop()
			for c.resident() > before+20<<20 {
				select {
				case <-tick.C:
				case <-late.C:
					t.Fatalf("%d MiB resident, %d before and %d with it", c.resident()>>20, before>>20, during>>20)
				}
			}
		})
	}
}
