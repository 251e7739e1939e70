package frame_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/berth-dev/berth/frame"
)

const limit = 200 << 10

var formats = map[string]frame.Format{"u32be": frame.U32BE, "u32le": frame.U32LE, "line": frame.Line}

// payloads are of all the sizes at which a reader treats them differently.
func payloads() [][]byte {
	var all [][]byte
	for _, n := range []int{0, 1, 2, 3, 5, 100, 32<<10 - 5, 32<<10 - 4, 32 << 10, 32<<10 + 1, 0, 70 << 10, limit, 7, limit - 1, 4} {
		p := bytes.Repeat([]byte{byte(n)}, n)
		for i := range p {
			if p[i] += byte(i); p[i] == '\n' {
				p[i] = 'n'
			}
		}
		all = append(all, p)
	}
	return all
}

func join(t testing.TB, f frame.Format, payloads ...[]byte) []byte {
	t.Helper()
	var out bytes.Buffer
	w := frame.NewWriter(&out, f, limit)
	for _, p := range payloads {
		if err := w.WriteFrame(p); err != nil {
			t.Fatal(err)
		}
	}
	return out.Bytes()
}

func TestBytes(t *testing.T) {
	for f, want := range map[frame.Format]string{
		frame.U32BE: "\x00\x00\x00\x02hi\x00\x00\x00\x00", frame.U32LE: "\x02\x00\x00\x00hi\x00\x00\x00\x00", frame.Line: "hi\n\n",
	} {
		if got := join(t, f, []byte("hi"), nil); string(got) != want {
			t.Errorf("format %d: got %q, want %q", f, got, want)
		}
	}
}

func TestReadInPieces(t *testing.T) {
	readers := map[string]func(io.Reader) io.Reader{
		"whole":        func(r io.Reader) io.Reader { return r },
		"byte by byte": iotest.OneByteReader,
		"halves":       iotest.HalfReader,
		"error with the last bytes": func(r io.Reader) io.Reader {
			return iotest.DataErrReader(r)
		},
		"random pieces": func(r io.Reader) io.Reader { return &pieces{r, rand.New(rand.NewPCG(1, 2))} },
	}
	for name, f := range formats {
		for how, wrap := range readers {
			t.Run(name+"/"+how, func(t *testing.T) {
				want := payloads()
				r := frame.NewReader(wrap(bytes.NewReader(join(t, f, want...))), f, limit)
				for i, p := range want {
					got, err := r.Next()
					if err != nil || !bytes.Equal(got, p) {
						t.Fatalf("frame %d: %d bytes, want %d, error %v", i, len(got), len(p), err)
					}
				}
				for range 2 {
					if _, err := r.Next(); err != io.EOF {
						t.Fatalf("at the end: %v", err)
					}
				}
			})
		}
	}
}

// pieces reads random amounts, none at all now and then.
type pieces struct {
	r   io.Reader
	rnd *rand.Rand
}

func (p *pieces) Read(b []byte) (int, error) {
	return p.r.Read(b[:min(len(b), p.rnd.IntN(5000))])
}

func TestTruncatedAtEveryOffset(t *testing.T) {
	for name, f := range formats {
		stream := join(t, f, []byte("first"), nil, []byte("the third"))
		whole := map[int]int{0: 0} // frames that are complete at an offset
		for i, end := 1, 0; i <= 3; i++ {
			end = len(join(t, f, [][]byte{[]byte("first"), nil, []byte("the third")}[:i]...))
			whole[end] = i
		}
		for cut := range len(stream) + 1 {
			r := frame.NewReader(bytes.NewReader(stream[:cut]), f, limit)
			frames := 0
			var err error
			for {
				if _, err = r.Next(); err != nil {
					break
				}
				frames++
			}
			n, boundary := whole[cut]
			if boundary && (err != io.EOF || frames != n) {
				t.Errorf("%s cut at %d: %d frames and %v, want %d and EOF", name, cut, frames, err, n)
			}
			if !boundary && err != io.ErrUnexpectedEOF {
				t.Errorf("%s cut at %d: error %v", name, cut, err)
			}
			if _, again := r.Next(); again != err {
				t.Errorf("%s cut at %d: error not kept: %v", name, cut, again)
			}
		}
	}
}

func TestTooLarge(t *testing.T) {
	for name, stream := range map[string]string{
		"u32be": "\x00\x00\x00\x0b", "u32le": "\x0b\x00\x00\x00", "line": "elevenbytes",
	} {
		f := formats[name]
		r := frame.NewReader(strings.NewReader(stream), f, 10)
		_, err := r.Next()
		var large *frame.TooLargeError
		if !errors.As(err, &large) || large.Length != 11 || large.Max != 10 {
			t.Errorf("%s: read: %v", name, err)
		}
		if _, again := r.Next(); again != err {
			t.Errorf("%s: error not kept: %v", name, again)
		}
		var out bytes.Buffer
		w := frame.NewWriter(&out, f, 10)
		if err := w.WriteFrame([]byte("elevenbytes")); !errors.As(err, &large) || out.Len() != 0 {
			t.Errorf("%s: write: %v, %d bytes written", name, err, out.Len())
		}
		if err := w.WriteFrame([]byte("ten bytes!")); err != nil {
			t.Errorf("%s: a refused frame spoiled the writer: %v", name, err)
		}
		if got, err := frame.NewReader(&out, f, 10).Next(); string(got) != "ten bytes!" || err != nil {
			t.Errorf("%s: exactly at the limit: %q, %v", name, got, err)
		}
		if buf, err := f.End(append(f.Begin([]byte("kept")), "elevenbytes"...), 4, 10); !errors.As(err, &large) || string(buf) != "kept" {
			t.Errorf("%s: End: %q, %v", name, buf, err)
		}
	}
	if err := frame.NewWriter(io.Discard, frame.Line, 10).WriteFrame([]byte("a\nb")); err != frame.ErrNewline {
		t.Errorf("newline in a line: %v", err)
	}
}

// TestAnnouncedLengthTakesNoMemory: a length is a claim, not bytes.
func TestAnnouncedLengthTakesNoMemory(t *testing.T) {
	const huge = 1 << 30
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for range 100 {
		r := frame.NewReader(strings.NewReader("\x40\x00\x00\x00abc"), frame.U32BE, huge)
		if _, err := r.Next(); err != io.ErrUnexpectedEOF {
			t.Fatal(err)
		}
	}
	runtime.ReadMemStats(&after)
	if got := (after.TotalAlloc - before.TotalAlloc) / 100; got > 100<<10 {
		t.Errorf("%d bytes taken for 3 bytes that arrived", got)
	}
}

func TestTake(t *testing.T) {
	for name, f := range formats {
		want := payloads()
		r := frame.NewReader(iotest.HalfReader(bytes.NewReader(join(t, f, want...))), f, limit)
		var taken [][]byte
		for range want {
			if _, err := r.Next(); err != nil {
				t.Fatal(err)
			}
			taken = append(taken, r.Take())
		}
		for i, p := range want {
			if !bytes.Equal(taken[i], p) {
				t.Errorf("%s: taken frame %d changed", name, i)
			}
		}
	}
}

func TestOneWritePerFrame(t *testing.T) {
	for name, f := range formats {
		var calls counter
		w := frame.NewWriter(&calls, f, limit)
		for _, p := range payloads() {
			if err := w.WriteFrame(p); err != nil {
				t.Fatal(err)
			}
		}
		if want := len(payloads()); int(calls) != want {
			t.Errorf("%s: %d writes for %d frames", name, calls, want)
		}
	}
}

type counter int

func (c *counter) Write(p []byte) (int, error) { *c++; return len(p), nil }

func TestErrorsAreKept(t *testing.T) {
	broken := errors.New("broken")
	r := frame.NewReader(io.MultiReader(strings.NewReader("a\nb"), iotest.ErrReader(broken)), frame.Line, limit)
	if p, err := r.Next(); string(p) != "a" || err != nil {
		t.Fatalf("%q, %v", p, err)
	}
	for range 2 {
		if _, err := r.Next(); err != broken {
			t.Fatalf("read: %v", err)
		}
	}
	if _, err := frame.NewReader(idle{}, frame.U32LE, limit).Next(); err != io.ErrNoProgress {
		t.Errorf("idle reader: %v", err)
	}
	short := &failing{err: nil, n: 1}
	w := frame.NewWriter(short, frame.U32LE, limit)
	for range 2 {
		if err := w.WriteFrame([]byte("x")); err != io.ErrShortWrite {
			t.Fatalf("short write: %v", err)
		}
	}
	w = frame.NewWriter(&failing{err: broken}, frame.U32LE, limit)
	for range 2 {
		if err := w.WriteFrame([]byte("x")); err != broken {
			t.Fatalf("failed write: %v", err)
		}
	}
	if short.calls != 1 {
		t.Errorf("%d writes after a failed one", short.calls-1)
	}
}

type idle struct{}

func (idle) Read([]byte) (int, error) { return 0, nil }

type failing struct {
	n, calls int
	err      error
}

func (f *failing) Write([]byte) (int, error) { f.calls++; return f.n, f.err }

func TestSteadyStateDoesNotAllocate(t *testing.T) {
	for name, f := range formats {
		for _, size := range []int{0, 100, 20 << 10, 100 << 10} {
			payload := bytes.Repeat([]byte("x"), size)
			r := frame.NewReader(&loop{data: join(t, f, payload)}, f, limit)
			w := frame.NewWriter(io.Discard, f, limit)
			got := testing.AllocsPerRun(100, func() {
				p, err := r.Next()
				if err != nil || len(p) != size || w.WriteFrame(p) != nil {
					panic(fmt.Sprint(len(p), err))
				}
			})
			if got != 0 {
				t.Errorf("%s: %v allocations per frame of %d bytes", name, got, size)
			}
		}
	}
}

// loop reads the same bytes forever.
type loop struct {
	data []byte
	pos  int
}

func (l *loop) Read(p []byte) (int, error) {
	n := copy(p, l.data[l.pos:])
	l.pos = (l.pos + n) % len(l.data)
	return n, nil
}

func FuzzReader(f *testing.F) {
	for name, format := range formats {
		stream := join(f, format, []byte("first"), nil, bytes.Repeat([]byte(name), 30))
		f.Add(stream, uint8(format), uint8(3))
		f.Add(stream[:len(stream)-1], uint8(format), uint8(1))
	}
	f.Add([]byte("\xff\xff\xff\xff"), uint8(frame.U32LE), uint8(0))
	f.Fuzz(func(t *testing.T, stream []byte, format, step uint8) {
		ft := frame.Format(format%3 + 1)
		const limit = 1000
		read := func(src io.Reader) (frames [][]byte, err error) {
			r := frame.NewReader(src, ft, limit)
			for {
				p, err := r.Next()
				if err != nil {
					return frames, err
				}
				frames = append(frames, bytes.Clone(p))
			}
		}
		frames, err := read(bytes.NewReader(stream))
		var large *frame.TooLargeError
		if err != io.EOF && err != io.ErrUnexpectedEOF && !errors.As(err, &large) {
			t.Fatalf("untyped error %v", err)
		}
		again, err2 := read(&stepper{stream, int(step) + 1})
		if fmt.Sprint(frames) != fmt.Sprint(again) || (err == io.EOF) != (err2 == io.EOF) {
			t.Fatalf("pieces of %d bytes give %q, %v instead of %q, %v", step+1, again, err2, frames, err)
		}
		var out bytes.Buffer
		w := frame.NewWriter(&out, ft, limit)
		for _, p := range frames {
			if err := w.WriteFrame(p); err != nil {
				t.Fatal(err)
			}
		}
		if !bytes.HasPrefix(stream, out.Bytes()) {
			t.Fatalf("written again: %q instead of %q", out.Bytes(), stream)
		}
	})
}

// stepper reads at most step bytes at once.
type stepper struct {
	data []byte
	step int
}

func (s *stepper) Read(p []byte) (int, error) {
	if len(s.data) == 0 {
		return 0, io.EOF
	}
	n := copy(p[:min(len(p), s.step)], s.data)
	s.data = s.data[n:]
	return n, nil
}

func BenchmarkReader(b *testing.B) {
	for _, size := range []int{100, 100 << 10} {
		b.Run(fmt.Sprint(size), func(b *testing.B) {
			r := frame.NewReader(&loop{data: join(b, frame.U32LE, make([]byte, size))}, frame.U32LE, limit)
			b.SetBytes(int64(size))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := r.Next(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
