package cellhost_test

import (
	"bytes"
	"os"
	"runtime/debug"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/berth-dev/berth/cell/cellhost"
)

// resident is the memory of this process in the machine, in bytes.
func resident(t *testing.T) int {
	t.Helper()
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := bytes.Cut(status, []byte("VmRSS:"))
	kib, err := strconv.Atoi(string(bytes.Fields(rest)[0]))
	if err != nil {
		t.Fatal(err)
	}
	return kib << 10
}

// What large values took goes back to the system soon after they have gone.
func TestMemoryComesBack(t *testing.T) {
	c := start(t, cellhost.Options{})
	c.open("s")
	c.run("s", `store("k", 1)`)
	debug.FreeOSMemory() // of what ran before
	before := resident(t)
	for name, tc := range map[string]struct {
		source string
		large  int
	}{
		"output": {`text("x".repeat(60 * 2**20))`, 60 << 20},
		"stored": {`for (let i = 0; i < 8; i++) store(i, "x".repeat(2**23))`, 64 << 20},
	} {
		c.open(name)
		if got := c.run(name, tc.source); strings.Contains(got, `"error_text":"`) {
			t.Fatalf("%s: %.300s", name, got)
		}
		during := resident(t)
		if during < before+tc.large/2 {
			t.Errorf("%s: %d MiB resident, want at least %d more than %d", name, during>>20, tc.large>>21, before>>20)
		}
		c.shutdown(name)
		c.await("session/closed")
		late := time.NewTimer(patience)
		tick := time.NewTicker(50 * time.Millisecond)
		for after := resident(t); after > before+tc.large/4; after = resident(t) {
			select {
			case <-tick.C:
			case <-late.C:
				t.Fatalf("%s: %d MiB resident, %d before and %d with it", name, after>>20, before>>20, during>>20)
			}
		}
		tick.Stop()
		late.Stop()
	}
}
