package quickjs

import (
	"fmt"
	"math/bits"
	"slices"
	"sync"
	"unsafe"

	"github.com/berth-dev/berth/cell/js"
)

// The sizes that shape an arena, in bytes.
const (
	pageSize  = 4 << 10
	commitMin = 128 << 10 // memory is taken from the system in such steps at least
	spanMax   = 32 << 10  // small blocks are cut from spans of up to this size
	smallMax  = 16 << 10  // larger blocks get pages of their own
	headSize  = 16        // in front of each block: its size
	firstByte = pageSize  // the first page stays free, so that no block is at offset 0
	trimMin   = 1 << 20   // freed pages from this size on go back to the system
	hugePage  = 2 << 20   // what the system can map at once
	hugeStart = 4 << 20   // a heap that reaches here is better mapped so
)

// regionSize is the range of addresses reserved for an isolate, and so the most
// that its memory can ever be, whatever its account allows.
const regionSize uintptr = 4 << 30

const smallClasses = 35 // 32, 48, 64, then four a power of two up to smallMax

// An arena is the memory of one isolate: a reserved range of addresses, used
// from its start, that nothing else lives in. That one isolate's memory is
// contiguous is what makes it cheap to clone (copy and relocate), to count, to
// cut off (protect) and to give back (unmap), whatever the heap looks like.
//
// Small blocks come from per-size free lists, larger ones are runs of pages,
// best fit. All bookkeeping is in offsets, so that it can be copied to a clone.
// Methods belong to the isolate's goroutine, but for cutOff.
type arena struct {
	base      uintptr
	committed uintptr // end of what is readable and writable
	layout
	home *regions

	acct    js.Account
	charged int64 // bytes reserved at acct
	refused bool  // acct, or the reserved range, refused more

	mu   sync.Mutex // guards the fields below: cutOff races with release
	gone bool       // given back
	cut  bool       // inaccessible
}

// layout is the bookkeeping of an arena, in offsets from its base.
type layout struct {
	top  uintptr // end of what has been handed out as pages
	live int64   // bytes in pages handed out
	free [smallClasses]uintptr
	span [smallClasses]uint8 // spans taken, which makes the next one larger
	runs []run               // free pages, by offset, neighbours merged
}

// run is a run of free pages.
type run struct{ off, size uintptr }

// newArena takes a used region, or reserves addresses.
func newArena(from *regions, acct js.Account) (*arena, error) {
	r, ok := from.take()
	if !ok {
		base, err := reserve(regionSize)
		if err != nil {
			return nil, fmt.Errorf("reserve %d bytes of addresses: %w", regionSize, err)
		}
		r = region{base: base}
	}
	return &arena{base: r.base, layout: layout{top: firstByte}, committed: r.committed, home: from, acct: acct}, nil
}

// release gives all memory back, in time independent of what it holds.
func (a *arena) release() {
	a.mu.Lock()
	if !a.gone {
		a.gone = true
		if a.cut || !a.home.put(region{a.base, a.committed}) {
			unmap(a.base, regionSize)
		}
	}
	a.mu.Unlock()
	if a.charged != 0 {
		_ = a.acct.Reserve(-a.charged)
		a.charged = 0
	}
}

// cutOff makes the memory inaccessible, from any goroutine: whatever works on it
// faults at its next access. It is how a built-in that polls nothing is stopped.
func (a *arena) cutOff() {
	a.mu.Lock()
	defer a.mu.Unlock()
	if !a.gone {
		a.cut = true
		protectNone(a.base, regionSize)
	}
}

// charge accounts for delta more bytes of this isolate.
func (a *arena) charge(delta int64) bool {
	if err := a.acct.Reserve(delta); err != nil {
		a.refused = true
		return false
	}
	a.charged += delta
	return true
}

// alloc returns a block of n bytes, aligned to 16, or 0 if memory is refused.
func (a *arena) alloc(n uintptr) uintptr {
	need := n + headSize
	if need < n {
		return 0
	}
	if need > smallMax {
		return a.allocPages(need)
	}
	c, size := sizeClass(need)
	off := a.free[c]
	if off == 0 {
		if off = a.refill(c, size); off == 0 {
			return 0
		}
	}
	p := a.base + off
	a.free[c] = *word(p + headSize)
	*word(p) = size
	return p + headSize
}

// refill cuts a span into blocks of class c and returns the first of its list.
// A class's first span has a page, each further one twice as much.
func (a *arena) refill(c int, size uintptr) uintptr {
	n := max(pages(size), min(uintptr(pageSize)<<a.span[c], spanMax))
	off := a.takePages(n)
	if off == 0 {
		return 0
	}
	a.span[c] = min(a.span[c]+1, 8)
	count := n / size
	for i := uintptr(0); i < count; i++ {
		next := uintptr(0)
		if i+1 < count {
			next = off + (i+1)*size
		}
		*word(a.base + off + i*size + headSize) = next
	}
	a.free[c] = off
	return off
}

// freeBlock takes back a block of alloc.
func (a *arena) freeBlock(p uintptr) {
	p -= headSize
	size := *word(p)
	if size > smallMax {
		a.givePages(p-a.base, size)
		return
	}
	c, _ := sizeClass(size)
	*word(p + headSize) = a.free[c]
	a.free[c] = p - a.base
}

// usable is the number of bytes that fit into a block.
func (a *arena) usable(p uintptr) uintptr { return *word(p - headSize) - headSize }

// realloc returns a block of n bytes with the contents of p, or 0.
func (a *arena) realloc(p, n uintptr) uintptr {
	old := a.usable(p)
	if n <= old && (old <= smallMax || n > old/2) {
		return p
	}
	if n > old && old+headSize > smallMax && a.growPages(p-headSize, n+headSize) {
		return p
	}
	q := a.alloc(n)
	if q == 0 {
		return 0
	}
	copy(bytesAt(q, n), bytesAt(p, min(old, n)))
	a.freeBlock(p)
	return q
}

func (a *arena) allocPages(need uintptr) uintptr {
	size := pages(need)
	if size < need {
		return 0
	}
	off := a.takePages(size)
	if off == 0 {
		return 0
	}
	*word(a.base + off) = size
	return a.base + off + headSize
}

// growPages extends the block at address p in place, if what follows is free.
func (a *arena) growPages(p, need uintptr) bool {
	off, size := p-a.base, *word(p)
	more := pages(need) - size
	end := off + size
	i, found := slices.BinarySearchFunc(a.runs, end, func(r run, o uintptr) int { return cmpOffset(r.off, o) })
	switch {
	case found && a.runs[i].size >= more:
		if !a.charge(int64(more)) {
			return false
		}
		a.shrinkRun(i, more)
	case end == a.top:
		if !a.charge(int64(more)) {
			return false
		}
		if !a.commit(end + more) {
			_ = a.charge(-int64(more))
			return false
		}
		a.top = end + more
	default:
		return false
	}
	a.live += int64(more)
	*word(p) = size + more
	return true
}

// takePages returns the offset of size bytes of pages, or 0.
func (a *arena) takePages(size uintptr) uintptr {
	if !a.charge(int64(size)) {
		return 0
	}
	best := -1
	for i, r := range a.runs {
		if r.size >= size && (best < 0 || r.size < a.runs[best].size) {
			best = i
		}
	}
	if best >= 0 {
		off := a.runs[best].off
		a.shrinkRun(best, size)
		a.live += int64(size)
		return off
	}
	off := a.top
	if !a.commit(off + size) {
		_ = a.charge(-int64(size))
		a.refused = true
		return 0
	}
	a.top = off + size
	a.live += int64(size)
	return off
}

func (a *arena) shrinkRun(i int, size uintptr) {
	a.runs[i].off += size
	a.runs[i].size -= size
	if a.runs[i].size == 0 {
		a.runs = slices.Delete(a.runs, i, i+1)
	}
}

func (a *arena) givePages(off, size uintptr) {
	a.live -= int64(size)
	_ = a.charge(-int64(size))
	if size >= trimMin {
		discard(a.base+off, size)
	}
	i, _ := slices.BinarySearchFunc(a.runs, off, func(r run, o uintptr) int { return cmpOffset(r.off, o) })
	a.runs = slices.Insert(a.runs, i, run{off, size})
	if i+1 < len(a.runs) && off+size == a.runs[i+1].off {
		a.runs[i].size += a.runs[i+1].size
		a.runs = slices.Delete(a.runs, i+1, i+2)
	}
	if i > 0 && a.runs[i-1].off+a.runs[i-1].size == off {
		a.runs[i-1].size += a.runs[i].size
		a.runs = slices.Delete(a.runs, i, i+1)
	}
	if last := len(a.runs) - 1; last >= 0 && a.runs[last].off+a.runs[last].size == a.top {
		a.top = a.runs[last].off
		a.runs = a.runs[:last]
	}
}

// commit makes everything below end usable.
func (a *arena) commit(end uintptr) bool {
	if end <= a.committed {
		return true
	}
	if end < a.top || end > regionSize {
		return false
	}
	to := pages(max(end, a.committed+max(commitMin, a.committed/4)))
	if to > hugeStart {
		to = (to + hugePage - 1) &^ (hugePage - 1)
	}
	to = min(to, regionSize)
	if err := makeUsable(a.base+a.committed, to-a.committed); err != nil {
		return false
	}
	if to > hugeStart {
		preferHuge(a.base+a.committed, to-a.committed)
	}
	a.committed = to
	return true
}

// sizeClass is the free list for blocks of n bytes, and the size of its blocks,
// which is a multiple of 16.
func sizeClass(n uintptr) (int, uintptr) {
	if n <= 64 {
		size := max(32, (n+15)&^15)
		return int(size/16) - 2, size
	}
	shift := bits.Len(uint(n-1)) - 3 // four steps a power of two
	size := (n + 1<<shift - 1) >> shift << shift
	return 3 + (shift-4)*4 + int(size>>shift) - 5, size
}

func pages(n uintptr) uintptr { return (n + pageSize - 1) &^ (pageSize - 1) }

func cmpOffset(a, b uintptr) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

func word(p uintptr) *uintptr { return (*uintptr)(unsafe.Add(nil, p)) }

func bytesAt(p, n uintptr) []byte { return unsafe.Slice((*byte)(unsafe.Add(nil, p)), n) }
