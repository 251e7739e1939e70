package codemode_test

import (
	"bytes"
	"context"
	"io"
	"testing"
	"testing/synctest"
	"time"

	"github.com/berth-dev/berth/cell/codemode"
)

// halfClosed is a client that has said everything and closed its side.
type halfClosed struct {
	io.Reader
	*io.PipeWriter
}

// opens is a hello and n requests to open sessions, and the end.
func opens(t *testing.T, n int) io.Reader {
	t.Helper()
	var b bytes.Buffer
	w := codemode.NewFramedWriter(&b, codemode.Base)
	messages := []codemode.ClientToHost{&codemode.ClientHello{SupportedVersions: codemode.SupportedProtocolVersions{codemode.V1}}}
	for id := range n {
		messages = append(messages, &codemode.OperationRequest{ID: codemode.RequestID(id + 1), Request: &codemode.SessionOpen{SessionID: "s"}})
	}
	for _, m := range messages {
		if err := w.WriteClientToHost(m); err != nil {
			t.Fatal(err)
		}
	}
	return &b
}

// TestAnswersOutliveTheEndOfInput: what was answered before the client closed
// its side still reaches it. Spec: codemode §16.6.
func TestAnswersOutliveTheEndOfInput(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const requests = 200
		out, in := io.Pipe()
		ended := make(chan error)
		go func() {
			server := codemode.NewServer(func(*codemode.Conn) codemode.Handler { return new(scripted) }, codemode.ServerOptions{})
			ended <- server.Run(context.Background(), halfClosed{opens(t, requests), in})
		}()
		reader := codemode.NewFramedReader(out, codemode.Base)
		answers := 0
		for {
			m, err := reader.ReadHostToClient()
			if err == io.EOF {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
			if _, ok := m.(*codemode.OperationResponse); ok {
				answers++
			}
			synctest.Wait() // the host has noticed the end by now
		}
		if answers != requests {
			t.Errorf("%d of %d answers arrived", answers, requests)
		}
		if err := <-ended; err != nil {
			t.Errorf("Run returned %v", err)
		}
	})
}

// TestClientThatDoesNotReadDoesNotHoldUpTheEnd: it is given a moment, no more.
func TestClientThatDoesNotReadDoesNotHoldUpTheEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		out, in := io.Pipe()
		ended := make(chan error)
		begun := time.Now()
		go func() {
			server := codemode.NewServer(func(*codemode.Conn) codemode.Handler { return new(scripted) }, codemode.ServerOptions{})
			ended <- server.Run(context.Background(), halfClosed{opens(t, 3), in})
		}()
		if _, err := codemode.NewFramedReader(out, codemode.Base).ReadHostToClient(); err != nil {
			t.Fatal(err)
		}
		if err := <-ended; err != nil {
			t.Errorf("Run returned %v", err)
		}
		if d := time.Since(begun); d > 100*time.Millisecond {
			t.Errorf("the end took %v", d)
		}
	})
}
