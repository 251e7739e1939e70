//go:build !linux || !(amd64 || arm64)

package sandbox

import "runtime"

// Apply does nothing here, and its report says so.
func Apply(Options) (Report, error) {
	return Report{Missing: []string{"there is no sandbox on " + runtime.GOOS + "/" + runtime.GOARCH}}, nil
}

// Check tries nothing here; its one result is that nothing is refused.
func Check() []Result {
	return []Result{{
		Name:     "sandbox",
		Expected: "applied",
		Actual:   "there is none on " + runtime.GOOS + "/" + runtime.GOARCH,
	}}
}
