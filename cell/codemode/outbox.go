package codemode

import (
	"context"
	"io"
	"sync"
)

const (
	// maxQueued is how many bytes of frames may wait before those who need not
	// send now have to wait as well.
	maxQueued = 1 << 20
	// maxUnread is how many posted frames may wait before a peer that goes on
	// sending is given up.
	maxUnread = 4096
	// chunkSize is how many bytes of small frames are gathered for one write.
	chunkSize = 64 << 10
)

// outbox is the way out of a connection. Frames leave in the order in which
// they are put in. It is safe for concurrent use.
//
// A frame is written by whoever sends it, if nothing waits and nobody writes;
// otherwise it is queued for drain, which gathers small frames into few writes.
type outbox struct {
	dst  io.Writer
	wake chan struct{} // 1 token: there is something for drain
	pool sync.Pool     // of *[]byte, scratch for frames

	mu      sync.Mutex    // guards the fields below
	writing bool          // somebody is in dst.Write
	chunks  []chunk       // what to write, in order
	bytes   int           // in chunks
	posted  int           // frames in chunks that were posted, not sent
	room    chan struct{} // closed when bytes falls below maxQueued; nil if nobody waits
	closed  chan struct{} // closed with err
	err     error         // why nothing is written any more
	broken  error         // the stream's failure, if that is why
	spare   []byte        // an empty chunk for reuse
}

// chunk is a number of frames that are written at once.
type chunk struct {
	data   []byte
	posted int
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

// recycle takes back a buffer whose frame was sent, posted or refused.
func (o *outbox) recycle(b []byte) {
	if cap(b) <= chunkSize {
		o.pool.Put(&b)
	}
}

// post queues a frame. It never blocks; after the end the frame is dropped.
func (o *outbox) post(frame []byte) {
	o.mu.Lock()
	o.enqueue(frame, 1)
	o.mu.Unlock()
}

// send writes a frame if direct is set and the way is free, else it queues it
// once there is room. When ctx ends or the outbox closes first, it returns an
// error and nothing was sent.
func (o *outbox) send(ctx context.Context, frame []byte, direct bool) error {
	for {
		o.mu.Lock()
		if o.err != nil {
			defer o.mu.Unlock()
			return o.err
		}
		if direct && !o.writing && len(o.chunks) == 0 {
			o.writing = true
			o.mu.Unlock()
			o.write(frame)
			return nil
		}
		if o.bytes < maxQueued {
			o.enqueue(frame, 0)
			o.mu.Unlock()
			return nil
		}
		if o.room == nil {
			o.room = make(chan struct{})
		}
		room := o.room
		o.mu.Unlock()
		select {
		case <-room:
		case <-o.closed:
		case <-ctx.Done():
			return CallCancelled()
		}
	}
}

// enqueue appends frame to the queue; it keeps a large one and copies a small
// one. The caller holds mu.
func (o *outbox) enqueue(frame []byte, posted int) {
	if o.err != nil {
		return
	}
	last := len(o.chunks) - 1
	switch {
	case len(frame) > chunkSize:
		o.chunks = append(o.chunks, chunk{data: frame, posted: posted})
	case last >= 0 && cap(o.chunks[last].data) == chunkSize && len(o.chunks[last].data)+len(frame) <= chunkSize:
		o.chunks[last].data = append(o.chunks[last].data, frame...)
		o.chunks[last].posted += posted
	default:
		data := o.spare
		o.spare = nil
		if data == nil {
			data = make([]byte, 0, chunkSize)
		}
		o.chunks = append(o.chunks, chunk{data: append(data, frame...), posted: posted})
	}
	o.bytes += len(frame)
	o.posted += posted
	if !o.writing {
		o.signal()
	}
}

func (o *outbox) signal() {
	select {
	case o.wake <- struct{}{}:
	default:
	}
}

// write writes b for a caller that has set writing, and lets the next write.
func (o *outbox) write(b []byte) {
	n, err := o.dst.Write(b)
	if err == nil && n < len(b) {
		err = io.ErrShortWrite
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	o.writing = false
	if err != nil {
		o.fail(&Error{Code: CodeTransport, Message: "write frame", Err: err})
	}
	if len(o.chunks) > 0 {
		o.signal()
	}
}

// drain writes what is queued until the outbox closes. When the stream fails it
// calls shut, so that the reader notices.
func (o *outbox) drain(shut func()) {
	defer shut()
	for {
		select {
		case <-o.wake:
		case <-o.closed:
			return
		}
		for {
			b, ok := o.take()
			if !ok {
				break
			}
			o.write(b)
			o.keep(b)
		}
	}
}

// take removes the first chunk for writing, unless somebody writes already.
func (o *outbox) take() ([]byte, bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.writing || len(o.chunks) == 0 {
		return nil, false
	}
	first := o.chunks[0]
	o.chunks[0] = chunk{}
	if o.chunks = o.chunks[1:]; len(o.chunks) == 0 {
		o.chunks = nil
	}
	o.bytes -= len(first.data)
	o.posted -= first.posted
	o.writing = true
	if o.room != nil && o.bytes < maxQueued {
		close(o.room)
		o.room = nil
	}
	return first.data, true
}

// keep saves an empty chunk for reuse.
func (o *outbox) keep(b []byte) {
	if cap(b) == chunkSize {
		o.mu.Lock()
		o.spare = b[:0]
		o.mu.Unlock()
	}
}

// queued returns the number of bytes that wait.
func (o *outbox) queued() int {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.bytes
}

// slow reports that too much waits for a peer that goes on sending.
func (o *outbox) slow() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.posted > maxUnread
}

// close drops what waits and refuses what comes. It returns the failure of the
// stream that closed the outbox before, if there was one.
func (o *outbox) close(cause error) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	broken := o.broken
	o.end(errClosed(cause))
	return broken
}

// fail closes the outbox for a failure of the stream. The caller holds mu.
func (o *outbox) fail(err error) {
	if o.err == nil {
		o.broken = err
		o.end(errClosed(err))
	}
}

func (o *outbox) end(err error) {
	if o.err != nil {
		return
	}
	o.err = err
	o.chunks, o.bytes, o.posted = nil, 0, 0
	close(o.closed)
}
