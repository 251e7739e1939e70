package quickjs_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/berth-dev/berth/cell/js"
)

// TestUsing runs declarations that the engine lacks, and checks that errors in
// the rewritten program show where their author wrote what failed.
func TestUsing(t *testing.T) {
	e := newEngine(t)
	const resource = "const r = (n, f) => ({[Symbol.dispose]() { text('dispose ' + n); f?.() }, async [Symbol.asyncDispose]() { await 0; text('async ' + n); f?.() }});\n"
	for _, test := range []struct{ name, source, want string }{
		{"block", "{ using a = r(1), b = r(2); text('body'); }", "body\ndispose 2\ndispose 1"},
		{"function", "function f() { using a = r(1); return 'ret'; }\ntext(f());", "dispose 1\nret"},
		{"top level", "using a = r(1);\ntext('body');", "body\ndispose 1"},
		{"top level, async", "await using a = r(1);\ntext('body');", "body\nasync 1"},
		{"loop", "for (using a of [r(1), r(2)]) text('it');", "it\ndispose 1\nit\ndispose 2"},
		{"async loop", "for (await using a of [r(1)]) text('it');", "it\nasync 1"},
		{"nothing", "{ using a = null, b = undefined; text('ok'); }", "ok"},
		{"a name", "let using = 1; text(using);", "1"},
		{"throw in the body", "{ using a = r(1);\n  throw new Error('x'); }", "dispose 1\n! Error: x\n    at exec_main.mjs:3:9"},
		{"throw in a call", "function f() {\n  using a = null;\n  g(1,   2);\n}\nfunction g() { null.x; }\nf();",
			"! TypeError: Cannot read properties of null (reading 'x')\n    at g (exec_main.mjs:6:21)\n    at f (exec_main.mjs:4:3)\n    at exec_main.mjs:7:1"},
		{"no resource", "{\n  using a = 5;\n}", "! TypeError: An object is expected with `using` declarations\n    at exec_main.mjs:3:13"},
		{"both fail", "try { using a = r(1, () => { throw new Error('d') }); throw new Error('b') } catch (e) { text([e.name, e.error.message, e.suppressed.message, e.message].join()) }",
			"dispose 1\nSuppressedError,d,b,An error was suppressed during disposal"},
	} {
		t.Run(test.name, func(t *testing.T) {
			source := resource + test.source
			if test.name == "no resource" {
				source = "\n" + test.source
			}
			if got := eval(t, e, source); got != test.want {
				t.Errorf("got  %s\nwant %s", got, test.want)
			}
		})
	}
}

// TestStacks checks the functions that V8 has for stacks.
func TestStacks(t *testing.T) {
	e := newEngine(t)
	for _, test := range []struct{ name, source, want string }{
		{"limit", "Error.stackTraceLimit = 1; function f() { throw new Error('x') } f()", "! Error: x\n    at f (exec_main.mjs:1:49)"},
		{"no frames", "Error.stackTraceLimit = 0; throw new Error('x')", "! Error: x"},
		{"no number", "Error.stackTraceLimit = 'x'; text(new Error('x').stack)", "undefined"},
		{"capture", "const o = {}; Error.captureStackTrace(o); text(o.stack)", "Error\n    at exec_main.mjs:1:21"},
		{"capture above", "function a() { b() } function b() { const o = {}; Error.captureStackTrace(o, b); text(o.stack) } a()", "Error\n    at a (exec_main.mjs:1:16)\n    at exec_main.mjs:1:98"},
		{"capture frozen", "try { Error.captureStackTrace(Object.freeze({})) } catch (e) { text(e.message) }", "Cannot define property stack, object is not extensible"},
		{"prepare is late", "Error.prepareStackTrace = (e) => e.name + '!' + e.message; const e = new Error('m'); e.name = 'N'; text(e.stack); text(e.stack)", "N!m\nN!m"},
		{"prepare for this", "Error.prepareStackTrace = function () { return this === Error }; text(new Error('x').stack)", "true"},
		{"prepare throws", "Error.prepareStackTrace = () => { throw new Error('in') }; try { new Error('x').stack } catch (e) { text(e.message) }", "in"},
		{"prepare in prepare", "Error.prepareStackTrace = (e) => 'p' + new Error('y').stack.length; text(typeof new Error('x').stack)", "string"},
		{"sites", "Error.prepareStackTrace = (e, s) => s; const [s] = new Error().stack; text([s.getFunctionName(), s.getLineNumber(), s.getColumnNumber(), s.getFileName(), s.isNative(), String(s)].join())",
			",1,52,exec_main.mjs,false,exec_main.mjs:1:52"},
		{"native site", "Error.prepareStackTrace = (e, s) => s; [1].map(() => { const s = new Error().stack[1]; text([s.getFunctionName(), s.getTypeName(), s.getMethodName(), s.getLineNumber()].join()) })", "map,Array,map,"},
		{"assigned", "const e = new Error('x'); e.stack = 'mine'; throw e", "! mine"},
		{"name later", "const e = new Error('x'); e.name = 'Later'; throw e", "! Later: x\n    at exec_main.mjs:1:11"},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := eval(t, e, test.source); got != test.want {
				t.Errorf("got  %s\nwant %s", got, test.want)
			}
		})
	}
}

// TestToolNames pins how tools are published. Spec: codemode §11.3.
func TestToolNames(t *testing.T) {
	e := newEngine(t)
	h := new(host)
	iso, err := e.New(h, newAccount(1<<30))
	if err != nil {
		t.Fatal(err)
	}
	defer iso.Close()
	var tools []js.Tool
	for _, name := range []string{"a-b", "1abc", "é", "mcp__x__do.it", "", "class", "a_b", "😀x", "__proto__", "x\x00y"} {
		tools = append(tools, js.Tool{Name: name, Description: "about " + name})
	}
	source := "text(ALL_TOOLS.map((t) => t.name).join()); text(Object.keys(tools).join()); tools.a_b(1); tools.class(2); tools.__proto__(3); text(ALL_TOOLS[2].description)"
	if _, _, err := run(t, iso, h, js.Program{Source: source, Tools: tools}); err != nil {
		t.Fatal(err)
	}
	want := "a_b,_abc,_,mcp__x__do_it,_,class,a_b,_x,__proto__,x_y\na_b,_abc,_,mcp__x__do_it,class,_x,__proto__,x_y\nabout é"
	if got := strings.Join(h.out, "\n"); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if len(h.calls) != 3 || h.calls[0].tool != 6 || h.calls[1].tool != 5 || h.calls[2].tool != 8 {
		t.Errorf("calls %+v: the last definition of a name counts", h.calls)
	}
}

// TestLaterGlobals checks what later hosts add. Spec: codemode §15.
func TestLaterGlobals(t *testing.T) {
	e := newEngine(t)
	for _, test := range []struct{ name, source, want string }{
		{"as they arrive", "for await (const r of as_settled([new Promise((r) => setTimeout(() => r('b'), 9)), tools.echo('a')])) text(r)",
			`{"index":1,"status":"fulfilled","value":"a"}` + "\n" + `{"index":0,"status":"fulfilled","value":"b"}`},
		{"rejections", "for await (const r of as_settled([Promise.reject('no')])) text(r)", `{"index":0,"status":"rejected","reason":"no"}`},
		{"named", "for await (const r of as_settled(new Map([['k', 1]]))) text(r)", `{"index":"k","status":"fulfilled","value":1}`},
		{"none", "for await (const r of as_settled([])) text(r); text('end')", "end"},
		{"left early", "for await (const r of as_settled([1, 2])) break; text('end')", "end"},
		{"streamed", "await stream_settled([1], (r) => text(r.value)); text('end')", "1\nend"},
		{"no callback", "try { await stream_settled([1]) } catch (e) { text(e.message) }", "stream_settled requires a callback"},
		{"content", "content([{type: 'text', text: 'a'}, {type: 'image', data: 'aGk=', mimeType: 'image/png'}])",
			"a\n" + `{"type": "input_image", "image_url": "data:image/png;base64,aGk=", "detail": "high"}`},
		{"tampered", "const m = new Map([['k', 1]]); Array.prototype[Symbol.iterator] = Array.prototype.push = Promise.prototype.then = Promise.resolve = null; Object.prototype[Symbol.asyncIterator] = () => text('no');\n" +
			"for await (const r of as_settled(m)) text(r.value)", "1"},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := transcript(t, e, test.source, js.Later); got != test.want {
				t.Errorf("got  %s\nwant %s", got, test.want)
			}
		})
	}
}

// TestTampering changes what the environment could be built on.
func TestTampering(t *testing.T) {
	e := newEngine(t)
	for _, test := range []struct{ name, source, want string }{
		{"fromAsync", "Object.prototype[Symbol.asyncIterator] = Math.min = Math.max = null; Number = Object = Promise = null; text(await Array.fromAsync([1, 2])); text(await Array.fromAsync({length: 2, 0: 'a'}))", "[1,2]\n[\"a\",null]"},
		{"stack of resources", "Object.defineProperty(Array.prototype, 1, {set() { text('no') }, configurable: true}); const s = new DisposableStack(); s.defer(() => text(1)); s.defer(() => text(2)); s.dispose()", "2\n1"},
		{"settled calls", "Promise.prototype.then = Promise.resolve = null; text(await tools.echo(1))", "1"},
		{"errors", "Error = TypeError = String = null; String.prototype?.x; null.y", "! TypeError: Cannot read properties of null (reading 'prototype')\n    at exec_main.mjs:1:43"},
		{"function text", "String.prototype.endsWith = String.prototype.slice = null; text(Math.max.toString())", "function max() { [native code] }"},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := eval(t, e, test.source); got != test.want {
				t.Errorf("got  %s\nwant %s", got, test.want)
			}
		})
	}
}

// TestWeakTargetsLiveForAJob checks that a target outlives the job that made or
// read the reference, and no more than that.
func TestWeakTargetsLiveForAJob(t *testing.T) {
	e := newEngine(t)
	source := "const w = new WeakRef({a: 1}); text(w.deref()); await 0; text(w.deref()?.a === 1); await new Promise((r) => setTimeout(r, 1)); await new Promise((r) => setTimeout(r, 1)); text(w.deref())"
	if got, want := eval(t, e, source), "{\"a\":1}\ntrue\nundefined"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestNoMemoryFromTheStart checks that an isolate too large for its account is
// refused, and charged to nobody.
func TestNoMemoryFromTheStart(t *testing.T) {
	e := newEngine(t)
	acct := newAccount(1000)
	if iso, err := e.New(new(host), acct); !errors.Is(err, js.ErrMemory) || iso != nil {
		t.Errorf("an isolate in 1000 bytes: %v", err)
	}
	if n := acct.used.Load(); n != 0 {
		t.Errorf("%d bytes stay charged", n)
	}
}
