package quickjs

import (
	"unsafe"

	"modernc.org/libc"
	lib "modernc.org/libquickjs"
)

// Some built-ins of the engine have code of ours in front of their own.

// native is the code of a built-in function or constructor. this is the new
// target of a constructor.
type native = func(tls *libc.TLS, ctx uintptr, this value, argc int32, argv uintptr) value

// originals is the code that the engine had for them. It is outside all arenas.
type originals struct{ date, weakRef, deref uintptr }

func nativeAt(code uintptr) native { return *(*native)(unsafe.Pointer(&code)) }

// hookBuiltins puts our code in front of the engine's, once the environment is
// complete.
func (i *isolate) hookBuiltins() {
	global := lib.XJS_GetGlobalObject(i.tls(), i.ctx)
	defer i.drop(global)
	i.dateCtor = i.get(global, "Date")
	i.originals.date = hook(i.dateCtor, address(dateConstructor))
	proto := i.get(i.dateCtor, "prototype")
	i.dateText = i.get(proto, "toString")
	i.drop(proto)

	weakRef := i.get(global, "WeakRef")
	i.originals.weakRef = hook(weakRef, address(weakRefConstructor))
	proto = i.get(weakRef, "prototype")
	deref := i.get(proto, "deref")
	i.originals.deref = hook(deref, address(weakRefDeref))
	for _, v := range []value{weakRef, proto, deref} {
		i.drop(v)
	}
}

// hook gives a built-in other code, and returns what it had.
func hook(f value, code uintptr) uintptr {
	o := (*lib.TJSObject)(unsafe.Add(nil, pointer(f)))
	p := word(uintptr(unsafe.Pointer(&o.Fu)) + codeOffset)
	old := *p
	*p = code
	return old
}

// dateConstructor makes Date() show the time zone, as toString does.
func dateConstructor(tls *libc.TLS, ctx uintptr, target value, argc int32, argv uintptr) value {
	i := of(tls)
	if !isUndefined(target) {
		return nativeAt(i.originals.date)(tls, ctx, target, argc, argv)
	}
	now := lib.XJS_CallConstructor(tls, ctx, i.dateCtor, 0, 0)
	if isException(now) {
		return now
	}
	defer i.drop(now)
	return lib.XJS_Call(tls, ctx, i.dateText, now, 0, 0)
}

// weakRefConstructor keeps the target until the current job is over.
func weakRefConstructor(tls *libc.TLS, ctx uintptr, target value, argc int32, argv uintptr) value {
	i := of(tls)
	ref := nativeAt(i.originals.weakRef)(tls, ctx, target, argc, argv)
	if isException(ref) {
		return ref
	}
	return i.keep(args{int(argc), argv, target}.at(0), ref)
}

// weakRefDeref does so, too.
func weakRefDeref(tls *libc.TLS, ctx uintptr, this value, argc int32, argv uintptr) value {
	i := of(tls)
	v := nativeAt(i.originals.deref)(tls, ctx, this, argc, argv)
	if !isObject(v) {
		return v
	}
	return i.keep(v, v)
}

// keep lets v live until release, and returns result, which is given up if
// there is no memory for that.
func (i *isolate) keep(v, result value) value {
	if i.keptCount == 0 {
		i.kept = lib.XJS_NewArray(i.tls(), i.ctx)
	}
	if isException(i.kept) || lib.XJS_DefinePropertyValueUint32(i.tls(), i.ctx, i.kept, i.keptCount, i.dup(v), lib.MJS_PROP_C_W_E) < 0 {
		i.drop(result)
		return exception
	}
	i.keptCount++
	return result
}

// releaseKept is called when no JavaScript runs and none is queued.
func (i *isolate) releaseKept() {
	if i.keptCount > 0 {
		i.drop(i.kept)
		i.keptCount = 0
	}
}
