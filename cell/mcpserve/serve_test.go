//lint:file-ignore SA1019 roots and sampling pass through as long as there are clients and servers that speak them

package mcpserve_test

import (
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/berth-dev/berth/cell/internal/hosttest"
	"github.com/berth-dev/berth/cell/mcpserve"
	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

func TestExec(t *testing.T) {
	cs := serve(t, options(server("notes", hosttest.DemoRole)), nil)
	for source, want := range map[string]string{
		`const r = await tools.notes__note_read({id: 3}); text(r.structuredContent.title); text(r)`:                     `Groceries|{"content":[{"type":"text","text":"{\"body\":\"Bread, coffee, lemons.\",\"id\":3,\"title\":\"Groceries\"}"}],"structuredContent":{"body":"Bread, coffee, lemons.","id":3,"title":"Groceries"}}`,
		`const r = await tools.notes__fail({message: "no luck"}); text(r.isError); text(r.content[0].text)`:             `true|no luck`,
		`image((await tools.notes__image()).content[0])`:                                                                `<image/png 2077>`,
		`await tools.notes__note_read({wrong: 1}).then(r => text("resolved " + r.isError), e => text("rejected " + e))`: "resolved true",
		`await tools.notes__note_read(5).catch(e => text(e))`:                                                           "tool `notes__note_read` expects a JSON object for arguments",
		`text(typeof tools.search_tools + ALL_TOOLS.length)`:                                                            "undefined8",
		`audio("data:audio/wav;base64,UklGRg=="); image("data:image/png;base64,??")`:                                    "<audio/wav 4>|Image: data:image/png;base64,??",
		`notify("on my way"); text(1)`:                                                                                  "Notification: on my way|1",
		``:                                                                                                              "",
	} {
		if got := execText(t, cs, source); got != want && !strings.HasPrefix(want, "<image/png") {
			t.Errorf("%s\n got %s\nwant %s", source, got, want)
		} else if !strings.HasPrefix(got, strings.TrimSuffix(want, "2077>")) {
			t.Errorf("%s\n got %s", source, got)
		}
	}
	out, failed := call(t, cs, "exec", map[string]any{"source": "text(1)\nthrow new Error('boom')"})
	if want := regexp.MustCompile(`^Script failed\nWall time \d+\.\d seconds\nOutput:\n\|1\|Script error:\nError: boom\n    at exec_main.mjs:2:7$`); !failed || !want.MatchString(out) {
		t.Errorf("got %q", out)
	}
}

func TestArguments(t *testing.T) {
	cs := serve(t, options(), nil)
	for _, c := range []struct {
		tool string
		args map[string]any
		want string
	}{
		{"exec", map[string]any{}, `exec: no "source", the program to run`},
		{"exec", map[string]any{"code": "text(1)"}, `exec: unknown argument "code", want "source", "yield_time_ms" or "max_output_tokens"`},
		{"exec", map[string]any{"source": 5}, "exec: source: want a string, got a number"},
		{"exec", map[string]any{"source": "", "yield_time_ms": -1}, "exec: a number is negative"},
		{"exec", map[string]any{"source": "", "max_output_tokens": -1}, "exec: a number is negative"},
		{"wait", map[string]any{"cell_id": "77"}, "exec cell 77 not found"},
		{"wait", map[string]any{"cell_id": 1}, "wait: "},
		{"wait", map[string]any{"cell_id": "1", "yield_time_ms": -5}, "wait: a number is negative"},
	} {
		if out, failed := call(t, cs, c.tool, c.args); !failed || !strings.Contains(out, c.want) {
			t.Errorf("%s %v: %q, want %q", c.tool, c.args, out, c.want)
		}
	}
}

func TestYieldWaitTerminate(t *testing.T) {
	cs := serve(t, options(), nil)
	out, _ := call(t, cs, "exec", map[string]any{"source": "text('a'); yield_control(); await new Promise(r => setTimeout(r, 50)); text('b')"})
	if !strings.HasPrefix(out, "Script running with cell ID 1\n") || !strings.HasSuffix(out, "|a") {
		t.Fatalf("exec: %q", out)
	}
	if out, _ = call(t, cs, "wait", map[string]any{"cell_id": "1"}); !strings.HasPrefix(out, "Script completed\n") || !strings.HasSuffix(out, "|b") {
		t.Errorf("wait: %q", out)
	}
	if out, failed := call(t, cs, "wait", map[string]any{"cell_id": "1"}); !failed || !strings.Contains(out, "exec cell 1 not found") {
		t.Errorf("wait again: %q", out)
	}
	out, _ = call(t, cs, "exec", map[string]any{"source": "text('x'); for (;;);", "yield_time_ms": 20})
	if !strings.HasPrefix(out, "Script running with cell ID 2\n") {
		t.Fatalf("exec: %q", out)
	}
	if out, _ = call(t, cs, "wait", map[string]any{"cell_id": "2", "yield_time_ms": 10}); !strings.HasPrefix(out, "Script running with cell ID 2\n") {
		t.Errorf("wait: %q", out)
	}
	if out, _ = call(t, cs, "wait", map[string]any{"cell_id": "2", "terminate": true}); !strings.HasPrefix(out, "Script terminated\n") {
		t.Errorf("terminate: %q", out)
	}
}

func TestOutputBudget(t *testing.T) {
	cs := serve(t, options(), nil)
	out, _ := call(t, cs, "exec", map[string]any{"source": "text('x'.repeat(50000))"})
	if !strings.Contains(out, "Warning: truncated output (original token count: 12500)\nTotal output lines: 1\n\nxxx") ||
		!strings.Contains(out, "…2500 tokens truncated…") || len(out) > 41000 {
		t.Errorf("default: %d bytes, %.300q", len(out), out)
	}
	out, _ = call(t, cs, "exec", map[string]any{"source": "text('x'.repeat(50000))", "max_output_tokens": 20000})
	if strings.Contains(out, "truncated") || len(out) < 50000 {
		t.Errorf("20000: %d bytes", len(out))
	}
	out, _ = call(t, cs, "exec", map[string]any{"source": "yield_control(); text('y'.repeat(5000))", "max_output_tokens": 1})
	if _, err := fmt.Sscanf(out, "Script running with cell ID %s", new(string)); err != nil {
		t.Fatalf("got %q", out)
	}
	if out, _ = call(t, cs, "wait", map[string]any{"cell_id": "3", "max_output_tokens": 10}); !strings.Contains(out, "tokens truncated") {
		t.Errorf("wait: %d bytes", len(out))
	}
}

func TestStoredValuesAreTheSessions(t *testing.T) {
	cs := serve(t, options(), nil)
	execText(t, cs, `store("k", {a: 1})`)
	if got := execText(t, cs, `text(load("k").a)`); got != "1" {
		t.Errorf("got %q", got)
	}
}

func TestDescription(t *testing.T) {
	cs := serve(t, options(server("notes", hosttest.DemoRole)), nil)
	d := description(t, cs)
	for _, want := range []string{"type CallToolResult<", "### `notes__note_read`\nReads one note.\n\nexec tool declaration:\n```ts\ndeclare const tools: { notes__note_read(args: {\n  // the note's number, from 1\n  id: number;\n}): Promise<CallToolResult<{ body: string; id: number; title: string; }>>; };\n```"} {
		if !strings.Contains(d, want) {
			t.Errorf("%q is missing in\n%s", want, d)
		}
	}
	if len(d) > mcpserve.MaxDescription {
		t.Errorf("%d bytes", len(d))
	}
}

func description(t *testing.T, cs *mcp.ClientSession) string {
	t.Helper()
	l, err := cs.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	d := ""
	for _, tool := range l.Tools {
		if names = append(names, tool.Name); tool.Name == "exec" {
			d = tool.Description
		}
		if s, err := json.Marshal(tool.InputSchema); err != nil || !strings.Contains(string(s), `"additionalProperties":false`) {
			t.Errorf("schema of %s: %s", tool.Name, s)
		}
	}
	if want := []string{"exec", "wait"}; !cmp.Equal(names, want) {
		t.Errorf("tools %q", names)
	}
	return d
}

func TestSearch(t *testing.T) {
	cs := serve(t, options(server("big", "many")), nil)
	d := description(t, cs)
	if len(d) > mcpserve.MaxDescription || !strings.Contains(d, "search_tools(input: string): Promise<Array<string>>") ||
		!strings.Contains(d, "There are 301 tools") || strings.Contains(d, "### `big__") {
		t.Errorf("%d bytes: %s", len(d), d)
	}
	for source, want := range map[string]string{
		`text((await tools.search_tools("email a bill"))[0].split("\n")[0])`:                  "Mails a bill to a customer.",
		`text((await tools.search_tools("customer email"))[0].split("\n")[0])`:                "Mails a bill to a customer.",
		`text((await tools.search_tools("invoice")).length)`:                                  "1",
		`text((await tools.search_tools("warehouse")).length)`:                                "20",
		`text((await tools.search_tools({query: "tool 123"}))[0].includes("big__tool_123("))`: "true",
		`text((await tools.search_tools()).length)`:                                           "20",
		`text((await tools.search_tools("zzzz")).length)`:                                     "0",
		`text(await tools.search_tools(5).catch(e => e))`:                                     "search_tools expects a string",
		`text((await tools.big__tool_123()).content[0].text)`:                                 "tool_123",
	} {
		if got := execText(t, cs, source); got != want {
			t.Errorf("%s: got %q, want %q", source, got, want)
		}
	}
}

func TestPolicyWithoutElicitation(t *testing.T) {
	config := server("lab", "lab")
	config.Deny, config.Allow, config.Ask = []string{"er*"}, []string{"w*"}, []string{"sample"}
	cs := serve(t, options(config), nil)
	for source, want := range map[string]string{
		`text((await tools.lab__write()).content[0].text)`: "written",
		`text(typeof tools.lab__erase)`:                    "undefined",
		`text(await tools.lab__sample().catch(e => e))`:    `lab.sample: not allowed: it is not marked as read-only, and this client can't be asked; list it under "allow" of server "lab" in berth's configuration`,
	} {
		if got := execText(t, cs, source); got != want {
			t.Errorf("%s: got %q, want %q", source, got, want)
		}
	}
}

func TestPolicyAsksOnce(t *testing.T) {
	var mu sync.Mutex
	var asked []string
	cs := serve(t, options(server("lab", "lab")), &mcp.ClientOptions{
		ElicitationHandler: func(_ context.Context, req *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
			mu.Lock()
			defer mu.Unlock()
			asked = append(asked, req.Params.Message)
			if strings.Contains(req.Params.Message, "erase") {
				return &mcp.ElicitResult{Action: "decline"}, nil
			}
			return &mcp.ElicitResult{Action: "accept", Content: map[string]any{}}, nil
		}})
	for range 2 {
		if got, want := execText(t, cs, `const r = await Promise.allSettled([tools.lab__write({n: 1}), tools.lab__write({n: 1}), tools.lab__erase(), tools.lab__erase()]);
			text(r.map(x => x.reason ?? x.value.content[0].text).join())`),
			"written,written,lab.erase: not allowed: the user did not agree (decline),lab.erase: not allowed: the user did not agree (decline)"; got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	mu.Lock()
	defer mu.Unlock()
	if len(asked) != 2 || !strings.Contains(strings.Join(asked, ""), `May programs of this session use the tool "write" of server "lab"? It may change things. The first call: {"n":1}`) {
		t.Errorf("asked %q", asked)
	}
}

func TestPassThrough(t *testing.T) {
	changed := make(chan struct{}, 10)
	cs, client := serveClient(t, options(server("lab", "lab")), &mcp.ClientOptions{
		Capabilities: &mcp.ClientCapabilities{RootsV2: &mcp.RootCapabilities{ListChanged: true}},
		ElicitationHandler: func(_ context.Context, req *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
			return &mcp.ElicitResult{Action: "accept", Content: map[string]any{"colour": "blue"}}, nil
		},
		CreateMessageHandler: func(context.Context, *mcp.CreateMessageRequest) (*mcp.CreateMessageResult, error) {
			return &mcp.CreateMessageResult{Role: "assistant", Model: "m", Content: &mcp.TextContent{Text: "sampled"}}, nil
		},
		ToolListChangedHandler: func(context.Context, *mcp.ToolListChangedRequest) { changed <- struct{}{} },
	})
	client.AddRoots(&mcp.Root{URI: "file:///a"})
	for source, want := range map[string]string{
		`text((await tools.lab__elicit()).content[0].text)`: "acceptblue",
		`text((await tools.lab__sample()).content[0].text)`: "sampled",
		`text((await tools.lab__roots()).content[0].text)`:  "file:///a",
	} {
		if got := execText(t, cs, source); got != want {
			t.Errorf("%s: got %q, want %q", source, got, want)
		}
	}
	client.AddRoots(&mcp.Root{URI: "file:///b"})
	eventually(t, func() bool {
		return execText(t, cs, `text((await tools.lab__roots()).content[0].text)`) == "file:///a file:///b"
	})

	if d := description(t, cs); strings.Contains(d, "lab__grown") {
		t.Error("grown before it grew")
	}
	execText(t, cs, `await tools.lab__grow()`)
	<-changed
	eventually(t, func() bool { return strings.Contains(description(t, cs), "lab__grown") })
	if got := execText(t, cs, `text((await tools.lab__grown()).content[0].text)`); got != "new" {
		t.Errorf("got %q", got)
	}
}

// eventually polls a condition that other processes bring about.
func eventually(t *testing.T, ok func() bool) {
	t.Helper()
	tick, deadline := time.NewTicker(20*time.Millisecond), time.After(20*time.Second)
	defer tick.Stop()
	for !ok() {
		select {
		case <-tick.C:
		case <-deadline:
			t.Fatal("it does not happen")
		}
	}
}

func TestProgress(t *testing.T) {
	var mu sync.Mutex
	var got []mcp.ProgressNotificationParams
	cs := serve(t, options(server("notes", hosttest.DemoRole)), &mcp.ClientOptions{
		ProgressNotificationHandler: func(_ context.Context, r *mcp.ProgressNotificationClientRequest) {
			mu.Lock()
			defer mu.Unlock()
			got = append(got, *r.Params)
		}})
	p := &mcp.CallToolParams{Name: "exec", Arguments: map[string]any{"source": `await tools.notes__slow({steps: 3, step_ms: 5}); notify("done"); await tools.notes__slow({steps: 1, step_ms: 5})`}}
	p.SetProgressToken("tok")
	if _, err := cs.CallTool(t.Context(), p); err != nil {
		t.Fatal(err)
	}
	eventually(t, func() bool { // a client may hear of it after the result
		mu.Lock()
		defer mu.Unlock()
		return len(got) == 5
	})
	mu.Lock()
	defer mu.Unlock()
	var seen []string
	last := -1.0
	for _, n := range got {
		if n.ProgressToken != "tok" || n.Progress <= last {
			t.Errorf("bad progress %+v after %v", n, last)
		}
		last = n.Progress
		seen = append(seen, n.Message)
	}
	want := []string{"notes.slow: step 1 of 3", "notes.slow: step 2 of 3", "notes.slow: step 3 of 3", "done", "notes.slow: step 1 of 1"}
	if !cmp.Equal(seen, want) {
		t.Errorf("got %q", seen)
	}
}

func TestCancellationReachesTheServer(t *testing.T) {
	cs := serve(t, options(server("lab", "lab")), nil)
	if out := execText(t, cs, `text(ALL_TOOLS.length > 5)`); out != "true" {
		t.Fatal(out)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	if _, err := cs.CallTool(ctx, &mcp.CallToolParams{Name: "exec", Arguments: map[string]any{"source": `await tools.lab__hang()`}}); err == nil {
		t.Error("a cancelled call returned")
	}
	if got := execText(t, cs, `text((await tools.lab__unhung()).content[0].text)`); got != "cancelled" {
		t.Errorf("got %q", got)
	}
}

func TestBrokenServersBreakNothingElse(t *testing.T) {
	var log syncBuffer
	opts := options(server("notes", hosttest.DemoRole), server("gone", "exit"), server("lab", "lab"))
	opts.Log = &log
	cs := serve(t, opts, nil)
	d := description(t, cs)
	if !strings.Contains(d, `The server "gone" is not available: start: `) || !strings.Contains(d, "no licence") || !strings.Contains(d, "### `notes__clock`") {
		t.Errorf("description: %s", d)
	}
	got := execText(t, cs, `
		const r = await Promise.allSettled([tools.lab__hang(), tools.lab__die(), tools.notes__note_read({id: 3})]);
		text(r[0].reason); text(r[1].reason); text(r[2].value.structuredContent.title);`)
	if want := "lab.hang: server exited with status 11; its stderr: segmentation fault|lab.die: server exited with status 11; its stderr: segmentation fault|Groceries"; got != want {
		t.Errorf("got %q", got)
	}
	if got := execText(t, cs, `text((await tools.lab__huge()).content[0].text.length)`); got != "2097152" { // it is there again
		t.Errorf("got %q", got)
	}
	eventually(t, func() bool { return strings.Contains(log.String(), "[gone] no licence\n") })
}

func TestTimeout(t *testing.T) {
	config := server("lab", "lab")
	config.Timeout = 100 * time.Millisecond
	cs := serve(t, options(config), nil)
	if got, want := execText(t, cs, `text(await tools.lab__hang().catch(e => e))`), "lab.hang: no answer and no progress within 100ms"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

type syncBuffer struct {
	mu sync.Mutex
	b  strings.Builder
}

func (s *syncBuffer) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.Write(p)
}

func (s *syncBuffer) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.String()
}
