package quickjs

import (
	"slices"
	"strconv"
	"strings"
	"unsafe"

	"modernc.org/libc"
	lib "modernc.org/libquickjs"

	"github.com/berth-dev/berth/cell/js/internal/v8err"
)

// Errors are shaped at the moment they are made. Objects of the engine's error
// class are exotic: their properties are defined through defineOnError, first
// the message, then the stack, when the error is thrown by the engine or at the
// end of its constructor. There the error gets V8's message and frames. As in
// V8, stack is an accessor that puts the error's name in front when it is first
// read. The program can see none of this.

// hookErrors makes errors exotic. Stack overflows are RangeErrors.
func (i *isolate) hookErrors() {
	p := lib.Xjs_malloc(i.tls(), i.ctx, lib.Tsize_t(unsafe.Sizeof(lib.TJSClassExoticMethods{})))
	*(*lib.TJSClassExoticMethods)(unsafe.Add(nil, p)) = lib.TJSClassExoticMethods{
		Fdefine_own_property: address(defineOnError),
	}
	classes := (*lib.TJSRuntime)(unsafe.Add(nil, i.rt)).Fclass_array
	class := (*lib.TJSClass)(unsafe.Add(nil, classes+lib.EJS_CLASS_ERROR*unsafe.Sizeof(lib.TJSClass{})))
	class.Fexotic = p
	class.Ffinalizer = address(finalizeError)

	global := lib.XJS_GetGlobalObject(i.tls(), i.ctx)
	i.errorCtor = i.get(global, "Error")
	i.drop(global)
	i.stackGetter = i.newHelper("get stack")
	i.stackSetter = i.newHelper("set stack")

	protos := &i.context().Fnative_error_proto
	i.drop(protos[lib.EJS_INTERNAL_ERROR])
	protos[lib.EJS_INTERNAL_ERROR] = i.dup(protos[lib.EJS_RANGE_ERROR])
}

func (i *isolate) context() *lib.TJSContext { return (*lib.TJSContext)(unsafe.Add(nil, i.ctx)) }

// exoticBit is the flag in the third word of an object that its properties are
// its class's business.
const (
	flagsOffset = 16
	exoticBit   = 8
)

func setExotic(object value, on bool) {
	flags := (*uint8)(unsafe.Add(nil, pointer(object)+flagsOffset))
	if *flags &^= exoticBit; on {
		*flags |= exoticBit
	}
}

// defineOnError is the engine's define_own_property for errors.
func defineOnError(tls *libc.TLS, _ uintptr, object value, prop lib.TJSAtom, v, getter, setter value, flags int32) int32 {
	i := of(tls)
	setExotic(object, false)
	defer setExotic(object, true)
	switch prop {
	case lib.EJS_ATOM_stack:
		switch {
		case !i.isEngineStack(v):
		case *slot(object) == 0:
			return i.shape(object, v, flags)
		case i.stackOfParser(v):
			// Of a regular expression in the program's text the engine
			// tells first what is wrong and then where.
			i.setSlot(object, 0)
			return i.shape(object, v, flags)
		default:
			return 1 // thrown again after its stack was deleted
		}
	case lib.EJS_ATOM_fileName, lib.EJS_ATOM_lineNumber, lib.EJS_ATOM_columnNumber:
		if *slot(object) == 0 || i.isUnplaced(object) {
			return 1 // V8's errors have none of these; the stack's first line tells them, too
		}
	}
	return lib.XJS_DefineProperty(tls, i.ctx, object, prop, v, getter, setter, flags)
}

// isEngineStack tells the engine's own stack text from what a program assigns.
func (i *isolate) isEngineStack(v value) bool {
	if !isString(v) {
		return false
	}
	s, _ := i.text(v)
	return s == "" || strings.HasPrefix(s, "    at ")
}

// slot is the word of an error object that the engine leaves to its class. It
// holds a string of the engine's, owned: what the stack accessor reads.
func slot(object value) *uintptr {
	o := (*lib.TJSObject)(unsafe.Add(nil, pointer(object)))
	return (*uintptr)(unsafe.Pointer(&o.Fu))
}

func finalizeError(tls *libc.TLS, _ uintptr, object value) {
	of(tls).setSlot(object, 0)
}

// setSlot replaces an error's string by one whose reference it takes.
func (i *isolate) setSlot(object value, s uintptr) {
	old := stringAt(*slot(object))
	*slot(object) = s
	if pointer(old) != 0 {
		i.drop(old)
	}
}

func stringAt(p uintptr) value {
	v := value{Ftag: lib.EJS_TAG_STRING}
	*(*uintptr)(unsafe.Pointer(&v.Fu)) = p
	return v
}

// A slot's string begins with one of these.
const (
	unread = "u" // then the message's length, a colon, the message, the frames
	read   = "r" // then the stack

	// A program's Error.prepareStackTrace is called when the stack is first read.
	unprepared = "p" // then the length of the call sites, a colon, they, what unread has

	// unplaced is all there is of a program's fault until the engine has told
	// its place: until then the error has no stack.
	unplaced = read
)

func (i *isolate) isUnplaced(object value) bool {
	s, _ := i.text(stringAt(*slot(object)))
	return s == unplaced
}

// stackOfParser reports whether the engine's stack text begins with the place
// of a fault in a text and not with a frame.
func (i *isolate) stackOfParser(v value) bool {
	s, _ := i.text(v)
	line, _, _ := strings.Cut(s, "\n")
	return line != "" && !strings.HasSuffix(line, ")")
}

// readStack is the getter of an error's stack.
func (i *isolate) readStack(this value) value {
	holder, ok := i.errorBehind(this)
	if !ok {
		return undefined
	}
	defer i.drop(holder)
	s, _ := i.text(stringAt(*slot(holder)))
	if text, ok := strings.CutPrefix(s, read); ok {
		return i.newString(text)
	}
	if text, ok := strings.CutPrefix(s, unprepared); ok {
		var sites string
		sites, s = cutCounted(text)
		i.remember(holder, s)
		if prepare, ok := i.prepareStackTrace(); ok {
			defer i.drop(prepare)
			return i.prepareOnce(prepare, holder, sites)
		}
	}
	message, frames := cutCounted(strings.TrimPrefix(s, unread))
	stack := v8err.Header(i.quietText(holder, "name"), message) + frames
	i.remember(holder, read+stack)
	return i.newString(stack)
}

// cutCounted takes a length, a colon and so many bytes off the front of s.
func cutCounted(s string) (text, rest string) {
	length, rest, _ := strings.Cut(s, ":")
	n, _ := strconv.Atoi(length)
	return rest[:n], rest[n:]
}

// remember puts text into an error's slot, unless memory is refused.
func (i *isolate) remember(object value, text string) {
	if v := i.newString(text); isString(v) {
		i.setSlot(object, pointer(v))
	} else if isException(v) {
		i.drop(i.caught())
	}
}

// errorBehind is the first object with a stack of its own: this, or what it
// inherits from. The caller owns it.
func (i *isolate) errorBehind(this value) (value, bool) {
	const longest = 1000 // prototypes
	o := i.dup(this)
	for n := 0; n < longest && isObject(o); n++ {
		switch class(o) {
		case lib.EJS_CLASS_ERROR:
			if *slot(o) != 0 {
				return o, true
			}
		case lib.EJS_CLASS_PROXY:
			i.drop(o)
			return undefined, false
		}
		next := lib.XJS_GetPrototype(i.tls(), i.ctx, o)
		i.drop(o)
		o = next
	}
	i.drop(o)
	return undefined, false
}

// writeStack is the setter: from then on stack is a plain property.
func (i *isolate) writeStack(this, v value) value {
	if isObject(this) {
		lib.XJS_DefinePropertyValue(i.tls(), i.ctx, this, lib.EJS_ATOM_stack, i.dup(v), lib.MJS_PROP_WRITABLE|lib.MJS_PROP_CONFIGURABLE)
	}
	return undefined
}

// shape defines message and stack of a new error, given the engine's stack text.
func (i *isolate) shape(object, engineStack value, flags int32) int32 {
	raw, ok := i.text(engineStack)
	if !ok {
		return -1
	}
	raw = withPrelude(raw)
	if i.capturing {
		i.captured = raw
		return 1
	}
	limit, ok := i.stackTraceLimit()
	in := v8err.Raw{
		Name:    i.quietText(object, "name"),
		Message: i.quietText(object, "message"),
		Stack:   raw,
		Thrown:  !i.inErrorConstructor(),
		Limit:   limit,
		Arg:     i.argument,
		Var:     i.variable,

		Cycle:    i.cycle,
		Awaiting: i.awaiting(limit),
	}
	out := i.source.Shape(in)
	if out.Message != in.Message {
		i.define(object, "message", i.newString(out.Message), hidden)
	}
	if proto, ok := i.errorProto(out.Name); ok && out.Name != in.Name {
		lib.XJS_SetPrototype(i.tls(), i.ctx, object, proto)
	}
	if !ok {
		return 1
	}
	if raw == "" && out.Name == "SyntaxError" {
		i.remember(object, unplaced)
		return 1
	}
	later := i.takeProperties(object)
	defer i.putProperties(object, later)
	return i.defineStack(object, out)
}

// withPrelude marks the prelude's public functions in the engine's stack text as
// native. Frames without a place in their line are the environment's.
func withPrelude(stack string) string {
	var b strings.Builder
	for line := range strings.Lines(stack) {
		if name, ok := strings.CutPrefix(strings.TrimSuffix(line, "\n"), "    at "); ok && inPrelude(name) {
			line = "    at " + name + " (native)\n"
		}
		b.WriteString(line)
	}
	return b.String()
}

// inPrelude reports functions of the environment that V8's stacks show.
func inPrelude(name string) bool {
	switch name {
	case "adopt", "defer", "dispose", "disposeAsync", "move", "use", "AsyncDisposableStack", "DisposableStack",
		"fromAsync", "toString",
		"localeCompare", "toLocaleDateString", "toLocaleString", "toLocaleTimeString":
		return true
	}
	return false
}

const hidden = lib.MJS_PROP_WRITABLE | lib.MJS_PROP_CONFIGURABLE

// defineStack gives an error its stack: an accessor of its slot.
func (i *isolate) defineStack(object value, out v8err.Shaped) int32 {
	text := unread + strconv.Itoa(len(out.Message)) + ":" + out.Message + out.Trace
	if prepare, ok := i.prepareStackTrace(); ok {
		i.drop(prepare)
		frames := callSites(out.Frames)
		text = unprepared + strconv.Itoa(len(frames)) + ":" + frames + text
	}
	i.remember(object, text)
	return lib.XJS_DefinePropertyGetSet(i.tls(), i.ctx, object, lib.EJS_ATOM_stack,
		i.dup(i.stackGetter), i.dup(i.stackSetter), lib.MJS_PROP_CONFIGURABLE)
}

// youngProperties are what a constructor defines before the stack, in order.
var youngProperties = [...]lib.TJSAtom{lib.EJS_ATOM_message, lib.EJS_ATOM_cause, lib.EJS_ATOM_errors}

// takeProperties removes what an error's constructor has defined before the
// stack, which in V8 comes first.
func (i *isolate) takeProperties(object value) map[lib.TJSAtom]value {
	later := make(map[lib.TJSAtom]value, 1)
	for _, prop := range youngProperties {
		if v, ok := i.ownProperty(object, prop); ok {
			later[prop] = v
			lib.XJS_DeleteProperty(i.tls(), i.ctx, object, prop, 0)
		}
	}
	return later
}

func (i *isolate) putProperties(object value, later map[lib.TJSAtom]value) {
	for _, prop := range youngProperties {
		if v, ok := later[prop]; ok {
			lib.XJS_DefinePropertyValue(i.tls(), i.ctx, object, prop, v, hidden)
		}
	}
}

// errorProto is the prototype of the engine's errors of a name.
func (i *isolate) errorProto(name string) (value, bool) {
	kinds := [...]string{
		lib.EJS_EVAL_ERROR: "EvalError", lib.EJS_RANGE_ERROR: "RangeError", lib.EJS_REFERENCE_ERROR: "ReferenceError",
		lib.EJS_SYNTAX_ERROR: "SyntaxError", lib.EJS_TYPE_ERROR: "TypeError", lib.EJS_URI_ERROR: "URIError",
	}
	if k := slices.Index(kinds[:], name); k >= 0 {
		return i.context().Fnative_error_proto[k], true
	}
	return undefined, false
}

// errorProperty reads an own property of Error, undefined if that is no plain
// value.
func (i *isolate) errorProperty(name string) value {
	v := i.get(i.errorCtor, name)
	if isException(v) {
		i.drop(i.caught())
		return undefined
	}
	return v
}

// quietText is a property as text, "" if there is none or reading it throws.
func (i *isolate) quietText(object value, name string) string {
	v := i.get(object, name)
	defer i.drop(v)
	if !isException(v) {
		if isUndefined(v) {
			return ""
		}
		if s, ok := i.toText(v); ok {
			return s
		}
	}
	if !i.stopped() {
		i.drop(i.caught())
	}
	return ""
}

// inErrorConstructor reports that the running function is Error or one of its
// kin, and not one that throws.
func (i *isolate) inErrorConstructor() bool {
	sf := (*lib.TJSRuntime)(unsafe.Add(nil, i.rt)).Fcurrent_stack_frame
	if sf == 0 {
		return false
	}
	f := (*lib.TJSStackFrame)(unsafe.Add(nil, sf)).Fcur_func
	return nativeCode(f) != 0 && nativeCode(f) == nativeCode(i.errorCtor)
}

// nativeCode is the address of a built-in's code, or 0.
func nativeCode(f value) uintptr {
	if !isObject(f) {
		return 0
	}
	o := (*lib.TJSObject)(unsafe.Add(nil, pointer(f)))
	if o.Fclass_id != lib.EJS_CLASS_C_FUNCTION {
		return 0
	}
	return *word(uintptr(unsafe.Pointer(&o.Fu)) + codeOffset)
}

// codeOffset is where a built-in function's code is in its part of the object,
// after the realm.
const codeOffset = unsafe.Sizeof(uintptr(0))

// errorText is what a program that threw v ends with. Spec: codemode §11.2.
func (i *isolate) errorText(v value) string {
	if isObject(v) {
		stack := i.get(v, "stack")
		defer i.drop(stack)
		switch {
		case isException(stack):
			i.drop(i.caught())
		case isString(stack):
			s, _ := i.text(stack)
			return s
		}
	}
	if tag(v) == lib.EJS_TAG_SYMBOL {
		return ""
	}
	s, ok := i.toText(v)
	if !ok && !i.stopped() {
		i.drop(i.caught())
	}
	return s
}

// throwTypeError throws a TypeError of our own.
func (i *isolate) throwTypeError(msg string) value {
	m := i.newString(msg)
	e := i.newError(i.context().Fnative_error_proto[lib.EJS_TYPE_ERROR], m)
	i.drop(m)
	if isException(e) {
		return exception
	}
	return i.throw(e)
}

// newError makes an error with a prototype of its own and a message, unless
// that is undefined.
func (i *isolate) newError(proto, msg value) value {
	argv := i.tls().Alloc(int(valueSize))
	defer i.tls().Free(int(valueSize))
	*(*value)(unsafe.Add(nil, argv)) = msg
	e := lib.XJS_CallConstructor(i.tls(), i.ctx, i.errorCtor, 1, argv)
	if isException(e) {
		return e
	}
	if lib.XJS_SetPrototype(i.tls(), i.ctx, e, proto) < 0 {
		i.drop(e)
		return exception
	}
	return e
}
