package cellhost_test

import (
	"context"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/berth-dev/berth/cell/cellhost"
)

// fleet starts two child hosts behind a front.
func fleet(t *testing.T, detached int, capabilities ...string) *client {
	t.Helper()
	t.Setenv(childVariable, strconv.Itoa(detached))
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	c := launch(t, context.Background(), cellhost.Options{Share: 2},
		func(ctx context.Context, in io.ReadCloser, out io.WriteCloser, o cellhost.Options) error {
			return cellhost.RunWorkers(ctx, in, out, o, cellhost.WorkerOptions{Count: 2, Command: []string{self}})
		})
	c.hello(capabilities...)
	return c
}

func TestWorkersServeAsOneHost(t *testing.T) {
	c := fleet(t, 4)
	c.open("a")
	c.open("b")
	for i, s := range []string{"a", "b"} {
		c.exec(s, `store("k", 1); text(await tools.a({q: 1})); notify("n")`, "")
		c.expect(`"execution/started","cellId":"1"`,
			fmt.Sprintf(`{"type":"delegate/request","id":%d,"sessionId":%q,"request":{"type":"tool/invoke","invocation":{"cell_id":"1","runtime_tool_call_id":"tool-1"`, 2*i+1, s))
		c.answer(2*i+1, `"x"`)
		c.expect("notification/send")
		c.delivered(2*i + 2)
		c.expect(result("1", text("x")), fmt.Sprintf(`{"type":"cell/closed","sessionId":%q,"cellId":"1"}`, s))
	}
	c.exec("a", `yield_control(); notify("n"); await tools.a({}); await new Promise(()=>{})`, "")
	c.expect("execution/started", `{"Yielded":{"cell_id":"2"`, "notification/send", "tool/invoke")
	c.wait("a", "2", 5)
	c.expect(`"LiveCell":{"Yielded"`)
	long := c.wait("a", "2", 600000)
	c.observed("a", "2")
	c.send(fmt.Sprintf(`{"type":"operation/cancel","id":%d}`, long))
	c.expect("code-mode request cancelled")
	c.wait("a", "9", 5)
	c.expect(`{"MissingCell":{"Result":{"cell_id":"9","content_items":[],"error_text":"exec cell 9 not found"}}}`)
	c.terminate("a", "2")
	c.expect(`{"type":"delegate/cancel","id":5}`, `{"type":"delegate/cancel","id":6}`)
	c.await("cell/closed")
	c.exec("b", `await new Promise(()=>{})`, "")
	c.await("execution/started")
	c.shutdown("b")
	c.expect(`{"Terminated":{"cell_id":"2"`, `{"type":"cell/closed","sessionId":"b","cellId":"2"}`, "session/closed")
	c.exec("b", "", "")
	c.expect("unknown code-mode session b")
	c.request(`{"method":"session/open","sessionId":"b"}`)
	c.expect("was reused")
	c.request(`{"method":"session/open","sessionId":"a"}`)
	c.expect("is already open")
	c.in.Close()
	if err := c.end(); err != nil {
		t.Error(err)
	}
}

func TestWorkersBurst(t *testing.T) {
	c := fleet(t, 4)
	c.open("a")
	c.exec("a", `const all = []; for (let i = 0; i < 1000; i++) all.push(tools.a(i));
		text(String((await Promise.all(all)).every((v, i) => v === i)))`, "")
	c.expect("execution/started")
	for i := range 1000 {
		c.expect(fmt.Sprintf(`{"type":"delegate/request","id":%d,"sessionId":"a"`, i+1))
		c.answer(i+1, fmt.Sprint(i))
	}
	c.expect(result("1", text("true")))
}

// Cells of two sessions compute at the same time, in two processes.
func TestWorkersPinSessions(t *testing.T) {
	c := fleet(t, 4, later...)
	for _, s := range []string{"a", "b", "c"} {
		c.open(s)
		c.exec(s, `for(;;);`, `,"yield_time_ms":0`)
		c.await("Yielded")
	}
	for _, s := range []string{"a", "b", "c"} {
		c.terminate(s, "1")
		c.await(`"Terminated":{"cell_id":"1","content_items":[],"code_mode_host_duration_ns":`)
	}
}

// A child that is overloaded keeps its sessions and gets no new ones.
func TestOverloadedWorkerIsReplaced(t *testing.T) {
	c := fleet(t, -1) // overloaded from the start
	for range 3 {
		c.open(fmt.Sprint("s", c.lastID))
		session := fmt.Sprint("s", c.lastID-1)
		c.exec(session, "", "")
		c.expect("code-mode host is overloaded")
		c.shutdown(session)
		c.expect("session/closed")
	}
	c.in.Close()
	if err := c.end(); err != nil {
		t.Error(err)
	}
	if n := strings.Count(c.log.String(), "worker is overloaded"); n != 3 {
		t.Errorf("%d overloaded workers in the log, want 3:\n%s", n, c.log)
	}
	if strings.Contains(c.log.String(), "its cells fail") {
		t.Errorf("an overloaded worker counts as lost:\n%s", c.log)
	}
}

func TestWorkersThatCannotStart(t *testing.T) {
	c := launch(t, context.Background(), cellhost.Options{Share: 2},
		func(ctx context.Context, in io.ReadCloser, out io.WriteCloser, o cellhost.Options) error {
			return cellhost.RunWorkers(ctx, in, out, o, cellhost.WorkerOptions{Count: 2, Command: []string{"/nonexistent"}})
		})
	c.hello()
	c.open("s")
	c.exec("s", "", "")
	c.expect("failed to initialize code mode runtime")
}

func TestWorkersCellLimit(t *testing.T) {
	c := fleet(t, 4)
	c.open("s")
	for range 128 {
		c.exec("s", `text("x")`, `,"yield_time_ms":0`)
		c.await("Yielded")
	}
	c.exec("s", ``, "")
	c.await("code-mode host has too many active cells")
	c.terminate("s", "1")
	c.await("cell/closed")
	c.exec("s", ``, "")
	c.await("execution/started")
}

// Session ids are remembered as by a single host. Spec: codemode §4.
func TestWorkersForgetSessionIDs(t *testing.T) {
	c := fleet(t, 4)
	for i := range 4097 {
		session := fmt.Sprint("s", i)
		c.open(session)
		c.shutdown(session)
		c.expect(`"session/closed"`)
	}
	c.open("s0") // and with it s1 is forgotten
	c.request(`{"method":"session/open","sessionId":"s2"}`)
	c.expect("code-mode session ID `s2` was reused")
}
