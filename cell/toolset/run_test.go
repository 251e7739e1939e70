package toolset_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/berth-dev/berth/cell/internal/hosttest"
	"github.com/berth-dev/berth/cell/toolset"
	"github.com/google/go-cmp/cmp"
)

func options(t *testing.T, source string) toolset.Options {
	t.Helper()
	return toolset.Options{Source: source, HostArgs: []string{hosttest.HostRole}, Images: t.TempDir()}
}

func demo() toolset.Server { return toolset.Server{Command: os.Args[0] + " " + hosttest.DemoRole} }

// run runs a program and returns what it put out, a line for each event.
func run(t *testing.T, opts toolset.Options) ([]string, toolset.Outcome) {
	t.Helper()
	var got []string
	out, err := toolset.Run(t.Context(), opts, func(e toolset.Event) error {
		got = append(got, describe(e))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return got, out
}

func describe(e toolset.Event) string {
	return strings.TrimSpace(fmt.Sprint(e.Kind, " ", e.Text, filepath.Base("/"+e.Path), e.MIME, e.Detail, e.URL))
}

func TestRunWithMCPServer(t *testing.T) {
	opts := options(t, `
		const {structuredContent: n} = await tools.note_read({id: 3});
		text(n.title);
		notify("half way");
		const made = await tools.note_create({title: "From a cell"});
		text(made.structuredContent.id);
		text((await tools.fail()).isError);
		image((await tools.image()).content[0]);
		text(await tools.note_read("x").catch(e => e));
		text(await tools.shout({a: [1]}));
		text(ALL_TOOLS.map(t => t.name).join());
		text(ALL_TOOLS.find(t => t.name === "clock").description);
	`)
	opts.Servers = []toolset.Server{demo()}
	tools, err := toolset.LoadCommands(toolsFile(t, `{"shout": `+self(t, "echo")+`}`))
	if err != nil {
		t.Fatal(err)
	}
	opts.Tools = tools
	got, out := run(t, opts)
	want := []string{"text Groceries/", "notification half way/", "text 4/", "text true/", "image cell-image-1.pngimage/pnghigh",
		"text tool `note_read` expects a JSON object for arguments/",
		`text {"input":{"a":[1]},"args":[],"x":""}/`,
		"text clock,fail,image,note_create,note_list,note_read,note_search,slow,shout/",
		"text Tells the time.\n\nexec tool declaration:\n```ts\ndeclare const tools: { clock(args: {}): Promise<CallToolResult<{\n  // the time in UTC, RFC 3339\n  time: string;\n  // seconds since 1970\n  unix: number;\n}>>; };\n```/"}
	slicesSortNotification(got)
	slicesSortNotification(want)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if out.Status != toolset.Completed || out.Wall <= 0 {
		t.Errorf("outcome %+v", out)
	}
	if data, err := os.ReadFile(filepath.Join(opts.Images, "cell-image-1.png")); err != nil || !bytes.HasPrefix(data, []byte("\x89PNG")) {
		t.Errorf("image: %v", err)
	}
}

// slicesSortNotification moves notifications to the end: they are not ordered
// with the rest of the output.
func slicesSortNotification(events []string) {
	for i := 0; i < len(events)-1; i++ {
		if strings.HasPrefix(events[i], "notification") {
			e := events[i]
			copy(events[i:], events[i+1:])
			events[len(events)-1] = e
			return
		}
	}
}

func TestNamesOfTools(t *testing.T) {
	opts := options(t, `text(ALL_TOOLS.map(t => t.name).filter(n => n.includes("clock")).join())`)
	named := demo()
	named.Name = "my-lab"
	opts.Servers = []toolset.Server{demo(), named}
	got, _ := run(t, opts)
	if want := []string{"text clock,my_lab__clock/"}; !cmp.Equal(got, want) {
		t.Errorf("got %q", got)
	}
	opts.Servers = []toolset.Server{demo(), demo()}
	_, err := toolset.Run(t.Context(), opts, func(toolset.Event) error { return nil })
	if err == nil || !strings.Contains(err.Error(), `tool "clock" comes from both mcp server`) {
		t.Errorf("got %v", err)
	}
}

func TestOutcomes(t *testing.T) {
	for source, want := range map[string]toolset.Outcome{
		`text(1)`:                        {Status: toolset.Completed},
		`text(1); exit()`:                {Status: toolset.Completed},
		`text(1); throw "no"`:            {Status: toolset.Failed, Error: "no"},
		"text(1)\nnull.x":                {Status: toolset.Failed, Error: "TypeError: Cannot read properties of null (reading 'x')\n    at exec_main.mjs:2:6"},
		`text(1); await tools.nothing()`: {Status: toolset.Failed, Error: "TypeError: tools.nothing is not a function\n    at exec_main.mjs:1:22"},
	} {
		got, out := run(t, options(t, source))
		out.Wall = 0
		if out != want || !cmp.Equal(got, []string{"text 1/"}) {
			t.Errorf("%s: %+v %q", source, out, got)
		}
	}
}

// Output comes while its program runs, whatever that does: these run until all
// of it has come.
func TestOutputComesAtOnce(t *testing.T) {
	for _, source := range []string{
		`for (let i = 0;; i++) { text(i); await new Promise(r => setTimeout(r, 50)) }`,
		`for (let i = 0; i < 5; i++) text(i); for (;;);`,
		`for (let i = 0; i < 5; i++) text(i); await new Promise(() => {});`,
	} {
		ctx, cancel := context.WithCancel(t.Context())
		seen := 0
		out, err := toolset.Run(ctx, options(t, source), func(e toolset.Event) error {
			if seen < 5 && e.Text != fmt.Sprint(seen) {
				t.Errorf("%s: got %q after %d texts", source, e.Text, seen)
			}
			if seen++; seen == 5 {
				cancel()
			}
			return nil
		})
		if err != nil || out.Status != toolset.Terminated || seen < 5 {
			t.Errorf("%s: %d texts, %+v, %v", source, seen, out, err)
		}
	}
}

func TestStoredValuesOutliveTheRun(t *testing.T) {
	path := filepath.Join(t.TempDir(), "store.json")
	for i, c := range []struct{ source, want string }{
		{`text(load("n")); store("n", 1); store("__proto__", {a: [1.5, null, "\u2028"]}); store("", "empty key")`, "undefined"},
		{`text(load("n")); store("n", load("n") + 1); text(JSON.stringify(load("__proto__")) + load(""))`, "1|{\"a\":[1.5,null,\"\u2028\"]}empty key"},
		{`text(load("n")); store("n", 50); throw "a failed program keeps what it stored"`, "2"},
		{`globalThis.store = globalThis.load = globalThis.tools = null; JSON.stringify = () => "1"; Object.prototype.then = 5;
		  Array.prototype[Symbol.iterator] = null; text("tampered")`, "tampered"},
		{`let v = 1; for (let i = 0; i < 120; i++) v = [v]; store("deep", v); text(load("n"))`, "50"},
		{`let v = load("deep"), n = 0; while (Array.isArray(v)) { v = v[0]; n++ } text(n); store("big", "x".repeat(5e6)); store("big2", "y".repeat(5e6))`, "120"},
		{`text(load("big").length + load("big2").length)`, "10000000"},
	} {
		opts := options(t, c.source)
		opts.Store = path
		got, out := run(t, opts)
		for j := range got {
			got[j] = strings.TrimSuffix(strings.TrimPrefix(got[j], "text "), "/")
		}
		if s := strings.Join(got, "|"); s != c.want {
			t.Errorf("run %d: %q %+v, want %q", i, s, out, c.want)
		}
	}
}

func TestCtrlC(t *testing.T) {
	path := filepath.Join(t.TempDir(), "store.json")
	for name, source := range map[string]string{
		"busy":    `text("before"); store("k", 1); yield_control(); for (;;);`,
		"waiting": `text("before"); store("k", 1); await new Promise(() => {setTimeout(() => text("late"), 1e6)});`,
		"calling": `text("before"); store("k", 1); await tools.slow({steps: 1000});`,
	} {
		t.Run(name, func(t *testing.T) {
			opts := options(t, source)
			opts.Store, opts.Servers = path, []toolset.Server{demo()}
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			var got []string
			begun := time.Now()
			out, err := toolset.Run(ctx, opts, func(e toolset.Event) error {
				got = append(got, e.Text)
				cancel()
				return nil
			})
			if err != nil || out.Status != toolset.Terminated || !cmp.Equal(got, []string{"before"}) {
				t.Errorf("%+v %v %q", out, err, got)
			}
			if took := time.Since(begun); took > time.Minute {
				t.Errorf("took %v", took)
			}
		})
	}
	if _, err := os.Stat(path); !os.IsNotExist(err) {
		t.Errorf("a terminated program's values were kept: %v", err)
	}
}

func TestMedia(t *testing.T) {
	opts := options(t, `
		image("data:image/jpeg;base64,AAEC", "low");
		image({image_url: "data:text/html,%3Cb%3E"});
		image("data:image/png;base64,????");
		audio("data:audio/wav;base64,UklGRiQAAABXQVZF");`)
	if err := os.WriteFile(filepath.Join(opts.Images, "cell-image-1.jpg"), []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	got, _ := run(t, opts)
	want := []string{"image cell-image-2.jpgimage/jpeglow", "image cell-image-3.bintext/htmlhigh", "image /highdata:image/png;base64,????", "audio cell-audio-1.wavaudio/wav"}
	if !cmp.Equal(got, want) {
		t.Error(cmp.Diff(want, got))
	}
	if data, _ := os.ReadFile(filepath.Join(opts.Images, "cell-image-1.jpg")); string(data) != "mine" {
		t.Error("a file was replaced")
	}
}

func TestRunFails(t *testing.T) {
	for want, change := range map[string]func(*toolset.Options){
		"start code-mode host: start \"/no/such/host\"": func(o *toolset.Options) { o.HostPath = "/no/such/host" },
		"exit status 3":                                    func(o *toolset.Options) { o.HostArgs = []string{"fail"} },
		`mcp server "none": start: `:                       func(o *toolset.Options) { o.Servers = []toolset.Server{{Name: "none", Command: os.Args[0] + " none"}} },
		"mcp server: command \"'\": a quote is not closed": func(o *toolset.Options) { o.Servers = []toolset.Server{{Command: "'"}} },
		"store file \"/dev/null/x\"":                       func(o *toolset.Options) { o.Store = "/dev/null/x" },
	} {
		opts := options(t, "")
		change(&opts)
		_, err := toolset.Run(t.Context(), opts, func(toolset.Event) error { return nil })
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
	_, err := toolset.Run(t.Context(), options(t, "text(1); await new Promise(() => {})"), func(toolset.Event) error { return os.ErrClosed })
	if err != os.ErrClosed {
		t.Errorf("got %v", err)
	}
}

func TestServersSpeakToStderr(t *testing.T) {
	var mu sync.Mutex
	var b bytes.Buffer
	opts := options(t, "")
	opts.Stderr = writerFunc(func(p []byte) (int, error) {
		mu.Lock()
		defer mu.Unlock()
		return b.Write(p)
	})
	opts.HostArgs = []string{"fail"}
	_, _ = toolset.Run(t.Context(), opts, func(toolset.Event) error { return nil })
	mu.Lock()
	defer mu.Unlock()
	if !strings.HasPrefix(b.String(), "[code-mode host] aaa") {
		t.Errorf("got %q", b.String())
	}
}

type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }
