package cell

// fifo is a first-in first-out queue whose memory shrinks with it.
type fifo[T any] struct {
	items []T
	head  int
}

func (f *fifo[T]) len() int { return len(f.items) - f.head }

func (f *fifo[T]) push(item T) { f.items = append(f.items, item) }

// pop takes the first item of a queue that has one.
func (f *fifo[T]) pop() T {
	var zero T
	item := f.items[f.head]
	f.items[f.head] = zero
	f.head++
	switch {
	case f.head == len(f.items):
		f.items, f.head = nil, 0
	case f.head >= 64 && f.head > len(f.items)/2:
		f.items, f.head = append([]T(nil), f.items[f.head:]...), 0
	}
	return item
}

// all returns what is queued, and empties the queue.
func (f *fifo[T]) all() []T {
	items := f.items[f.head:]
	f.items, f.head = nil, 0
	return items
}
