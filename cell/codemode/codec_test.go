package codemode_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"reflect"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"

	"github.com/berth-dev/berth/cell/codemode"
	"github.com/berth-dev/berth/conformance"
)

var dialects = []codemode.Dialect{codemode.AnyDialect, codemode.Base, codemode.BaseAudio, codemode.Limits, codemode.Timed}

// recode decodes a payload and encodes the message again.
type recode func(d codemode.Dialect, payload []byte) ([]byte, error)

func recodeClient(d codemode.Dialect, payload []byte) ([]byte, error) {
	m, err := codemode.NewDecoder(d).DecodeClientToHost(payload)
	if err != nil {
		return nil, err
	}
	f, err := codemode.EncodeClientToHost(d, m)
	return payloadOf(f), err
}

func recodeHost(d codemode.Dialect, payload []byte) ([]byte, error) {
	m, err := codemode.NewDecoder(d).DecodeHostToClient(payload)
	if err != nil {
		return nil, err
	}
	f, err := codemode.EncodeHostToClient(d, m)
	return payloadOf(f), err
}

// payloadOf strips a frame's length.
func payloadOf(f codemode.EncodedFrame) []byte { return f[min(4, len(f)):] }

// TestVectors checks every row of §3 to §7 and §15, both ways.
func TestVectors(t *testing.T) {
	for set, recode := range map[string]recode{"codemode/client": recodeClient, "codemode/host": recodeHost} {
		for _, v := range conformance.Load(t, set) {
			tried := 0
			for _, d := range dialects {
				if v.Dialect != "" && v.Dialect != d.String() || v.Dialect == "" && d == codemode.AnyDialect {
					continue
				}
				tried++
				checkVector(t, fmt.Sprintf("%s: %s (%s, %s)", set, v.Name, d, v.Spec), v, recode, d)
			}
			if v.Verdict == "accept" && v.Dialect != "" { // one dialect's is everybody's
				checkVector(t, fmt.Sprintf("%s: %s (any)", set, v.Name), v, recode, codemode.AnyDialect)
			}
			if tried == 0 {
				t.Errorf("%s: %s: unknown dialect %q", set, v.Name, v.Dialect)
			}
		}
	}
}

func checkVector(t *testing.T, name string, v conformance.Vector, recode recode, d codemode.Dialect) {
	t.Helper()
	got, err := recode(d, v.Bytes)
	switch v.Verdict {
	case "accept":
		want := string(v.Bytes)
		if v.Want != nil {
			want = *v.Want
		}
		if err != nil || string(got) != want {
			t.Errorf("%s:\n got %s, %v\nwant %s", name, got, err, want)
		}
	case "reject":
		if codemode.CodeOf(err) != codemode.CodeDecode {
			t.Errorf("%s: got %s, %v, want a decode error", name, got, err)
		}
	default:
		t.Errorf("%s: verdict %q", name, v.Verdict)
	}
}

// TestFrames checks §2: how streams end, in one piece and byte by byte.
func TestFrames(t *testing.T) {
	for _, v := range conformance.Load(t, "codemode/frames") {
		for how, r := range map[string]io.Reader{
			"whole": bytes.NewReader(v.Bytes), "byte by byte": iotest.OneByteReader(bytes.NewReader(v.Bytes)),
		} {
			reader := codemode.NewFramedReader(r, codemode.Base)
			var got []string
			var err error
			for {
				var m codemode.ClientToHost
				if m, err = reader.ReadClientToHost(); err != nil {
					break
				}
				f, encodeErr := codemode.EncodeClientToHost(codemode.Base, m)
				if encodeErr != nil {
					t.Fatal(encodeErr)
				}
				got = append(got, string(payloadOf(f)))
			}
			if fmt.Sprint(got) != fmt.Sprint(v.Frames) || verdict(err) != v.Verdict || !strings.Contains(err.Error(), v.Error) {
				t.Errorf("%s, %s: got %q, then %v (%s)", v.Name, how, got, err, verdict(err))
			}
			if _, again := reader.ReadClientToHost(); again != err {
				t.Errorf("%s, %s: error not kept: %v", v.Name, how, again)
			}
		}
	}
}

func verdict(err error) string {
	switch {
	case err == io.EOF:
		return "eof"
	case errors.Is(err, io.ErrUnexpectedEOF) && codemode.CodeOf(err) == codemode.CodeTransport:
		return "unexpected eof"
	case codemode.CodeOf(err) == codemode.CodeFrameTooLarge:
		return "too large"
	case codemode.CodeOf(err) == codemode.CodeDecode:
		return "decode"
	}
	return "untyped"
}

// TestLargestFrame: exactly the maximum is accepted, in both directions.
func TestLargestFrame(t *testing.T) {
	const around = len(`{"type":"operation/request","id":1,"request":{"method":"session/execute","sessionId":"s","request":{"tool_call_id":"","enabled_tools":[],"source":"","yield_time_ms":null,"max_output_tokens":null}}}`)
	execute := func(n int) *codemode.OperationRequest {
		return &codemode.OperationRequest{ID: 1, Request: &codemode.SessionExecute{SessionID: "s",
			Request: codemode.WireExecuteRequest{Source: strings.Repeat("x", n)}}}
	}
	f, err := codemode.EncodeClientToHost(codemode.Base, execute(codemode.MaxFrameBytes-around))
	if err != nil || len(f) != codemode.MaxFrameBytes+4 {
		t.Fatalf("frame of %d bytes, %v", len(f), err)
	}
	m, err := codemode.NewFramedReader(bytes.NewReader(f), codemode.Base).ReadClientToHost()
	if err != nil || len(m.(*codemode.OperationRequest).Request.(*codemode.SessionExecute).Request.Source) != codemode.MaxFrameBytes-around {
		t.Fatalf("read: %v", err)
	}
	_, err = codemode.EncodeClientToHost(codemode.Base, execute(codemode.MaxFrameBytes-around+1))
	var e *codemode.Error
	if !errors.As(err, &e) || e.Code != codemode.CodeFrameTooLarge || e.Message != "code-mode IPC frame length 67108865 exceeds 67108864 bytes" {
		t.Errorf("one byte more: %v", err)
	}
}

func TestStrings(t *testing.T) {
	for in, want := range map[string]string{
		"":                      ``,
		"plain, of many bytes":  `plain, of many bytes`,
		"\x00\x01\x1f":          `\u0000\u0001\u001f`,
		"\b\f\n\r\t":            `\b\f\n\r\t`,
		`"\/`:                   `\"\\/`,
		"<&>\x7f\u2028\u2029é😀": "<&>\x7f\u2028\u2029é😀",
		"a\xffb\xc0\xaf":        "a\ufffdb\ufffd\ufffd",
		"\xed\xa0\x80":          "\ufffd\ufffd\ufffd",
		"12345678\n12345678":    `12345678\n12345678`,
	} {
		f, err := codemode.EncodeHostToClient(codemode.Base, &codemode.CellClosed{SessionID: "s", CellID: codemode.WireCellID(in)})
		got := strings.TrimSuffix(strings.TrimPrefix(string(payloadOf(f)), `{"type":"cell/closed","sessionId":"s","cellId":"`), `"}`)
		if err != nil || got != want {
			t.Errorf("%q: got %s, %v, want %s", in, got, err, want)
		}
	}
}

// TestNesting: a decoder takes more levels than published peers, an encoder
// never makes more. Spec: codemode §3.
func TestNesting(t *testing.T) {
	nest := func(n int) codemode.RawJSON {
		return codemode.RawJSON(strings.Repeat(`[`, n-1) + `{"]":"\"[\\"}` + strings.Repeat(`]`, n-1))
	}
	answer := func(n int) codemode.ClientToHost {
		return &codemode.DelegateAnswer{Result: codemode.WireResult[codemode.DelegateResponse]{Value: &codemode.ToolResult{Result: nest(n)}}}
	}
	execute := func(n int) codemode.ClientToHost {
		return &codemode.OperationRequest{Request: &codemode.SessionExecute{SessionID: "s", Request: codemode.WireExecuteRequest{
			EnabledTools: []codemode.WireToolDefinition{{Kind: codemode.FunctionTool, OutputSchema: nest(n)}}}}}
	}
	for name, c := range map[string]struct {
		limit   int
		message func(int) codemode.ClientToHost
	}{"result": {124, answer}, "schema": {122, execute}} {
		if _, err := codemode.EncodeClientToHost(codemode.Base, c.message(c.limit)); err != nil {
			t.Errorf("%s of %d levels: %v", name, c.limit, err)
		}
		if _, err := codemode.EncodeClientToHost(codemode.Base, c.message(c.limit+1)); codemode.CodeOf(err) != codemode.CodeTooDeep {
			t.Errorf("%s of %d levels: %v", name, c.limit+1, err)
		}
	}
	payload := `{"type":"delegate/response","id":0,"result":{"status":"ok","value":{"type":"tool/result","result":` + string(nest(2000)) + `}}}`
	if _, err := codemode.NewDecoder(codemode.Base).DecodeClientToHost([]byte(payload)); err != nil {
		t.Errorf("decoding 2000 levels: %v", err)
	}
	deep := `{"type":"delegate/response","id":0,"result":{"status":"ok","value":{"type":"tool/result","result":` + strings.Repeat("[", 1e6)
	if _, err := codemode.NewDecoder(codemode.Base).DecodeClientToHost([]byte(deep)); codemode.CodeOf(err) != codemode.CodeDecode {
		t.Errorf("decoding 10^6 levels: %v", err)
	}
}

// TestUnencodable: what has no valid JSON never reaches the wire.
func TestUnencodable(t *testing.T) {
	text := "x"
	for name, m := range map[string]codemode.HostToClient{
		"nothing":                nil,
		"blank session":          &codemode.CellClosed{SessionID: "\u00a0"},
		"version 0":              &codemode.HostHello{},
		"unsorted capabilities":  &codemode.HostHello{SelectedVersion: 1, Capabilities: codemode.CapabilitySet{"b", "a"}},
		"no reject reason":       &codemode.ConnectionRejected{},
		"no versions":            &codemode.ConnectionRejected{Reason: codemode.HandshakeRejectReason{Kind: codemode.NoCompatibleVersion}},
		"blank capability":       &codemode.ConnectionRejected{Reason: codemode.HandshakeRejectReason{Kind: codemode.MissingRequiredCapability}},
		"no response":            &codemode.OperationResponse{},
		"no runtime state":       &codemode.ExecuteInitialResponse{},
		"no reverse call":        &codemode.DelegateCall{SessionID: "s"},
		"no tool kind":           &codemode.DelegateCall{SessionID: "s", Request: &codemode.ToolInvoke{}},
		"error text of a yield":  initial(codemode.WireRuntimeResponse{State: codemode.Yielded, ErrorText: &text}),
		"unknown content":        initial(codemode.WireRuntimeResponse{State: codemode.Yielded, ContentItems: make([]codemode.WireContentItem, 1)}),
		"audio in base":          initial(codemode.WireRuntimeResponse{State: codemode.Yielded, ContentItems: []codemode.WireContentItem{{Type: codemode.InputAudio}}}),
		"unknown image detail":   initial(codemode.WireRuntimeResponse{State: codemode.Yielded, ContentItems: []codemode.WireContentItem{{Type: codemode.InputImage, Detail: 9}}}),
		"input that is not JSON": call(codemode.RawJSON(`{"a":}`)),
		"two inputs":             call(codemode.RawJSON(`1 2`)),
		"empty input":            call(codemode.RawJSON(``)),
		"input in bad UTF-8":     call(codemode.RawJSON("\"\xff\"")),
	} {
		if f, err := codemode.EncodeHostToClient(codemode.Base, m); codemode.CodeOf(err) != codemode.CodeEncode || len(f) != 0 {
			t.Errorf("%s: %s, %v", name, f, err)
		}
	}
	yielded := initial(codemode.WireRuntimeResponse{State: codemode.Yielded})
	if _, err := codemode.EncodeHostToClient(codemode.Timed, yielded); codemode.CodeOf(err) != codemode.CodeEncode {
		t.Errorf("no duration in timed: %v", err)
	}
	for name, m := range map[string]codemode.ClientToHost{
		"no versions":   &codemode.ClientHello{},
		"overlap":       &codemode.ClientHello{SupportedVersions: codemode.SupportedProtocolVersions{1}, RequiredCapabilities: codemode.CapabilitySet{"a"}, OptionalCapabilities: codemode.CapabilitySet{"a"}},
		"no request":    &codemode.OperationRequest{},
		"no answer":     &codemode.DelegateAnswer{},
		"yield in base": &codemode.OperationYield{ID: 1},
		"blank session": &codemode.OperationRequest{Request: &codemode.SessionShutdown{}},
	} {
		if f, err := codemode.EncodeClientToHost(codemode.Base, m); codemode.CodeOf(err) != codemode.CodeEncode || len(f) != 0 {
			t.Errorf("%s: %s, %v", name, f, err)
		}
	}
}

func initial(r codemode.WireRuntimeResponse) codemode.HostToClient {
	return &codemode.ExecuteInitialResponse{Result: codemode.WireResult[codemode.WireRuntimeResponse]{Value: r}}
}

func call(input codemode.RawJSON) codemode.HostToClient {
	m := toolInvoke()
	m.Request.(*codemode.ToolInvoke).Invocation.Input = input
	return m
}

// TestBaseOmitsLaterFields: what Base doesn't know is not written in it.
func TestBaseOmitsLaterFields(t *testing.T) {
	n := uint64(5)
	for want, m := range map[string]codemode.ClientToHost{
		`{"type":"operation/request","id":1,"request":{"method":"session/open","sessionId":"s"}}`: &codemode.OperationRequest{ID: 1, Request: &codemode.SessionOpen{
			SessionID: "s", CellExecutionLimits: &codemode.CellExecutionLimits{MaxYieldTimeMs: &n}, OutputTruncation: codemode.TruncateByServer}},
		`{"type":"operation/request","id":1,"request":{"method":"session/terminate","sessionId":"s","cellId":"4"}}`: &codemode.OperationRequest{ID: 1, Request: &codemode.SessionTerminate{
			SessionID: "s", CellID: "4", MaxOutputTokens: &n}},
		`{"type":"operation/request","id":1,"request":{"method":"session/execute","sessionId":"s","request":{"tool_call_id":"","enabled_tools":[],"source":"","yield_time_ms":null,"max_output_tokens":null}}}`: &codemode.OperationRequest{ID: 1, Request: &codemode.SessionExecute{
			SessionID: "s", Request: codemode.WireExecuteRequest{CatalogRevision: &n}}},
	} {
		if f, err := codemode.EncodeClientToHost(codemode.Base, m); err != nil || string(payloadOf(f)) != want {
			t.Errorf("got %s, %v\nwant %s", payloadOf(f), err, want)
		}
	}
	m := initial(codemode.WireRuntimeResponse{State: codemode.Result, CellID: "4", HostDurationNS: &n, BufferedNS: &n})
	want := `{"type":"execute/initialResponse","id":0,"result":{"status":"ok","value":{"Result":{"cell_id":"4","content_items":[],"error_text":null}}}}`
	if f, err := codemode.EncodeHostToClient(codemode.Base, m); err != nil || string(payloadOf(f)) != want {
		t.Errorf("got %s, %v\nwant %s", payloadOf(f), err, want)
	}
}

// TestMessagesOwnTheirBytes: a decoded message outlives the payload.
func TestMessagesOwnTheirBytes(t *testing.T) {
	payload := []byte(`{"type":"delegate/response","id":3,"result":{"status":"ok","value":{"type":"tool/result","result":{"title":"Groceries"}}}}`)
	m, err := codemode.NewDecoder(codemode.Base).DecodeClientToHost(payload)
	if err != nil {
		t.Fatal(err)
	}
	clear(payload)
	want := &codemode.DelegateAnswer{ID: 3, Result: codemode.WireResult[codemode.DelegateResponse]{
		Value: &codemode.ToolResult{Result: codemode.RawJSON(`{"title":"Groceries"}`)}}}
	if diff := cmp.Diff(want, m); diff != "" {
		t.Error(diff)
	}
	var stream bytes.Buffer
	w := codemode.NewFramedWriter(&stream, codemode.Base)
	var sent []codemode.ClientToHost
	for _, size := range []int{10, 70 << 10, 40 << 10, 300 << 10, 5} {
		m := &codemode.DelegateAnswer{ID: codemode.DelegateRequestID(size), Result: codemode.WireResult[codemode.DelegateResponse]{
			Value: &codemode.ToolResult{Result: codemode.RawJSON(`"` + strings.Repeat(string(rune('a'+size%26)), size) + `"`)}}}
		if err := w.WriteClientToHost(m); err != nil {
			t.Fatal(err)
		}
		sent = append(sent, m)
	}
	var got []codemode.ClientToHost
	r := codemode.NewFramedReader(&stream, codemode.Base)
	for range sent {
		m, err := r.ReadClientToHost()
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, m)
	}
	if !reflect.DeepEqual(sent, got) {
		t.Error("messages changed after they were read")
	}
}

// TestFewCopies: a long text passes without being copied again and again.
func TestFewCopies(t *testing.T) {
	measure := func(f func()) float64 {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		f()
		runtime.ReadMemStats(&after)
		return float64(after.TotalAlloc-before.TotalAlloc) / (5 << 20)
	}
	m := text(5)
	var frame codemode.EncodedFrame
	var err error
	if got := measure(func() { frame, err = codemode.EncodeHostToClient(codemode.Base, m) }); got > 2.5 || err != nil {
		t.Errorf("encoding takes %.1f times the text, %v", got, err)
	}
	if got := measure(func() {
		_, err = codemode.NewFramedReader(bytes.NewReader(frame), codemode.Base).ReadHostToClient()
	}); got > 7 || err != nil {
		t.Errorf("reading takes %.1f times the text, %v", got, err)
	}
}

func TestSteadyStateAllocations(t *testing.T) {
	w := codemode.NewFramedWriter(io.Discard, codemode.Base)
	m := toolInvoke()
	if got := testing.AllocsPerRun(100, func() {
		if err := w.WriteHostToClient(m); err != nil {
			panic(err)
		}
	}); got > 1 {
		t.Errorf("%v allocations to write a tool call", got)
	}
	payload := []byte(`{"type":"delegate/response","id":3,"result":{"status":"ok","value":{"type":"tool/result","result":{"title":"Groceries"}}}}`)
	d := codemode.NewDecoder(codemode.Base)
	if got := testing.AllocsPerRun(100, func() {
		if _, err := d.DecodeClientToHost(payload); err != nil {
			panic(err)
		}
	}); got > 9 {
		t.Errorf("%v allocations to decode a tool's result", got)
	}
}
