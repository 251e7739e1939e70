package quickjs_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/berth-dev/berth/cell/js"
)

// stoppable runs a program under a watchdog that behaves as a cell's owner does:
// it interrupts after a while, and soon after that takes the memory away.
func stoppable(t *testing.T, iso js.Isolate, h *host, p js.Program) (out js.Outcome, done bool, err error) {
	t.Helper()
	finished := make(chan struct{})
	watched := make(chan struct{})
	go func() {
		defer close(watched)
		select {
		case <-finished:
			return
		case <-time.After(400 * time.Millisecond):
			iso.Interrupt()
		}
		select {
		case <-finished:
		case <-time.After(100 * time.Millisecond):
			iso.(js.Killer).Kill()
		}
	}()
	out, done, err = run(t, iso, h, p)
	close(finished)
	<-watched
	return out, done, err
}

// TestHostile runs what a cell might do to its host. Whatever happens to it,
// it ends soon, its memory comes back, and the next cell works.
func TestHostile(t *testing.T) {
	e := newEngine(t)
	const limit = 256 << 20
	for _, test := range []struct{ name, source string }{
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
		{"replaceAll on 2^24 characters", `'a'.repeat(2**24).replaceAll('a', 'bb').length; text('ok')`},
		{"replace with a function", `'a'.repeat(2**24).replace(/a/g, () => 'bbbbbbbbbbbbbbbbbbbb')`},
		{"split", `'a'.repeat(2**24).split('')`},
		{"normalize", `'é'.repeat(2**23).normalize('NFD').normalize('NFC')`},
		{"sort with a bad comparison", `Array.from({length: 1e6}, (_, i) => i % 7).sort(() => Math.random() - 0.5)`},
		{"BigInt power", `(2n ** 2000000n) ** 50n`},
		{"BigInt to string", `(7n ** 4000000n).toString()`},
		{"arrays", `const a = []; for (;;) a.push(new Array(1000).fill(1))`},
		{"strings", `let s = 'x'; for (;;) s += s`},
		{"typed arrays", `const a = []; for (;;) a.push(new Uint8Array(1 << 20).fill(1))`},
		{"one huge array buffer", `new ArrayBuffer(2**40)`},
		{"huge array", `new Array(2**32-1).fill(0)`},
		{"allocation in finally", `try { for (const a = [];;) a.push(new Array(1000).fill(1)) } finally { for (const b = [];;) b.push(new Array(1000).fill(1)) }`},
		{"allocation in a job", `await 0; for (const a = [];;) a.push({a: [1, 2, 3]})`},
		{"map bomb", `const m = new Map(); for (let i = 0;; i++) m.set({}, i)`},
		{"symbols", `const a = []; for (let i = 0;; i++) a.push(Symbol(i))`},
		{"atoms", `const o = {}; for (let i = 0;; i++) o['k' + i] = 1`},
		{"repeat", `'x'.repeat(2**30).repeat(2**10)`},
		{"padStart", `'x'.padStart(2**30 - 1, 'yz')`},
		{"JSON of a wide tree", `let o = {}; for (let i = 0; i < 1e6; i++) o = [o, o]; JSON.stringify(o)`},
		{"recursion", `function f() { f() } f()`},
		{"recursion in a catch", `function f() { try { f() } catch { f() } } f()`},
		{"recursion in finally", `function f() { try { f() } finally { f() } } f()`},
		{"recursion through a getter", `const o = {get a() { return this.a }}; o.a`},
		{"recursion through toString", `const o = {toString() { return '' + this }}; '' + o`},
		{"recursion through sort", `function f() { [1, 2].sort(f) } f()`},
		{"recursion through a proxy", `const p = new Proxy({}, {get: (t, k, r) => r[k]}); p.x`},
		{"recursion with large frames", `const names = Array.from({length: 60000}, (_, i) => 'v' + i); const f = new Function('f', 'let ' + names.join(',') + '; f(f)'); f(f)`},
		{"generator recursion", `function* g() { yield* g() } [...g()]`},
		{"async recursion", `async function f() { await f() } await f()`},
		{"many jobs", `for (let i = 0; i < 2e6; i++) Promise.resolve().then(() => {})`},
		{"text in a loop", `for (;;) text('x'.repeat(1000))`},
		{"nested brackets", `eval('['.repeat(1e6) + ']'.repeat(1e6))`},
		{"nested parens", `eval('('.repeat(1e6) + '1' + ')'.repeat(1e6))`},
		{"nested braces", `eval('{'.repeat(1e6) + '}'.repeat(1e6))`},
		{"nested functions", `eval('function f(){'.repeat(2e5) + '}'.repeat(2e5))`},
		{"nested templates", "eval('`${'.repeat(2e5) + '}`'.repeat(2e5))"},
		{"operators", `eval('1' + '+1'.repeat(1e6))`},
		{"unary operators", `eval('!'.repeat(1e6) + '1')`},
		{"exponents", `eval('1' + '**1'.repeat(1e6))`},
		{"ternaries", `eval('1?'.repeat(3e5) + '1' + ':1'.repeat(3e5))`},
		{"arrows", `eval('a=>'.repeat(1e6) + '1')`},
		{"assignments", `eval('a='.repeat(1e6) + '1')`},
		{"commas", `eval('1' + ',1'.repeat(1e6))`},
		{"members", `eval('a' + '.a'.repeat(1e6))`},
		{"optional chains", `eval('a' + '?.a'.repeat(1e6))`},
		{"else ifs", `eval('if(0);else '.repeat(1e6) + ';')`},
		{"labels", `eval(Array.from({length: 1e5}, (_, i) => 'l' + i + ':').join('') + ';')`},
		{"regex groups", `new RegExp('('.repeat(1e6) + ')'.repeat(1e6))`},
		{"regex noncapturing groups", `new RegExp('(?:'.repeat(1e6) + ')'.repeat(1e6))`},
		{"regex lookaheads", `new RegExp('(?='.repeat(1e5) + ')'.repeat(1e5))`},
		{"regex alternatives", `new RegExp('a|'.repeat(1e6)).test('b')`},
		{"regex counters", `new RegExp('a{1000}'.repeat(1000) + '{1000}').test('a'.repeat(1e5))`},
		{"regex classes", `new RegExp('[' + 'a-z'.repeat(1e6) + ']', 'v').test('b')`},
		{"JSON.parse brackets", `JSON.parse('['.repeat(1e6))`},
		{"JSON.parse with a reviver", `JSON.parse('['.repeat(5000) + ']'.repeat(5000), (k, v) => v)`},
		{"proxy chain", `let p = {}; for (let i = 0; i < 2e5; i++) p = new Proxy(p, {}); p.x`},
		{"proxy chain prototype", `let p = {}; for (let i = 0; i < 2e5; i++) p = new Proxy(p, {}); p instanceof Object`},
		{"proxy chain isArray", `let p = []; for (let i = 0; i < 2e5; i++) p = new Proxy(p, {}); Array.isArray(p)`},
		{"bind chain", `let f = () => {}; for (let i = 0; i < 2e5; i++) f = f.bind(null); f()`},
		{"prototype chain", `let o = {}; for (let i = 0; i < 2e5; i++) o = Object.create(o); o.x; for (const k in o);`},
		{"rope", `let s = ''; for (let i = 0; i < 3e6; i++) s = s + 'ab'; s.length; text(s[1e6])`},
		{"left rope", `let s = 'x'; for (let i = 0; i < 2e6; i++) s = 'ab' + s; text(s[1e6])`},
		{"nested lists freed", `let o = null; for (let i = 0; i < 2e6; i++) o = {o}; o = null; text('ok')`},
		{"nested arrays freed", `let o = []; for (let i = 0; i < 2e6; i++) o = [o]; o = null; text('ok')`},
		{"nested closures freed", `let f = () => 0; for (let i = 0; i < 1e6; i++) { const g = f; f = () => g } f = null; text('ok')`},
		{"chained promises", `let p = Promise.resolve(); for (let i = 0; i < 5e5; i++) p = p.then(() => p); await p`},
		{"70 000 locals", `eval(Array.from({length: 70000}, (_, i) => 'let v' + i + '=1').join(';'))`},
		{"70 000 arguments", `Math.max(...new Array(70000).fill(1)); text('ok')`},
		{"10^7 arguments", `Math.max.apply(null, new Array(1e7))`},
		{"many parameters", `new Function(...Array.from({length: 70000}, (_, i) => 'a' + i), 'return 1')()`},
		{"throwing stack getter", `throw {get stack() { throw new Error('x') }}`},
		{"looping stack getter", `throw {get stack() { for (;;); }}`},
		{"looping toString", `throw {toString() { for (;;); }}`},
		{"looping toJSON", `text({toJSON() { for (;;); }})`},
		{"throwing everything", `throw new Proxy({}, {get() { throw 1 }, getPrototypeOf() { throw 2 }})`},
		{"looping prepareStackTrace", `Error.prepareStackTrace = () => { for (;;); }; throw new Error('x')`},
		{"recursing prepareStackTrace", `Error.prepareStackTrace = () => { throw new Error('again') }; throw new Error('x')`},
		{"revoked prototype", `Object.setPrototypeOf(Object.prototype, null); Array.prototype.push = null; JSON.stringify = null; Promise.prototype.then = null; text('ok'); await tools.echo(1)`},
		{"thenable loop", `const t = {then(r) { r(t) }}; await t`},
		{"species", `class A extends Array { static get [Symbol.species]() { for (;;); } } new A(1).map(x => x)`},
		{"weak references", `const r = []; for (;;) r.push(new WeakRef({}), new FinalizationRegistry(() => {}))`},
		{"date strings", `for (;;) new Date('x'.repeat(1e6))`},
		{"exit in a loop", `for (;;) { try { exit() } finally { continue } }`},
		{"exit in a job", `Promise.resolve().then(exit); for (let i = 0; i < 10; i++) await 0; text('no'); for (;;);`},
		{"exit in a getter", `text({get a() { exit(); for (;;); }}); for (;;);`},
		{"exit in sort", `[3, 2, 1].sort(() => exit()); text('no')`},
		{"exit in a generator", `function* g() { try { yield 1 } finally { for (;;); } } for (const x of g()) exit()`},
	} {
		t.Run(test.name, func(t *testing.T) {
			acct := newAccount(limit)
			h := &host{answer: func(int, string) (string, error) { return "1", nil }}
			iso, err := e.New(h, acct)
			if err != nil {
				t.Fatal(err)
			}
			out, done, err := stoppable(t, iso, h, js.Program{Source: test.source, Tools: []js.Tool{{Name: "echo"}}})
			if err != nil && !errors.Is(err, js.ErrInterrupted) {
				t.Errorf("the engine broke: %v", err)
			}
			if strings.HasPrefix(test.name, "exit") && (!done || out.Failed || err != nil) {
				t.Errorf("exit() did not end the program: %+v, %v", out, err)
			}
			for _, s := range h.out {
				if s == "no" {
					t.Error("output after exit()")
				}
			}
			iso.Close()
			if n := acct.used.Load(); n != 0 {
				t.Errorf("%d bytes stay charged", n)
			}
			if got := eval(t, e, `text([1, 2].map(x => x + 1))`); got != "[2,3]" {
				t.Errorf("the next cell: %q", got)
			}
			t.Logf("%v %v %.100q %v", done, out.Failed, out.ErrorText, err)
		})
	}
}
