package cellhost_test

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"
)

// killWorkers ends all child hosts of this process.
func killWorkers(t *testing.T) {
	t.Helper()
	tasks, err := os.ReadDir("/proc/self/task")
	if err != nil {
		t.Fatal(err)
	}
	for _, task := range tasks {
		list, _ := os.ReadFile("/proc/self/task/" + task.Name() + "/children")
		for _, pid := range strings.Fields(string(list)) {
			var n int
			fmt.Sscan(pid, &n)
			p, err := os.FindProcess(n)
			if err != nil {
				t.Fatal(err)
			}
			if err := p.Kill(); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// Spec: codemode §13, §18: a lost runtime.
func TestWorkerDeath(t *testing.T) {
	c := fleet(t, 4)
	for _, s := range []string{"a", "b"} {
		c.open(s)
		c.exec(s, `store("k", 1)`, "")
		c.await("cell/closed")
		c.exec(s, `text("x"); await tools.a({})`, "") // its execute observes
		c.expect("execution/started", "tool/invoke")
		c.exec(s, `await new Promise(()=>{})`, `,"yield_time_ms":0`) // a wait observes
		c.await("Yielded")
		c.wait(s, "3", 600000)
		c.observed(s, "3")
		c.exec(s, `await new Promise(()=>{})`, `,"yield_time_ms":0`) // nobody does
		c.await("Yielded")
	}
	killWorkers(t)
	seen := map[string]int{}
	for range 2 * (1 + 2 + 2) {
		seen[regexp.MustCompile(`"id":\d+,`).ReplaceAllString(c.next(), "")]++
	}
	lost := func(cell string) string {
		return fmt.Sprintf(`{"Result":{"cell_id":%q,"content_items":[],"error_text":"exec runtime ended unexpectedly"}}`, cell)
	}
	for _, want := range []string{
		`{"type":"execute/initialResponse","result":{"status":"ok","value":` + lost("2") + `}}`,
		`{"type":"operation/response","result":{"status":"ok","value":{"type":"wait/completed","outcome":{"LiveCell":` + lost("3") + `}}}}`,
	} {
		if seen[want] != 2 {
			t.Errorf("%d of %s, want 2, in %v", seen[want], want, seen)
		}
	}
	for _, s := range []string{"a", "b"} {
		for _, cell := range []string{"2", "3"} {
			if want := fmt.Sprintf(`{"type":"cell/closed","sessionId":%q,"cellId":%q}`, s, cell); seen[want] != 1 {
				t.Errorf("%d of %s, want 1, in %v", seen[want], want, seen)
			}
		}
	}
	c.wait("a", "4", 0)
	c.await(lost("4"))
	c.wait("a", "4", 0)
	c.await("exec cell 4 not found")
	c.exec("a", `text(String(load("k"))); await tools.b({})`, `,"yield_time_ms":0`)
	c.expect(`"execution/started","cellId":"5"`)
	c.await(`"runtime_tool_call_id":"tool-1"`, `"cell_id":"5"`)
	c.wait("a", "5", 1)
	if line := c.await(`"cell_id":"5"`); strings.Contains(line, "not found") {
		t.Error(line)
	}
	c.terminate("a", "5")
	c.await("Terminated", `"cell_id":"5"`)
	c.shutdown("b")
	c.await(`{"type":"cell/closed","sessionId":"b","cellId":"4"}`)
	c.await("session/closed")
	c.in.Close()
	if err := c.end(); err != nil {
		t.Error(err)
	}
}
