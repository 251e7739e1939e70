package frame

import "io"

// Writer writes frames to a stream, each with one call of its Write method.
type Writer struct {
	dst    io.Writer
	format Format
	limit  int
	buf    []byte
	err    error
}

// NewWriter returns a Writer of frames whose payload has at most limit bytes.
func NewWriter(dst io.Writer, format Format, limit int) *Writer {
	return &Writer{dst: dst, format: format, limit: limit}
}

// WriteFrame writes payload as one frame. A payload that can't be framed (a
// [*TooLargeError], or [ErrNewline]) is refused before anything is written and
// spoils nothing; after an error of the stream WriteFrame repeats that error.
func (w *Writer) WriteFrame(payload []byte) error {
	if w.err != nil {
		return w.err
	}
	if len(payload) > w.limit {
		return &TooLargeError{Length: uint64(len(payload)), Max: w.limit}
	}
	buf, err := w.format.End(append(w.format.Begin(w.buf[:0]), payload...), 0, w.limit)
	if err != nil {
		return err
	}
	if w.buf = buf; cap(buf) > keepSize {
		w.buf = nil
	}
	return w.WriteEncoded(buf)
}

// WriteEncoded writes bytes that Format.End has completed: one frame or several.
// After an error of the stream it repeats that error.
func (w *Writer) WriteEncoded(frames []byte) error {
	if w.err != nil {
		return w.err
	}
	n, err := w.dst.Write(frames)
	if err == nil && n < len(frames) {
		err = io.ErrShortWrite
	}
	w.err = err
	return err
}
