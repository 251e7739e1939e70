package quickjs

import (
	"testing"
)

// TestRegions checks what is kept of isolates that have gone.
func TestRegions(t *testing.T) {
	var r regions
	if _, ok := r.take(); ok {
		t.Error("there is a region from the start")
	}
	a, err := newArena(&r, free{})
	if err != nil {
		t.Fatal(err)
	}
	p := a.alloc(100)
	base := a.base
	if p == 0 {
		t.Fatal("no memory")
	}
	a.release()
	a.release() // does nothing
	b, err := newArena(&r, free{})
	if err != nil {
		t.Fatal(err)
	}
	if b.base != base {
		t.Errorf("the region at %#x is not used again, but %#x", base, b.base)
	}
	if b.alloc(keepUsable+1) == 0 {
		t.Fatal("no memory")
	}
	b.release() // has grown too large
	if _, ok := r.take(); ok {
		t.Error("a large region is kept")
	}
	c, err := newArena(&r, free{})
	if err != nil {
		t.Fatal(err)
	}
	c.alloc(1)
	c.cutOff()
	c.release()
	c.cutOff() // does nothing
	if _, ok := r.take(); ok {
		t.Error("a region without access is kept")
	}
	r.close()
	d, err := newArena(&r, free{})
	if err != nil {
		t.Fatal(err)
	}
	d.release()
	if _, ok := r.take(); ok {
		t.Error("a region is kept after close")
	}
}
