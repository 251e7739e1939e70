package cell

import (
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// DefaultHostMemory is what Options.HostMemory is by default, in bytes. It reads
// files: a process that is to give those up calls it before.
func DefaultHostMemory() int64 { return machineMemory() / 10 * 6 }

// machineMemory returns the bytes of memory that this process may use: the
// least of the machine's and its cgroups' limits, version 1 or 2. Where none
// can be read it is 8 GiB.
func machineMemory() int64 { return readMemory("/proc", "/sys/fs/cgroup") }

func readMemory(proc, cgroups string) int64 {
	least := hardwareMemory()
	if n, ok := meminfo(filepath.Join(proc, "meminfo")); ok {
		least = n
	}
	text, _ := os.ReadFile(filepath.Join(proc, "self", "cgroup"))
	for line := range strings.Lines(string(text)) {
		// "<hierarchy>:<controllers>:<path>"; version 2 has no controllers.
		part := strings.SplitN(strings.TrimSpace(line), ":", 3)
		switch {
		case len(part) != 3:
		case part[1] == "":
			least = min(least, limitAbove(cgroups, part[2], "memory.max"))
		case hasController(part[1], "memory"):
			least = min(least, limitAbove(filepath.Join(cgroups, "memory"), part[2], "memory.limit_in_bytes"))
		}
	}
	if least == math.MaxInt64 {
		return 8 << 30
	}
	return least
}

// limitAbove returns the least limit of a cgroup and its ancestors. Inside a
// container the path may not exist below root; root's own file then counts.
func limitAbove(root, path, file string) int64 {
	least := int64(math.MaxInt64)
	for path = filepath.Clean("/" + path); ; path = filepath.Dir(path) {
		if text, err := os.ReadFile(filepath.Join(root, path, file)); err == nil {
			if n, err := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64); err == nil {
				least = min(least, n) // "max" does not parse
			}
		}
		if path == "/" {
			return least
		}
	}
}

func meminfo(file string) (int64, bool) {
	text, err := os.ReadFile(file)
	if err != nil {
		return 0, false
	}
	for line := range strings.Lines(string(text)) {
		if rest, ok := strings.CutPrefix(line, "MemTotal:"); ok {
			kib, err := strconv.ParseInt(strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(rest), "kB")), 10, 64)
			return kib << 10, err == nil
		}
	}
	return 0, false
}

func hasController(list, name string) bool {
	for c := range strings.SplitSeq(list, ",") {
		if c == name {
			return true
		}
	}
	return false
}
