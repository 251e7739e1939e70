//go:build npm

package toolset_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/berth-dev/berth/cell/toolset"
	"github.com/google/go-cmp/cmp"
)

func TestRunWithTheReferenceServer(t *testing.T) {
	script, err := filepath.Abs("../../.tools/npm/node_modules/@modelcontextprotocol/server-everything/dist/index.js")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(script); err != nil {
		t.Fatalf("%v; run make tools", err)
	}
	opts := options(t, `
		text((await tools.echo({message: "hello"})).content[0].text);
		text((await tools.get_sum({a: 2, b: 40})).content[0].text);
		const seen = await Promise.all(Array.from({length: 20}, (_, i) => tools.get_sum({a: i, b: i})));
		text(seen.map(r => r.content[0].text.match(/(\d+)\.$/)[1]).join());
		image((await tools.get_tiny_image()).content.find(c => c.type === "image"));`)
	opts.Servers = []toolset.Server{{Command: "node '" + script + "' stdio"}}
	got, out := run(t, opts)
	want := []string{"text Echo: hello/", "text The sum of 2 and 40 is 42./",
		"text 0,2,4,6,8,10,12,14,16,18,20,22,24,26,28,30,32,34,36,38/", "image cell-image-1.pngimage/pnghigh"}
	if out.Status != toolset.Completed || !cmp.Equal(got, want) {
		t.Errorf("%+v %s", out, cmp.Diff(want, got))
	}
}
