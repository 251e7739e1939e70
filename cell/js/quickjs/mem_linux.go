package quickjs

import "golang.org/x/sys/unix"

// populate maps pages in one go that would otherwise fault one by one. Kernels
// before 5.14 lack it; they fault.
func populate(p, n uintptr) { _ = unix.Madvise(bytesAt(p, n), unix.MADV_POPULATE_WRITE) }

// preferHuge lets a large heap be mapped by huge pages.
func preferHuge(p, n uintptr) { _ = unix.Madvise(bytesAt(p, n), unix.MADV_HUGEPAGE) }
