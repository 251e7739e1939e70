//go:build codex && linux

package codextest_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/berth-dev/berth/cell/internal/codextest"
)

// awaitFile is a cell's source that waits, in a tool call, for the file name.
func awaitFile(name string) string {
	return "await tools.exec_command({cmd: 'until [ -e " + name + " ]; do sleep 0.02; done', yield_time_ms: 30000});\n"
}

// The recipe puts the program in place: it is berth that runs the cell.
func TestRecipe(t *testing.T) {
	eachVersion(t, func(t *testing.T, c *client) {
		var pids []int
		var err error
		talk := c.talk(t,
			codextest.Say(codextest.Exec("c1", "text(6 * 7);")),
			func(codextest.Request) []codextest.Item {
				pids, err = c.hosts()
				return []codextest.Item{codextest.Exec("c2", "text('still here');")}
			})
		talk.wantTexts(t, "c1", "Script completed", "42")
		talk.wantTexts(t, "c2", "Script completed", "still here")
		if err != nil || len(pids) != 1 {
			t.Errorf("hosts: %v, %v; want one", pids, err)
		}
	})
}

func TestNestedTools(t *testing.T) {
	eachVersion(t, func(t *testing.T, c *client) {
		talk := c.talk(t,
			codextest.Say(codextest.Exec("shell", "const r = await tools.exec_command({cmd: 'echo $((6*7))'});\ntext(r.output.trim());")),
			codextest.Say(codextest.Exec("patch", "await tools.apply_patch('*** Begin Patch\\n*** Add File: made.txt\\n+by a cell\\n*** End Patch\\n');\ntext('patched');")),
			codextest.Say(codextest.Exec("mcp", "const r = await tools.mcp__demo__clock({zone: 'UTC'});\ntext(typeof r.content[0].text);")),
			codextest.Say(codextest.Exec("all", `const rs = await Promise.all([1, 2, 3].map((n) => tools.exec_command({cmd: "echo " + n})));
text(rs.map((r) => r.output.trim()).join());`)),
			codextest.Say(codextest.Exec("fails", "try { await tools.write_stdin({session_id: 999999}); text('no error'); } catch (e) { text(typeof e); }")),
			codextest.Say(codextest.Exec("store", "store('n', {a: 1}); text('stored');")),
			codextest.Say(codextest.Exec("load", "text(load('n').a);")),
		)
		talk.wantTexts(t, "shell", "Script completed", "42")
		talk.wantTexts(t, "patch", "Script completed", "patched")
		talk.wantTexts(t, "mcp", "Script completed", "string")
		talk.wantTexts(t, "all", "Script completed", "1,2,3")
		talk.wantTexts(t, "fails", "Script completed", "string")
		talk.wantTexts(t, "store", "Script completed", "stored")
		talk.wantTexts(t, "load", "Script completed", "1")
		if b, err := os.ReadFile(filepath.Join(c.work, "made.txt")); err != nil || string(b) != "by a cell\n" {
			t.Errorf("patched file: %q, %v", b, err)
		}
	})
}

func TestYieldAndWait(t *testing.T) {
	eachVersion(t, func(t *testing.T, c *client) {
		talk := c.talk(t,
			// By its deadline, then by itself.
			codextest.Say(codextest.Exec("c1", "// @exec: {\"yield_time_ms\": 50}\ntext('a');\n"+awaitFile("go")+
				"text('b'); yield_control();\n"+awaitFile("on")+"text('c');")),
			func(codextest.Request) []codextest.Item {
				if err := c.make("go"); err != nil {
					t.Error(err)
				}
				return []codextest.Item{codextest.Wait("c2", map[string]any{"cell_id": "1", "yield_time_ms": 30000})}
			},
			func(codextest.Request) []codextest.Item {
				if err := c.make("on"); err != nil {
					t.Error(err)
				}
				return []codextest.Item{codextest.Wait("c3", map[string]any{"cell_id": "1", "yield_time_ms": 30000})}
			},
			codextest.Say(codextest.Wait("c4", map[string]any{"cell_id": "1"})),
		)
		talk.wantTexts(t, "c1", "Script running with cell ID 1", "a")
		talk.wantTexts(t, "c2", "Script running with cell ID 1", "b")
		talk.wantTexts(t, "c3", "Script completed", "c")
		talk.wantTexts(t, "c4", "Script failed", "Script error:\nexec cell 1 not found")
	})
}

func TestTerminate(t *testing.T) {
	eachVersion(t, func(t *testing.T, c *client) {
		talk := c.talk(t,
			codextest.Say(codextest.Exec("c1", "text('busy'); yield_control();\nfor (;;);")),
			codextest.Say(codextest.Wait("c2", map[string]any{"cell_id": "1", "terminate": true})),
			codextest.Say(codextest.Exec("c3", "// @exec: {\"yield_time_ms\": 50}\ntext('calls');\n"+awaitFile("never"))),
			codextest.Say(codextest.Wait("c4", map[string]any{"cell_id": "2", "terminate": true})),
			codextest.Say(codextest.Exec("c5", "text('alive');")),
		)
		talk.wantTexts(t, "c1", "Script running with cell ID 1", "busy")
		talk.wantTexts(t, "c2", "Script terminated")
		talk.wantTexts(t, "c3", "Script running with cell ID 2", "calls")
		talk.wantTexts(t, "c4", "Script terminated")
		talk.wantTexts(t, "c5", "Script completed", "alive")
	})
}

func TestNotify(t *testing.T) {
	eachVersion(t, func(t *testing.T, c *client) {
		talk := c.talk(t, codextest.Say(codextest.Exec("c1", "notify('first'); notify({second: 2}); text('said');")))
		talk.wantTexts(t, "c1", "Script completed", "said")
		var notes []string
		for _, output := range talk.outputs(t, "c1")[1:] {
			notes = append(notes, output[0].Text)
		}
		slices.Sort(notes) // their order is not promised by every host
		if strings.Join(notes, " ") != `first {"second":2}` {
			t.Errorf("notifications: %q", notes)
		}
	})
}

// The page's last recipe: what cells can call, the model is no longer offered.
func TestCodeModeOnly(t *testing.T) {
	eachVersion(t, func(t *testing.T, c *client) {
		offered := func(r codextest.Request, name string) bool {
			return slices.ContainsFunc(r.Tools, func(tool codextest.Tool) bool { return tool.Name == name })
		}
		for _, only := range []bool{false, true} {
			if only {
				c.recipe.Config += "code_mode_only = true\n"
			}
			talk := c.talk(t, codextest.Say(codextest.Exec("c1", "text(typeof tools.exec_command);")))
			talk.wantTexts(t, "c1", "Script completed", "function")
			first := talk.requests[0]
			if !offered(first, "exec") || !offered(first, "wait") || offered(first, "exec_command") == only {
				t.Errorf("only %t: the model is offered %v", only, first.Tools)
			}
		}
	})
}

// pixel is a picture of one transparent dot.
const pixel = "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="

func TestImage(t *testing.T) {
	eachVersion(t, func(t *testing.T, c *client) {
		talk := c.talk(t,
			codextest.Say(codextest.Exec("c1", "text('look'); image('"+pixel+"', 'original');")),
			codextest.Say(codextest.Exec("c2", "const r = await tools.mcp__demo__image({});\nimage(r.content.find((c) => c.type === 'image'));")),
		)
		talk.wantTexts(t, "c1", "Script completed", "look")
		var images []codextest.Content
		for _, call := range []string{"c1", "c2"} {
			for _, part := range talk.outputs(t, call)[0] {
				if part.Type == "input_image" {
					images = append(images, part)
				}
			}
		}
		if len(images) != 2 || images[0].ImageURL != pixel || images[0].Detail != "original" ||
			!strings.HasPrefix(images[1].ImageURL, "data:image/png;base64,") {
			t.Errorf("images: %+v", images)
		}
	})
}

func TestFailingScript(t *testing.T) {
	eachVersion(t, func(t *testing.T, c *client) {
		talk := c.talk(t,
			codextest.Say(codextest.Exec("throws", "text('before');\nthrow new Error('boom');")),
			codextest.Say(codextest.Exec("syntax", "text('x'\n")),
			codextest.Say(codextest.Exec("missing", "await tools.no_such_tool({});")),
		)
		talk.wantTexts(t, "throws", "Script failed", "before", "Script error:\nError: boom\n    at exec_main.mjs:2:7")
		for call, want := range map[string]string{
			"syntax":  "Script error:\nSyntaxError: ",
			"missing": "Script error:\nTypeError: tools.no_such_tool is not a function",
		} {
			texts := talk.texts(t, call)
			if len(texts) != 2 || !strings.HasPrefix(texts[0], "Script failed\n") || !strings.HasPrefix(texts[1], want) {
				t.Errorf("%s: got %q, want %q", call, texts, want)
			}
		}
	})
}

func TestHostKilled(t *testing.T) {
	eachVersion(t, func(t *testing.T, c *client) {
		killed := make(chan error, 1)
		talk := c.talk(t,
			func(codextest.Request) []codextest.Item {
				go func() {
					err := c.appears("running")
					if err == nil {
						err = c.kill()
					}
					killed <- err
				}()
				return []codextest.Item{codextest.Exec("c1", "await tools.exec_command({cmd: 'touch running'});\nfor (;;);")}
			},
			codextest.Say(codextest.Exec("c2", "text('again');")),
			codextest.Say(codextest.Exec("c3", "text('x'); yield_control();\n"+awaitFile("go"))),
			codextest.Say(codextest.Wait("c4", map[string]any{"cell_id": "g2:2", "terminate": true})),
			codextest.Say(codextest.Wait("c5", map[string]any{"cell_id": "1"})),
		)
		if err := <-killed; err != nil {
			t.Errorf("kill the host: %v", err)
		}
		// What Codex says of the loss depends on what it notices first.
		if got := talk.texts(t, "c1"); len(got) != 1 || !strings.HasPrefix(got[0], "code-mode host ") {
			t.Errorf("c1: got %q, want the loss of the host", got)
		}
		if got := talk.texts(t, "c5"); len(got) != 1 || got[0] != "cell 1 belongs to a stale code-mode host generation" {
			t.Errorf("c5: got %q", got)
		}
		talk.wantTexts(t, "c2", "Script completed", "again")
		talk.wantTexts(t, "c3", "Script running with cell ID g2:2", "x")
		talk.wantTexts(t, "c4", "Script terminated")
	})
}
