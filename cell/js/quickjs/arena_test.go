package quickjs

import (
	"bytes"
	"testing"

	"pgregory.net/rapid"

	"github.com/berth-dev/berth/cell/js"
)

// limited is an account with a limit.
type limited struct{ used, limit int64 }

func (l *limited) LimitError() string { return "limit" }

func (l *limited) Reserve(delta int64) error {
	if delta > 0 && l.used+delta > l.limit {
		return js.ErrMemory
	}
	l.used += delta
	return nil
}

// TestSizeClasses checks that every small size has a class whose blocks hold it,
// are aligned, and waste at most a quarter.
func TestSizeClasses(t *testing.T) {
	sizes := map[int]uintptr{}
	for n := uintptr(1); n <= smallMax; n++ {
		c, size := sizeClass(n)
		if c < 0 || c >= smallClasses {
			t.Fatalf("%d bytes: class %d of %d", n, c, smallClasses)
		}
		if size < n || size%16 != 0 || n > 32 && size-n >= max(16, n/4+1) {
			t.Fatalf("%d bytes: blocks of %d", n, size)
		}
		if known, ok := sizes[c]; ok && known != size {
			t.Fatalf("class %d has blocks of %d and of %d", c, known, size)
		}
		sizes[c] = size
	}
	if len(sizes) != smallClasses {
		t.Errorf("%d classes are used, of %d", len(sizes), smallClasses)
	}
}

// TestArena holds the allocator against a model: blocks never overlap, keep
// their contents, and all that was charged comes back.
func TestArena(t *testing.T) {
	used := &regions{}
	t.Cleanup(used.close)
	rapid.Check(t, func(t *rapid.T) {
		acct := &limited{limit: 64 << 20}
		a, err := newArena(used, acct)
		if err != nil {
			t.Fatal(err)
		}
		defer a.release()
		type block struct {
			p, n uintptr
			fill byte
		}
		var blocks []block
		check := func(b block) {
			if got := bytesAt(b.p, b.n); !bytes.Equal(got, bytes.Repeat([]byte{b.fill}, int(b.n))) {
				t.Fatalf("a block of %d bytes lost its contents", b.n)
			}
		}
		fill := func(b *block) {
			b.fill++
			s := bytesAt(b.p, b.n)
			for k := range s {
				s[k] = b.fill
			}
		}
		size := rapid.OneOf(rapid.UintptrRange(1, 200), rapid.UintptrRange(1, 3*smallMax), rapid.UintptrRange(1, 8<<20))
		pick := func(t *rapid.T) int { return rapid.IntRange(0, len(blocks)-1).Draw(t, "block") }
		t.Repeat(map[string]func(*rapid.T){
			"alloc": func(t *rapid.T) {
				n := size.Draw(t, "size")
				p := a.alloc(n)
				if p == 0 {
					if acct.used+int64(n) < acct.limit/2 {
						t.Fatalf("refused %d bytes with %d in use", n, acct.used)
					}
					return
				}
				if p%16 != 0 || a.usable(p) < n {
					t.Fatalf("%d bytes at %#x, usable %d", n, p, a.usable(p))
				}
				b := block{p: p, n: n, fill: byte(len(blocks))}
				fill(&b)
				blocks = append(blocks, b)
			},
			"free": func(t *rapid.T) {
				if len(blocks) == 0 {
					return
				}
				k := pick(t)
				check(blocks[k])
				a.freeBlock(blocks[k].p)
				blocks = append(blocks[:k], blocks[k+1:]...)
			},
			"realloc": func(t *rapid.T) {
				if len(blocks) == 0 {
					return
				}
				k := pick(t)
				n := size.Draw(t, "size")
				p := a.realloc(blocks[k].p, n)
				if p == 0 {
					check(blocks[k])
					return
				}
				kept := block{p, min(n, blocks[k].n), blocks[k].fill}
				check(kept)
				blocks[k] = block{p, n, blocks[k].fill}
				fill(&blocks[k])
			},
			"": func(t *rapid.T) {
				for _, b := range blocks {
					check(b)
				}
				if acct.used != a.charged || a.charged != a.live {
					t.Fatalf("account %d, charged %d, live %d", acct.used, a.charged, a.live)
				}
			},
		})
		a.release()
		if acct.used != 0 {
			t.Fatalf("%d bytes stay charged", acct.used)
		}
	})
}

// TestFreedNeighboursMerge checks that freed neighbours merge, so that a large block
// fits where small ones were.
func TestFreedNeighboursMerge(t *testing.T) {
	a, err := newArena(&regions{}, &limited{limit: 1 << 30})
	if err != nil {
		t.Fatal(err)
	}
	defer a.release()
	var blocks []uintptr
	for range 64 {
		blocks = append(blocks, a.alloc(64<<10))
	}
	guard := a.alloc(64 << 10)
	top := a.top
	for _, k := range []int{0, 2, 4, 1, 3} {
		a.freeBlock(blocks[k])
	}
	if p := a.alloc(5*(64<<10) - headSize); p != blocks[0] || a.top != top {
		t.Errorf("five merged blocks are not reused: %#x, want %#x", p, blocks[0])
	}
	a.freeBlock(guard)
	for _, p := range blocks[5:] {
		a.freeBlock(p)
	}
	if a.top >= top || len(a.runs) != 0 {
		t.Errorf("the end does not shrink: top %d of %d, runs %v", a.top, top, a.runs)
	}
}
