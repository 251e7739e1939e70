package cellhost_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/berth-dev/berth/cell/cellhost"
)

// The real host's defects are absent. Spec: codemode §16.

func TestNothingButFramesOnStandardOutput(t *testing.T) {
	p := spawn(t, 4) // its first words to standard output are no frame
	p.hello()
	p.open("s")
	for _, source := range []string{
		`throw {get stack(){throw new Error("x")}}`,
		`throw {toString(){throw new Error("x")}}`,
		`throw {stack: {}, toString(){throw new Error("x")}}`,
		`throw Symbol("x")`,
		`setTimeout(() => { throw {get stack(){throw new Error("x")}} }); await new Promise(()=>{})`,
		`Promise.reject(new Error("unhandled")); await null`,
		`debugger; eval("debugger"); Error.prepareStackTrace = () => { throw 1 }; throw new Error("x")`,
	} {
		if got := p.run("s", source); !strings.Contains(got, `{"status":"ok","value":{"Result":`) {
			t.Errorf("%s: %s", source, got)
		}
		p.await("cell/closed")
	}
	if got := p.run("s", `text("alive")`); !strings.Contains(got, "alive") {
		t.Error(got)
	}
}

func TestBurstsDoNotEndTheHost(t *testing.T) {
	c := start(t, cellhost.Options{})
	c.open("s")
	c.exec("s", `for (let i = 0; i < 300; i++) { notify("n" + i); tools.a(i) }`, "")
	c.expect("execution/started")
	for i := range 600 {
		if i%2 == 0 { // in call order, though that is not promised (§10.1.6)
			c.expect(fmt.Sprintf(`"text":"n%d"`, i/2))
			c.delivered(i + 1)
			continue
		}
		if i == 599 {
			break // dropped or cancelled: nobody awaits it
		}
		c.expect(fmt.Sprintf(`"input":%d`, i/2))
		c.answer(i+1, "null")
	}
	c.await(result("1", ""))
	c.await("cell/closed")
}

func TestHeapExhaustionEndsOneCell(t *testing.T) {
	c := start(t, cellhost.Options{CellMemory: 16 << 20})
	c.open("s")
	c.exec("s", `text("before"); text(await tools.a({}))`, patient)
	c.await("tool/invoke")
	for _, source := range []string{
		`const a = []; for (;;) a.push(new Array(10000).fill(1))`,
		`const a = []; for (;;) a.push("x".repeat(1 << 20) + a.length)`,
		`const a = []; try { for (;;) a.push(new ArrayBuffer(1 << 20)) } finally { for (;;) a.push("x".repeat(1 << 20)) }`,
		`for (;;) text("x".repeat(1 << 20))`,
		`for (let i = 0;; i++) store("k" + i, "x".repeat(1 << 20))`,
		`for (;;) tools.a("x".repeat(1 << 20))`,
		`for (;;) setTimeout(() => {}, 1e9)`,
	} {
		id := c.exec("s", source, patient)
		line := c.await(fmt.Sprintf(`{"type":"execute/initialResponse","id":%d,`, id))
		if !strings.HasSuffix(line, `"error_text":"RangeError: cell memory limit of 16 MiB exceeded"}}}}`) {
			t.Errorf("%s: …%s", source, line[max(0, len(line)-200):])
		}
	}
	c.answer(1, `"after"`)
	c.await(text("before") + "," + text("after"))
}

func TestDeepValues(t *testing.T) {
	c := start(t, cellhost.Options{})
	c.open("s")
	c.exec("s", `let v = await tools.a({}), n = 0; while (Array.isArray(v)) { v = v[0]; n++ } text(n)`, patient)
	c.await("tool/invoke")
	const deep = 1000
	c.answer(1, strings.Repeat("[", deep)+strings.Repeat("]", deep))
	c.await(text(fmt.Sprint(deep)))
	c.exec("s", `const nest = n => { let v = 1; for (let i = 0; i < n; i++) v = [v]; return v };
		tools.a(nest(124)); try { await tools.a(nest(125)) } catch (e) { text(e) }`, patient)
	c.await(strings.Repeat("[", 124) + "1")
	c.await("failed to serialize JavaScript value: recursion limit exceeded at line 1 column")
}

func TestExitCannotBeCaught(t *testing.T) {
	c := start(t, cellhost.Options{})
	c.open("s")
	for source, want := range map[string]string{
		`text("a"); try { exit() } catch { text("caught") } finally { text("finally") } text("after")`: text("a"),
		`(async () => { text("a"); exit() })(); text("b"); await new Promise(() => {})`:                text("a"),
		`setTimeout(() => { text("t"); exit() }, 1); await new Promise(() => {})`:                      text("t"),
		`store("k", 1); exit(); for (;;);`:                                                             "",
		`Promise.resolve().then(() => { exit() }); await new Promise(() => {})`:                        "",
	} {
		if got := c.run("s", source); !strings.Contains(got, `"content_items":[`+want+`],"error_text":null`) {
			t.Errorf("%s: %s", source, got)
		}
	}
	if got := c.run("s", `text(load("k"))`); !strings.Contains(got, text("1")) {
		t.Errorf("exit lost what was stored: %s", got)
	}
}
