package quickjs

import (
	"errors"
	"fmt"
	"runtime/debug"
	"sync/atomic"
	"unsafe"

	"modernc.org/libc"
	lib "modernc.org/libquickjs"

	"github.com/berth-dev/berth/cell/js"
	"github.com/berth-dev/berth/cell/js/internal/intl"
	"github.com/berth-dev/berth/cell/js/internal/v8err"
)

// moduleName is what stack traces call the program. Spec: codemode §11.1.
const moduleName = "exec_main.mjs"

// errFault is returned when the engine itself broke; the program is lost.
var errFault = errors.New("engine fault")

// An isolate is one heap, cloned from the template, and the program it runs.
// All fields belong to the owning goroutine but for stop.
type isolate struct {
	thread  *thread
	arena   *arena
	rt, ctx uintptr
	host    js.Host
	acct    js.Account

	stop atomic.Bool // set by Interrupt, from any goroutine

	dialect  js.Dialect
	intl     *intl.Instance
	source   *v8err.Source // for positions and names in errors
	promise  value         // the module's, once it is evaluated
	started  bool
	linking  bool   // static imports are being resolved
	imported string // the first static import
	exited   bool   // exit() was called
	failed   error  // what every further method returns
	end      *js.Outcome
	calls    map[uint64]settlers
	timers   map[uint64]value
	lastID   uint64 // of a timer

	subject     value   // what the host makes JSON of
	job         uintptr // the engine's entry of the job that runs; see awaiting
	scratchUsed bool    // see copyIn
	preparing   bool    // Error.prepareStackTrace runs
	capturing   bool    // errors leave the engine's stack text in captured
	captured    string  //
	roots
	originals originals
	kept      value // an array of what lives until the job is over, if keptCount > 0
	keptCount uint32
	depth     int   // of the engine's stack at its last charge
	frames    int64 // bytes charged for the stack's frames
}

// settlers are the two functions that settle a call's promise.
type settlers struct{ resolve, reject value }

// thread is the engine's notion of a thread. The engine hands its address to
// every function of ours that it calls, which find their isolate through it.
type thread struct {
	libc.TLS
	isolate *isolate
	helpers []namedHelper
}

// roots are the values that the Go side keeps.
type roots struct {
	errorCtor   value // Error
	stackGetter value
	stackSetter value
	dateCtor    value // Date
	dateText    value // Date.prototype.toString
	installIntl value // see touchIntl
	callSites   value // a function of the prelude
	extras      value // the prelude's object of later globals
}

// moved is what the roots are in memory that lies delta further on.
func (r roots) moved(delta uintptr) roots {
	for _, v := range []*value{&r.errorCtor, &r.stackGetter, &r.stackSetter, &r.dateCtor, &r.dateText, &r.installIntl, &r.callSites, &r.extras} {
		*(*uintptr)(unsafe.Pointer(&v.Fu)) += delta
	}
	return r
}

func (t *thread) attach(i *isolate) {
	t.isolate = i
	t.helpers = helpers()
}

func newThread() *thread { return &thread{TLS: *libc.NewTLS()} }

// of is the isolate whose engine calls.
func of(tls *libc.TLS) *isolate { return (*thread)(unsafe.Pointer(tls)).isolate }

// enter runs f, which runs JavaScript, and says how the isolate stands then.
func (i *isolate) enter(f func()) (err error) {
	if i.failed != nil {
		return i.failed
	}
	if i.end != nil {
		return nil
	}
	defer func() {
		if r := recover(); r != nil {
			i.failed = fmt.Errorf("%w: %v", errFault, r)
		}
		err = i.settle()
	}()
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	if !i.stopped() {
		f()
	}
	if i.keptCount > 0 && !i.stopped() && !i.pending() {
		i.releaseKept()
	}
	return nil
}

// stopped reports that no JavaScript may run any more.
func (i *isolate) stopped() bool {
	return i.exited || i.arena.refused || i.stop.Load()
}

// settle turns the flags that ended JavaScript into the isolate's end. A stop
// from outside goes first: what it cut short has no other result.
func (i *isolate) settle() error {
	switch {
	case i.stop.Load():
		i.failed = js.ErrInterrupted
	case i.failed != nil:
	case i.arena.refused:
		i.end = &js.Outcome{Failed: true, ErrorText: i.acct.LimitError()}
	case i.exited:
		i.end = &js.Outcome{}
	}
	return i.failed
}

func (i *isolate) Start(p js.Program) error {
	return i.enter(func() {
		i.dialect = p.Dialect
		i.source = v8err.NewSource(moduleName, p.Source, nil)
		if i.publish(p) {
			i.touchIntl(p.Source)
			i.run(p.Source)
		}
	})
}

func (i *isolate) Drain(n int) (more bool, err error) {
	err = i.enter(func() {
		for ; n > 0 && i.pending() && !i.stopped(); n-- {
			i.job = i.nextJob()
			if lib.XJS_ExecutePendingJob(i.tls(), i.rt, i.arena.base+scratchSize) < 0 {
				i.drop(i.caught())
			}
			i.job = 0
		}
		more = i.pending() && !i.stopped()
		if !more && i.started {
			i.look()
		}
	})
	return more && err == nil, err
}

func (i *isolate) pending() bool { return lib.XJS_IsJobPending(i.tls(), i.rt) != 0 }

func (i *isolate) Resolve(call uint64, result []byte) error {
	return i.enter(func() {
		s, ok := i.calls[call]
		if !ok {
			return
		}
		v := i.parse(textOf(result))
		if isException(v) {
			i.settleCall(call, s.reject, i.caught())
			return
		}
		i.settleCall(call, s.resolve, v)
	})
}

func (i *isolate) Reject(call uint64, reason string) error {
	return i.enter(func() {
		if s, ok := i.calls[call]; ok {
			i.settleCall(call, s.reject, i.newString(reason))
		}
	})
}

func (i *isolate) settleCall(call uint64, f, v value) {
	s := i.calls[call]
	delete(i.calls, call)
	r := i.invoke(f, v)
	if isException(r) {
		r = i.caught()
	}
	i.drop(r)
	i.drop(v)
	i.drop(s.resolve)
	i.drop(s.reject)
}

// invoke calls f with this undefined. Its arguments stay the caller's.
func (i *isolate) invoke(f value, argv ...value) value { return i.call(f, undefined, argv...) }

func (i *isolate) call(f, this value, argv ...value) value {
	n := int(valueSize) * max(len(argv), 1)
	p := i.tls().Alloc(n)
	defer i.tls().Free(n)
	for k, v := range argv {
		*(*value)(unsafe.Add(nil, p+uintptr(k)*valueSize)) = v
	}
	return lib.XJS_Call(i.tls(), i.ctx, f, this, int32(len(argv)), p)
}

func (i *isolate) Fire(timer uint64) error {
	return i.enter(func() {
		f, ok := i.timers[timer]
		if !ok {
			return
		}
		delete(i.timers, timer)
		r := i.invoke(f)
		i.drop(f)
		if isException(r) && !i.stopped() {
			i.fail(i.caught())
			return
		}
		i.drop(r)
	})
}

func (i *isolate) Done() (js.Outcome, bool) {
	if i.end == nil {
		return js.Outcome{}, false
	}
	return *i.end, true
}

// Interrupt asks the engine to stop, which it does at its next poll.
func (i *isolate) Interrupt() { i.stop.Store(true) }

var _ js.Killer = (*isolate)(nil)

// Kill takes the memory away from a built-in that polls nothing: it faults, and
// the method it runs in returns ErrInterrupted. Nothing else can be done with
// the isolate then but to close it. From any goroutine.
func (i *isolate) Kill() {
	i.stop.Store(true)
	i.arena.cutOff()
}

func (i *isolate) Close() {
	if i.failed == nil {
		i.failed = js.ErrInterrupted
	}
	i.calls, i.timers = nil, nil
	i.arena.release()
	if i.frames != 0 {
		_ = i.acct.Reserve(-i.frames)
		i.frames = 0
	}
	i.thread.Close()
}

// run compiles and starts the module.
func (i *isolate) run(source string) {
	mod := i.compile(source)
	if isException(mod) && i.imported == "" && !i.stopped() {
		mod = i.compileLowered(source)
	}
	switch {
	case i.stopped():
		return
	case i.imported != "":
		i.end = &js.Outcome{Failed: true, ErrorText: "Unsupported import in exec: " + i.imported}
		return
	case isException(mod):
		i.failCompile()
		return
	}
	r := lib.XJS_EvalFunction(i.tls(), i.ctx, mod)
	switch {
	case i.stopped():
	case isException(r):
		i.fail(i.caught())
	default:
		i.promise, i.started = r, true
	}
}

func (i *isolate) compile(source string) value {
	p := i.copyIn(source)
	if p == 0 {
		return exception
	}
	defer i.discardCopy(p)
	i.linking = true
	defer func() { i.linking = false }()
	return lib.XJS_Eval(i.tls(), i.ctx, p, lib.Tsize_t(len(source)), i.arena.base+scratchName,
		lib.MJS_EVAL_TYPE_MODULE|lib.MJS_EVAL_FLAG_COMPILE_ONLY)
}

// compileLowered tries again without `using`. The first attempt's exception, if
// this does not help, stays the pending one.
func (i *isolate) compileLowered(source string) value {
	first := i.caught()
	if l := lower(source); l != nil && i.quietText(first, "name") == "SyntaxError" {
		plain := i.source
		i.source = l.source()
		if mod := i.compile(l.text); !isException(mod) {
			i.drop(first)
			return mod
		}
		i.source = plain
		if i.imported != "" || i.stopped() {
			i.drop(first)
			return exception
		}
		i.drop(i.caught())
	}
	return i.throw(first)
}

// failCompile ends a program that did not compile: by message, without a stack.
func (i *isolate) failCompile() {
	e := i.caught()
	defer i.drop(e)
	if i.stopped() {
		return
	}
	text := v8err.Header(i.quietText(e, "name"), i.quietText(e, "message"))
	i.end = &js.Outcome{Failed: true, ErrorText: text}
}

// look ends the program if its module has settled and nothing is queued.
func (i *isolate) look() {
	switch lib.XJS_PromiseState(i.tls(), i.ctx, i.promise) {
	case lib.EJS_PROMISE_FULFILLED:
		i.end = &js.Outcome{}
	case lib.EJS_PROMISE_REJECTED:
		i.fail(lib.XJS_PromiseResult(i.tls(), i.ctx, i.promise))
	}
}

// fail ends the program with what was thrown.
func (i *isolate) fail(thrown value) {
	text := i.errorText(thrown)
	i.drop(thrown)
	if !i.stopped() {
		i.end = &js.Outcome{Failed: true, ErrorText: text}
	}
}

// poll is the engine's interrupt handler. It also charges the cell for the
// frames of the engine's stack, which lie outside the arena.
func poll(tls *libc.TLS, _, _ uintptr) int32 {
	i := of(tls)
	(*lib.TJSContext)(unsafe.Add(nil, i.ctx)).Finterrupt_counter = pollInterval
	if d := tls.StackSlots(); d > i.depth+stackStep || d < i.depth-stackStep {
		i.chargeFrames(d)
	}
	if i.stopped() {
		return 1
	}
	return 0
}

const (
	pollInterval = 500 // engine steps (calls, jumps back) between two polls
	stackStep    = 100 // slots of the engine's stack between two charges
)

// chargeFrames counts the locals of all running functions.
func (i *isolate) chargeFrames(depth int) {
	i.depth = depth
	var sum int64
	sf := (*lib.TJSRuntime)(unsafe.Add(nil, i.rt)).Fcurrent_stack_frame
	for sf != 0 {
		frame := (*lib.TJSStackFrame)(unsafe.Add(nil, sf))
		if b := i.bytecode(frame.Fcur_func); b != nil {
			sum += int64(valueSize) * int64(int(b.Farg_count)+int(b.Fvar_count)+int(b.Fstack_size))
		}
		sf = frame.Fprev_frame
	}
	if i.acct.Reserve(sum-i.frames) != nil {
		i.arena.refused = true
		return
	}
	i.frames = sum
}

// bytecode is the code of a function that is JavaScript, or nil.
func (i *isolate) bytecode(f value) *lib.TJSFunctionBytecode {
	if !isObject(f) {
		return nil
	}
	o := (*lib.TJSObject)(unsafe.Add(nil, pointer(f)))
	switch o.Fclass_id {
	case lib.EJS_CLASS_BYTECODE_FUNCTION, lib.EJS_CLASS_GENERATOR_FUNCTION,
		lib.EJS_CLASS_ASYNC_FUNCTION, lib.EJS_CLASS_ASYNC_GENERATOR_FUNCTION:
		return (*lib.TJSFunctionBytecode)(unsafe.Add(nil, *word(uintptr(unsafe.Pointer(&o.Fu)))))
	}
	return nil
}
