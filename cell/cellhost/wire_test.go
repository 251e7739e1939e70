package cellhost_test

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/berth-dev/berth/cell/cellhost"
	"github.com/berth-dev/berth/cell/codemode"
	"github.com/berth-dev/berth/conformance"
)

// The transcript was replayed against the real host. Spec: codemode §21.
func TestGoldenTranscript(t *testing.T) {
	c := launch(t, context.Background(), cellhost.Options{}, cellhost.Run)
	for _, step := range conformance.LoadTranscript(t, "codemode/golden") {
		switch {
		case step.From == "client" && step.Text == "":
			c.in.Close()
		case step.From == "client":
			c.send(step.Text)
		case step.Text != "":
			if diff := cmp.Diff(step.Text, c.next()); diff != "" {
				t.Fatalf("host's frame (-want +got):\n%s", diff)
			}
		}
	}
	if err := c.end(); err != nil {
		t.Errorf("host ended with %v, want exit status 0", err)
	}
}

// What ends a connection, and with which status. Spec: codemode §2, §5, §8.8.
func TestConnectionEnd(t *testing.T) {
	const hello = `{"type":"connection/hello","supportedVersions":[1],"requiredCapabilities":[],"optionalCapabilities":[]}`
	open := func(id int) string {
		return fmt.Sprintf(`{"type":"operation/request","id":%d,"request":{"method":"session/open","sessionId":"s%d"}}`, id, id)
	}
	frame := func(payload string) string {
		return string(binary.LittleEndian.AppendUint32(nil, uint32(len(payload)))) + payload
	}
	for name, tc := range map[string]struct {
		bytes string
		want  codemode.Code // "" means status 0
	}{
		"nothing":              {"", ""},
		"rejected":             {frame(`{"type":"connection/hello","supportedVersions":[2],"requiredCapabilities":[],"optionalCapabilities":[]}`), ""},
		"request first":        {frame(open(1)), ""},
		"hello":                {frame(hello), ""},
		"after a request":      {frame(hello) + frame(open(1)), ""},
		"blank capability":     {frame(strings.Replace(hello, `optionalCapabilities":[]`, `optionalCapabilities":[""]`, 1)), codemode.CodeDecode},
		"truncated length":     {frame(hello) + "\x01\x00", codemode.CodeTransport},
		"truncated payload":    {frame(hello) + "\x09\x00\x00\x00{", codemode.CodeTransport},
		"empty payload":        {frame(hello) + frame(""), codemode.CodeDecode},
		"not JSON":             {frame(hello) + frame("{]"), codemode.CodeDecode},
		"unknown field":        {frame(hello) + frame(`{"type":"operation/cancel","id":1,"x":1}`), codemode.CodeDecode},
		"later message":        {frame(hello) + frame(`{"type":"operation/yield","id":1}`), codemode.CodeDecode},
		"blank session":        {frame(hello) + frame(`{"type":"operation/request","id":1,"request":{"method":"session/open","sessionId":" "}}`), codemode.CodeDecode},
		"too long":             {frame(hello) + "\x01\x00\x00\x04", codemode.CodeFrameTooLarge},
		"second hello":         {frame(hello) + frame(hello), codemode.CodeViolation},
		"duplicate request id": {frame(hello) + frame(open(1)) + frame(open(1)), codemode.CodeViolation},
	} {
		t.Run(name, func(t *testing.T) {
			c := launch(t, context.Background(), cellhost.Options{}, cellhost.Run)
			if _, err := c.in.WriteString(tc.bytes); err != nil {
				t.Fatal(err)
			}
			c.in.Close()
			err := c.end()
			if tc.want == "" && err != nil || tc.want != "" && codemode.CodeOf(err) != tc.want {
				t.Errorf("ended with %v, want code %q", err, tc.want)
			}
		})
	}
}

func TestEndWithBusyCells(t *testing.T) {
	for name, end := range map[string]func(c *client, cancel func()){
		"EOF":         func(c *client, _ func()) { c.in.Close() },
		"termination": func(_ *client, cancel func()) { cancel() },
		"broken pipe": func(c *client, _ func()) {
			c.stall()
			c.open("x") // the reader stops behind this answer
			c.out.Close()
			c.request(`{"method":"session/open","sessionId":"y"}`)
		},
	} {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithCancel(context.Background())
			defer cancel()
			c := launch(t, ctx, cellhost.Options{}, cellhost.Run)
			c.hello()
			c.open("s")
			for range 3 {
				c.exec("s", `for(;;);`, `,"yield_time_ms":0`)
				c.await("execute/initialResponse")
			}
			c.exec("s", `await new Promise(()=>{})`, "")
			c.await("execution/started")
			end(c, cancel)
			err := c.end()
			switch name {
			case "EOF":
				if err != nil {
					t.Errorf("ended with %v, want status 0", err)
				}
			case "termination":
				if !errors.Is(err, context.Canceled) {
					t.Errorf("ended with %v, want the context's error", err)
				}
			default:
				if codemode.CodeOf(err) != codemode.CodeTransport {
					t.Errorf("ended with %v, want a transport error", err)
				}
			}
		})
	}
}
