package quickjs

import (
	"strings"
	"unsafe"

	lib "modernc.org/libquickjs"

	"github.com/berth-dev/berth/cell/js/internal/v8err"
)

// What error messages say about the values of the running functions. All of it
// is read without running any of the program's code.

// argument is argument n of the function that runs, for a message about it.
func (i *isolate) argument(n int) (v8err.Value, bool) {
	f := i.frame()
	if f == nil || n < 0 || n >= int(f.Farg_count) {
		return v8err.Value{}, false
	}
	return i.describe(*(*value)(unsafe.Add(nil, f.Farg_buf+uintptr(n)*valueSize))), true
}

// variable is the value of a variable of the JavaScript function that runs, or
// that called the built-in that runs.
// The path goes on with the keys of own data properties: "a.b.c".
func (i *isolate) variable(path string) (v8err.Value, bool) {
	name, keys, _ := strings.Cut(path, ".")
	v, ok := i.lookUp(name)
	if !ok {
		return v8err.Value{}, false
	}
	v = i.dup(v)
	for keys != "" && ok {
		var key string
		key, keys, _ = strings.Cut(keys, ".")
		outer := v
		if ok = isObject(outer); ok {
			v, ok = i.ownValue(outer, key)
		}
		if !ok {
			v = undefined
		}
		i.drop(outer)
	}
	defer i.drop(v)
	if !ok {
		return v8err.Value{}, false
	}
	return i.describe(v), true
}

// lookUp is the value of a variable, not owned by the caller.
func (i *isolate) lookUp(name string) (v value, ok bool) {
	f := i.frame()
	for f != nil && i.bytecode(f.Fcur_func) == nil {
		f = frameAt(f.Fprev_frame)
	}
	if f == nil {
		return undefined, false
	}
	b := i.bytecode(f.Fcur_func)
	atom := i.atom(name)
	defer lib.XJS_FreeAtom(i.tls(), i.ctx, atom)
	if v, ok := localVariable(f, b, atom); ok {
		return v, true
	}
	return closureVariable(f.Fcur_func, b, atom)
}

func (i *isolate) frame() *lib.TJSStackFrame {
	return frameAt((*lib.TJSRuntime)(unsafe.Add(nil, i.rt)).Fcurrent_stack_frame)
}

func frameAt(p uintptr) *lib.TJSStackFrame {
	return (*lib.TJSStackFrame)(unsafe.Add(nil, p))
}

// localVariable finds an argument or local by name, the innermost last.
func localVariable(f *lib.TJSStackFrame, b *lib.TJSFunctionBytecode, name lib.TJSAtom) (v value, ok bool) {
	if b.Fvardefs == 0 {
		return undefined, false
	}
	args := int(b.Farg_count)
	for k := range args + int(b.Fvar_count) {
		def := (*lib.TJSBytecodeVarDef)(unsafe.Add(nil, b.Fvardefs+uintptr(k)*unsafe.Sizeof(lib.TJSBytecodeVarDef{})))
		if def.Fvar_name != name {
			continue
		}
		p := f.Fvar_buf + uintptr(k-args)*valueSize
		if k < args {
			p = f.Farg_buf + uintptr(k)*valueSize
		}
		v, ok = *(*value)(unsafe.Add(nil, p)), true
	}
	return v, ok
}

// closureVariable finds a variable of an enclosing function or the module.
func closureVariable(f value, b *lib.TJSFunctionBytecode, name lib.TJSAtom) (v value, ok bool) {
	const refs = unsafe.Sizeof(uintptr(0)) // var_refs follows the code
	o := (*lib.TJSObject)(unsafe.Add(nil, pointer(f)))
	table := *word(uintptr(unsafe.Pointer(&o.Fu)) + refs)
	if table == 0 {
		return undefined, false
	}
	for k := range uintptr(b.Fclosure_var_count) {
		c := (*lib.TJSClosureVar)(unsafe.Add(nil, b.Fclosure_var+k*unsafe.Sizeof(lib.TJSClosureVar{})))
		if c.Fvar_name != name {
			continue
		}
		ref := *word(table + k*unsafe.Sizeof(uintptr(0)))
		if ref == 0 {
			return undefined, false
		}
		return *(*value)(unsafe.Add(nil, (*lib.TJSVarRef)(unsafe.Add(nil, ref)).Fpvalue)), true
	}
	return undefined, false
}

// describe is what a message says about a value.
func (i *isolate) describe(v value) v8err.Value {
	switch tag(v) {
	case lib.EJS_TAG_UNDEFINED, lib.EJS_TAG_UNINITIALIZED:
		return v8err.Value{Type: "undefined", Text: "undefined"}
	case lib.EJS_TAG_NULL:
		return v8err.Value{Type: "null", Text: "null"}
	case lib.EJS_TAG_SYMBOL:
		return v8err.Value{Type: "symbol", Text: i.symbolText(v)}
	case lib.EJS_TAG_OBJECT:
		if lib.XJS_IsFunction(i.tls(), i.ctx, v) != 0 {
			return v8err.Value{Type: "function", Text: "#<Function>"}
		}
		if class(v) == lib.EJS_CLASS_ARRAY {
			return v8err.Value{Type: "object", Text: "[object Array]"}
		}
		return v8err.Value{Type: "object", Text: "#<" + i.className(v) + ">"}
	}
	s, ok := i.toText(v)
	if !ok {
		i.drop(i.caught())
	}
	return v8err.Value{Type: primitiveType(v), Text: s}
}

func primitiveType(v value) string {
	switch tag(v) {
	case lib.EJS_TAG_BOOL:
		return "boolean"
	case lib.EJS_TAG_INT, lib.EJS_TAG_FLOAT64:
		return "number"
	case lib.EJS_TAG_BIG_INT, lib.EJS_TAG_SHORT_BIG_INT:
		return "bigint"
	}
	return "string"
}

func (i *isolate) symbolText(v value) string {
	atom := lib.XJS_ValueToAtom(i.tls(), i.ctx, v)
	defer lib.XJS_FreeAtom(i.tls(), i.ctx, atom)
	s := lib.XJS_AtomToString(i.tls(), i.ctx, atom)
	defer i.drop(s)
	text, _ := i.text(s)
	return "Symbol(" + text + ")"
}

// className is the name of an object's constructor, "Object" if it has none.
func (i *isolate) className(v value) string {
	o := i.dup(v)
	defer func() { i.drop(o) }()
	for depth := 0; depth < 8 && isObject(o) && class(o) != lib.EJS_CLASS_PROXY; depth++ {
		if c, ok := i.ownValue(o, "constructor"); ok {
			defer i.drop(c)
			if isObject(c) {
				if n, ok := i.ownValue(c, "name"); ok {
					defer i.drop(n)
					if isString(n) {
						s, _ := i.text(n)
						return s
					}
				}
			}
			break
		}
		next := lib.XJS_GetPrototype(i.tls(), i.ctx, o)
		i.drop(o)
		o = next
	}
	return "Object"
}

func class(object value) uint16 {
	return (*lib.TJSObject)(unsafe.Add(nil, pointer(object))).Fclass_id
}

// ownValue is an own data property of an object that is not a proxy.
func (i *isolate) ownValue(object value, name string) (v value, ok bool) {
	atom := i.atom(name)
	defer lib.XJS_FreeAtom(i.tls(), i.ctx, atom)
	return i.ownProperty(object, atom)
}

func (i *isolate) ownProperty(object value, atom lib.TJSAtom) (v value, ok bool) {
	if class(object) == lib.EJS_CLASS_PROXY {
		return undefined, false
	}
	const size = int(unsafe.Sizeof(lib.TJSPropertyDescriptor{}))
	p := i.tls().Alloc(size)
	defer i.tls().Free(size)
	if lib.XJS_GetOwnProperty(i.tls(), i.ctx, p, object, atom) <= 0 {
		return undefined, false
	}
	d := (*lib.TJSPropertyDescriptor)(unsafe.Add(nil, p))
	i.drop(d.Fgetter)
	i.drop(d.Fsetter)
	if d.Fflags&lib.MJS_PROP_GETSET != 0 {
		i.drop(d.Fvalue)
		return undefined, false
	}
	return d.Fvalue, true
}
