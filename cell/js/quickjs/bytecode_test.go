package quickjs

import (
	"bytes"
	_ "embed"
	cmdline "flag"
	"os"
	"slices"
	"testing"

	lib "modernc.org/libquickjs"

	"github.com/berth-dev/berth/cell/js/internal/intl"
)

//go:embed prelude.js
var prelude string

var update = cmdline.Bool("update", false, "write the bytecode anew")

// TestBytecodeIsCurrent compares what is embedded with what the engine makes of
// the scripts. After a change of either, run it with -update.
func TestBytecodeIsCurrent(t *testing.T) {
	code, err := compile(prelude, intl.StubSource(), intl.Source())
	if err != nil {
		t.Fatal(err)
	}
	for k, script := range []struct {
		file     string
		embedded []byte
	}{{"bytecode/prelude", preludeCode}, {"bytecode/intlstub", intlStubCode}, {"bytecode/intl", intlCode}} {
		if *update {
			if err := os.WriteFile(script.file, code[k], 0o644); err != nil {
				t.Fatal(err)
			}
			continue
		}
		if !bytes.Equal(script.embedded, code[k]) {
			t.Errorf("%s is out of date: go test ./cell/js/quickjs -run TestBytecodeIsCurrent -update", script.file)
		}
	}
}

// compile makes bytecode of scripts that are parts of the environment, without
// source and positions: their functions look built in.
func compile(sources ...string) (code [][]byte, err error) {
	err = withScratch(func(i *isolate) error {
		lib.XJS_SetStripInfo(i.tls(), i.rt, lib.MJS_STRIP_SOURCE|lib.MJS_STRIP_DEBUG)
		for _, source := range sources {
			compiled, err := i.compileScript(source)
			if err != nil {
				return err
			}
			code = append(code, compiled)
		}
		return nil
	})
	return code, err
}

func (i *isolate) compileScript(source string) ([]byte, error) {
	p := i.copyIn(source)
	defer i.discardCopy(p)
	f := lib.XJS_Eval(i.tls(), i.ctx, p, lib.Tsize_t(len(source)), i.arena.base+scratchName,
		lib.MJS_EVAL_TYPE_GLOBAL|lib.MJS_EVAL_FLAG_COMPILE_ONLY)
	if isException(f) {
		return nil, i.preludeFailure()
	}
	size := i.arena.base + scratchSize
	code := lib.XJS_WriteObject(i.tls(), i.ctx, size, f, lib.MJS_WRITE_OBJ_BYTECODE)
	if code == 0 {
		return nil, i.preludeFailure()
	}
	return slices.Clone(bytesAt(code, *word(size))), nil
}
