package process

import (
	"bytes"
	"io"
	"sync"
)

// Tail keeps the last Max bytes written to it. It is safe for concurrent use.
type Tail struct {
	Max int // bytes

	mu  sync.Mutex
	buf []byte // guarded by mu; at most 2*Max bytes
}

// Write never fails.
func (t *Tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.buf = append(t.buf, p[max(0, len(p)-t.Max):]...)
	if len(t.buf) > 2*t.Max {
		t.buf = append(t.buf[:0], t.buf[len(t.buf)-t.Max:]...)
	}
	return len(p), nil
}

// String returns the last bytes.
func (t *Tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return string(t.buf[max(0, len(t.buf)-t.Max):])
}

// Lines passes whole lines on to Dst, each behind Prefix and in one Write, so
// that several writers may share Dst if that is safe for concurrent use. A line
// over MaxLine bytes is cut and marked. After MaxBytes bytes it says so once
// and drops the rest. It is for one goroutine.
type Lines struct {
	Dst      io.Writer
	Prefix   string
	MaxLine  int // bytes; 0 means 4 KiB
	MaxBytes int // bytes in all; 0 means 16 MiB

	line    []byte
	cut     bool
	written int
	full    bool
}

// Write never fails; what Dst refuses is lost.
func (l *Lines) Write(p []byte) (int, error) {
	n := len(p)
	for {
		i := bytes.IndexByte(p, '\n')
		if i < 0 {
			l.add(p)
			return n, nil
		}
		l.add(p[:i])
		l.Flush()
		p = p[i+1:]
	}
}

func (l *Lines) add(p []byte) {
	limit := l.MaxLine
	if limit == 0 {
		limit = 4 << 10
	}
	if room := limit - len(l.line); len(p) > room {
		p, l.cut = p[:room], true
	}
	l.line = append(l.line, p...)
}

// Flush passes on a last line that has no newline.
func (l *Lines) Flush() {
	if len(l.line) == 0 && !l.cut {
		return
	}
	line := append([]byte(l.Prefix), l.line...)
	if l.cut {
		line = append(line, " …"...)
	}
	l.line, l.cut = l.line[:0], false
	l.emit(append(line, '\n'))
}

func (l *Lines) emit(line []byte) {
	limit := l.MaxBytes
	if limit == 0 {
		limit = 16 << 20
	}
	switch {
	case l.full:
		return
	case l.written+len(line) > limit:
		l.full = true
		line = []byte(l.Prefix + "further output is dropped\n")
	}
	l.written += len(line)
	_, _ = l.Dst.Write(line)
}
