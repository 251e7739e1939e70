package intl_test

import (
	"encoding/json"
	"strings"
	"testing"
	"unsafe"

	"modernc.org/libc"
	lib "modernc.org/libquickjs"

	"github.com/berth-dev/berth/cell/js/internal/intl"
)

// A realm is an engine with an Instance bound to it, as the package comment
// asks. It belongs to one goroutine.
type realm struct {
	libc.TLS // first: the engine hands its address to callGo
	in       *intl.Instance
	rt, ctx  uintptr
	calls    int // of the Go side
}

func address(f any) uintptr { return (*[2]uintptr)(unsafe.Pointer(&f))[1] }

func at(p uintptr) unsafe.Pointer { return unsafe.Add(nil, p) }

func newRealm(tb testing.TB, env intl.Env) *realm {
	tb.Helper()
	r := &realm{TLS: *libc.NewTLS(), in: intl.New(env)}
	r.rt = lib.XJS_NewRuntime(&r.TLS)
	r.ctx = lib.XJS_NewContext(&r.TLS, r.rt)
	tb.Cleanup(func() {
		lib.XJS_FreeContext(&r.TLS, r.ctx)
		lib.XJS_FreeRuntime(&r.TLS, r.rt)
		r.TLS.Close()
	})
	name := r.cString("nativeCall")
	global := lib.XJS_GetGlobalObject(&r.TLS, r.ctx)
	lib.XJS_SetPropertyStr(&r.TLS, r.ctx, global, name, lib.XJS_NewCFunction2(&r.TLS, r.ctx, address(callGo), name, 2, lib.EJS_CFUNC_generic, 0))
	lib.XFreeValue(&r.TLS, r.ctx, global)
	libc.Xfree(&r.TLS, name)
	source, err := json.Marshal(intl.Source())
	if err != nil {
		tb.Fatal(err)
	}
	r.eval(tb, `globalThis.loads = 0; globalThis.installIntl = (() => {
		const call = nativeCall, evaluate = eval, install = `+intl.StubSource()+`;
		delete globalThis.nativeCall;
		return install((P) => { loads++; return evaluate(`+string(source)+`)(call, P); });
	})(); ""`)
	return r
}

func (r *realm) cString(s string) uintptr {
	p := libc.Xmalloc(&r.TLS, libc.Tsize_t(len(s)+1))
	copy(unsafe.Slice((*byte)(at(p)), len(s)), s)
	*(*byte)(at(p + uintptr(len(s)))) = 0
	return p
}

func (r *realm) text(v lib.TJSValue) string {
	size := libc.Xmalloc(&r.TLS, 8)
	defer libc.Xfree(&r.TLS, size)
	p := lib.XJS_ToCStringLen2(&r.TLS, r.ctx, size, v, 0)
	if p == 0 {
		return ""
	}
	defer lib.XJS_FreeCString(&r.TLS, r.ctx, p)
	return strings.ToValidUTF8(string(unsafe.Slice((*byte)(at(p)), *(*uint64)(at(size)))), "\ufffd")
}

// callGo is the native function that the script calls.
func callGo(tls *libc.TLS, ctx uintptr, _ lib.TJSValue, argc int32, argv uintptr) lib.TJSValue {
	r := (*realm)(unsafe.Pointer(tls))
	args := unsafe.Slice((*lib.TJSValue)(at(argv)), argc)
	r.calls++
	out, err := r.in.Call(r.text(args[0]), []byte(r.text(args[1])))
	if err != nil {
		out = []byte("!defect: " + err.Error())
	}
	p := r.cString(string(out))
	defer libc.Xfree(tls, p)
	return lib.XJS_NewStringLen(tls, ctx, p, lib.Tsize_t(len(out)))
}

// eval returns a program's value as text. A program that throws fails tb.
func (r *realm) eval(tb testing.TB, program string) string {
	tb.Helper()
	p, name := r.cString(program), r.cString("test.js")
	defer libc.Xfree(&r.TLS, p)
	defer libc.Xfree(&r.TLS, name)
	v := lib.XJS_Eval(&r.TLS, r.ctx, p, lib.Tsize_t(len(program)), name, 0)
	defer lib.XFreeValue(&r.TLS, r.ctx, v)
	if v.Ftag == lib.EJS_TAG_EXCEPTION {
		e := lib.XJS_GetException(&r.TLS, r.ctx)
		defer lib.XFreeValue(&r.TLS, r.ctx, e)
		tb.Fatalf("program threw %s", r.text(e))
	}
	return r.text(v)
}

// show makes text of an expression's value or error, as the vectors have it.
const show = `const show = (e) => {
	try {
		const v = (0, eval)("(" + e + ")");
		return typeof v === "string" ? v : typeof v === "object" && v !== null ? JSON.stringify(v) : String(v);
	} catch (x) { return x.name + ": " + x.message; }
};`

// answers evaluates expressions, each by itself.
func (r *realm) answers(tb testing.TB, expressions []string) []string {
	tb.Helper()
	list, err := json.Marshal(expressions)
	if err != nil {
		tb.Fatal(err)
	}
	var out []string
	if err := json.Unmarshal([]byte(r.eval(tb, "{"+show+"JSON.stringify("+string(list)+".map(show)) }")), &out); err != nil {
		tb.Fatal(err)
	}
	return out
}
