package codemode_test

import (
	"bytes"
	"io"
	"strings"
	"testing"

	"github.com/berth-dev/berth/cell/codemode"
)

func toolInvoke() *codemode.DelegateCall {
	return &codemode.DelegateCall{ID: 3, SessionID: "thread-7", Request: &codemode.ToolInvoke{
		Invocation: codemode.WireNestedToolCall{
			CellID: "4", RuntimeToolCallID: "tool-2", ToolName: codemode.WireToolName{Name: "read_note"},
			ToolKind: codemode.FunctionTool, Input: codemode.RawJSON(`{"id":3}`),
		}}}
}

func BenchmarkEncodeToolInvoke(b *testing.B) {
	w := codemode.NewFramedWriter(io.Discard, codemode.Base)
	m := toolInvoke()
	b.ReportAllocs()
	for b.Loop() {
		if err := w.WriteHostToClient(m); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkDecodeToolInvoke(b *testing.B) {
	f, err := codemode.EncodeHostToClient(codemode.Base, toolInvoke())
	if err != nil {
		b.Fatal(err)
	}
	d := codemode.NewDecoder(codemode.Base)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := d.DecodeHostToClient(f[4:]); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkDecodeToolResult(b *testing.B) {
	payload := []byte(`{"type":"delegate/response","id":3,"result":{"status":"ok","value":{"type":"tool/result","result":{"title":"Groceries"}}}}`)
	d := codemode.NewDecoder(codemode.Base)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := d.DecodeClientToHost(payload); err != nil {
			b.Fatal(err)
		}
	}
}

// text returns a result with one text item of so many MiB.
func text(mib int) *codemode.ExecuteInitialResponse {
	line := "some text with \"quotes\" and a line end, as a cell prints it: 0123456789\n"
	return &codemode.ExecuteInitialResponse{ID: 1, Result: codemode.WireResult[codemode.WireRuntimeResponse]{
		Value: codemode.WireRuntimeResponse{State: codemode.Result, CellID: "1", ContentItems: []codemode.WireContentItem{
			{Type: codemode.InputText, Text: strings.Repeat(line, mib<<20/len(line))}}}}}
}

func BenchmarkEncodeText60MiB(b *testing.B) {
	m := text(60)
	b.SetBytes(60 << 20)
	for b.Loop() {
		if _, err := codemode.EncodeHostToClient(codemode.Base, m); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkReadText60MiB(b *testing.B) {
	f, err := codemode.EncodeHostToClient(codemode.Base, text(60))
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(60 << 20)
	for b.Loop() {
		if _, err := codemode.NewFramedReader(bytes.NewReader(f), codemode.Base).ReadHostToClient(); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkReadToolResult54MB(b *testing.B) {
	f, err := codemode.EncodeClientToHost(codemode.Base, bigResult())
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(54 << 20)
	for b.Loop() {
		if _, err := codemode.NewFramedReader(bytes.NewReader(f), codemode.Base).ReadClientToHost(); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkEncodeToolResult54MB(b *testing.B) {
	m := bigResult()
	b.SetBytes(54 << 20)
	for b.Loop() {
		if _, err := codemode.EncodeClientToHost(codemode.Base, m); err != nil {
			b.Fatal(err)
		}
	}
}

func bigResult() *codemode.DelegateAnswer {
	row := `{"id":12345,"name":"a row of a table","tags":["x","y"],"score":2.50},`
	rows := `[` + strings.Repeat(row, 54<<20/len(row)) + `null]`
	return &codemode.DelegateAnswer{ID: 1, Result: codemode.WireResult[codemode.DelegateResponse]{
		Value: &codemode.ToolResult{Result: codemode.RawJSON(rows)}}}
}
