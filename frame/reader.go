package frame

import (
	"bytes"
	"io"
)

const (
	// readSize is what a Reader asks for at once, and the buffer it keeps.
	readSize = 32 << 10
	// keepSize is the largest buffer in bytes that a Reader keeps for the next
	// frame; a larger one is freed, so that one large frame is not paid forever.
	keepSize = 1 << 20
	// maxEmptyReads is how many reads without bytes or an error are tolerated.
	maxEmptyReads = 100
)

// Reader reads frames from a stream.
type Reader struct {
	src    io.Reader
	format Format
	limit  int

	buf        []byte // bytes read: buf[start:end] is not yet handed out
	start, end int
	scanned    int // of buf[start:end], bytes known to hold no newline
	frame      []byte
	err        error
}

// NewReader returns a Reader of frames whose payload has at most limit bytes.
func NewReader(src io.Reader, format Format, limit int) *Reader {
	return &Reader{src: src, format: format, limit: limit}
}

// Next returns the next payload, valid until the following call of Next. A
// newline is not part of it. A payload over the limit is refused with a
// [*TooLargeError] before anything of it is read. [io.EOF] means that the stream
// ended between frames, [io.ErrUnexpectedEOF] that it ended inside one. After any
// error Next repeats it.
func (r *Reader) Next() ([]byte, error) {
	if r.err != nil {
		return nil, r.err
	}
	r.frame = nil
	r.release()
	var payload []byte
	var err error
	if r.format == Line {
		payload, err = r.nextLine()
	} else {
		payload, err = r.nextSized()
	}
	if err != nil {
		r.err, r.buf = err, nil
		return nil, err
	}
	r.frame = payload
	return payload, nil
}

// Take gives the bytes of the last payload to the caller, who may keep them. A
// payload that fills most of its buffer is given away with it, without a copy.
func (r *Reader) Take() []byte {
	payload := r.frame
	if len(payload) <= max(readSize, len(r.buf)/2) {
		return bytes.Clone(payload)
	}
	rest := r.buf[r.start:r.end]
	r.buf, r.start, r.end, r.frame = nil, 0, len(rest), nil
	if len(rest) > 0 {
		r.buf = make([]byte, max(readSize, len(rest)))
		copy(r.buf, rest)
	}
	return payload[:len(payload):len(payload)]
}

// Buffered returns the number of bytes read from the stream and not yet
// returned by Next.
func (r *Reader) Buffered() int { return r.end - r.start }

func (r *Reader) nextSized() ([]byte, error) {
	if err := r.fill(lengthSize); err != nil {
		return nil, err
	}
	n := r.format.order().Uint32(r.buf[r.start:])
	if uint64(n) > uint64(max(r.limit, 0)) {
		return nil, &TooLargeError{Length: uint64(n), Max: r.limit}
	}
	whole := lengthSize + int(n)
	if err := r.fill(whole); err != nil {
		return nil, err
	}
	payload := r.buf[r.start+lengthSize : r.start+whole]
	r.start += whole
	return payload, nil
}

func (r *Reader) nextLine() ([]byte, error) {
	r.scanned = 0
	for {
		have := r.buf[r.start:r.end]
		if i := bytes.IndexByte(have[r.scanned:], '\n'); i >= 0 {
			n := r.scanned + i
			if n > r.limit {
				return nil, &TooLargeError{Length: uint64(n), Max: r.limit}
			}
			r.start += n + 1
			return have[:n], nil
		}
		r.scanned = len(have)
		if len(have) > r.limit {
			return nil, &TooLargeError{Length: uint64(len(have)), Max: r.limit}
		}
		if err := r.fill(len(have) + 1); err != nil {
			return nil, err
		}
	}
}

// fill reads until at least n bytes are buffered. A buffer that is full grows
// to twice its size at most, so memory stays within twice of what arrived.
func (r *Reader) fill(n int) error {
	for empty := 0; r.end-r.start < n; {
		r.room(n)
		got, err := r.src.Read(r.buf[r.end:])
		r.end += got
		if r.end-r.start >= n {
			return nil
		}
		switch {
		case err == io.EOF && r.end == r.start:
			return io.EOF
		case err == io.EOF:
			return io.ErrUnexpectedEOF
		case err != nil:
			return err
		case got > 0:
			empty = 0
		default:
			if empty++; empty == maxEmptyReads {
				return io.ErrNoProgress
			}
		}
	}
	return nil
}

// room makes space for at least one more byte of a frame of n bytes in all,
// header included. It grows the buffer only when it is full.
func (r *Reader) room(n int) {
	have := r.end - r.start
	switch {
	case r.start+n <= len(r.buf):
		return
	case n <= len(r.buf) || r.start > 0 && have <= len(r.buf)/2:
		copy(r.buf, r.buf[r.start:r.end])
		r.start, r.end = 0, have
		return
	case r.end < len(r.buf):
		return
	}
	size := 2 * have
	if r.format != Line {
		size = min(size, n) // n is known to be the whole
	}
	grown := make([]byte, max(readSize, size))
	copy(grown, r.buf[r.start:r.end])
	r.buf, r.start, r.end = grown, 0, have
}

// release frees a large buffer that the previous frame needed.
func (r *Reader) release() {
	if r.start == r.end {
		r.start, r.end = 0, 0
	}
	if len(r.buf) > keepSize && r.end-r.start <= readSize {
		small := make([]byte, readSize)
		r.end = copy(small, r.buf[r.start:r.end])
		r.buf, r.start = small, 0
	}
}
