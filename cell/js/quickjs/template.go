package quickjs

import (
	_ "embed"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"unsafe"

	"modernc.org/libc"
	lib "modernc.org/libquickjs"

	"github.com/berth-dev/berth/cell/js"
	"github.com/berth-dev/berth/cell/js/internal/intl"
	"github.com/berth-dev/berth/cell/js/internal/v8err"
)

// A template is an isolate's memory as it is before its program: the engine's
// built-ins and our environment, as an image with the places of all addresses
// in it. An isolate is a copy with its addresses moved, which takes about a
// tenth of the time that building one takes. Nothing else refers into it: what
// the engine keeps outside are addresses of Go functions, the same for all.
//
// The engine hashes objects by address in two places. Shapes keep the hash
// they were made with, so a moved one is found less often, never wrongly; maps
// with objects as keys would break, so the environment holds none.
type template struct {
	layout  layout
	image   []byte   // from offset firstByte
	moves   []uint32 // offsets, from firstByte, of words that hold an address
	base    uintptr  // where the addresses point
	rt, ctx uintptr  // offsets from base
	roots   roots    // at base
	originals

	intl *intl.Instance
}

// free is an account without limits, for the template.
type free struct{}

func (free) Reserve(int64) error { return nil }
func (free) LimitError() string  { return "" }

// newTemplate builds the environment once. Its scripts are compiled elsewhere:
// what the compiler leaves behind would be copied into every isolate. Most hosts
// end before a program touches Intl, whose script takes half of the time: it is
// compiled then.
func newTemplate(env intl.Env) (*template, error) {
	t := &template{intl: intl.New(env)}
	err := withZone(env.TimeZone, func() error {
		return withScratch(func(i *isolate) error {
			if err := i.furnish(); err != nil {
				return err
			}
			t.record(i)
			return nil
		})
	})
	if err != nil {
		return nil, fmt.Errorf("build the environment: %w", err)
	}
	return t, nil
}

// withScratch calls f with an isolate that has only the engine's built-ins, and
// that is gone afterwards.
func withScratch(f func(*isolate) error) error {
	a, err := newArena(&regions{closed: true}, free{})
	if err != nil {
		return err
	}
	i := &isolate{thread: newThread(), arena: a, acct: free{}, source: v8err.NewSource(moduleName, "", nil)}
	i.thread.attach(i)
	defer i.Close()
	if err := i.build(); err != nil {
		return err
	}
	return f(i)
}

// record takes the image of an isolate's memory.
func (t *template) record(i *isolate) {
	a := i.arena
	t.layout = a.layout
	t.image = slices.Clone(bytesAt(a.base+firstByte, a.top-firstByte))
	t.base, t.rt, t.ctx, t.roots = a.base, i.rt-a.base, i.ctx-a.base, i.roots
	t.originals = i.originals
	for off := uintptr(0); off < uintptr(len(t.image)); off += 8 {
		if w := *word(a.base + firstByte + off); w >= a.base && w <= a.base+a.top {
			t.moves = append(t.moves, uint32(off))
		}
	}
}

// clone makes an isolate of the template.
func (t *template) clone(from *regions, host js.Host, acct js.Account) (*isolate, error) {
	a, err := newArena(from, acct)
	if err != nil {
		return nil, err
	}
	if !a.charge(t.layout.live) {
		a.release()
		return nil, fmt.Errorf("clone the environment: %w", js.ErrMemory)
	}
	a.layout = t.layout
	a.runs = slices.Clone(t.layout.runs)
	fresh := a.committed == 0
	if !a.commit(a.top) {
		a.release()
		return nil, errors.New("clone the environment: the system refuses memory")
	}
	if fresh {
		populate(a.base, a.top)
	}
	copy(bytesAt(a.base+firstByte, uintptr(len(t.image))), t.image)
	delta := a.base - t.base
	for _, off := range t.moves {
		*word(a.base + firstByte + uintptr(off)) += delta
	}
	i := &isolate{thread: newThread(), arena: a, rt: a.base + t.rt, ctx: a.base + t.ctx, host: host, acct: acct,
		source: v8err.NewSource(moduleName, "", nil)}
	i.thread.attach(i)
	i.roots, i.originals = t.roots.moved(delta), t.originals
	i.intl = t.intl
	i.prepareScratch()
	(*lib.TJSContext)(unsafe.Add(nil, i.ctx)).Frandom_state = rand.Uint64() | 1
	return i, nil
}

func (i *isolate) prepareScratch() {
	copy(bytesAt(i.arena.base+scratchName, uintptr(len(moduleName))), moduleName)
}

// build makes the engine's runtime and context in the isolate's arena.
func (i *isolate) build() error {
	if !i.arena.commit(firstByte) {
		return errors.New("the system refuses memory")
	}
	i.prepareScratch()
	mf := i.arena.base + scratchText
	*(*lib.TJSMallocFunctions)(unsafe.Add(nil, mf)) = lib.TJSMallocFunctions{
		Fjs_malloc:             address(engineMalloc),
		Fjs_free:               address(engineFree),
		Fjs_realloc:            address(engineRealloc),
		Fjs_malloc_usable_size: address(engineUsable),
	}
	i.rt = lib.XJS_NewRuntime2(i.tls(), mf, 0)
	if i.rt == 0 {
		return errors.New("no runtime")
	}
	lib.XJS_SetMaxStackSize(i.tls(), i.rt, stackSlots)
	lib.XJS_SetInterruptHandler(i.tls(), i.rt, address(poll), 0)
	lib.XJS_SetModuleLoaderFunc(i.tls(), i.rt, address(refuseImport), 0, 0)
	i.ctx = lib.XJS_NewContext(i.tls(), i.rt)
	if i.ctx == 0 {
		return errors.New("no context")
	}
	return nil
}

// furnish adds the environment.
func (i *isolate) furnish() error {
	i.hookErrors()
	if err := i.runPrelude(preludeCode); err != nil {
		return err
	}
	if err := i.runIntlStub(intlStubCode); err != nil {
		return err
	}
	i.hookBuiltins()
	lib.XJS_RunGC(i.tls(), i.rt)
	return nil
}

// stackSlots bounds recursion: a plain call takes one slot, one through a
// built-in 3 to 9. V8 manages about 10 000 plain calls. Go's stack grows to
// some 30 MiB at the limit (four times that on arm64).
const stackSlots = 8000

// preludeNatives is an object of the functions that are the prelude's alone.
func (i *isolate) preludeNatives() value {
	o := lib.XJS_NewObject(i.tls(), i.ctx)
	for k, h := range i.thread.helpers[preludeMagic:] {
		i.define(o, h.name, i.newFunction(address(callHelper), preludeMagic+k), lib.MJS_PROP_C_W_E)
	}
	return o
}

// newFunction makes a function without a name and a length, as helpers are.
func (i *isolate) newFunction(code uintptr, magic int) value {
	name := i.copyIn("")
	defer i.discardCopy(name)
	return lib.XJS_NewCFunction2(i.tls(), i.ctx, code, name, 0, lib.EJS_CFUNC_generic_magic, int32(magic))
}

// newHelper makes the function of the helper of a name.
func (i *isolate) newHelper(name string) value {
	k := slices.IndexFunc(i.thread.helpers, func(h namedHelper) bool { return h.name == name })
	return i.newFunction(address(callHelper), k)
}

// evalBytecode is the value of a compiled script.
func (i *isolate) evalBytecode(code []byte) value {
	p := i.copyIn(string(code))
	if p == 0 {
		return lib.XJS_ThrowOutOfMemory(i.tls(), i.ctx)
	}
	f := lib.XJS_ReadObject(i.tls(), i.ctx, p, lib.Tsize_t(len(code)), lib.MJS_READ_OBJ_BYTECODE)
	i.discardCopy(p)
	if isException(f) {
		return exception
	}
	return lib.XJS_EvalFunction(i.tls(), i.ctx, f)
}

func (i *isolate) runPrelude(code []byte) error {
	f := i.evalBytecode(code)
	if isException(f) {
		return i.preludeFailure()
	}
	natives := i.preludeNatives()
	i.extras = i.invoke(f, natives)
	i.drop(natives)
	i.drop(f)
	if isException(i.extras) {
		return i.preludeFailure()
	}
	i.callSites = i.get(i.extras, "callSites")
	return nil
}

func (i *isolate) preludeFailure() error {
	e := i.caught()
	defer i.drop(e)
	return errors.New(i.errorText(e))
}

// refuseImport is the engine's module resolver: there are no modules.
// Spec: codemode §11.1.
func refuseImport(tls *libc.TLS, _, _, name, _ uintptr) uintptr {
	i := of(tls)
	if i.linking {
		if i.imported == "" {
			i.imported = libc.GoString(name)
		}
		i.throw(null)
		return 0
	}
	i.throwText("unsupported import in exec")
	return 0
}

// address is what the engine calls a Go function by. f must be a function that
// is declared at package level.
func address(f any) uintptr { return (*[2]uintptr)(unsafe.Pointer(&f))[1] }

func engineMalloc(tls *libc.TLS, state uintptr, n lib.Tsize_t) uintptr {
	a := of(tls).arena
	p := a.alloc(uintptr(n))
	if p != 0 {
		account(state, int64(a.usable(p)))
	}
	return p
}

func engineFree(tls *libc.TLS, state, p uintptr) {
	if p == 0 {
		return
	}
	a := of(tls).arena
	account(state, -int64(a.usable(p)))
	a.freeBlock(p)
}

func engineRealloc(tls *libc.TLS, state, p uintptr, n lib.Tsize_t) uintptr {
	switch {
	case p == 0 && n == 0:
		return 0
	case p == 0:
		return engineMalloc(tls, state, n)
	case n == 0:
		engineFree(tls, state, p)
		return 0
	}
	a := of(tls).arena
	old := a.usable(p)
	q := a.realloc(p, uintptr(n))
	if q != 0 {
		account(state, int64(a.usable(q))-int64(old))
	}
	return q
}

func engineUsable(tls *libc.TLS, p uintptr) lib.Tsize_t {
	return lib.Tsize_t(of(tls).arena.usable(p))
}

// account keeps the engine's own sum, by which it decides to collect garbage.
func account(state uintptr, delta int64) {
	s := (*lib.TJSMallocState)(unsafe.Add(nil, state))
	s.Fmalloc_size += lib.Tsize_t(delta)
}
