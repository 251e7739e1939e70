// Package frame cuts a byte stream into frames and joins frames to a stream.
//
//	[U32BE]  length (4 B, big-endian)    | payload (length B)
//	[U32LE]  length (4 B, little-endian) | payload (length B)
//	[Line]   payload without 0x0A        | 0x0A
//
// Every reader and writer has a largest payload. A length is checked before
// memory is taken, and an announced length takes none in advance: buffers grow
// as bytes arrive. A [Reader] or [Writer] belongs to one goroutine. After its
// first error each of them repeats that error, because a stream that was cut
// wrongly once can't be trusted again. [io.EOF] means an end between frames,
// [io.ErrUnexpectedEOF] one inside a frame, [TooLargeError] a payload over the
// maximum.
package frame

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
)

// Format is a way to tell where a frame ends.
type Format uint8

// The formats.
const (
	U32BE Format = iota + 1 // 4 B length, big-endian, then the payload
	U32LE                   // 4 B length, little-endian, then the payload
	Line                    // the payload, then 0x0A
)

// lengthSize is the size of a length field in bytes.
const lengthSize = 4

// ErrNewline is returned when a payload of a [Line] frame contains a newline.
var ErrNewline = errors.New("newline in a line frame")

// TooLargeError is returned for a payload over the maximum. Nothing of such a
// payload has been written, or read beyond what was buffered already.
type TooLargeError struct {
	Length uint64 // bytes announced; for a Line frame, read so far
	Max    int    // bytes allowed
}

// Error names the length and the limit.
func (e *TooLargeError) Error() string {
	return fmt.Sprintf("frame of %d bytes, limit %d: frame too large", e.Length, e.Max)
}

// Begin appends room for the frame's length to dst. The caller appends the
// payload and then calls End with the length that dst had before Begin.
func (f Format) Begin(dst []byte) []byte {
	if f == Line {
		return dst
	}
	return append(dst, 0, 0, 0, 0)
}

// End completes the frame that Begin started at dst[start:]: it fills in the
// length, or appends the newline. When the payload has more than limit bytes it
// returns dst[:start] and a [*TooLargeError].
func (f Format) End(dst []byte, start, limit int) ([]byte, error) {
	if f == Line {
		if n := len(dst) - start; n > limit {
			return dst[:start], &TooLargeError{Length: uint64(n), Max: limit}
		}
		if bytes.IndexByte(dst[start:], '\n') >= 0 {
			return dst[:start], ErrNewline
		}
		return append(dst, '\n'), nil
	}
	n := len(dst) - start - lengthSize
	if n > limit || n > math.MaxUint32 {
		return dst[:start], &TooLargeError{Length: uint64(n), Max: limit}
	}
	f.order().PutUint32(dst[start:], uint32(n))
	return dst, nil
}

func (f Format) order() binary.ByteOrder {
	if f == U32LE {
		return binary.LittleEndian
	}
	return binary.BigEndian
}
