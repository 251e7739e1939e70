package quickjs

import (
	"slices"
	"strings"
	"unsafe"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"modernc.org/libc"
	lib "modernc.org/libquickjs"

	"github.com/berth-dev/berth/cell/js/internal/v8err"
)

// Errors are shaped at the moment they are made. An object of the engine's error
// class begins as an exotic object, whose properties are defined through
// defineOnError: first the message, then the stack, when the error is thrown by
// the engine or at the end of its constructor. Having seen the stack,
// defineOnError gives the error V8's message and stack and makes it an ordinary
// object. The program can see none of this.

// hookErrors makes errors exotic. Stack overflows are RangeErrors.
func (i *isolate) hookErrors() {
	p := lib.Xjs_malloc(i.tls(), i.ctx, lib.Tsize_t(unsafe.Sizeof(lib.TJSClassExoticMethods{})))
	*(*lib.TJSClassExoticMethods)(unsafe.Add(nil, p)) = lib.TJSClassExoticMethods{
		Fdefine_own_property: address(defineOnError),
	}
	classes := (*lib.TJSRuntime)(unsafe.Add(nil, i.rt)).Fclass_array
	class := classes + lib.EJS_CLASS_ERROR*unsafe.Sizeof(lib.TJSClass{})
	(*lib.TJSClass)(unsafe.Add(nil, class)).Fexotic = p

	global := lib.XJS_GetGlobalObject(i.tls(), i.ctx)
	i.errorCtor = i.get(global, "Error")
	i.drop(global)

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

// defineOnError is the engine's define_own_property for young errors.
func defineOnError(tls *libc.TLS, _ uintptr, object value, prop lib.TJSAtom, v, getter, setter value, flags int32) int32 {
	i := of(tls)
	setExotic(object, false)
	switch prop {
	case lib.EJS_ATOM_stack:
		return i.shape(object, v, flags)
	case lib.EJS_ATOM_fileName, lib.EJS_ATOM_lineNumber, lib.EJS_ATOM_columnNumber:
		setExotic(object, true)
		return 1 // V8's errors have none of these; the stack's first line tells them, too
	}
	r := lib.XJS_DefineProperty(tls, i.ctx, object, prop, v, getter, setter, flags)
	setExotic(object, true)
	return r
}

// shape defines message and stack of a new error, given the engine's stack text.
func (i *isolate) shape(object, engineStack value, flags int32) int32 {
	raw, ok := i.text(engineStack)
	if !ok {
		return -1
	}
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
	}
	out := i.source.Shape(in)
	if out.Message != in.Message {
		i.define(object, "message", i.newString(out.Message), lib.MJS_PROP_WRITABLE|lib.MJS_PROP_CONFIGURABLE)
	}
	if proto, ok := i.errorProto(out.Name); ok && out.Name != in.Name {
		lib.XJS_SetPrototype(i.tls(), i.ctx, object, proto)
	}
	if !ok {
		return 1
	}
	stack := i.prepared(object, out)
	if isException(stack) {
		return -1
	}
	r := lib.XJS_DefineProperty(i.tls(), i.ctx, object, lib.EJS_ATOM_stack, stack, undefined, undefined, flags)
	i.drop(stack)
	return r
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

// prepared is the value of a new error's stack property: the text, or what the
// program's Error.prepareStackTrace makes of it.
func (i *isolate) prepared(object value, out v8err.Shaped) value {
	prepare := i.errorProperty("prepareStackTrace")
	defer i.drop(prepare)
	if lib.XJS_IsFunction(i.tls(), i.ctx, prepare) == 0 || i.preparing {
		return i.newString(out.Stack)
	}
	i.preparing = true
	defer func() { i.preparing = false }()
	frames := i.newString(callSites(out.Frames))
	sites := i.invoke(i.callSites, frames)
	i.drop(frames)
	if isException(sites) {
		return exception
	}
	defer i.drop(sites)
	return i.invoke(prepare, object, sites)
}

// callSites is the JSON that the prelude makes CallSite objects of.
func callSites(frames []v8err.Frame) string {
	rows := make([][]any, len(frames))
	for k, f := range frames {
		rows[k] = []any{
			orNull(f.Func), orNull(f.File), f.Line, f.Column, orNull(f.Type), orNull(f.Method),
			f.Type == "" && !f.New, f.Native(), f.New, f.Async, f.String(),
		}
	}
	text, err := json.Marshal(rows, jsontext.AllowInvalidUTF8(true))
	if err != nil {
		return "[]"
	}
	return string(text)
}

func orNull(s string) any {
	if s == "" {
		return nil
	}
	return s
}

// stackTraceLimit is Error.stackTraceLimit. ok is false if it is no number: then
// errors get no stack.
func (i *isolate) stackTraceLimit() (n int, ok bool) {
	v := i.errorProperty("stackTraceLimit")
	defer i.drop(v)
	if t := tag(v); t != lib.EJS_TAG_INT && t != lib.EJS_TAG_FLOAT64 {
		return 0, false
	}
	f, ok := i.number(v)
	if !ok {
		return 0, false
	}
	return int(max(0, min(f, maxStackTrace))), true
}

const maxStackTrace = 1000 // frames; V8's limit is what memory allows

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
	const realm = unsafe.Sizeof(uintptr(0))
	return *word(uintptr(unsafe.Pointer(&o.Fu)) + realm)
}

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

// captureStackTrace is Error.captureStackTrace(object, constructorOpt).
func (i *isolate) captureStackTrace(a args) value {
	object := a.at(0)
	if !isObject(object) {
		return i.throwTypeError("Invalid argument")
	}
	raw, ok := i.callerStack(a.at(1))
	if !ok {
		return exception
	}
	limit, ok := i.stackTraceLimit()
	if !ok {
		return undefined
	}
	in := v8err.Raw{Name: i.quietText(object, "name"), Message: i.quietText(object, "message"), Stack: raw, Limit: limit}
	if in.Name == "" {
		in.Name = "Error"
	}
	stack := i.prepared(object, i.source.Shape(in))
	if isException(stack) {
		return exception
	}
	i.define(object, "stack", stack, lib.MJS_PROP_WRITABLE|lib.MJS_PROP_CONFIGURABLE)
	return undefined
}

// callerStack is the engine's stack text without the running built-in and, if
// above is a function that runs, without all down to that.
func (i *isolate) callerStack(above value) (raw string, ok bool) {
	skip := 1
	if isObject(above) {
		n := 0
		for sf := (*lib.TJSRuntime)(unsafe.Add(nil, i.rt)).Fcurrent_stack_frame; sf != 0; {
			frame := (*lib.TJSStackFrame)(unsafe.Add(nil, sf))
			if n++; isObject(frame.Fcur_func) && pointer(frame.Fcur_func) == pointer(above) {
				skip = n
				break
			}
			sf = frame.Fprev_frame
		}
	}
	i.capturing, i.captured = true, ""
	e := lib.XJS_CallConstructor(i.tls(), i.ctx, i.errorCtor, 0, 0)
	i.capturing = false
	if isException(e) {
		return "", false
	}
	i.drop(e)
	raw = i.captured
	for ; skip > 0; skip-- {
		_, raw, _ = strings.Cut(raw, "\n")
	}
	return raw, true
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
