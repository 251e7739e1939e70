package report

import (
	"os"
	"runtime"
	"strconv"
	"strings"
)

// ThisMachine describes the machine, as far as it tells.
func ThisMachine() Machine {
	m := Machine{OS: runtime.GOOS, Arch: runtime.GOARCH, Cores: runtime.NumCPU()}
	// Elsewhere than on Linux these files don't exist, and the fields stay empty.
	cpu, _ := os.ReadFile("/proc/cpuinfo")
	memory, _ := os.ReadFile("/proc/meminfo")
	load, _ := os.ReadFile("/proc/loadavg")
	m.CPU = field(cpu, "model name")
	kilobytes, _ := strconv.ParseInt(strings.TrimSuffix(field(memory, "MemTotal"), " kB"), 10, 64)
	m.Memory = kilobytes << 10
	first, _, _ := strings.Cut(string(load), " ")
	m.Load, _ = strconv.ParseFloat(first, 64)
	return m
}

// field returns what follows "name:" on the first line that begins so.
func field(text []byte, name string) string {
	for line := range strings.Lines(string(text)) {
		if key, rest, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(key) == name {
			return strings.TrimSpace(rest)
		}
	}
	return ""
}
