package cell

import (
	"math"

	"golang.org/x/sys/unix"
)

// hardwareMemory returns the machine's memory in bytes.
func hardwareMemory() int64 {
	n, err := unix.SysctlUint64("hw.memsize")
	if err != nil {
		return math.MaxInt64
	}
	return int64(min(n, math.MaxInt64))
}
