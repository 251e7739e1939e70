package quickjs

import (
	"errors"
	"slices"
	"strings"

	lib "modernc.org/libquickjs"

	"github.com/berth-dev/berth/cell/js/internal/intl"
)

// Intl is a script, and Go code that it calls. The template holds a stub for it
// and what the program could change before it is used; the script itself is
// loaded, from bytecode, when a program first touches Intl or a toLocale method.

// prepareIntl installs the stub, and compiles the script for loadIntl.
func (i *isolate) prepareIntl() error {
	stub := i.evalScript(intl.StubSource(), lib.MJS_EVAL_TYPE_GLOBAL)
	if isException(stub) {
		return i.preludeFailure()
	}
	load := i.newHelper("load Intl")
	i.installIntl = i.invoke(stub, load)
	i.drop(load)
	i.drop(stub)
	if isException(i.installIntl) {
		return i.preludeFailure()
	}
	script := i.evalScript(intl.Source(), lib.MJS_EVAL_TYPE_GLOBAL|lib.MJS_EVAL_FLAG_COMPILE_ONLY)
	if isException(script) {
		return i.preludeFailure()
	}
	defer i.drop(script)
	size := i.arena.base + scratchSize
	code := lib.XJS_WriteObject(i.tls(), i.ctx, size, script, lib.MJS_WRITE_OBJ_BYTECODE)
	if code == 0 {
		return errors.New("no bytecode")
	}
	i.intlCode = slices.Clone(bytesAt(code, *word(size)))
	lib.Xjs_free(i.tls(), i.ctx, code)
	return nil
}

// touchIntl makes Intl the plain property that it is in other hosts, for
// programs that may look at it.
func (i *isolate) touchIntl(source string) {
	if strings.Contains(source, "Intl") && isObject(i.installIntl) {
		i.drop(i.invoke(i.installIntl))
	}
}

// loadIntl evaluates the script: load(builtIns).
func (i *isolate) loadIntl(a args) value {
	code := i.copyIn(string(i.intlCode))
	if code == 0 {
		return lib.XJS_ThrowOutOfMemory(i.tls(), i.ctx)
	}
	script := lib.XJS_ReadObject(i.tls(), i.ctx, code, lib.Tsize_t(len(i.intlCode)), lib.MJS_READ_OBJ_BYTECODE)
	i.discardCopy(code)
	if isException(script) {
		return exception
	}
	f := lib.XJS_EvalFunction(i.tls(), i.ctx, script)
	if isException(f) {
		return exception
	}
	defer i.drop(f)
	call := i.newHelper("call Intl")
	defer i.drop(call)
	return i.invoke(f, call, a.at(0))
}

// callIntl answers the script: call(op, args).
func (i *isolate) callIntl(a args) value {
	op, ok := i.text(a.at(0))
	if !ok {
		return exception
	}
	in, ok := i.text(a.at(1))
	if !ok {
		return exception
	}
	out, err := i.intl.Call(op, []byte(in))
	if err != nil {
		return i.throwTypeError(err.Error())
	}
	return i.newString(string(out))
}
