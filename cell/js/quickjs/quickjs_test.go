package quickjs_test

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/berth-dev/berth/cell/js"
	"github.com/berth-dev/berth/cell/js/quickjs"
)

// account is a js.Account with a limit.
type account struct {
	used, limit atomic.Int64
}

func newAccount(limit int64) *account {
	a := new(account)
	a.limit.Store(limit)
	return a
}

func (a *account) Reserve(delta int64) error {
	if n := a.used.Add(delta); delta > 0 && n > a.limit.Load() {
		a.used.Add(-delta)
		return js.ErrMemory
	}
	return nil
}

func (a *account) LimitError() string {
	return fmt.Sprintf("RangeError: cell memory limit of %d MiB exceeded", a.limit.Load()>>20)
}

// host records what a program does, answers its tools with answer, and fires
// timers in the order of their deadlines as soon as nothing else is to be done.
type host struct {
	out    []string
	stored map[string]string
	answer func(tool int, input string) (result string, err error)
	calls  []call
	timers []timer // in the order of their deadlines
	yields int
}

type call struct {
	id    uint64
	tool  int
	input string
}

type timer struct{ id, ms uint64 }

func (h *host) Text(s string) error          { h.out = append(h.out, s); return nil }
func (h *host) Image(url, d string) error    { h.out = append(h.out, "image "+d+" "+url); return nil }
func (h *host) Audio(url string) error       { h.out = append(h.out, "audio "+url); return nil }
func (h *host) Notify(s string) error        { h.out = append(h.out, "notify "+s); return nil }
func (h *host) Yield()                       { h.yields++ }
func (h *host) Load(k string) ([]byte, bool) { v, ok := h.stored[k]; return []byte(v), ok }

func (h *host) Store(k string, v []byte) error {
	if h.stored == nil {
		h.stored = map[string]string{}
	}
	h.stored[k] = string(v)
	return nil
}

func (h *host) CallTool(tool int, input []byte) (uint64, error) {
	id := uint64(len(h.calls) + 1)
	h.calls = append(h.calls, call{id, tool, string(input)})
	return id, nil
}

func (h *host) SetTimer(id, ms uint64) error {
	k, _ := slices.BinarySearchFunc(h.timers, ms+1, func(t timer, ms uint64) int { return cmp.Compare(t.ms, ms) })
	h.timers = slices.Insert(h.timers, k, timer{id, ms})
	return nil
}

func (h *host) ClearTimer(id uint64) {
	for k, t := range h.timers {
		if t.id == id {
			h.timers = append(h.timers[:k], h.timers[k+1:]...)
			return
		}
	}
}

// fire takes the timer that is due first.
func (h *host) fire() (timer, bool) {
	if len(h.timers) == 0 {
		return timer{}, false
	}
	t := h.timers[0]
	h.timers = h.timers[1:]
	return t, true
}

// run runs a program to its end, or to where nothing is left to wait for.
func run(t testing.TB, iso js.Isolate, h *host, p js.Program) (out js.Outcome, done bool, err error) {
	t.Helper()
	err = iso.Start(p)
	answered := 0
	for err == nil {
		more := true
		for more && err == nil {
			more, err = iso.Drain(1000)
		}
		if out, done = iso.Done(); done || err != nil {
			return out, done, err
		}
		if answered < len(h.calls) {
			c := h.calls[answered]
			answered++
			if h.answer == nil {
				continue
			}
			if result, failure := h.answer(c.tool, c.input); failure != nil {
				err = iso.Reject(c.id, failure.Error())
			} else {
				err = iso.Resolve(c.id, []byte(result))
			}
			continue
		}
		next, ok := h.fire()
		if !ok {
			return js.Outcome{}, false, nil
		}
		err = iso.Fire(next.id)
	}
	return out, done, err
}

func newEngine(t testing.TB) *quickjs.Engine {
	t.Helper()
	return newEngineIn(t, "UTC")
}

// newEngineIn makes an engine with a time zone. The last one made counts for
// Date, the engine's own for Intl.
func newEngineIn(t testing.TB, zone string) *quickjs.Engine {
	t.Helper()
	getenv := func(name string) string { return map[string]string{"TZ": zone}[name] }
	e := quickjs.New(quickjs.Options{Spare: -1, Getenv: getenv})
	if err := e.Prepare(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = e.Close() })
	return e
}

// eval runs a source and returns what it put out, one item a line, and its
// error text, marked by "! ".
func eval(t testing.TB, e *quickjs.Engine, source string) string {
	t.Helper()
	h := &host{answer: func(tool int, input string) (string, error) { return input, nil }}
	acct := newAccount(1 << 30)
	iso, err := e.New(h, acct)
	if err != nil {
		t.Fatal(err)
	}
	defer iso.Close()
	out, done, err := run(t, iso, h, js.Program{Source: source, Tools: []js.Tool{{Name: "echo", Description: "d"}}})
	if err != nil {
		t.Fatal(err)
	}
	lines := h.out
	if !done {
		lines = append(lines, "…")
	}
	if out.Failed {
		lines = append(lines, "! "+out.ErrorText)
	}
	return strings.Join(lines, "\n")
}

func BenchmarkTrivial(b *testing.B) {
	e := newEngine(b)
	for b.Loop() {
		h := new(host)
		iso, _ := e.New(h, newAccount(1<<30))
		run(b, iso, h, js.Program{Source: "text('x')"})
		iso.Close()
	}
}
