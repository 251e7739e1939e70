package quickjs

import "sync"

// The bounds of what is kept of isolates that have gone.
const (
	keepRegions = 16        // regions
	keepBytes   = 512 << 10 // of memory in each
	keepUsable  = 2 << 20   // a region that grew beyond is unmapped
)

// region is a reserved range of regionSize addresses, usable up to committed.
type region struct{ base, committed uintptr }

// regions keeps the regions of isolates that have gone, a few and with little
// memory in each. A page that is there already costs a copy, a new one a fault,
// and an isolate's first sixty faults take longer than all else about it. What
// it held is overwritten or, like all of malloc's memory, never read.
//
// The zero value is ready to use and safe for concurrent use.
type regions struct {
	mu     sync.Mutex
	kept   []region
	closed bool
}

func (r *regions) take() (region, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	n := len(r.kept)
	if n == 0 {
		return region{}, false
	}
	last := r.kept[n-1]
	r.kept = r.kept[:n-1]
	return last, true
}

// put takes a region, unless it is not worth keeping.
func (r *regions) put(g region) bool {
	if g.committed > keepUsable {
		return false
	}
	if g.committed > keepBytes {
		discard(g.base+keepBytes, g.committed-keepBytes)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed || len(r.kept) >= keepRegions {
		return false
	}
	r.kept = append(r.kept, g)
	return true
}

// close unmaps what is kept, and keeps nothing more.
func (r *regions) close() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.closed = true
	for _, g := range r.kept {
		unmap(g.base, regionSize)
	}
	r.kept = nil
}
