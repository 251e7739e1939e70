package quickjs_test

import (
	"testing"

	"github.com/berth-dev/berth/cell/js"
)

// BenchmarkToolCall is the engine's share of a tool call that is awaited.
func BenchmarkToolCall(b *testing.B) {
	e := newEngine(b)
	h := new(host)
	iso, err := e.New(h, newAccount(1<<30))
	if err != nil {
		b.Fatal(err)
	}
	defer iso.Close()
	p := js.Program{Source: `for (;;) await tools.echo({q: 1})`, Tools: []js.Tool{{Name: "echo"}}}
	if err := iso.Start(p); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		call := h.calls[len(h.calls)-1]
		h.calls = h.calls[:0]
		h.calls = append(h.calls, call)
		if err := iso.Resolve(call.id, []byte(`{"a":1}`)); err != nil {
			b.Fatal(err)
		}
		for more := true; more; {
			if more, err = iso.Drain(1000); err != nil {
				b.Fatal(err)
			}
		}
		h.calls = h.calls[1:]
	}
}
