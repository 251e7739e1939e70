package quickjs

import (
	"strconv"
	"strings"
	"unsafe"

	lib "modernc.org/libquickjs"
)

// What waits for the running job: QuickJS's stacks end where a job begins, V8's
// go on with the async functions that await its result. They are found without
// running any of the program's code, from the promise that the job will settle
// to the one reaction that is registered on it, and so on.

// jobHeader is where the arguments of a queued job begin.
const jobHeader = unsafe.Sizeof(lib.TJSJobEntry{})

// A reaction's job is called with the two functions that settle the promise
// behind it, the handler, whether it is a rejection, and the value.
const reactionArgs = 5

// nextJob is the job that the engine will run next, 0 if there is none.
func (i *isolate) nextJob() uintptr {
	list := &(*lib.TJSRuntime)(unsafe.Add(nil, i.rt)).Fjob_list
	if list.Fnext == uintptr(unsafe.Pointer(list)) {
		return 0
	}
	return list.Fnext
}

func jobArgument(job uintptr, n uintptr) value {
	return *(*value)(unsafe.Add(nil, job+jobHeader+n*valueSize))
}

// awaiting lists what waits for the running job, nearest first and at most limit
// entries, as lines in the form of the engine's stacks.
func (i *isolate) awaiting(limit int) string {
	if i.job == 0 || (*lib.TJSJobEntry)(unsafe.Add(nil, i.job)).Fargc != reactionArgs || tag(jobArgument(i.job, 3)) != lib.EJS_TAG_BOOL {
		return ""
	}
	settles, _ := i.waiter(jobArgument(i.job, 2))
	if !isObject(settles) {
		settles = jobArgument(i.job, 0)
	}
	var b strings.Builder
	for range limit {
		handler, behind, ok := onlyReaction(settles)
		if !ok {
			break
		}
		next, line := i.waiter(handler)
		if !isObject(next) {
			next = behind
		}
		b.WriteString(line)
		settles = next
	}
	return b.String()
}

// onlyReaction is the handler that a pending promise calls when it is fulfilled
// and the function that settles the promise behind that, if it is the only one.
// settles is the function that fulfils the promise.
func onlyReaction(settles value) (handler, behind value, ok bool) {
	if !isObject(settles) || class(settles) != lib.EJS_CLASS_PROMISE_RESOLVE_FUNCTION {
		return undefined, undefined, false
	}
	promise := (*lib.TJSPromiseFunctionData)(unsafe.Add(nil, *slot(settles))).Fpromise
	if !isObject(promise) || class(promise) != lib.EJS_CLASS_PROMISE {
		return undefined, undefined, false
	}
	data := (*lib.TJSPromiseData)(unsafe.Add(nil, *slot(promise)))
	list := &data.Fpromise_reactions[0]
	head := uintptr(unsafe.Pointer(list))
	if data.Fpromise_state != lib.EJS_PROMISE_PENDING || list.Fnext == head || list.Fnext != list.Fprev {
		return undefined, undefined, false
	}
	r := (*lib.TJSPromiseReactionData)(unsafe.Add(nil, list.Fnext))
	return r.Fhandler, r.Fresolving_funcs[0], true
}

// waiter is what a promise's handler resumes: a stack's line for it, and the
// function that settles its own promise. Handlers of the program yield neither.
func (i *isolate) waiter(handler value) (settles value, line string) {
	if !isObject(handler) {
		return undefined, ""
	}
	switch class(handler) {
	case lib.EJS_CLASS_ASYNC_FUNCTION_RESOLVE, lib.EJS_CLASS_ASYNC_FUNCTION_REJECT:
		s := (*lib.TJSAsyncFunctionState)(unsafe.Add(nil, *slot(handler)))
		return s.Fresolving_funcs[0], i.frameLine(&s.Fframe)
	case lib.EJS_CLASS_C_FUNCTION_DATA:
		return i.builtinWaiter(*slot(handler))
	}
	return undefined, ""
}

// combinators are the functions of Promise whose elements know their index, by
// the engine's numbers.
var combinators = [...]string{"all", "allSettled", "any"}

// builtinWaiter is waiter for a handler of the engine's own: an element of
// Promise.all and its kin, or the resumption of an async generator.
func (i *isolate) builtinWaiter(record uintptr) (settles value, line string) {
	d := (*lib.TJSCFunctionDataRecord)(unsafe.Add(nil, record))
	at := func(n uintptr) value {
		return *(*value)(unsafe.Add(nil, record+unsafe.Sizeof(*d)+n*valueSize))
	}
	switch {
	case d.Fdata_len == 5 && tag(at(0)) == lib.EJS_TAG_BOOL && tag(at(1)) == lib.EJS_TAG_INT && int(d.Fmagic&3) < len(combinators):
		v := at(1)
		index := *(*int32)(unsafe.Pointer(&v.Fu))
		return at(3), "    at Promise." + combinators[d.Fmagic&3] + " (index " + strconv.Itoa(int(index)) + ")\n"
	case d.Fdata_len == 1 && isObject(at(0)) && class(at(0)) == lib.EJS_CLASS_ASYNC_GENERATOR:
		g := (*lib.TJSAsyncGeneratorData)(unsafe.Add(nil, *slot(at(0))))
		if g.Ffunc_state == 0 || g.Fqueue.Fnext == uintptr(unsafe.Pointer(&g.Fqueue)) {
			return undefined, ""
		}
		request := (*lib.TJSAsyncGeneratorRequest)(unsafe.Add(nil, g.Fqueue.Fnext))
		return request.Fresolving_funcs[0], i.frameLine(&(*lib.TJSAsyncFunctionState)(unsafe.Add(nil, g.Ffunc_state)).Fframe)
	}
	return undefined, ""
}

// frameLine is a stack's line for a suspended function of the program, "" for
// functions of ours.
func (i *isolate) frameLine(f *lib.TJSStackFrame) string {
	b := i.bytecode(f.Fcur_func)
	if b == nil || b.Fdebug.Fpc2line_buf == 0 {
		return ""
	}
	file := lib.XJS_AtomToString(i.tls(), i.ctx, b.Fdebug.Ffilename)
	defer i.drop(file)
	if s, _ := i.text(file); s != moduleName {
		return ""
	}
	name := "<anonymous>"
	if v, ok := i.ownValue(f.Fcur_func, "name"); ok {
		if s, _ := i.text(v); isString(v) && s != "" && !strings.ContainsAny(s, "\n") {
			name = s
		}
		i.drop(v)
	}
	table := bytesAt(b.Fdebug.Fpc2line_buf, uintptr(b.Fdebug.Fpc2line_len))
	line, column := position(table, int(f.Fcur_pc-b.Fbyte_code_buf)-1)
	return "    at " + name + " (" + moduleName + ":" + strconv.Itoa(line) + ":" + strconv.Itoa(column) + ")\n"
}

// position looks up an instruction in the engine's table of line and column by
// offset: the function's own place, then for each step a byte that holds two
// small deltas, or 0 and both in full, then the column's.
func position(table []byte, pc int) (line, column int) {
	const (
		first    = 1  // the lowest byte that holds two deltas
		lines    = 5  // how many line deltas it tells apart
		lineBase = -1 // the least of them
	)
	r := leb128(table)
	line, column = r.unsigned()+1, r.unsigned()+1
	at := 0
	for len(r) > 0 {
		op := int(r[0])
		r = r[1:]
		next := line
		if op == 0 {
			at += r.unsigned()
			next += r.signed()
		} else {
			at += (op - first) / lines
			next += (op-first)%lines + lineBase
		}
		nextColumn := column + r.signed()
		if pc < at {
			break
		}
		line, column = next, nextColumn
	}
	return line, column
}

// leb128 reads numbers of seven bits a byte, the lowest first.
type leb128 []byte

func (r *leb128) unsigned() int {
	v := uint32(0)
	for shift := 0; len(*r) > 0 && shift < 35; shift += 7 {
		c := (*r)[0]
		*r = (*r)[1:]
		v |= uint32(c&0x7f) << shift
		if c&0x80 == 0 {
			break
		}
	}
	return int(v)
}

// signed reads a number whose lowest bit is its sign.
func (r *leb128) signed() int {
	v := uint32(r.unsigned())
	return int(int32(v>>1) ^ -int32(v&1))
}
