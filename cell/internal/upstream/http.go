package upstream

import (
	"bytes"
	"fmt"
	"io"
	"mime"
	"net/http"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// newHTTP returns the transport to a server that is a URL.
func newHTTP(cfg Config, rec *recorder) mcp.Transport {
	client := &http.Client{
		Transport: &roundTripper{cfg: cfg, rec: rec, next: http.DefaultTransport},
		CheckRedirect: func(req *http.Request, via []*http.Request) error {
			if len(via) > 3 || req.URL.Host != via[0].URL.Host || req.URL.Scheme != via[0].URL.Scheme {
				return fmt.Errorf("redirect to %s: %w", req.URL.Redacted(), http.ErrUseLastResponse)
			}
			return nil
		},
	}
	return &mcp.StreamableClientTransport{Endpoint: cfg.URL, HTTPClient: client, MaxEventSize: MaxMessage}
}

// roundTripper adds the configured headers and records responses.
type roundTripper struct {
	cfg  Config
	rec  *recorder
	next http.RoundTripper
}

func (t *roundTripper) RoundTrip(req *http.Request) (*http.Response, error) {
	out := req.Clone(req.Context())
	for k, v := range t.cfg.Headers {
		out.Header.Set(k, v)
	}
	if c, ok := req.Context().Value(captureKey{}).(*capture); ok && req.GetBody != nil {
		if err := t.announce(req, c); err != nil {
			return nil, err
		}
	}
	resp, err := t.next.RoundTrip(out)
	if err != nil {
		return nil, err
	}
	kind, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	switch kind {
	case "application/json":
		resp.Body = &tapped{ReadCloser: resp.Body, rec: t.rec}
	case "text/event-stream":
		resp.Body = &tapped{ReadCloser: resp.Body, rec: t.rec, events: true}
	}
	return resp, nil
}

// announce tells the recorder which request the capture is for.
func (t *roundTripper) announce(req *http.Request, c *capture) error {
	body, err := req.GetBody()
	if err != nil {
		return fmt.Errorf("read request: %w", err)
	}
	defer func() { _ = body.Close() }()
	data, err := io.ReadAll(body)
	if err != nil {
		return fmt.Errorf("read request: %w", err)
	}
	msg, err := jsonrpc.DecodeMessage(data)
	if err != nil {
		return fmt.Errorf("read request: %w", err)
	}
	if r, ok := msg.(*jsonrpc.Request); ok && r.IsCall() {
		t.rec.sending(req.Context(), idKey(r.ID))
	}
	return nil
}

// tapped is a response body whose messages are recorded before they are read.
type tapped struct {
	io.ReadCloser
	rec    *recorder
	events bool   // a stream of events, else one JSON text
	buf    []byte // what has come of the text, or of the line
	data   []byte // of the event so far
}

func (t *tapped) Read(p []byte) (int, error) {
	n, err := t.ReadCloser.Read(p)
	if t.events {
		t.scan(p[:n])
	} else if t.keep(p[:n]); err == io.EOF {
		t.record(t.buf)
		t.buf = nil
	}
	return n, err
}

// keep adds to buf unless that grows beyond a message; the SDK refuses it then.
func (t *tapped) keep(p []byte) {
	if len(t.buf)+len(p) <= MaxMessage {
		t.buf = append(t.buf, p...)
	}
}

func (t *tapped) scan(p []byte) {
	for {
		line, rest, whole := bytes.Cut(p, []byte("\n"))
		t.keep(line)
		if !whole {
			return
		}
		t.line(strings.TrimSuffix(string(t.buf), "\r"))
		t.buf, p = t.buf[:0], rest
	}
}

func (t *tapped) line(line string) {
	if line == "" {
		t.record(t.data)
		t.data = nil
		return
	}
	field, value, _ := strings.Cut(line, ":")
	if field == "data" && len(t.data)+len(value) <= MaxMessage {
		t.data = append(t.data, strings.TrimPrefix(value, " ")+"\n"...)
	}
}

func (t *tapped) record(data []byte) {
	data = bytes.TrimSpace(data)
	if bytes.HasPrefix(data, []byte("[")) {
		var batch []jsontext.Value
		if json.Unmarshal(data, &batch) == nil {
			for _, one := range batch {
				t.record(one)
			}
		}
		return
	}
	msg, err := jsonrpc.DecodeMessage(data)
	if err != nil {
		return
	}
	t.rec.received(msg)
}
