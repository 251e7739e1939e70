package quickjs_test

import (
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/berth-dev/berth/cell/js"
	"github.com/berth-dev/berth/cell/js/quickjs"
)

// What a cell might do to its host. Whatever happens to it, it ends soon, its
// memory comes back, and the next cell works.

type hostile struct{ name, source string }

// patience is for programs that end by themselves, on however slow a machine.
const patience = time.Minute

// attack runs a program under a watchdog that behaves as a cell's owner does: it
// interrupts after a while, and soon after that takes the memory away.
func attack(t *testing.T, e *quickjs.Engine, limit int64, watch time.Duration, source string) (h *host, out js.Outcome, done bool, err error) {
	t.Helper()
	acct := newAccount(limit)
	h = &host{answer: func(_ int, input string) (string, error) { return input, nil }}
	iso, err := e.New(h, acct)
	if err != nil {
		t.Fatal(err)
	}
	stop := watchdog(iso, watch)
	out, done, err = run(t, iso, h, js.Program{Source: source, Tools: []js.Tool{{Name: "echo"}}})
	stop()
	if err != nil && !errors.Is(err, js.ErrInterrupted) {
		t.Errorf("the engine broke: %v", err)
	}
	iso.Close()
	if n := acct.used.Load(); n != 0 {
		t.Errorf("%d bytes stay charged", n)
	}
	if got := eval(t, e, `text([1, 2].map(x => x + 1))`); got != "[2,3]" {
		t.Errorf("the next cell: %q", got)
	}
	return h, out, done, err
}

// watchdog interrupts, then kills. What it returns ends it.
func watchdog(iso js.Isolate, after time.Duration) (stop func()) {
	finished := make(chan struct{})
	var dog sync.WaitGroup
	dog.Go(func() {
		select {
		case <-finished:
			return
		case <-time.After(after):
			iso.Interrupt()
		}
		select {
		case <-finished:
		case <-time.After(100 * time.Millisecond):
			iso.(js.Killer).Kill()
		}
	})
	return func() {
		close(finished)
		dog.Wait()
	}
}

// TestStopped runs what never ends by itself.
func TestStopped(t *testing.T) {
	e := newEngine(t)
	for _, test := range []hostile{
		{"loop", `for(;;);`},
		{"loop in a catch", `for(;;) try { for(;;); } catch {} finally { for(;;); }`},
		{"loop in a promise job", `await 0; for(;;);`},
		{"endless microtasks", `const f = () => Promise.resolve().then(f); f(); await new Promise(() => {})`},
		{"indexOf on a long array-like", `Array.prototype.indexOf.call({length: 2**53-1}, 1)`},
		{"join on a long array-like", `Array.prototype.join.call({length: 2**32}, '')`},
		{"reverse on a long array-like", `Array.prototype.reverse.call({length: 2**53-1})`},
		{"fill on a long array-like", `Array.prototype.fill.call(new Proxy({length: 2**53-1}, {}), 1)`},
		{"copyWithin on a long array-like", `Array.prototype.copyWithin.call({length: 2**53-1}, 1, 0)`},
		{"includes in a getter", `Array.prototype.includes.call({get length() { return 2**53-1 }}, 1)`},
		{"backtracking regex", `/(a*)*b/.test('a'.repeat(5000))`},
		{"backtracking regex with captures", `/^(?:(x+)+)+y/.exec('x'.repeat(1e5))`},
		{"JSON of a wide tree", `let o = {}; for (let i = 0; i < 1e6; i++) o = [o, o]; JSON.stringify(o)`},
		{"recursion in a catch", `function f() { try { f() } catch { f() } } f()`},
		{"recursion in finally", `function f() { try { f() } finally { f() } } f()`},
		{"text in a loop", `for (;;) text('x'.repeat(1000))`},
		{"looping stack getter", `throw {get stack() { for (;;); }}`},
		{"looping toString", `throw {toString() { for (;;); }}`},
		{"looping toJSON", `text({toJSON() { for (;;); }})`},
		{"looping prepareStackTrace", `Error.prepareStackTrace = () => { for (;;); }; throw new Error('x')`},
		{"thenable loop", `const t = {then(r) { r(t) }}; await t`},
		{"species", `class A extends Array { static get [Symbol.species]() { for (;;); } } new A(1).map(x => x)`},
		{"date strings", `for (;;) new Date('x'.repeat(1e6))`},
		{"looping proxy for text", `text(new Proxy({}, {ownKeys() { for (;;); }}))`},
		{"looping proxy for image", `image(new Proxy({}, {get() { for (;;); }}))`},
		{"looping key for store", `store({toString() { for (;;); }}, 1)`},
		{"looping delay", `setTimeout(() => {}, {valueOf() { for (;;); }})`},
		{"looping argument of a tool", `tools.echo({get a() { for (;;); }})`},
		{"looping timer", `setTimeout(() => { for (;;); }, 0); await new Promise(() => {})`},
		{"looping generator", `function* g() { for (;;) yield 1 } for (const x of g());`},
		{"looping dispose", `{ using r = {[Symbol.dispose]() { for (;;); }}; }`},
		{"looping replacer", `'a'.replace(/a/, () => { for (;;); })`},
		{"looping eval", `eval('for (;;);')`},
		{"looping handler of a rejection", `Promise.reject().catch(() => { for (;;); }); await new Promise(() => {})`},
		{"async loop", `for (;;) await null`},
		{"lastIndexOf on a long array-like", `Array.prototype.lastIndexOf.call({length: 2**53-1}, 1)`},
		{"every on a long array-like", `Array.prototype.every.call(new Proxy({length: 2**53-1}, {has: () => false}), () => true)`},
		{"sparse sort", `const a = []; a[2**32 - 2] = 1; for (;;) a.sort()`},
	} {
		t.Run(test.name, func(t *testing.T) {
			if _, out, done, err := attack(t, e, 256<<20, 100*time.Millisecond, test.source); !errors.Is(err, js.ErrInterrupted) {
				t.Errorf("was not stopped: %v %+v %v", done, out, err)
			}
		})
	}
}

// TestMemoryLimit takes more memory than there is. However the engine puts it,
// the program ends with the account's words, and cannot catch that.
func TestMemoryLimit(t *testing.T) {
	e := newEngine(t)
	const limit = 64 << 20
	want := newAccount(limit).LimitError()
	for _, test := range []hostile{
		{"arrays", `const a = []; for (;;) a.push(new Array(1000).fill(1))`},
		{"typed arrays", `const a = []; for (;;) a.push(new Uint8Array(1 << 20).fill(1))`},
		{"allocation in finally", `try { for (const a = [];;) a.push(new Array(1000).fill(1)) } finally { for (const b = [];;) b.push(new Array(1000).fill(1)) }`},
		{"allocation in a job", `await 0; for (const a = [];;) a.push({a: [1, 2, 3]})`},
		{"map bomb", `const m = new Map(); for (let i = 0;; i++) m.set({}, i)`},
		{"symbols", `const a = []; for (let i = 0;; i++) a.push(Symbol(i))`},
		{"atoms", `const o = {}; for (let i = 0;; i++) o['k' + i] = 1`},
		{"padStart", `'x'.padStart(2**30 - 1, 'yz')`},
		{"recursion with large frames", `const names = Array.from({length: 12000}, (_, i) => 'v' + i); const f = new Function('f', 'let ' + names.join(',') + '; f(f)'); f(f)`},
		{"bind chain", `let f = () => {}; for (let i = 0; i < 2e5; i++) f = f.bind(null); f()`},
		{"weak references", `const r = []; for (;;) r.push(new WeakRef({}), new FinalizationRegistry(() => {}))`},
		{"in a getter for text", `text({get a() { for (const a = [];;) a.push([a.length]) }})`},
		{"in toString", "`${{toString() { for (const a = [];;) a.push([a.length]) }}}`"},
		{"in an argument of a tool", `try { await tools.echo({toJSON() { for (const a = [];;) a.push([a.length]) }}) } catch { text(1) }`},
		{"in a comparison", `try { [2, 1].sort(() => { for (const a = [];;) a.push([a.length]) }) } catch { text(1) }`},
		{"in a proxy", `new Proxy({}, {get() { for (const a = [];;) a.push([a.length]) }}).x`},
		{"in a timer", `setTimeout(() => { for (const a = [];;) a.push([a.length]) }, 0); await new Promise(() => {})`},
		{"in a catch", `try { for (const a = [];;) a.push([a.length]) } catch { for (const b = [];;) b.push([b.length]) }`},
		{"caught over and over", `for (;;) try { for (const a = [];;) a.push([a.length]) } catch {}`},
		{"in dispose", `{ using r = {[Symbol.dispose]() { for (const a = [];;) a.push([a.length]) }}; }`},
		{"in a reviver", `JSON.parse('[1]', () => { for (const a = [];;) a.push([a.length]) })`},
		{"in prepareStackTrace", `Error.prepareStackTrace = () => { for (const a = [];;) a.push([a.length]) }; throw new Error('x')`},
		{"in a static block", `class A { static { for (const a = [];;) a.push([a.length]) } }`},
		{"in a handler of a rejection", `await Promise.reject().catch(() => { for (const a = [];;) a.push([a.length]) })`},
		{"of pending promises", `const a = []; for (;;) a.push(new Promise(() => {}))`},
		{"of jobs", `for (;;) Promise.resolve().then(() => {})`},
		{"of closures", `const a = []; for (let i = 0;; i++) a.push(() => i)`},
		{"of regular expressions", `const a = []; for (let i = 0;; i++) a.push(new RegExp('a'.repeat(1000) + i))`},
		{"of functions from text", `const a = []; for (let i = 0;; i++) a.push(new Function('return ' + i))`},
		{"of big integers", `const a = []; for (let i = 1n;; i++) a.push(i << 100000n)`},
		{"of generators", `const a = []; function* g() { yield 1 } for (;;) { const i = g(); i.next(); a.push(i) }`},
		{"of strings in a map", `const m = new Map(); for (let i = 0;; i++) m.set('k' + i, 'v'.repeat(100))`},
		{"of errors", `const a = []; for (;;) a.push(new Error(a.length))`},
		{"of a source map", `const big = "x".repeat(2**28); const a = []; for (;;) a.push(big + a.length, big.slice(1))`},
	} {
		t.Run(test.name, func(t *testing.T) {
			h, out, _, err := attack(t, e, limit, patience, test.source)
			if !out.Failed || out.ErrorText != want || len(h.out) > 0 {
				t.Errorf("ended with %+v, %v after %q", out, err, h.out)
			}
		})
	}
}

// TestStackOverflow recurses.
func TestStackOverflow(t *testing.T) {
	e := newEngine(t)
	for _, test := range []hostile{
		{"recursion", `function f() { f() } f()`},
		{"recursion through a getter", `const o = {get a() { return this.a }}; o.a`},
		{"recursion through toString", `const o = {toString() { return '' + this }}; '' + o`},
		{"recursion through sort", `function f() { [1, 2].sort(f) } f()`},
		{"recursion through a proxy", `const p = new Proxy({}, {get: (t, k, r) => r[k]}); p.x`},
		{"generator recursion", `function* g() { yield* g() } [...g()]`},
		{"async recursion", `async function f() { await f() } await f()`},
		{"nested brackets", `eval('['.repeat(1e6) + ']'.repeat(1e6))`},
		{"nested parens", `eval('('.repeat(1e6) + '1' + ')'.repeat(1e6))`},
		{"nested braces", `eval('{'.repeat(1e6) + '}'.repeat(1e6))`},
		{"nested templates", "eval('`${'.repeat(2e5) + '}`'.repeat(2e5))"},
		{"unary operators", `eval('!'.repeat(1e6) + '1')`},
		{"exponents", `eval('1' + '**1'.repeat(1e6))`},
		{"ternaries", `eval('1?'.repeat(3e5) + '1' + ':1'.repeat(3e5))`},
		{"arrows", `eval('a=>'.repeat(1e6) + '1')`},
		{"assignments", `eval('a='.repeat(1e6) + '1')`},
		{"else ifs", `eval('if(0);else '.repeat(1e6) + ';')`},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, out, _, err := attack(t, e, 1<<30, patience, test.source)
			if !strings.HasPrefix(out.ErrorText, "RangeError: Maximum call stack size exceeded\n    at ") {
				t.Errorf("ended with %+v, %v", out, err)
			}
		})
	}
}

// TestExitIsFinal calls exit where something might go on.
func TestExitIsFinal(t *testing.T) {
	e := newEngine(t)
	for _, test := range []hostile{
		{"exit in a loop", `for (;;) { try { exit() } finally { continue } }`},
		{"exit in a job", `Promise.resolve().then(exit); for (let i = 0; i < 10; i++) await 0; text('no'); for (;;);`},
		{"exit in a getter", `text({get a() { exit(); for (;;); }}); for (;;);`},
		{"exit in sort", `[3, 2, 1].sort(() => exit()); text('no')`},
		{"exit in a generator", `function* g() { try { yield 1 } finally { for (;;); } } for (const x of g()) exit()`},
		{"exit in a timer", `setTimeout(() => { try { exit() } finally { text('no') } }, 0); for (;;) await new Promise(r => setTimeout(r, 1))`},
		{"exit in an executor", `new Promise(() => exit()).finally(() => text('no')); text('no')`},
		{"exit in toJSON", `try { store('k', {toJSON: exit}) } catch { text('no') } text('no')`},
		{"exit in dispose", `{ using a = {[Symbol.dispose]() { text('no') }}, b = {[Symbol.dispose]: exit}; } text('no')`},
		{"exit in a getter of then", `await {get then() { exit() }}; text('no')`},
		{"exit in a replacer", `'aa'.replace(/a/g, () => exit()); text('no')`},
	} {
		t.Run(test.name, func(t *testing.T) {
			h, out, done, err := attack(t, e, 256<<20, patience, test.source)
			if !done || out.Failed || err != nil || len(h.out) > 0 {
				t.Errorf("%v %+v %v after %q", done, out, err, h.out)
			}
		})
	}
}

// TestHostileEnds runs what ends in a way that is known.
func TestHostileEnds(t *testing.T) {
	e := newEngine(t)
	for _, test := range []struct{ name, want, source string }{
		{"BigInt power", `! RangeError: Maximum BigInt size exceeded`, `(2n ** 2000000n) ** 50n`},
		{"strings", `! RangeError: Invalid string length`, `let s = 'x'; for (;;) s += s`},
		{"one huge array buffer", `! RangeError: Array buffer allocation failed`, `new ArrayBuffer(2**40)`},
		{"repeat", `! RangeError: Invalid string length`, `'x'.repeat(2**30).repeat(2**10)`},
		{"regex groups", `! SyntaxError: Invalid regular expression: /((`, `new RegExp('('.repeat(1e6) + ')'.repeat(1e6))`},
		{"regex noncapturing groups", `! SyntaxError: Invalid regular expression: /(?:`, `new RegExp('(?:'.repeat(1e6) + ')'.repeat(1e6))`},
		{"regex lookaheads", `! SyntaxError: Invalid regular expression: /(?=`, `new RegExp('(?='.repeat(1e5) + ')'.repeat(1e5))`},
		{"regex counters", `! SyntaxError: Invalid regular expression: /a{1000}`, `new RegExp('a{1000}'.repeat(1000) + '{1000}').test('a'.repeat(1e5))`},
		{"JSON.parse brackets", `! SyntaxError: Unexpected end of JSON input`, `JSON.parse('['.repeat(1e6))`},
		{"nested lists freed", `ok`, `let o = null; for (let i = 0; i < 2e6; i++) o = {o}; o = null; text('ok')`},
		{"nested arrays freed", `ok`, `let o = []; for (let i = 0; i < 2e6; i++) o = [o]; o = null; text('ok')`},
		{"nested closures freed", `ok`, `let f = () => 0; for (let i = 0; i < 1e6; i++) { const g = f; f = () => g } f = null; text('ok')`},
		{"10^7 arguments", `! RangeError: `, `Math.max.apply(null, new Array(1e7))`},
		{"throwing stack getter", `! [object Object]`, `throw {get stack() { throw new Error('x') }}`},
		{"throwing everything", `! `, `throw new Proxy({}, {get() { throw 1 }, getPrototypeOf() { throw 2 }})`},
		{"revoked prototype", `ok`, `Object.setPrototypeOf(Object.prototype, null); Array.prototype.push = null; JSON.stringify = null; Promise.prototype.then = null; text('ok'); await tools.echo(1)`},
		{"5·10⁵ jobs", "500000", `let n = 0; for (let i = 0; i < 5e5; i++) Promise.resolve().then(() => n++); await new Promise(r => setTimeout(r, 1)); text(n)`},
		{"10⁵ timers", "100000", `let n = 0; for (let i = 0; i < 1e5; i++) setTimeout(() => n++, i); await new Promise(r => setTimeout(r, 2e5)); text(n)`},
		{"10⁴ calls", "10000", `text((await Promise.all(Array.from({length: 1e4}, (_, i) => tools.echo(i)))).length)`},
		{"a long comment", "ok", "/*" + strings.Repeat("x", 5<<20) + "*/ text('ok')"},
		{"bytes that are no text", "ok", "/* \xff\xfe\xed\xa0\x80 */ text('ok')"},
		{"a NUL", "! SyntaxError: ", "text('a');\x00text('b')"},
		{"lone surrogates", "a\ufffdb", `text('a\ud800b')`},
		{"lone surrogates in a key", `{"\ud800":1}`, `text({'\ud800': 1})`},
		{"proxies as arguments", "ok", `const p = new Proxy(() => 1, {}); setTimeout(p, 0); clearTimeout(new Proxy([1], {})); store(new Proxy([], {}), p()); text('ok')`},
		{"a chain of proxies is no list", "false", `let p = {}; for (let i = 0; i < 1000; i++) p = new Proxy(p, {}); text(Array.isArray(p))`},
		{"stack overflow is caught", "RangeError", `function f() { f() } try { f() } catch (e) { text(e.name) }`},
		{"stack overflow in a getter of text", "! RangeError: Maximum call stack size exceeded", `const o = {get a() { return JSON.stringify(this) }}; text(o)`},
	} {
		t.Run(test.name, func(t *testing.T) {
			h, out, done, err := attack(t, e, 1<<30, patience, test.source)
			got := strings.Join(h.out, "\n")
			if out.Failed {
				got += "! " + out.ErrorText
			}
			if !done || err != nil || !strings.HasPrefix(got, test.want) {
				t.Errorf("%v %.200q %v, want %q", done, got, err, test.want)
			}
		})
	}
}

// TestHostile runs what may end in several ways, by how fast the machine is.
func TestHostile(t *testing.T) {
	e := newEngine(t)
	for _, test := range []hostile{
		{"replaceAll on 2^24 characters", `'a'.repeat(2**24).replaceAll('a', 'bb').length; text('ok')`},
		{"replace with a function", `'a'.repeat(2**24).replace(/a/g, () => 'bbbbbbbbbbbbbbbbbbbb')`},
		{"split", `'a'.repeat(2**24).split('')`},
		{"normalize", `'é'.repeat(2**23).normalize('NFD').normalize('NFC')`},
		{"sort with a bad comparison", `Array.from({length: 1e6}, (_, i) => i % 7).sort(() => Math.random() - 0.5)`},
		{"BigInt to string", `(7n ** 4000000n).toString()`},
		{"huge array", `new Array(2**32-1).fill(0)`},
		{"many jobs", `for (let i = 0; i < 2e6; i++) Promise.resolve().then(() => {})`},
		{"nested functions", `eval('function f(){'.repeat(2e5) + '}'.repeat(2e5))`},
		{"operators", `eval('1' + '+1'.repeat(1e6))`},
		{"commas", `eval('1' + ',1'.repeat(1e6))`},
		{"members", `eval('a' + '.a'.repeat(1e6))`},
		{"optional chains", `eval('a' + '?.a'.repeat(1e6))`},
		{"labels", `eval(Array.from({length: 1e5}, (_, i) => 'l' + i + ':').join('') + ';')`},
		{"regex alternatives", `new RegExp('a|'.repeat(1e6)).test('b')`},
		{"regex classes", `new RegExp('[' + 'a-z'.repeat(1e6) + ']', 'v').test('b')`},
		{"JSON.parse with a reviver", `JSON.parse('['.repeat(5000) + ']'.repeat(5000), (k, v) => v)`},
		{"proxy chain", `let p = {}; for (let i = 0; i < 2e5; i++) p = new Proxy(p, {}); p.x`},
		{"proxy chain prototype", `let p = {}; for (let i = 0; i < 2e5; i++) p = new Proxy(p, {}); p instanceof Object`},
		{"proxy chain isArray", `let p = []; for (let i = 0; i < 2e5; i++) p = new Proxy(p, {}); Array.isArray(p)`},
		{"prototype chain", `let o = {}; for (let i = 0; i < 2e5; i++) o = Object.create(o); o.x; for (const k in o);`},
		{"rope", `let s = ''; for (let i = 0; i < 3e6; i++) s = s + 'ab'; s.length; text(s[1e6])`},
		{"left rope", `let s = 'x'; for (let i = 0; i < 2e6; i++) s = 'ab' + s; text(s[1e6])`},
		{"chained promises", `let p = Promise.resolve(); for (let i = 0; i < 5e5; i++) p = p.then(() => p); await p`},
		{"70 000 locals", `eval(Array.from({length: 70000}, (_, i) => 'let v' + i + '=1').join(';'))`},
		{"70 000 arguments", `Math.max(...new Array(70000).fill(1)); text('ok')`},
		{"many parameters", `new Function(...Array.from({length: 70000}, (_, i) => 'a' + i), 'return 1')()`},
		{"recursing prepareStackTrace", `Error.prepareStackTrace = () => { throw new Error('again') }; throw new Error('x')`},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, out, done, err := attack(t, e, 256<<20, 300*time.Millisecond, test.source)
			t.Logf("%v %v %.100q %v", done, out.Failed, out.ErrorText, err)
		})
	}
}

// fullHost has no memory for anything.
type fullHost struct{ host }

func (*fullHost) Text(string) error                    { return errFull }
func (*fullHost) Image(string, string) error           { return errFull }
func (*fullHost) Notify(string) error                  { return errFull }
func (*fullHost) Store(string, []byte) error           { return errFull }
func (*fullHost) SetTimer(uint64, uint64) error        { return errFull }
func (*fullHost) CallTool(int, []byte) (uint64, error) { return 0, errFull }

var errFull = fmt.Errorf("output: %w", js.ErrMemory)

// TestHostRefusesMemory checks that what the host has no memory for ends the
// program as its own memory does.
func TestHostRefusesMemory(t *testing.T) {
	e := newEngine(t)
	for _, call := range []string{"text(1)", "image('data:,a')", "notify('n')", "store('k', 1)", "setTimeout(() => {}, 0)", "tools.echo(1)", "await tools.echo(1)"} {
		t.Run(call, func(t *testing.T) {
			acct := newAccount(1 << 30)
			iso, err := e.New(new(fullHost), acct)
			if err != nil {
				t.Fatal(err)
			}
			defer iso.Close()
			source := "for (;;) { try { " + call + " } catch {} finally { continue } }"
			if err := iso.Start(js.Program{Source: source, Tools: []js.Tool{{Name: "echo"}}}); err != nil {
				t.Fatal(err)
			}
			if out, done := iso.Done(); !done || out.ErrorText != acct.LimitError() {
				t.Errorf("%v %+v", done, out)
			}
		})
	}
}

// TestStopIsNotLost interrupts where no JavaScript runs.
func TestStopIsNotLost(t *testing.T) {
	e := newEngine(t)
	t.Run("before the start", func(t *testing.T) {
		h := new(host)
		iso, err := e.New(h, newAccount(1<<30))
		if err != nil {
			t.Fatal(err)
		}
		defer iso.Close()
		iso.Interrupt()
		if err := iso.Start(js.Program{Source: "text('no')"}); !errors.Is(err, js.ErrInterrupted) || len(h.out) > 0 {
			t.Errorf("%v after %q", err, h.out)
		}
	})
	t.Run("between two entries", func(t *testing.T) {
		h := new(host)
		iso, err := e.New(h, newAccount(1<<30))
		if err != nil {
			t.Fatal(err)
		}
		defer iso.Close()
		if err := iso.Start(js.Program{Source: "setTimeout(() => text('no'), 0); await 0; text('no')"}); err != nil {
			t.Fatal(err)
		}
		iso.Interrupt()
		if _, err := iso.Drain(1); !errors.Is(err, js.ErrInterrupted) {
			t.Errorf("drain: %v", err)
		}
		if err := iso.Fire(1); !errors.Is(err, js.ErrInterrupted) || len(h.out) > 0 {
			t.Errorf("fire: %v after %q", err, h.out)
		}
	})
}

// TestKillRaces kills isolates that run, end, close and are reused meanwhile.
func TestKillRaces(t *testing.T) {
	e := newEngine(t)
	for k := range 60 {
		acct := newAccount(1 << 30)
		h := new(host)
		iso, err := e.New(h, acct)
		if err != nil {
			t.Fatal(err)
		}
		var killer sync.WaitGroup
		started := make(chan struct{})
		killer.Go(func() {
			<-started
			for range k % 20 {
				runtime.Gosched()
			}
			iso.(js.Killer).Kill()
		})
		close(started)
		_, _, err = run(t, iso, h, js.Program{Source: "for (let i = 0; i < 1e4; i++) new Array(100).fill(i)"})
		if err != nil && !errors.Is(err, js.ErrInterrupted) {
			t.Errorf("run: %v", err)
		}
		iso.Close()
		killer.Wait()
		if n := acct.used.Load(); n != 0 {
			t.Fatalf("%d bytes stay charged", n)
		}
	}
	if got := eval(t, e, "text('ok')"); got != "ok" {
		t.Errorf("the next cell: %q", got)
	}
}
