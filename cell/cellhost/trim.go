package cellhost

import (
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"
)

const (
	trimBytes = 8 << 20     // garbage that is worth a collection of its own
	trimAfter = time.Second // of quiet
)

// trimmer gives memory back to the system once large values have gone and the
// host is quiet. A program that allocates nothing collects no garbage for two
// minutes, and a host that has handed over its output has nothing to allocate.
// It is safe for concurrent use.
type trimmer struct {
	held func() int64 // bytes that cells are charged for now
	went atomic.Int64 // bytes of values that are gone since the last trim

	mu    sync.Mutex // guards the fields below
	high  int64      // the most that was held since
	timer *time.Timer
	ended bool
}

func newTrimmer(held func() int64) *trimmer { return &trimmer{held: held} }

// gone is told of values that nobody needs any more, in bytes.
func (t *trimmer) gone(bytes int) {
	if bytes > 0 && t.went.Add(int64(bytes)) >= trimBytes {
		t.mu.Lock()
		defer t.mu.Unlock()
		t.arm()
	}
}

// look is called when cells may have begun to hold more or less.
func (t *trimmer) look() {
	now := t.held()
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.high = max(t.high, now); t.high-now >= trimBytes {
		t.arm()
	}
}

// arm sees to a trim after a time of quiet. t.mu is held.
func (t *trimmer) arm() {
	switch {
	case t.ended:
	case t.timer == nil:
		t.timer = time.AfterFunc(trimAfter, t.trim)
	default:
		t.timer.Reset(trimAfter)
	}
}

func (t *trimmer) trim() {
	t.went.Store(0)
	now := t.held()
	t.mu.Lock()
	t.high = now
	t.mu.Unlock()
	debug.FreeOSMemory()
}

func (t *trimmer) stop() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.ended = true
	if t.timer != nil {
		t.timer.Stop()
	}
}
