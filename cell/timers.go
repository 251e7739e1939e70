package cell

import (
	"container/heap"
	"math"
	"time"
)

// timerBytes is charged for a timer.
const timerBytes = 128

// timers are one cell's timers behind one runtime timer: the earliest first,
// equal deadlines in creation order. It belongs to the cell's goroutine.
type timers struct {
	heap  timerHeap
	byID  map[uint64]*timer
	clock *time.Timer // set while it runs or may have a tick waiting
	set   time.Time   // the deadline that clock is set to
}

type timer struct {
	id    uint64
	at    time.Time
	index int
}

func (t *timers) add(id, ms uint64) {
	d := time.Duration(math.MaxInt64 / 4)
	if ms < uint64(d/time.Millisecond) {
		d = time.Duration(ms) * time.Millisecond
	}
	if t.byID == nil {
		t.byID = map[uint64]*timer{}
	}
	tm := &timer{id: id, at: time.Now().Add(d)}
	t.byID[id] = tm
	heap.Push(&t.heap, tm)
}

// remove reports whether there was such a timer.
func (t *timers) remove(id uint64) bool {
	tm, ok := t.byID[id]
	if ok {
		heap.Remove(&t.heap, tm.index)
		delete(t.byID, id)
	}
	return ok
}

// due takes the earliest timer if its time has come.
func (t *timers) due(now time.Time) (id uint64, ok bool) {
	if len(t.heap) == 0 || t.heap[0].at.After(now) {
		return 0, false
	}
	id = t.heap[0].id
	return id, t.remove(id)
}

// tick returns a channel that is ready no later than the earliest deadline,
// nil if there is none. A tick may come early.
func (t *timers) tick() <-chan time.Time {
	if len(t.heap) == 0 {
		return nil
	}
	at := t.heap[0].at
	switch {
	case t.clock == nil:
		t.clock = time.NewTimer(time.Until(at))
	case !t.set.Equal(at):
		t.clock.Reset(time.Until(at))
	}
	t.set = at
	return t.clock.C
}

func (t *timers) stop() {
	if t.clock != nil {
		t.clock.Stop()
	}
}

type timerHeap []*timer

func (h timerHeap) Len() int { return len(h) }
func (h timerHeap) Less(i, j int) bool {
	if h[i].at.Equal(h[j].at) {
		return h[i].id < h[j].id
	}
	return h[i].at.Before(h[j].at)
}
func (h timerHeap) Swap(i, j int) {
	h[i], h[j] = h[j], h[i]
	h[i].index, h[j].index = i, j
}
func (h *timerHeap) Push(x any) {
	t := x.(*timer)
	t.index = len(*h)
	*h = append(*h, t)
}
func (h *timerHeap) Pop() any {
	old := *h
	last := old[len(old)-1]
	old[len(old)-1] = nil
	*h = old[:len(old)-1]
	return last
}
