package quickjs

import (
	"errors"
	"math"
	"strings"
	"unicode"
	"unsafe"

	"modernc.org/libc"
	lib "modernc.org/libquickjs"

	"github.com/berth-dev/berth/cell/js"
)

// A helper is a function that JavaScript calls, such as those of §11.3. It returns
// what JavaScript gets, owned, or exception with the exception pending.
type helper func(*isolate, args) value

type namedHelper struct {
	name string
	call helper
}

// helpers returns all functions that JavaScript may call here; their magic is
// their index. The last few are the prelude's, the others the program's.
func helpers() []namedHelper {
	return []namedHelper{
		{"clearTimeout", (*isolate).clearTimeout},
		{"setTimeout", (*isolate).setTimeout},
		{"text", (*isolate).textItem},
		{"image", (*isolate).image},
		{"audio", (*isolate).audio},
		{"generatedImage", (*isolate).generatedImage},
		{"store", (*isolate).store},
		{"load", (*isolate).load},
		{"notify", (*isolate).notify},
		{"yield_control", (*isolate).yieldControl},
		{"exit", (*isolate).exit},

		{"get stack", func(i *isolate, a args) value { return i.readStack(a.this) }},
		{"set stack", func(i *isolate, a args) value { return i.writeStack(a.this, a.at(0)) }},
		{"captureStackTrace", (*isolate).captureStackTrace},
		{"newError", (*isolate).preludeError},
		{"display", (*isolate).preludeDisplay},
		{"isConstructor", (*isolate).isConstructor},
		{"block", (*isolate).contentBlock},
		{"load Intl", (*isolate).loadIntl},
		{"call Intl", (*isolate).callIntl},
	}
}

const preludeMagic = 11 // from here on helpers are the prelude's

// callHelper is what the engine calls; magic is the index into helpers.
func callHelper(tls *libc.TLS, _ uintptr, this value, argc int32, argv uintptr, magic int32) value {
	i := of(tls)
	if i.stopped() {
		return i.throwStop()
	}
	return i.thread.helpers[magic].call(i, args{int(argc), argv, this})
}

// callTool is what the engine calls for tools.f(arg); magic is f's index.
func callTool(tls *libc.TLS, _ uintptr, this value, argc int32, argv uintptr, magic int32) value {
	i := of(tls)
	if i.stopped() {
		return i.throwStop()
	}
	return i.tool(int(uint16(magic)), args{int(argc), argv, this})
}

// throwStop throws what no JavaScript can catch.
func (i *isolate) throwStop() value {
	i.throw(null)
	lib.XJS_SetUncatchableException(i.tls(), i.ctx, 1)
	return exception
}

// hostError throws what a method of the host returned.
func (i *isolate) hostError(err error) value {
	if errors.Is(err, js.ErrMemory) {
		i.arena.refused = true
		return i.throwStop()
	}
	return i.throwText(err.Error())
}

// noValue is what a strict reader says of the nothing that JSON.stringify makes
// of functions and symbols.
const noValue = "failed to serialize JavaScript value: expected value at line 1 column 1"

// result is undefined, or err thrown.
func (i *isolate) result(err error) value {
	if err != nil {
		return i.hostError(err)
	}
	return undefined
}

// rethrowText replaces the pending exception by the text that it would end the
// program with: how the helpers report what conversions threw.
func (i *isolate) rethrowText() value {
	if i.stopped() {
		return exception // stays uncatchable
	}
	e := i.caught()
	text := i.errorText(e)
	i.drop(e)
	return i.throwText(text)
}

// display is the text of a value for text and notify. ok is false when the
// conversion threw; the exception is pending.
func (i *isolate) display(v value) (s string, ok bool) {
	if isPrimitive(v) {
		return i.toText(v)
	}
	j := i.stringify(v)
	if isException(j) {
		return "", false
	}
	defer i.drop(j)
	if isUndefined(j) {
		return "undefined", true
	}
	return i.text(j)
}

func (i *isolate) textItem(a args) value {
	s, ok := i.display(a.at(0))
	if !ok {
		return i.rethrowText()
	}
	return i.result(i.host.Text(s))
}

func (i *isolate) notify(a args) value {
	s, ok := i.display(a.at(0))
	if !ok {
		return i.rethrowText()
	}
	if blank(s) {
		return i.throwText("notify expects non-empty text")
	}
	return i.result(i.host.Notify(s))
}

func blank(s string) bool { return strings.TrimFunc(s, unicode.IsSpace) == "" }

func (i *isolate) exit(args) value {
	i.exited = true
	return i.throwStop()
}

func (i *isolate) yieldControl(args) value {
	i.host.Yield()
	return undefined
}

func (i *isolate) store(a args) value {
	key, ok := i.toText(a.at(0))
	if !ok {
		return i.badKey("store key must be a string")
	}
	j := i.stringify(a.at(1))
	if isException(j) {
		return i.rethrowText()
	}
	defer i.drop(j)
	if isUndefined(j) {
		if i.dialect == js.Base || !isUndefined(a.at(1)) {
			return i.throwText(noValue)
		}
		return i.throwText(`Unable to store "` + key + `". Only plain serializable objects can be stored.`)
	}
	s, ok := i.text(j)
	if !ok {
		return exception
	}
	if msg := unserializable(s, maxDepth); msg != "" {
		return i.throwText(msg)
	}
	return i.result(i.host.Store(key, bytesOf(s)))
}

func (i *isolate) load(a args) value {
	key, ok := i.toText(a.at(0))
	if !ok {
		return i.badKey("load key must be a string")
	}
	v, ok := i.host.Load(key)
	if !ok {
		return undefined
	}
	return i.parse(textOf(v))
}

// badKey replaces whatever String(key) threw.
func (i *isolate) badKey(msg string) value {
	if i.stopped() {
		return exception
	}
	i.drop(i.caught())
	return i.throwText(msg)
}

func (i *isolate) tool(index int, a args) value {
	input := strings.Clone("null") // the host owns what it gets
	if a.n > 0 {
		j := i.stringify(a.at(0))
		switch {
		case isException(j):
			return i.rethrowText()
		case !isUndefined(j):
			s, ok := i.text(j)
			i.drop(j)
			if !ok {
				return exception
			}
			input = s
		case i.dialect == js.Base || !isUndefined(a.at(0)):
			return i.throwText(noValue)
		}
	}
	if msg := unserializable(input, maxInputDepth); msg != "" {
		return i.throwText(msg)
	}
	if i.dialect != js.Base && reservedKey(input) {
		return i.throwText("failed to serialize JavaScript value: reserved JSON object key")
	}
	return i.startCall(index, input)
}

func (i *isolate) startCall(index int, input string) value {
	pair := i.tls().Alloc(int(2 * valueSize))
	defer i.tls().Free(int(2 * valueSize))
	promise := lib.XJS_NewPromiseCapability(i.tls(), i.ctx, pair)
	if isException(promise) {
		return exception
	}
	id, err := i.host.CallTool(index, bytesOf(input))
	if err != nil {
		return i.hostError(err)
	}
	if i.calls == nil {
		i.calls = make(map[uint64]settlers)
	}
	i.calls[id] = settlers{*(*value)(unsafe.Add(nil, pair)), *(*value)(unsafe.Add(nil, pair+valueSize))}
	return promise
}

func (i *isolate) setTimeout(a args) value {
	if lib.XJS_IsFunction(i.tls(), i.ctx, a.at(0)) == 0 {
		return i.throwText("setTimeout expects a function callback")
	}
	ms, ok := i.number(a.at(1))
	if !ok {
		return exception
	}
	if !(ms > 0) || math.IsInf(ms, 0) {
		ms = 0
	}
	i.lastID++
	if i.timers == nil {
		i.timers = make(map[uint64]value)
	}
	if err := i.host.SetTimer(i.lastID, uint64(min(ms, 1<<53))); err != nil {
		return i.hostError(err)
	}
	i.timers[i.lastID] = i.dup(a.at(0))
	return newNumber(float64(i.lastID))
}

func (i *isolate) clearTimeout(a args) value {
	v := a.at(0)
	if isUndefined(v) || isNull(v) {
		return undefined
	}
	id, ok := i.number(v)
	if !ok {
		return i.badKey("clearTimeout expects a numeric timeout id")
	}
	if !(id >= 1) || id > float64(i.lastID) {
		return undefined
	}
	if f, ok := i.timers[uint64(id)]; ok {
		delete(i.timers, uint64(id))
		i.drop(f)
		i.host.ClearTimer(uint64(id))
	}
	return undefined
}

// number is Number(v). ok is false if that threw; the exception is pending.
func (i *isolate) number(v value) (f float64, ok bool) {
	if isUndefined(v) {
		return math.NaN(), true
	}
	p := i.tls().Alloc(8)
	defer i.tls().Free(8)
	if lib.XJS_ToFloat64(i.tls(), i.ctx, p, v) < 0 {
		return 0, false
	}
	return *(*float64)(unsafe.Add(nil, p)), true
}

// preludeError makes an error: newError(proto, message).
func (i *isolate) preludeError(a args) value { return i.newError(a.at(0), a.at(1)) }

// preludeDisplay is how error messages show a value.
func (i *isolate) preludeDisplay(a args) value {
	v := a.at(0)
	if isObject(v) && lib.XJS_IsFunction(i.tls(), i.ctx, v) == 0 {
		return i.newString("#<Object>")
	}
	s, ok := i.toText(v)
	if !ok {
		i.drop(i.caught())
		s = "[object]"
	}
	return i.newString(s)
}

func (i *isolate) isConstructor(a args) value {
	if lib.XJS_IsConstructor(i.tls(), i.ctx, a.at(0)) != 0 {
		return newBool(true)
	}
	return newBool(false)
}
