package quickjs

import "strings"

// Intl is a script, and Go code that it calls. The template holds a stub for it
// and what the program could change before it is used; the script itself is
// loaded, from bytecode, when a program first touches Intl or a toLocale method.

// runIntlStub installs the stub.
func (i *isolate) runIntlStub(code []byte) error {
	stub := i.evalBytecode(code)
	if isException(stub) {
		return i.preludeFailure()
	}
	load := i.newHelper("load Intl")
	i.installIntl = i.invoke(stub, load)
	i.drop(load)
	i.drop(stub)
	if isException(i.installIntl) {
		return i.preludeFailure()
	}
	return nil
}

// touchIntl makes Intl the plain property that it is in other hosts, for
// programs that may look at it.
func (i *isolate) touchIntl(source string) {
	if strings.Contains(source, "Intl") && isObject(i.installIntl) {
		i.drop(i.invoke(i.installIntl))
	}
}

// loadIntl evaluates the script: load(builtIns).
func (i *isolate) loadIntl(a args) value {
	f := i.evalBytecode(intlCode)
	if isException(f) {
		return exception
	}
	defer i.drop(f)
	call := i.newHelper("call Intl")
	defer i.drop(call)
	return i.invoke(f, call, a.at(0))
}

// callIntl answers the script: call(op, args).
func (i *isolate) callIntl(a args) value {
	op, ok := i.text(a.at(0))
	if !ok {
		return exception
	}
	in, ok := i.text(a.at(1))
	if !ok {
		return exception
	}
	out, err := i.intl.Call(op, []byte(in))
	if err != nil {
		return i.throwTypeError(err.Error())
	}
	return i.newString(string(out))
}
