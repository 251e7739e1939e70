package cellhost_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/berth-dev/berth/cell/cellhost"
)

// Whatever a cell does, it is stopped, and others go on.
func TestHostileCellsAreTerminated(t *testing.T) {
	c := start(t, cellhost.Options{})
	c.open("s")
	cell := 0
	for _, source := range []string{
		`for(;;);`,
		`for (;;) { try { for (;;); } catch {} finally { continue } }`,
		`await (async function f() { for (;;) await null })()`,
		`const f = () => Promise.resolve().then(f); f(); await new Promise(()=>{})`,
		`Array.prototype.indexOf.call({length: 2**53 - 1}, 1)`,
		`Array.prototype.includes.call({length: 2**53 - 1}, 1)`,
		`Array.prototype.fill.call({length: 2**53 - 1, set 0(v) {}}, 1)`,
		`/(a+)+$/.test("a".repeat(40) + "b")`,
		`/(x+x+)+y/.exec("x".repeat(60))`,
		`for (;;) "a".repeat(2**24).replaceAll("a", "bb")`,
		`const a = Array(2**22).fill(0).map((_, i) => -i); for (;;) a.sort()`,
		`(function f() { try { f() } catch { f() } })()`,
		`for (;;) JSON.parse(JSON.stringify(Array(10000).fill({a: 1})))`,
		`for (;;) text("")`,
		`for (;;) setTimeout(() => {}, 1e9)`,
		`const t = () => setTimeout(t, 0); t(); await new Promise(()=>{})`,
		`let p = {}; for (let i = 0; i < 2e5; i++) p = new Proxy(p, {}); p.x; for(;;);`,
		`let f = () => 1; for (let i = 0; i < 2e5; i++) f = f.bind(null); f(); for(;;);`,
		`eval("[".repeat(1e6)); for(;;);`,
	} {
		c.exec("s", source, `,"yield_time_ms":30`)
		cell++
		line := c.await("execute/initialResponse")
		id := c.terminate("s", fmt.Sprint(cell))
		if answer := c.await(fmt.Sprintf(`{"type":"operation/response","id":%d,`, id)); strings.Contains(line, "Yielded") &&
			!strings.Contains(answer, "Terminated") && !strings.Contains(answer, `"Result"`) {
			t.Errorf("%s: %s", source, answer)
		}
		if got := c.run("s", `text(6 * 7)`); !strings.Contains(got, text("42")) {
			t.Errorf("after %s: %s", source, got)
		}
		cell++
	}
}
