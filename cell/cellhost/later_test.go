package cellhost_test

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/berth-dev/berth/cell/cellhost"
)

var later = []string{"bounded-output-v1", "delegate-capacity-4096", "session-cell-execution-resource-limits",
	"tool-catalog-revision-v1", "yield-observation"}

const limitsOnly = "session-cell-execution-resource-limits"

// Which hello gets timing fields. Spec: codemode §15.
func TestDialects(t *testing.T) {
	for name, tc := range map[string]struct {
		opts   cellhost.Options
		hello  []string
		timing bool
	}{
		"auto, nothing asked":       {cellhost.Options{}, nil, false},
		"auto, unknown asked":       {cellhost.Options{}, []string{"x-lab-trace"}, false},
		"auto, all asked":           {cellhost.Options{}, later, true},
		"auto, yield-observation":   {cellhost.Options{}, []string{limitsOnly, "yield-observation"}, true},
		"auto, ambiguous":           {cellhost.Options{}, []string{limitsOnly}, true},
		"auto, ambiguous set":       {cellhost.Options{Ambiguous: cellhost.Base}, []string{limitsOnly}, false},
		"base, ambiguous":           {cellhost.Options{Dialect: cellhost.Base}, []string{limitsOnly}, false},
		"base, nothing asked":       {cellhost.Options{Dialect: cellhost.Base}, nil, false},
		"timed, nothing asked":      {cellhost.Options{Dialect: cellhost.Timed}, nil, true},
		"timed, ambiguous set base": {cellhost.Options{Dialect: cellhost.Timed, Ambiguous: cellhost.Base}, []string{limitsOnly}, true},
	} {
		t.Run(name, func(t *testing.T) {
			c := start(t, tc.opts, tc.hello...)
			c.open("s")
			c.exec("s", `yield_control(); await new Promise(f => setTimeout(f, 1))`, "")
			yielded := c.await("Yielded")
			c.wait("s", "1", 60000)
			result := c.await("LiveCell")
			c.wait("s", "1", 0)
			missing := c.await("MissingCell")
			c.exec("s", `for(;;);`, `,"yield_time_ms":0`)
			c.await("Yielded")
			c.terminate("s", "2")
			terminated := c.await("Terminated")
			for _, line := range []string{yielded, result, missing, terminated} {
				if got := strings.Contains(line, `"code_mode_host_duration_ns":`); got != tc.timing {
					t.Errorf("timing is %v, want %v: %s", got, tc.timing, line)
				}
			}
			for _, line := range []string{result, missing} {
				if got := strings.Contains(line, `"result_buffered_for_ns":`); got != tc.timing {
					t.Errorf("buffer time is %v, want %v: %s", got, tc.timing, line)
				}
			}
		})
	}
}

func TestParseDialect(t *testing.T) {
	for i, name := range []string{"auto", "base", "timed"} {
		if d, err := cellhost.ParseDialect(name); err != nil || int(d) != i {
			t.Errorf("ParseDialect(%q) = %v, %v", name, d, err)
		}
	}
	if _, err := cellhost.ParseDialect("Base"); err == nil || err.Error() != `unknown dialect "Base", want auto, base or timed` {
		t.Errorf("ParseDialect of nonsense: %v", err)
	}
}

func TestCapabilitiesAreEchoed(t *testing.T) {
	c := launch(t, t.Context(), cellhost.Options{}, cellhost.Run)
	c.send(`{"type":"connection/hello","supportedVersions":[1],"requiredCapabilities":["yield-observation"],"optionalCapabilities":["x","bounded-output-v1"]}`)
	c.expect(`{"type":"connection/ready","selectedVersion":1,"capabilities":["bounded-output-v1","yield-observation"]}`)
	c = launch(t, t.Context(), cellhost.Options{}, cellhost.Run)
	c.send(`{"type":"connection/hello","supportedVersions":[1],"requiredCapabilities":["x-lab-trace"],"optionalCapabilities":[]}`)
	c.expect(`{"type":"connection/rejected","reason":{"type":"missingRequiredCapability","capability":"x-lab-trace"}}`)
	if err := c.end(); err != nil {
		t.Error(err)
	}
}

func TestDurations(t *testing.T) {
	c := start(t, cellhost.Options{}, later...)
	c.open("s")
	field := func(line, name string) (ns int) {
		m := regexp.MustCompile(name + `":(\d+)`).FindStringSubmatch(line)
		if m == nil {
			t.Fatalf("no %s in %s", name, line)
		}
		fmt.Sscan(m[1], &ns)
		return ns
	}
	c.exec("s", `await new Promise(f => setTimeout(f, 30))`, "")
	line := c.await("initialResponse")
	if d := field(line, "duration_ns"); d < 30e6 || field(line, "buffered_for_ns") != 0 {
		t.Errorf("after 30 ms: %s", line)
	}
	c.exec("s", `yield_control(); await new Promise(f => setTimeout(f, 1)); notify("over")`, "")
	c.await("notification/send")
	c.delivered(1)
	c.exec("s", `await new Promise(f => setTimeout(f, 30))`, "")
	c.await("Result")
	c.wait("s", "2", 60000)
	line = c.await("LiveCell")
	if b := field(line, "buffered_for_ns"); b < 20e6 || field(line, "duration_ns") > 20e6 {
		t.Errorf("buffered for 30 ms: %s", line)
	}
}

// Spec: codemode §15, yield-observation.
func TestOperationYield(t *testing.T) {
	c := start(t, cellhost.Options{}, later...)
	c.open("s")
	id := c.exec("s", `text("a"); notify("n"); await new Promise(()=>{})`, `,"yield_time_ms":600000`)
	c.expect("execution/started", "notification/send")
	c.send(fmt.Sprintf(`{"type":"operation/yield","id":%d}`, id))
	c.expect(`"Yielded":{"cell_id":"1","content_items":[` + text("a") + `]`)
	c.send(fmt.Sprintf(`{"type":"operation/yield","id":%d}`, id))
	c.send(`{"type":"operation/yield","id":999}`)
	id = c.wait("s", "1", 600000)
	c.send(fmt.Sprintf(`{"type":"operation/yield","id":%d}`, id))
	c.expect(`"Yielded":{"cell_id":"1","content_items":[]`)
}

// Spec: codemode §15, session-cell-execution-resource-limits.
func TestSessionLimits(t *testing.T) {
	c := start(t, cellhost.Options{}, later...)
	c.request(`{"method":"session/open","sessionId":"s","cellExecutionLimits":{"maxYieldTimeMs":20,"maxHeapSizeBytes":33554432}}`)
	c.await("session/ready")
	c.exec("s", `await new Promise(()=>{})`, `,"yield_time_ms":600000`)
	c.expect("execution/started", `"Yielded"`)
	c.wait("s", "1", 600000)
	c.expect(`"Yielded"`)
	c.terminate("s", "1")
	c.await("cell/closed")
	c.exec("s", `const a = []; for (;;) a.push(new Array(1000).fill(1))`, "")
	for line := ""; !strings.Contains(line, "RangeError: cell memory limit of 32 MiB exceeded"); {
		if line = c.next(); strings.Contains(line, "Yielded") {
			c.wait("s", "2", 600000)
		}
	}
	c.request(`{"method":"session/open","sessionId":"now","cellExecutionLimits":{"maxYieldTimeMs":0,"maxHeapSizeBytes":0}}`)
	c.await("session/ready")
	c.exec("now", `text("x")`, "")
	c.await("Yielded")
	c.wait("now", "1", 1000)
	c.await("cell memory limit of 0 MiB exceeded")
}

// Recorded from the 0.171 host.
func TestCatalogRevisions(t *testing.T) {
	c := start(t, cellhost.Options{}, later...)
	c.open("s")
	c.open("t")
	for i, step := range []struct{ session, tools, revision, want string }{
		{"s", "a", "null", "[a]"},
		{"s", "", "1", "unknown code-mode catalog revision"},
		{"s", "a", "1", "[a]"},
		{"s", "", "1", "[a]"},
		{"s", "a", "1", "[a]"},
		{"s", "b", "1", "conflicting code-mode catalog revision"},
		{"s", "", "1", "[a]"},
		{"s", "b", "2", "[b]"},
		{"s", "", "1", "unknown code-mode catalog revision"},
		{"s", "a", "1", "[a]"},
		{"s", "", "1", "unknown code-mode catalog revision"},
		{"s", "", "2", "[b]"},
		{"s", "", "0", "invalid code-mode catalog revision"},
		{"s", "a", "0", "invalid code-mode catalog revision"},
		{"s", "x", "null", "[x]"},
		{"s", "", "null", "[]"},
		{"t", "", "2", "unknown code-mode catalog revision"},
		{"s", "z", "18446744073709551615", "[z]"},
	} {
		tools := ""
		if step.tools != "" {
			tools = fmt.Sprintf(`{"name":%[1]q,"tool_name":{"name":%[1]q,"namespace":null},"description":"","kind":"function","input_schema":null,"output_schema":null}`, step.tools)
		}
		id := c.request(`{"method":"session/execute","sessionId":%q,"request":{"tool_call_id":"c","enabled_tools":[%s],"source":"text('['+ALL_TOOLS.map(t => t.name)+']')","catalog_revision":%s}}`,
			step.session, tools, step.revision)
		line := c.await(fmt.Sprintf(`"id":%d,`, id))
		if strings.Contains(line, "execution/started") {
			line = c.await(fmt.Sprintf(`"id":%d,`, id))
		}
		if !strings.Contains(line, step.want) {
			t.Errorf("step %d: %s, want %s", i, line, step.want)
		}
	}
}

// Recorded from the 0.171 host. Spec: codemode §15, bounded-output-v1.
func TestTruncation(t *testing.T) {
	c := start(t, cellhost.Options{}, later...)
	c.request(`{"method":"session/open","sessionId":"s","outputTruncation":"server"}`)
	c.await("session/ready")
	c.open("client")
	const image = `image("data:image/png;base64,AAAA");`
	const heading = "Warning: truncated output (original token count: %d)\nTotal output lines: %d\n\n%s"
	long := func(tokens, lines int, rest string) []string {
		return []string{fmt.Sprintf(heading, tokens, lines, rest)}
	}
	rep := strings.Repeat
	for i, tc := range []struct {
		source string
		tokens int // -1: none given
		want   []string
	}{
		{`text("0123456789".repeat(10))`, 10, long(25, 1, "01234567890123456789…15 tokens truncated…01234567890123456789")},
		{`text("x".repeat(40))`, 10, []string{rep("x", 40)}},
		{`text("x".repeat(41))`, 10, long(11, 1, rep("x", 20)+"…1 tokens truncated…"+rep("x", 20))},
		{`text("a".repeat(20));text("b".repeat(20));text("c")`, 10, long(11, 3, rep("a", 20)+"…1 tokens truncated…"+rep("b", 18)+"\nc")},
		{`text("é".repeat(60))`, 10, long(30, 1, rep("é", 10)+"…20 tokens truncated…"+rep("é", 10))},
		{`text("€".repeat(14))`, 10, long(11, 1, rep("€", 6)+"…1 tokens truncated…"+rep("€", 6))},
		{`text("x".repeat(100))`, 0, long(25, 1, "…25 tokens truncated…")},
		{`text("x".repeat(100))`, 1, long(25, 1, "xx…24 tokens truncated…xx")},
		{`text("")`, 0, []string{""}},
		{`text("aa\nbb\n".repeat(30))`, 10, long(45, 60, "aa\nbb\naa\nbb\naa\nbb\naa…35 tokens truncated…b\naa\nbb\naa\nbb\naa\nbb\n")},
		{`text("abc\n");text("x".repeat(50)+"\n");text("z")`, 5, long(15, 5, "abc\n\nxxxxx…10 tokens truncated…xxxxxxx\n\nz")},
		{`text("x".repeat(100000))`, -1, long(25000, 1, rep("x", 20000)+"…15000 tokens truncated…"+rep("x", 20000))},
		{`text("a".repeat(30));` + image + `text("b".repeat(50));` + image, 10, []string{rep("a", 30), "image", "bbbb…11 tokens truncated…bbbb", "image"}},
		{`text("a".repeat(30));` + image + `text("b".repeat(50));text("c".repeat(50));` + image + `text("d")`, 10,
			[]string{rep("a", 30), "image", "bbbb…11 tokens truncated…bbbb", "image", "[omitted 2 text items ...]"}},
		{image + `text("a".repeat(20));text("");text("b");text("c".repeat(40))`, 10,
			[]string{"image", rep("a", 20), "b", "cccccccc…6 tokens truncated…cccccccc"}},
		{image + `text("a")`, 0, []string{"image", "[omitted 1 text items ...]"}},
		{image, 0, []string{"image"}},
		{`text("a"); throw "yy"`, 10, []string{"a", "Script error:\nyy"}},
		{`text("a"); throw "y".repeat(60)`, 10, long(19, 3, "a\nScript error:\nyyyy…9 tokens truncated…"+rep("y", 20))},
		{image + `throw "y".repeat(60)`, 10, []string{"image", "Script error:\nyyyyyy…9 tokens truncated…" + rep("y", 20)}},
	} {
		extra := ""
		if tc.tokens >= 0 {
			extra = fmt.Sprintf(`,"max_output_tokens":%d`, tc.tokens)
		}
		c.exec("s", tc.source, extra)
		if got := items(t, c.await("initialResponse")); strings.Join(got, "|") != strings.Join(tc.want, "|") {
			t.Errorf("case %d: %s\ngot  %.200q\nwant %.200q", i, tc.source, got, tc.want)
		}
	}
	c.request(`{"method":"session/wait","sessionId":"s","request":{"cell_id":"99","yield_time_ms":10},"maxOutputTokens":1}`)
	line := c.await("MissingCell")
	if got := items(t, line); got[0] != long(9, 2, "Sc…8 tokens truncated…nd")[0] || !strings.Contains(line, `"error_text":"exec cell 99 not found"`) {
		t.Errorf("missing cell: %s", line)
	}
	c.exec("s", `yield_control(); text("b".repeat(60)); await new Promise(()=>{})`, "")
	c.await("Yielded")
	cell := fmt.Sprint(len("x") + 20)
	c.request(`{"method":"session/terminate","sessionId":"s","cellId":%q,"maxOutputTokens":5}`, cell)
	if got := items(t, c.await("Terminated")); got[0] != long(15, 1, rep("b", 10)+"…10 tokens truncated…"+rep("b", 10))[0] {
		t.Errorf("terminated: %q", got)
	}
	c.exec("client", `text("x".repeat(100)); throw "e"`, `,"max_output_tokens":1`)
	if got := items(t, c.await("initialResponse")); len(got) != 1 || got[0] != rep("x", 100) {
		t.Errorf("where the client truncates: %q", got)
	}
	c.exec("client", ``, `,"max_output_tokens":-1`)
	c.await("invalid code-mode execute request: number too small to fit in target type")
}

// items returns the texts of an answer's content, "image" for images.
func items(t *testing.T, line string) []string {
	t.Helper()
	at := strings.Index(line, `"content_items":`)
	if at < 0 {
		t.Fatalf("no items in %s", line)
	}
	var list []struct{ Type, Text string }
	if err := json.NewDecoder(strings.NewReader(line[at+len(`"content_items":`):])).Decode(&list); err != nil {
		t.Fatal(err)
	}
	texts := []string{}
	for _, item := range list {
		if item.Type == "input_image" {
			item.Text = "image"
		}
		texts = append(texts, item.Text)
	}
	return texts
}

func TestWindowIsLargeWhenAskedFor(t *testing.T) {
	c := start(t, cellhost.Options{}, later...)
	c.open("s")
	c.exec("s", `for (let i = 0; i < 5000; i++) tools.a(i); await new Promise(()=>{})`, "")
	c.expect("execution/started")
	for i := range 4096 {
		c.expect(fmt.Sprintf(`{"type":"delegate/request","id":%d,`, i+1))
	}
	c.wait("s", "9", 0)
	c.expect("MissingCell")
	c.answer(1, "1")
	c.expect(`{"type":"delegate/request","id":4097,`)
}

func TestLiveCellsAreNotLimitedInLaterDialects(t *testing.T) {
	c := start(t, cellhost.Options{}, later...)
	c.open("s")
	for i := range 200 {
		c.exec("s", `text("x")`, `,"yield_time_ms":0`)
		c.expect(fmt.Sprintf(`"execution/started","cellId":"%d"`, i+1), "Yielded")
	}
}
