package cell

import (
	"fmt"
	"sync/atomic"

	"github.com/berth-dev/berth/cell/js"
)

// meter counts bytes against a limit. The zero limit means none.
type meter struct {
	limit int64
	used  atomic.Int64
}

// take adds n > 0 bytes, or nothing if the limit would be passed. It never
// counts what it refuses, not even for a moment: another cell must not be
// refused because of this one.
func (m *meter) take(n int64) bool {
	for {
		used := m.used.Load()
		if m.limit > 0 && n > m.limit-used {
			return false
		}
		if m.used.CompareAndSwap(used, used+n) {
			return true
		}
	}
}

// account is what one cell is charged for: the heap of its isolate and all that
// the host keeps for it. It implements js.Account for the isolate.
type account struct {
	host *meter
	cell meter
	heap atomic.Int64 // the isolate's share of cell.used
	over atomic.Int64 // the limit that refused last, in bytes
}

// Reserve implements js.Account.
func (a *account) Reserve(delta int64) error {
	if delta <= 0 {
		a.heap.Add(delta)
		a.giveBack(-delta)
		return nil
	}
	if err := a.charge(delta); err != nil {
		return err
	}
	a.heap.Add(delta)
	return nil
}

// LimitError implements js.Account.
func (a *account) LimitError() string {
	return fmt.Sprintf(textMemory, a.over.Load()>>20)
}

// charge adds n ≥ 0 bytes to the cell and to the host.
func (a *account) charge(n int64) error {
	if !a.cell.take(n) {
		return a.refuse(a.cell.limit)
	}
	if !a.host.take(n) {
		a.cell.used.Add(-n)
		return a.refuse(a.host.limit)
	}
	return nil
}

func (a *account) giveBack(n int64) {
	a.cell.used.Add(-n)
	a.host.used.Add(-n)
}

func (a *account) refuse(limit int64) error {
	a.over.Store(limit)
	return fmt.Errorf("reserve for a cell: limit %d bytes: %w", limit, js.ErrMemory)
}

// freeHeap gives back what an isolate that is gone still owed.
func (a *account) freeHeap() { a.giveBack(a.heap.Swap(0)) }
