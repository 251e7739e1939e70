package quickjs

import (
	"testing"

	"github.com/berth-dev/berth/cell/js/internal/intl"
)

// TestTemplateIsSmall bounds what is copied into every isolate, and with it what
// a live idle cell takes.
func TestTemplateIsSmall(t *testing.T) {
	tp, err := newTemplate(intl.Env{})
	if err != nil {
		t.Fatal(err)
	}
	const most = 400 << 10
	if n := len(tp.image); n > most {
		t.Errorf("the template has %d bytes, more than %d", n, most)
	}
	if len(tp.moves) == 0 {
		t.Error("no address in the template is moved")
	}
}

// TestClonesShareNothing changes everything that one isolate can reach in
// another's built-ins, and finds the template's in a third.
func TestClonesShareNothing(t *testing.T) {
	tp, err := newTemplate(intl.Env{})
	if err != nil {
		t.Fatal(err)
	}
	eval := func(i *isolate, source string) string {
		code, err := i.compileScript(source)
		if err != nil {
			t.Fatal(err)
		}
		s, ok := i.toText(i.evalBytecode(code))
		if !ok {
			t.Fatal(i.preludeFailure())
		}
		return s
	}
	const look = `[Object.keys(Array.prototype).join(), Object.getOwnPropertyNames(globalThis).length, [3, 1].sort().join(), Math.random() < 1, new Error('x').message].join('|')`
	from := &regions{}
	defer from.close()
	first, err := tp.clone(from, nil, free{})
	if err != nil {
		t.Fatal(err)
	}
	defer first.Close()
	second, err := tp.clone(from, nil, free{})
	if err != nil {
		t.Fatal(err)
	}
	defer second.Close()
	want := eval(first, look)
	eval(first, `Array.prototype.mine = 1; globalThis.x = {}; Array.prototype.sort = null; delete globalThis.Math; Error.prototype.message = 'y'; 0`)
	if got := eval(second, look); got != want {
		t.Errorf("a clone sees %q, want %q", got, want)
	}
	a, b := eval(second, `Math.random()`), eval(second, `Math.random()`)
	third, err := tp.clone(from, nil, free{})
	if err != nil {
		t.Fatal(err)
	}
	defer third.Close()
	if c := eval(third, `Math.random()`); a == b || a == c {
		t.Errorf("random numbers repeat: %s, %s, %s", a, b, c)
	}
}

func BenchmarkClone(b *testing.B) {
	tp, err := newTemplate(intl.Env{})
	if err != nil {
		b.Fatal(err)
	}
	from := &regions{}
	defer from.close()
	for b.Loop() {
		i, err := tp.clone(from, nil, free{})
		if err != nil {
			b.Fatal(err)
		}
		i.Close()
	}
}
