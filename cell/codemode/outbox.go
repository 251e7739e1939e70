package codemode

import (
	"context"
	"io"
	"sync"
	"time"
)

const (
	// maxQueued is how many bytes of frames may wait before senders wait too.
	maxQueued = 1 << 20
	// maxUnread is how many posted frames may wait before a peer that goes on
	// sending is given up.
	maxUnread = 4096
	// chunkSize is how many bytes of small frames are gathered for one write.
	chunkSize = 32 << 10
	// maxSpares is how many empty chunks are kept for reuse.
	maxSpares = 2
	// flushTime is how long a client that has closed its side is given to read
	// the frames that were queued before.
	flushTime = 50 * time.Millisecond
)

// outbox is the way out of a connection. Frames leave in the order in which
// they are put in. It is safe for concurrent use.
//
// Every frame is queued, and drain alone writes: it gathers small frames into
// few writes, and whoever puts a frame in is never caught in a write to a peer
// that does not read. A direct write was measured to save a tenth of the time
// of a reverse call, and would have made the caller unstoppable.
type outbox struct {
	dst  io.Writer
	wake chan struct{} // 1 token: the queue is no longer empty
	pool sync.Pool     // of *[]byte, scratch for frames

	mu     sync.Mutex    // guards the fields below
	chunks []chunk       // what to write, in order
	bytes  int           // in chunks
	posted int           // frames in chunks that were posted, not sent
	owed   int           // bytes of posted frames in the chunk that is being written
	waits  func(int)     // told how the bytes of posted frames that wait change; nil if nobody asks
	room   chan struct{} // closed when bytes falls below maxQueued; nil if nobody waits
	busy   bool          // drain is writing
	idle   chan struct{} // closed when nothing waits or is written; nil if nobody asks
	closed chan struct{} // closed when nothing is written any more
	ended  bool          // closed is closed
	err    error         // why nothing more is queued
	broken error         // the stream's failure, if that is why
	spares [][]byte      // empty chunks for reuse
}

// chunk is a number of frames that are written at once.
type chunk struct {
	data   []byte
	posted int // frames
	owed   int // bytes of these
}

func newOutbox(dst io.Writer) *outbox {
	return &outbox{dst: dst, wake: make(chan struct{}, 1), closed: make(chan struct{})}
}

// buffer returns an empty buffer for one frame, for recycle.
func (o *outbox) buffer() []byte {
	if b, ok := o.pool.Get().(*[]byte); ok {
		return (*b)[:0]
	}
	return make([]byte, 0, 1024)
}

// recycle takes back a buffer whose frame was sent, posted or refused. A large
// one is the queue's own.
func (o *outbox) recycle(b []byte) {
	if cap(b) <= chunkSize {
		o.pool.Put(&b)
	}
}

// post queues a frame at once; after the end it is dropped.
func (o *outbox) post(frame []byte) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.enqueue(frame, 1)
}

// follow queues a frame at once that follows one that was sent. There are no
// more of them than of those, so they are not held against the peer.
func (o *outbox) follow(frame []byte) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.enqueue(frame, 0)
}

// send queues a frame once there is room. When ctx ends or the outbox closes
// first, it returns an error and nothing is sent.
func (o *outbox) send(ctx context.Context, frame []byte) error {
	for {
		room, err := o.trySend(frame)
		if room == nil {
			return err
		}
		if err := o.await(ctx, room); err != nil {
			return err
		}
	}
}

// trySend is send, but for a full queue, when it returns what to wait for.
func (o *outbox) trySend(frame []byte) (room chan struct{}, err error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if room := o.full(); room != nil {
		return room, nil
	}
	o.enqueue(frame, 0)
	return nil, o.err
}

// ready waits until there is room, or the outbox closes, or ctx ends.
func (o *outbox) ready(ctx context.Context) error {
	for {
		o.mu.Lock()
		room, err := o.full(), o.err
		o.mu.Unlock()
		if room == nil {
			return err
		}
		if err := o.await(ctx, room); err != nil {
			return err
		}
	}
}

// full returns what to wait for if there is no room, else nil. The caller holds mu.
func (o *outbox) full() chan struct{} {
	if o.err != nil || o.bytes < maxQueued {
		return nil
	}
	if o.room == nil {
		o.room = make(chan struct{})
	}
	return o.room
}

func (o *outbox) await(ctx context.Context, room <-chan struct{}) error {
	select {
	case <-room:
	case <-o.closed:
	case <-ctx.Done():
		return CallCancelled()
	}
	return nil
}

// enqueue appends frame to the queue; it keeps a large one and copies a small
// one. The caller holds mu.
func (o *outbox) enqueue(frame []byte, posted int) {
	if o.err != nil {
		return
	}
	last, owed := len(o.chunks)-1, posted*len(frame)
	switch {
	case cap(frame) > chunkSize:
		o.chunks = append(o.chunks, chunk{frame, posted, owed})
	case last >= 0 && cap(o.chunks[last].data) == chunkSize && len(o.chunks[last].data)+len(frame) <= chunkSize:
		c := &o.chunks[last]
		c.data = append(c.data, frame...)
		c.posted += posted
		c.owed += owed
	default:
		o.chunks = append(o.chunks, chunk{append(o.empty(), frame...), posted, owed})
	}
	o.bytes += len(frame)
	o.posted += posted
	o.waiting(owed)
	if last < 0 {
		select {
		case o.wake <- struct{}{}:
		default:
		}
	}
}

// waiting reports that delta bytes more wait. The caller holds mu.
func (o *outbox) waiting(delta int) {
	if o.waits != nil && delta != 0 {
		o.waits(delta)
	}
}

// empty returns an empty chunk. The caller holds mu.
func (o *outbox) empty() []byte {
	n := len(o.spares)
	if n == 0 {
		return make([]byte, 0, chunkSize)
	}
	data := o.spares[n-1]
	o.spares = o.spares[:n-1]
	return data
}

// drain writes what is queued until the outbox closes or the stream fails. At
// the end it calls shut, so that the reader notices.
func (o *outbox) drain(shut func()) {
	defer shut()
	for {
		select {
		case <-o.wake:
		case <-o.closed:
			return
		}
		for b := o.take(); b != nil; b = o.take() {
			n, err := o.dst.Write(b)
			if err == nil && n < len(b) {
				err = io.ErrShortWrite
			}
			o.written(b, err)
		}
	}
}

// take removes the first chunk for writing; nil if there is none.
func (o *outbox) take() []byte {
	o.mu.Lock()
	defer o.mu.Unlock()
	if len(o.chunks) == 0 {
		return nil
	}
	first := o.chunks[0]
	o.chunks[0] = chunk{}
	if o.chunks = o.chunks[1:]; len(o.chunks) == 0 {
		o.chunks = nil
	}
	o.busy = true
	o.bytes -= len(first.data)
	o.posted -= first.posted
	o.owed = first.owed
	if o.room != nil && o.bytes < maxQueued {
		close(o.room)
		o.room = nil
	}
	return first.data
}

// written saves a chunk for reuse, or closes the outbox.
func (o *outbox) written(b []byte, err error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.busy = false
	o.waiting(-o.owed)
	o.owed = 0
	if err != nil && !o.ended {
		o.broken = &Error{Code: CodeTransport, Message: "write frame", Err: err}
		o.end(errClosed(o.broken))
	}
	if o.idle != nil && len(o.chunks) == 0 {
		close(o.idle)
		o.idle = nil
	}
	if cap(b) == chunkSize && len(o.spares) < maxSpares {
		o.spares = append(o.spares, b[:0])
	}
}

// slow reports that too much waits for a peer that goes on sending.
func (o *outbox) slow() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.posted > maxUnread
}

// flush refuses what comes and waits until what was queued is written, the
// outbox closes, or limit has passed.
func (o *outbox) flush(limit time.Duration) {
	o.mu.Lock()
	if o.err != nil || len(o.chunks) == 0 && !o.busy {
		o.mu.Unlock()
		return
	}
	o.err = errClosed(nil)
	idle := make(chan struct{})
	o.idle = idle
	o.mu.Unlock()
	patience := time.NewTimer(limit)
	defer patience.Stop()
	select {
	case <-idle:
	case <-o.closed:
	case <-patience.C:
	}
}

// close drops what waits and refuses what comes. It returns the failure of the
// stream that closed the outbox before, if there was one.
func (o *outbox) close(cause error) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	broken := o.broken
	if !o.ended {
		o.end(errClosed(cause))
	}
	return broken
}

// end closes the outbox. The caller holds mu.
func (o *outbox) end(err error) {
	o.err, o.ended = err, true
	for _, c := range o.chunks {
		o.waiting(-c.owed)
	}
	o.chunks, o.bytes, o.posted = nil, 0, 0
	close(o.closed)
}
