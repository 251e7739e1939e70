package quickjs

import (
	"strings"
	"unsafe"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	lib "modernc.org/libquickjs"

	"github.com/berth-dev/berth/cell/js/internal/v8err"
)

// V8's own functions for stacks: Error.captureStackTrace, prepareStackTrace and
// stackTraceLimit.

// captureStackTrace is Error.captureStackTrace(object, constructorOpt).
func (i *isolate) captureStackTrace(a args) value {
	object := a.at(0)
	if !isObject(object) {
		return i.throwTypeError("invalid_argument")
	}
	raw, ok := i.callerStack(a.at(1))
	if !ok {
		return exception
	}
	limit, ok := i.stackTraceLimit()
	if !ok {
		return undefined
	}
	in := v8err.Raw{Name: i.quietText(object, "name"), Message: i.quietText(object, "message"), Stack: raw, Limit: limit, Awaiting: i.awaiting(limit)}
	if in.Name == "" {
		in.Name = "Error"
	}
	out := i.source.Shape(in)
	if lib.XJS_IsExtensible(i.tls(), i.ctx, object) == 0 {
		return i.throwTypeError("Cannot define property stack, object is not extensible")
	}
	lib.XJS_DeleteProperty(i.tls(), i.ctx, object, lib.EJS_ATOM_stack, 0)
	if class(object) == lib.EJS_CLASS_ERROR {
		if i.defineStack(object, out) < 0 {
			return exception
		}
		return undefined
	}
	var stack value
	if prepare, ok := i.prepareStackTrace(); ok {
		defer i.drop(prepare)
		stack = i.prepared(prepare, object, callSites(out.Frames))
	} else {
		stack = i.newString(out.Stack)
	}
	if isException(stack) {
		return exception
	}
	i.define(object, "stack", stack, hidden)
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

// prepareStackTrace is the program's Error.prepareStackTrace, unless that is no
// function or runs. The caller owns it.
func (i *isolate) prepareStackTrace() (f value, ok bool) {
	f = i.errorProperty("prepareStackTrace")
	if i.preparing || lib.XJS_IsFunction(i.tls(), i.ctx, f) == 0 {
		i.drop(f)
		return undefined, false
	}
	return f, true
}

// prepareOnce prepares an error's stack, which then is a plain property.
func (i *isolate) prepareOnce(prepare, holder value, sites string) value {
	stack := i.prepared(prepare, holder, sites)
	if isException(stack) {
		return exception
	}
	setExotic(holder, false)
	defer setExotic(holder, true)
	if lib.XJS_DefinePropertyValue(i.tls(), i.ctx, holder, lib.EJS_ATOM_stack, i.dup(stack), hidden) < 0 {
		i.drop(i.caught())
	}
	return stack
}

// prepared is what the program's Error.prepareStackTrace makes of call sites.
func (i *isolate) prepared(prepare, object value, sites string) value {
	i.preparing = true
	defer func() { i.preparing = false }()
	text := i.newString(sites)
	list := i.invoke(i.callSites, text)
	i.drop(text)
	if isException(list) {
		return exception
	}
	defer i.drop(list)
	return i.call(prepare, i.errorCtor, object, list)
}

// callSites is the JSON that the prelude makes CallSite objects of.
func callSites(frames []v8err.Frame) string {
	rows := make([][]any, len(frames))
	for k, f := range frames {
		var line, column any
		if f.Line != 0 {
			line, column = f.Line, f.Column
		}
		method := f.Method
		if method == "" && f.Type != "" {
			method = f.Func
		}
		rows[k] = []any{
			orNull(f.Func), orNull(f.File), line, column, orNull(f.Type), orNull(method),
			f.Type == "" && !f.New, f.New, f.Async, f.String(),
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
