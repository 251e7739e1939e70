//go:build unix

package quickjs

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// reserve takes n bytes of addresses without memory behind them.
func reserve(n uintptr) (uintptr, error) {
	p, err := unix.MmapPtr(-1, 0, nil, n, unix.PROT_NONE, unix.MAP_ANON|unix.MAP_PRIVATE|unix.MAP_NORESERVE)
	return uintptr(p), err
}

func unmap(p, n uintptr) { _ = unix.MunmapPtr(unsafe.Add(nil, p), n) }

func makeUsable(p, n uintptr) error {
	return unix.Mprotect(bytesAt(p, n), unix.PROT_READ|unix.PROT_WRITE)
}

func protectNone(p, n uintptr) { _ = unix.Mprotect(bytesAt(p, n), unix.PROT_NONE) }

// discard gives the memory behind pages back and keeps their addresses.
func discard(p, n uintptr) { _ = unix.Madvise(bytesAt(p, n), unix.MADV_DONTNEED) }
