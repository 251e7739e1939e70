package cellhost_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/berth-dev/berth/cell/cellhost"
	"github.com/berth-dev/berth/cell/js"
	"github.com/berth-dev/berth/cell/js/quickjs"
)

func result(cell, items string) string {
	return fmt.Sprintf(`{"Result":{"cell_id":%q,"content_items":[%s],"error_text":null}}`, cell, items)
}

func text(s string) string { return fmt.Sprintf(`{"type":"input_text","text":%q}`, s) }

// Spec: codemode §8.1, §18.
func TestSessions(t *testing.T) {
	c := start(t, cellhost.Options{})
	c.open("one")
	c.open("two")
	c.request(`{"method":"session/open","sessionId":"one"}`)
	c.expect("code-mode session ID `one` is already open")
	c.shutdown("one")
	c.expect(`{"type":"session/closed","sessionId":"one"}`)
	for _, request := range []string{
		`{"method":"session/shutdown","sessionId":"one"}`,
		`{"method":"session/terminate","sessionId":"one","cellId":"1"}`,
		`{"method":"session/wait","sessionId":"one","request":{"cell_id":"1","yield_time_ms":1}}`,
	} {
		id := c.request("%s", request)
		c.expect(fmt.Sprintf(`{"type":"operation/response","id":%d,"result":{"status":"error","message":"unknown code-mode session one"}}`, id))
	}
	c.exec("one", "", "")
	c.expect("unknown code-mode session one")
	c.request(`{"method":"session/open","sessionId":"one"}`)
	c.expect("code-mode session ID `one` was reused")
	c.shutdown("two")
	c.expect(`{"type":"session/closed","sessionId":"two"}`)
	c.in.Close()
	if err := c.end(); err != nil {
		t.Error(err)
	}
}

// A shutdown ends each cell first, and only then the session. Spec: codemode §10.1.5.
func TestShutdownOrder(t *testing.T) {
	c := start(t, cellhost.Options{})
	c.open("s")
	for i := range 3 {
		c.exec("s", `text("x"); for(;;);`, `,"yield_time_ms":60000`)
		c.expect(fmt.Sprintf(`{"type":"execution/started","cellId":"%d"}`, i+1))
	}
	c.exec("s", `text("y")`, `,"yield_time_ms":0`) // its result is never collected
	c.expect("execution/started", "Yielded")
	c.shutdown("s")
	ended := map[string]bool{}
	for line := c.next(); !strings.Contains(line, "session/closed"); line = c.next() {
		cell := regexp.MustCompile(`"cell_?[iI]d":"(\d)"`).FindStringSubmatch(line)
		switch {
		case cell == nil:
			t.Fatalf("unexpected %s", line)
		case strings.Contains(line, "execute/initialResponse"):
			if ended[cell[1]] || !strings.Contains(line, "Terminated") || !strings.Contains(line, `[{"type":"input_text","text":"x"}]`) && !strings.Contains(line, `"content_items":[]`) {
				t.Errorf("unexpected %s", line)
			}
		case strings.Contains(line, "cell/closed"):
			ended[cell[1]] = true
		}
	}
	if len(ended) != 4 {
		t.Errorf("%d cells closed before the session, want 4", len(ended))
	}
}

// Spec: codemode §8.7, §18.
func TestStoredValuePersistsAndCallsAreForwarded(t *testing.T) {
	c := start(t, cellhost.Options{})
	c.open("s")
	c.exec("s", `store("k", {n: 1}); notify("half"); text(await tools.a({q: 2.50}))`, "")
	c.expect(`"execution/started","cellId":"1"`,
		`{"type":"delegate/request","id":1,"sessionId":"s","request":{"type":"notification/send","callId":"call","cellId":"1","text":"half"}}`,
		`{"type":"delegate/request","id":2,"sessionId":"s","request":{"type":"tool/invoke","invocation":{"cell_id":"1","runtime_tool_call_id":"tool-1","tool_name":{"name":"a","namespace":null},"tool_kind":"function","input":{"q":2.5}}}}`)
	c.answer(2, `{"v":[1]}`)
	c.delivered(1)
	c.expect(result("1", `{"type":"input_text","text":"{\"v\":[1]}"}`), `{"type":"cell/closed","sessionId":"s","cellId":"1"}`)
	c.exec("s", `text(load("k")); text(typeof load("none"))`, "")
	c.expect(`"execution/started","cellId":"2"`, `{"type":"input_text","text":"{\"n\":1}"},`+text("undefined"), `"cellId":"2"`)
}

// Spec: codemode §8.3, §8.5, §18.
func TestYieldWaitTerminate(t *testing.T) {
	c := start(t, cellhost.Options{})
	c.open("s")
	c.exec("s", `text("a"); setTimeout(() => text("b"), 20); await new Promise(()=>{})`, `,"yield_time_ms":5`)
	c.expect("execution/started", `"Yielded":{"cell_id":"1"`)
	seen := ""
	for !strings.Contains(seen, `"b"`) {
		c.wait("s", "1", 10)
		line := c.next()
		if !strings.Contains(line, `{"type":"wait/completed","outcome":{"LiveCell":{"Yielded"`) {
			t.Fatal(line)
		}
		seen += line
	}
	long := c.wait("s", "1", 600000)
	c.observed("s", "1")
	c.send(fmt.Sprintf(`{"type":"operation/cancel","id":%d}`, long))
	c.expect(fmt.Sprintf(`{"type":"operation/response","id":%d,"result":{"status":"error","message":"code-mode request cancelled"}}`, long))
	long = c.wait("s", "1", 600000)
	c.observed("s", "1")
	end := c.terminate("s", "1")
	frames := []string{c.next(), c.next(), c.next()}
	for _, want := range []string{
		fmt.Sprintf(`{"type":"operation/response","id":%d,"result":{"status":"ok","value":{"type":"wait/completed","outcome":{"LiveCell":{"Terminated":{"cell_id":"1","content_items":[]}}}}}}`, long),
		fmt.Sprintf(`{"type":"operation/response","id":%d,"result":{"status":"ok","value":{"type":"wait/completed","outcome":{"LiveCell":{"Terminated":{"cell_id":"1","content_items":[]}}}}}}`, end),
		`{"type":"cell/closed","sessionId":"s","cellId":"1"}`,
	} {
		if !strings.Contains(strings.Join(frames, "\n"), want) {
			t.Errorf("no %s in\n%s", want, strings.Join(frames, "\n"))
		}
	}
	c.wait("s", "1", 0)
	c.expect(`{"MissingCell":{"Result":{"cell_id":"1","content_items":[],"error_text":"exec cell 1 not found"}}}`)
	c.terminate("s", "9")
	c.expect(`{"MissingCell":{"Result":{"cell_id":"9","content_items":[],"error_text":"exec cell 9 not found"}}}`)
}

func TestBusyLoopYieldsItsOutputAndTerminates(t *testing.T) {
	c := start(t, cellhost.Options{})
	c.open("s")
	c.exec("s", `for (let i = 0;; i++) if (i % 100000 == 0) text("x")`, `,"yield_time_ms":50`)
	c.expect("execution/started", `"Yielded":{"cell_id":"1","content_items":[{"type":"input_text","text":"x"}`)
	c.terminate("s", "1")
	both := c.next() + c.next() // in either order (§10.1.4)
	for _, want := range []string{`"Terminated":{"cell_id":"1"`, `{"type":"cell/closed","sessionId":"s","cellId":"1"}`} {
		if !strings.Contains(both, want) {
			t.Errorf("no %s in %s", want, both)
		}
	}
}

// Spec: codemode §10.1.3, §18.
func TestYieldPrecedesNotification(t *testing.T) {
	c := start(t, cellhost.Options{})
	c.open("s")
	c.exec("s", `setTimeout(()=>{}, 60000); text("a"); yield_control(); notify("n"); text("b")`, "")
	c.expect("execution/started", `"Yielded":{"cell_id":"1","content_items":[`+text("a"), "notification/send")
	c.delivered(1)
	c.wait("s", "1", 60000)
	c.await(result("1", text("b")))
}

// Spec: codemode §8.6, §18.
func TestUnawaitedToolIsCancelledBeforeClose(t *testing.T) {
	c := start(t, cellhost.Options{})
	c.open("s")
	c.exec("s", `tools.a({}); await tools.b({}); text("done")`, "")
	c.expect("execution/started", "tool-1", "tool-2")
	c.answer(2, "null")
	c.expect(`{"type":"delegate/cancel","id":1}`, result("1", text("done")), "cell/closed")
	c.answer(1, "1") // late answers are ignored
	c.answer(99, "1")
	if got := c.run("s", `text("alive")`); !strings.Contains(got, "alive") {
		t.Error(got)
	}
}

func TestTerminateCancelsCallsBeforeItAnswers(t *testing.T) {
	c := start(t, cellhost.Options{})
	c.open("s")
	c.exec("s", `notify("n"); await tools.a({})`, `,"yield_time_ms":0`)
	c.expect("execution/started", "Yielded", "notification/send", "tool/invoke")
	c.terminate("s", "1")
	c.expect(`{"type":"delegate/cancel","id":1}`, `{"type":"delegate/cancel","id":2}`)
	c.await("Terminated")
}

// A cancelled execute that has started goes on. Spec: codemode §8.4.
func TestCancelOfAStartedExecuteDoesNothing(t *testing.T) {
	c := start(t, cellhost.Options{})
	c.open("s")
	id := c.exec("s", `text(await tools.a({}))`, "")
	c.expect("execution/started", "tool/invoke")
	c.send(fmt.Sprintf(`{"type":"operation/cancel","id":%d}`, id))
	c.send(`{"type":"operation/cancel","id":-77}`)
	c.answer(1, `"x"`)
	c.expect(result("1", text("x")), "cell/closed")
}

func TestRejections(t *testing.T) {
	c := start(t, cellhost.Options{})
	c.open("s")
	c.exec("s", `for (let i = 0; i < 2; i++) try { await tools.a({}) } catch (e) { text(typeof e + e) }`, "")
	c.expect("execution/started", `"id":1`)
	c.send(`{"type":"delegate/response","id":1,"result":{"status":"error","message":"note 3 does not exist"}}`)
	c.expect(`"id":2`)
	c.delivered(2)
	c.expect(text("stringnote 3 does not exist") + "," + text("stringcode-mode client returned an invalid tool result"))
}

// Spec: codemode §9, §10.3.
func TestOversized(t *testing.T) {
	const n = 64 << 20
	c := start(t, cellhost.Options{})
	c.open("s")
	c.exec("s", `const big = "x".repeat(2**26); notify(big); try { await tools.a({big}) } catch (e) { text(e) }`, patient)
	c.expect("execution/started", "code-mode IPC frame length 67", "cell/closed")
	got := c.run("s", fmt.Sprintf(`text("x".repeat(%d))`, n))
	if !strings.Contains(got, "code-mode initial response exceeds the IPC frame limit: code-mode IPC frame length 67") {
		t.Errorf("%.300s", got)
	}
	c.expect("cell/closed")
	c.exec("s", fmt.Sprintf(`yield_control(); text("x".repeat(%d))`, n), "")
	c.expect("execution/started", "Yielded")
	c.wait("s", "3", 60000)
	c.await("code-mode host response exceeds the IPC frame limit: code-mode IPC frame length 67")
	if got := c.run("s", `text("alive")`); !strings.Contains(got, "alive") {
		t.Error(got)
	}
}

// Spec: codemode §10.2.
func TestLimits(t *testing.T) {
	c := start(t, cellhost.Options{})
	c.open("s")
	for range 128 {
		c.exec("s", `text("x")`, `,"yield_time_ms":0`)
		c.await("Yielded")
	}
	id := c.exec("s", ``, "")
	c.await(fmt.Sprintf(`{"type":"operation/response","id":%d,"result":{"status":"error","message":"code-mode host has too many active cells"}}`, id))
	c.wait("s", "7", 60000)
	c.await("cell/closed") // and with it the slot
	c.exec("s", ``, "")
	c.await(`"execution/started","cellId":"129"`)

	c = start(t, cellhost.Options{MaxRequests: 3})
	c.open("s")
	for range 3 {
		c.exec("s", `await new Promise(()=>{})`, `,"yield_time_ms":600000`)
		c.expect("execution/started")
	}
	c.wait("s", "1", 0)
	c.expect("code-mode host has too many in-flight requests")
	c.terminate("s", "1")
	c.expect("code-mode host has too many in-flight requests")
}

func TestReverseCallsAreHeldBackNotRefused(t *testing.T) {
	const n = 10000
	c := start(t, cellhost.Options{})
	c.open("s")
	c.exec("s", fmt.Sprintf(`const all = []; for (let i = 0; i < %d; i++) all.push(tools.a(i));
		let bad = 0; (await Promise.all(all)).forEach((v, i) => { if (v !== i) bad++ }); text(bad + " bad")`, n), "")
	c.expect("execution/started")
	for answered := 0; answered < n; {
		for i := answered + 1; i <= min(answered+100, n); i++ {
			c.expect(fmt.Sprintf(`{"type":"delegate/request","id":%d,"sessionId":"s","request":{"type":"tool/invoke","invocation":{"cell_id":"1","runtime_tool_call_id":"tool-%d","tool_name":{"name":"a","namespace":null},"tool_kind":"function","input":%d}}}`, i, i, i-1))
		}
		c.wait("s", "7", 0) // nothing but its answer comes: the window is full
		c.expect("MissingCell")
		for range 100 {
			answered++
			c.answer(answered, fmt.Sprint(answered-1))
		}
	}
	c.expect(result("1", text("0 bad")), "cell/closed")
}

// countingEngine tells of each isolate that is given back: its program is over.
type countingEngine struct {
	js.Engine
	closed chan struct{}
}

func (e *countingEngine) New(host js.Host, acct js.Account) (js.Isolate, error) {
	isolate, err := e.Engine.New(host, acct)
	if err != nil {
		return nil, err
	}
	return &countedIsolate{isolate, e.closed}, nil
}

type countedIsolate struct {
	js.Isolate
	closed chan struct{}
}

func (i *countedIsolate) Close() {
	i.Isolate.Close()
	i.closed <- struct{}{}
}

// over waits for the end of a program without hearing of it from the host.
func (e *countingEngine) over(t *testing.T) {
	t.Helper()
	select {
	case <-e.closed:
	case <-time.After(patience):
		t.Fatal("no program ended")
	}
}

func newCountingEngine(t *testing.T) *countingEngine {
	engine := quickjs.New(quickjs.Options{Spare: 1})
	t.Cleanup(func() { engine.Close() })
	return &countingEngine{engine, make(chan struct{}, 128)}
}

// A client that does not read holds up only cells that call. Spec: codemode §10.2.
func TestClientThatDoesNotRead(t *testing.T) {
	engine := newCountingEngine(t)
	c := start(t, cellhost.Options{Engine: engine, Window: 1000})
	for _, session := range []string{"caller", "quiet", "other", "spin"} {
		c.open(session)
	}
	spin := c.exec("spin", `for (;;);`, patient)
	c.await("execution/started")
	c.stall()
	caller := c.exec("caller", `for (let i = 0; i < 1000; i++) tools.a("x".repeat(10000)); text("called")`, patient)
	quiet := c.exec("quiet", `await new Promise(f => setTimeout(f, 10)); store("k", 1); text("quiet")`, "")
	other := c.exec("other", `text("other")`, "")
	engine.over(t)
	engine.over(t) // both, while the first waits for room
	c.terminate("spin", "1")
	engine.over(t)
	c.resume()
	got := map[int]bool{}
	for len(got) < 4 {
		line := c.await("execute/initialResponse")
		for _, id := range []int{caller, quiet, other, spin} {
			if strings.HasPrefix(line, fmt.Sprintf(`{"type":"execute/initialResponse","id":%d,`, id)) {
				got[id] = true
			}
		}
	}
}

// What a client leaves unread is charged to the host, so that there is an end to
// it. Spec: codemode §10.2, §23.
func TestUnreadOutputIsBounded(t *testing.T) {
	engine := newCountingEngine(t)
	c := start(t, cellhost.Options{Engine: engine, HostMemory: 200 << 20})
	c.open("s")
	c.stall()
	for range 12 {
		c.exec("s", `text("x".repeat(30 * 2**20))`, patient)
		engine.over(t)
	}
	c.resume()
	refused := 0
	for range 12 {
		if strings.Contains(c.await("execute/initialResponse"), "RangeError: cell memory limit of 200 MiB exceeded") {
			refused++
		}
	}
	if refused < 4 || refused > 10 {
		t.Errorf("%d of 12 cells of 30 MiB each were refused", refused)
	}
	c.await("cell/closed")
	if got := c.run("s", `text("x".repeat(30 * 2**20))`); strings.Contains(got, "exceeded") {
		t.Errorf("after all was read: %.200s", got)
	}
}
