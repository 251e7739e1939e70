//go:build !darwin

package cell

import "math"

// hardwareMemory is not asked for here; /proc tells.
func hardwareMemory() int64 { return math.MaxInt64 }
