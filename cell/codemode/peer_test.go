package codemode_test

import (
	"errors"
	"io"
	"testing"

	"go.uber.org/goleak"

	"github.com/berth-dev/berth/cell/codemode"
	"github.com/berth-dev/berth/frame"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// memory returns the two ends of a connection in memory. Closing an end closes
// what it writes and what it reads.
func memory() (a, b io.ReadWriteCloser) {
	ar, bw := io.Pipe()
	br, aw := io.Pipe()
	return end{ar, aw, []io.Closer{ar, aw}}, end{br, bw, []io.Closer{br, bw}}
}

// peer is a scripted peer: it says and hears payloads.
type peer struct {
	t  *testing.T
	rw io.ReadWriteCloser
	r  *frame.Reader
	w  *frame.Writer
}

func newPeer(t *testing.T, rw io.ReadWriteCloser) *peer {
	return &peer{t, rw, frame.NewReader(rw, frame.U32LE, codemode.MaxFrameBytes), frame.NewWriter(rw, frame.U32LE, codemode.MaxFrameBytes)}
}

// say sends payloads.
func (p *peer) say(payloads ...string) {
	p.t.Helper()
	for _, s := range payloads {
		if err := p.w.WriteFrame([]byte(s)); err != nil {
			p.t.Fatalf("say %s: %v", s, err)
		}
	}
}

// hear expects payloads, in that order.
func (p *peer) hear(payloads ...string) {
	p.t.Helper()
	for _, want := range payloads {
		got, err := p.r.Next()
		if err != nil || string(got) != want {
			p.t.Fatalf("heard %.300s, %v\n want %.300s", got, err, want)
		}
	}
}

// hearEnd expects the end of what the other end sends.
func (p *peer) hearEnd() {
	p.t.Helper()
	if got, err := p.r.Next(); err != io.EOF && !errors.Is(err, io.ErrClosedPipe) {
		p.t.Fatalf("heard %.300s, %v, want the end", got, err)
	}
}

const (
	helloText = `{"type":"connection/hello","supportedVersions":[1],"requiredCapabilities":[],"optionalCapabilities":[]}`
	readyText = `{"type":"connection/ready","selectedVersion":1,"capabilities":[]}`
)
