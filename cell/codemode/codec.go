package codemode

import (
	"errors"
	"io"

	"github.com/berth-dev/berth/frame"
)

// takeSize is the payload size in bytes from which a decoded message keeps
// parts of the payload instead of copying them.
const takeSize = 64 << 10

// EncodedFrame is a whole frame, length included, that has passed the size
// check. Spec: codemode §2.
type EncodedFrame []byte

// EncodeClientToHost returns the frame of a client's message. A message that
// has no valid encoding is an [*Error] with [CodeEncode], one over
// [MaxFrameBytes] with [CodeFrameTooLarge], one over [MaxNesting] with
// [CodeTooDeep].
func EncodeClientToHost(d Dialect, m ClientToHost) (EncodedFrame, error) {
	return appendClientFrame(nil, d, m)
}

// EncodeHostToClient returns the frame of a host's message, with the errors of
// [EncodeClientToHost].
func EncodeHostToClient(d Dialect, m HostToClient) (EncodedFrame, error) {
	return appendHostFrame(nil, d, m)
}

func appendClientFrame(dst []byte, d Dialect, m ClientToHost) ([]byte, error) {
	e := encoder{dialect: d, buf: frame.U32LE.Begin(dst)}
	e.clientToHost(m)
	return e.finish(len(dst))
}

func appendHostFrame(dst []byte, d Dialect, m HostToClient) ([]byte, error) {
	e := encoder{dialect: d, buf: frame.U32LE.Begin(dst)}
	e.hostToClient(m)
	return e.finish(len(dst))
}

// finish seals the frame that begins at start.
func (e *encoder) finish(start int) ([]byte, error) {
	var deep *Error
	switch {
	case e.err == nil:
	case errors.As(e.err, &deep):
		return e.buf[:start], deep
	default:
		return e.buf[:start], &Error{Code: CodeEncode, Message: "failed to encode code-mode IPC frame", Err: e.err}
	}
	buf, err := frame.U32LE.End(e.buf, start, MaxFrameBytes)
	if err != nil {
		return buf, asFrameError(err)
	}
	return buf, nil
}

// asFrameError gives an error of package frame its text and code here.
func asFrameError(err error) error {
	var large *frame.TooLargeError
	switch {
	case err == io.EOF:
		return err
	case errors.As(err, &large):
		return frameTooLarge(large.Length)
	case errors.Is(err, io.ErrUnexpectedEOF):
		return &Error{Code: CodeTransport, Message: "early eof", Err: err}
	default:
		return &Error{Code: CodeTransport, Message: "read frame", Err: err}
	}
}

// FramedReader reads messages from a stream. It belongs to one goroutine; after
// its first error it repeats that error. Spec: codemode §2.
type FramedReader struct {
	frames  *frame.Reader
	decoder *Decoder
	err     error
}

// NewFramedReader returns a reader of messages in dialect d.
func NewFramedReader(r io.Reader, d Dialect) *FramedReader {
	return &FramedReader{frames: frame.NewReader(r, frame.U32LE, MaxFrameBytes), decoder: NewDecoder(d)}
}

// SetDialect changes the dialect of the messages that follow.
func (r *FramedReader) SetDialect(d Dialect) { r.decoder.dialect = d }

// ReadClientToHost returns the next message of a client. [io.EOF] means that
// the stream ended between frames. Other errors are an [*Error] with
// [CodeTransport], [CodeFrameTooLarge] or [CodeDecode]; all are final.
func (r *FramedReader) ReadClientToHost() (ClientToHost, error) {
	payload, owned, err := r.next()
	if err != nil {
		return nil, err
	}
	m, err := decode(r.decoder, payload, owned, r.decoder.clientMessage)
	r.err = err
	return m, err
}

// ReadHostToClient returns the next message of a host, with the errors of
// ReadClientToHost.
func (r *FramedReader) ReadHostToClient() (HostToClient, error) {
	payload, owned, err := r.next()
	if err != nil {
		return nil, err
	}
	m, err := decode(r.decoder, payload, owned, r.decoder.hostMessage)
	r.err = err
	return m, err
}

// next returns a payload, and whether parts of it may be kept.
func (r *FramedReader) next() (payload []byte, owned bool, err error) {
	if r.err != nil {
		return nil, false, r.err
	}
	if payload, err = r.frames.Next(); err != nil {
		r.err = asFrameError(err)
		return nil, false, r.err
	}
	if len(payload) >= takeSize {
		return r.frames.Take(), true, nil
	}
	return payload, false, nil
}

// FramedWriter writes messages to a stream, each with one call of Write. It
// belongs to one goroutine. Spec: codemode §2.
type FramedWriter struct {
	frames  *frame.Writer
	dialect Dialect
	buf     []byte
}

// NewFramedWriter returns a writer of messages in dialect d.
func NewFramedWriter(w io.Writer, d Dialect) *FramedWriter {
	return &FramedWriter{frames: frame.NewWriter(w, frame.U32LE, MaxFrameBytes), dialect: d}
}

// SetDialect changes the dialect of the messages that follow.
func (w *FramedWriter) SetDialect(d Dialect) { w.dialect = d }

// WriteClientToHost writes a client's message. A message that can't be encoded
// fails as in [EncodeClientToHost] and spoils nothing; after an error of the
// stream, which has [CodeTransport], every write repeats it.
func (w *FramedWriter) WriteClientToHost(m ClientToHost) error {
	buf, err := appendClientFrame(w.buf[:0], w.dialect, m)
	return w.write(buf, err)
}

// WriteHostToClient writes a host's message, with the errors of WriteClientToHost.
func (w *FramedWriter) WriteHostToClient(m HostToClient) error {
	buf, err := appendHostFrame(w.buf[:0], w.dialect, m)
	return w.write(buf, err)
}

// WriteFrame writes a frame that was encoded before.
func (w *FramedWriter) WriteFrame(f EncodedFrame) error {
	if err := w.frames.WriteEncoded(f); err != nil {
		return &Error{Code: CodeTransport, Message: "write frame", Err: err}
	}
	return nil
}

func (w *FramedWriter) write(buf []byte, err error) error {
	if cap(buf) <= takeSize {
		w.buf = buf
	}
	if err != nil {
		return err
	}
	return w.WriteFrame(buf)
}
