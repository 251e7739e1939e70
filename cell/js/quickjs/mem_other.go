//go:build !linux

package quickjs

// populate and preferHuge are hints that only Linux takes.
func populate(uintptr, uintptr) {}

func preferHuge(uintptr, uintptr) {}
