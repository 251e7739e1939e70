package quickjs

import (
	"math"
	"unicode/utf8"
	"unsafe"

	"modernc.org/libc"
	lib "modernc.org/libquickjs"
)

// value is the engine's tagged value. Those with a reference count follow the
// engine's rules: a function's result is owned by the caller, its arguments are
// borrowed.
type value = lib.TJSValue

const valueSize = unsafe.Sizeof(value{})

var (
	undefined = value{Ftag: lib.EJS_TAG_UNDEFINED}
	null      = value{Ftag: lib.EJS_TAG_NULL}
	exception = value{Ftag: lib.EJS_TAG_EXCEPTION}
)

func tag(v value) int32        { return int32(v.Ftag) }
func isException(v value) bool { return tag(v) == lib.EJS_TAG_EXCEPTION }
func isUndefined(v value) bool { return tag(v) == lib.EJS_TAG_UNDEFINED }
func isNull(v value) bool      { return tag(v) == lib.EJS_TAG_NULL }
func isObject(v value) bool    { return tag(v) == lib.EJS_TAG_OBJECT }
func isString(v value) bool {
	return tag(v) == lib.EJS_TAG_STRING || tag(v) == lib.EJS_TAG_STRING_ROPE
}

// isPrimitive reports the kinds that text and notify convert with String().
func isPrimitive(v value) bool {
	switch tag(v) {
	case lib.EJS_TAG_UNDEFINED, lib.EJS_TAG_NULL, lib.EJS_TAG_BOOL, lib.EJS_TAG_INT, lib.EJS_TAG_FLOAT64,
		lib.EJS_TAG_BIG_INT, lib.EJS_TAG_SHORT_BIG_INT, lib.EJS_TAG_STRING, lib.EJS_TAG_STRING_ROPE:
		return true
	}
	return false
}

func newInt(n int32) value {
	v := value{Ftag: lib.EJS_TAG_INT}
	*(*uint64)(unsafe.Pointer(&v.Fu)) = uint64(uint32(n))
	return v
}

func newBool(b bool) value {
	v := newInt(0)
	if b {
		v = newInt(1)
	}
	v.Ftag = lib.EJS_TAG_BOOL
	return v
}

func newNumber(f float64) value {
	if n := int32(f); float64(n) == f && (n != 0 || !math.Signbit(f)) {
		return newInt(n)
	}
	v := value{Ftag: lib.EJS_TAG_FLOAT64}
	*(*float64)(unsafe.Pointer(&v.Fu)) = f
	return v
}

func pointer(v value) uintptr { return *(*uintptr)(unsafe.Pointer(&v.Fu)) }

// args are the arguments of a call, borrowed.
type args struct {
	n    int
	p    uintptr
	this value
}

// at is argument i, or undefined.
func (a args) at(i int) value {
	if i >= a.n {
		return undefined
	}
	return *(*value)(unsafe.Add(nil, a.p+uintptr(i)*valueSize))
}

// newString makes a string of UTF-8 text. Invalid bytes become U+FFFD.
func (i *isolate) newString(s string) value {
	if !utf8.ValidString(s) {
		s = string([]rune(s))
	}
	p := i.copyIn(s)
	if p == 0 {
		return lib.XJS_ThrowOutOfMemory(i.tls(), i.ctx)
	}
	v := lib.XJS_NewStringLen(i.tls(), i.ctx, p, lib.Tsize_t(len(s)))
	i.discardCopy(p)
	return v
}

// text returns a string value as UTF-8, lone surrogates as U+FFFD. ok is false
// if memory ran out.
func (i *isolate) text(v value) (s string, ok bool) {
	if tag(v) == lib.EJS_TAG_STRING {
		p := pointer(v)
		head := *(*uint32)(unsafe.Add(nil, p))
		if n := uintptr(head & 0x7fffffff); head&0x80000000 == 0 {
			if b := bytesAt(p+stringHead, n); ascii(b) {
				return string(b), true
			}
		}
	}
	size := i.arena.base + scratchSize
	p := lib.XJS_ToCStringLen2(i.tls(), i.ctx, size, v, 0)
	if p == 0 {
		return "", false
	}
	s = wellFormed(bytesAt(p, *word(size)))
	lib.XJS_FreeCString(i.tls(), i.ctx, p)
	return s, true
}

// textOf and bytesOf view the same memory in another way: values of tens of
// megabytes are not copied twice. What they are given is not used again.
func textOf(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }

func bytesOf(s string) []byte { return unsafe.Slice(unsafe.StringData(s), len(s)) }

// stringHead is the size of what precedes a string's characters.
const stringHead = 12

func ascii(b []byte) bool {
	for len(b) >= 8 {
		if *(*uint64)(unsafe.Pointer(&b[0]))&0x8080808080808080 != 0 {
			return false
		}
		b = b[8:]
	}
	for _, c := range b {
		if c >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// wellFormed copies text in which the engine has written lone surrogates as
// three bytes each, and replaces those by U+FFFD.
func wellFormed(b []byte) string {
	if utf8.Valid(b) {
		return string(b)
	}
	out := make([]byte, 0, len(b))
	for len(b) > 0 {
		r, n := utf8.DecodeRune(b)
		if r == utf8.RuneError && n == 1 && len(b) >= 3 && b[0] == 0xed {
			n = 3
		}
		out = utf8.AppendRune(out, r)
		b = b[n:]
	}
	return string(out)
}

// toText is String(v). ok is false if that threw; the exception is pending.
func (i *isolate) toText(v value) (s string, ok bool) {
	if isString(v) {
		return i.text(v)
	}
	sv := lib.XJS_ToString(i.tls(), i.ctx, v)
	if isException(sv) {
		return "", false
	}
	s, ok = i.text(sv)
	i.drop(sv)
	return s, ok
}

// drop gives up a reference.
func (i *isolate) drop(v value) { lib.XFreeValue(i.tls(), i.ctx, v) }

// dup takes another reference.
func (i *isolate) dup(v value) value { return lib.XDupValue(i.tls(), i.ctx, v) }

// throw makes v, whose reference it takes, the pending exception.
func (i *isolate) throw(v value) value { return lib.XJS_Throw(i.tls(), i.ctx, v) }

// throwText throws a plain string, as the helpers do. Spec: codemode §11.2.
func (i *isolate) throwText(s string) value { return i.throw(i.newString(s)) }

// caught takes the pending exception.
func (i *isolate) caught() value { return lib.XJS_GetException(i.tls(), i.ctx) }

// get reads a property; the result may be an exception.
func (i *isolate) get(obj value, name string) value {
	atom := i.atom(name)
	v := lib.XJS_GetPropertyInternal(i.tls(), i.ctx, obj, atom, obj, 0)
	lib.XJS_FreeAtom(i.tls(), i.ctx, atom)
	return v
}

// define makes an own property; it takes v's reference.
func (i *isolate) define(obj value, name string, v value, flags int32) {
	atom := i.atom(name)
	lib.XJS_DefinePropertyValue(i.tls(), i.ctx, obj, atom, v, flags)
	lib.XJS_FreeAtom(i.tls(), i.ctx, atom)
}

func (i *isolate) atom(name string) lib.TJSAtom {
	p := i.copyIn(name)
	if p == 0 {
		return 0
	}
	atom := lib.XJS_NewAtomLen(i.tls(), i.ctx, p, lib.Tsize_t(len(name)))
	i.discardCopy(p)
	return atom
}

// stringify is JSON.stringify(v); the result is undefined where it yields
// nothing, and may be an exception.
func (i *isolate) stringify(v value) value {
	defer func(outer value) { i.subject = outer }(i.subject)
	i.subject = v
	return lib.XJS_JSONStringify(i.tls(), i.ctx, v, undefined, undefined)
}

// parse is JSON.parse of text that is known to be valid JSON.
func (i *isolate) parse(json string) value {
	p := i.copyIn(json)
	if p == 0 {
		return lib.XJS_ThrowOutOfMemory(i.tls(), i.ctx)
	}
	v := lib.XJS_ParseJSON(i.tls(), i.ctx, p, lib.Tsize_t(len(json)), i.arena.base+scratchName)
	i.discardCopy(p)
	return v
}

// The first page of an arena is no block's. It serves for what the engine reads
// or writes by address during a call: Go memory may move with a growing stack.
const (
	scratchSize = 64       // a length that the engine returns
	scratchName = 128      // moduleName, NUL-terminated
	scratchText = 256      // a short text
	scratchEnd  = pageSize // one past it
)

// copyIn puts text and a final NUL, as the parsers want, where the engine can
// read it, until discardCopy. It returns 0 if memory is refused.
func (i *isolate) copyIn(s string) uintptr {
	p := i.arena.base + scratchText
	if len(s) >= scratchEnd-scratchText || i.scratchUsed {
		if p = lib.Xjs_malloc(i.tls(), i.ctx, lib.Tsize_t(len(s)+1)); p == 0 {
			return 0
		}
	} else {
		i.scratchUsed = true
	}
	dst := bytesAt(p, uintptr(len(s)+1))
	copy(dst, s)
	dst[len(s)] = 0
	return p
}

func (i *isolate) discardCopy(p uintptr) {
	if p == i.arena.base+scratchText {
		i.scratchUsed = false
		return
	}
	lib.Xjs_free(i.tls(), i.ctx, p)
}

func (i *isolate) tls() *libc.TLS { return &i.thread.TLS }
