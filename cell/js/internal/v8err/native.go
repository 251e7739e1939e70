package v8err

import "strings"

// hidden reports whether V8 has no frame for the built-in of raw frame i.
func (s *Source) hidden(raw []rawFrame, i int) bool {
	name := raw[i].name
	switch name {
	case "", "call", "apply", "Array", "Proxy", "[Symbol.replace]", "[Symbol.split]", "[Symbol.match]", "[Symbol.matchAll]", "[Symbol.search]":
		return true
	case "concat", "construct":
		t := int32(-1)
		if i+1 < len(raw) {
			t = s.tokenOf(&raw[i+1])
		}
		return name == "construct" || t < 0 || !s.code.is(t, "(") && !s.code.is(t, "return") || !s.code.is(t, "return") && !s.code.is(t-1, "concat") && !s.code.is(t-1, "call")
	}
	return false
}

// builtin names the frame of the built-in that is raw frame i.
func (s *Source) builtin(raw []rawFrame, i int) Frame {
	name := raw[i].name
	if name == "next" && i == 0 && i+1 < len(raw) && s.functionAt(&raw[i+1]).generator {
		return Frame{Func: name, Type: raw[i+1].name}
	}
	if name == "next" && i > 0 && !raw[i-1].native {
		if s.functionAt(&raw[i-1]).generator {
			owner := raw[i-1].name
			if owner == "" {
				owner = "Generator"
			}
			return Frame{Func: name, Type: owner}
		}
	}
	t := int32(-1)
	if i+1 < len(raw) && !raw[i+1].native {
		if t = s.tokenOf(&raw[i+1]); t >= 0 && s.code.is(t, "return") {
			if call := s.tailCall(t, name); call >= 0 {
				t = call
			}
		}
	}
	if constructor(name) {
		return Frame{Func: name, New: t >= 0 && s.code.newOf(t) >= 0}
	}
	if strings.HasPrefix(name, "get ") || strings.HasPrefix(name, "[") {
		return Frame{Func: name}
	}
	return Frame{Func: name, Type: s.builtinOwner(name, t)}
}

// builtinOwner is the class of the receiver that V8 prints before the built-in
// name, called at token t.
func (s *Source) builtinOwner(name string, t int32) string {
	c := s.code
	if global(name) {
		return ""
	}
	if t >= 2 && c.is(t, "(") && (c.is(t-1, "call") || c.is(t-1, "apply")) && c.afterDot(t-1) && name != c.text(t-1) {
		return s.passed(t)
	}
	if t >= 2 && c.is(t, "(") && c.is(t-1, name) && c.afterDot(t-1) {
		if owner := s.literalClass(t - 3); owner != "" {
			if owner == "DataView" {
				return "DataView.prototype"
			}
			return owner
		}
	}
	return ownerOf(name)
}

// literalClass is the class of the value that the expression ending at token i
// yields, if its text tells.
func (s *Source) literalClass(i int32) string {
	c := s.code
	ch, ok := c.before(i)
	if !ok {
		return ""
	}
	for c.is(ch.primary, "(") && ch.primary != ch.start && c.toks[ch.primary].mate == i {
		break
	}
	one := ch.primary == i || c.toks[ch.primary].mate == i
	switch t := c.toks[ch.primary]; {
	case ch.news == 1 && ch.calls <= 1 && t.kind == ident && (i == ch.primary || c.is(ch.primary+1, "(")):
		if constructor(c.text(ch.primary)) {
			return c.text(ch.primary)
		}
	case !one || ch.news > 0:
	case t.kind == ident:
		if w := c.text(ch.primary); constructor(w) || w == "JSON" || w == "Math" || w == "Reflect" || w == "Intl" || w == "Atomics" {
			return w
		}
		if class := s.classMade(c.text(ch.primary)); constructor(class) {
			return class
		}
	case t.kind == str || t.kind == template || t.kind == tmplHead:
		return "String"
	case t.kind == regex:
		return "RegExp"
	case t.kind == number || c.is(ch.primary, "(") && t.mate == ch.primary+2 && c.toks[ch.primary+1].kind == number:
		return "Number"
	case c.is(ch.primary, "["):
		return "Array"
	}
	return ""
}

// constructor reports whether name is a global class.
func constructor(name string) bool {
	switch name {
	case "Object", "Function", "Array", "Number", "String", "Boolean", "Symbol", "BigInt", "Date", "RegExp", "Promise",
		"Proxy", "Map", "Set", "WeakMap", "WeakSet", "WeakRef", "FinalizationRegistry", "Iterator",
		"ArrayBuffer", "SharedArrayBuffer", "DataView", "Int8Array", "Uint8Array", "Uint8ClampedArray", "Int16Array",
		"Uint16Array", "Int32Array", "Uint32Array", "BigInt64Array", "BigUint64Array", "Float16Array", "Float32Array",
		"Float64Array", "Error", "TypeError", "RangeError", "SyntaxError", "ReferenceError", "EvalError", "URIError",
		"AggregateError", "SuppressedError", "DisposableStack", "AsyncDisposableStack",
		"DateTimeFormat", "NumberFormat", "PluralRules", "RelativeTimeFormat", "ListFormat", "Collator", "Segmenter":
		return true
	}
	return false
}

// global reports whether name is a global function.
func global(name string) bool {
	switch name {
	case "parseInt", "parseFloat", "isNaN", "isFinite", "decodeURI", "decodeURIComponent", "encodeURI",
		"encodeURIComponent", "escape", "unescape", "eval":
		return true
	}
	return false
}

// ownerOf is the class whose method name most likely is.
func ownerOf(name string) string {
	switch name {
	case "parse", "stringify", "rawJSON":
		return "JSON"
	case "then", "catch", "finally", "all", "allSettled", "any", "race", "resolve", "reject", "withResolvers", "try":
		return "Promise"
	case "keys", "values", "entries", "assign", "create", "defineProperty", "defineProperties", "freeze", "fromEntries",
		"getOwnPropertyDescriptor", "getOwnPropertyDescriptors", "getOwnPropertyNames", "getPrototypeOf", "hasOwn", "is",
		"isExtensible", "preventExtensions", "seal", "setPrototypeOf", "groupBy", "hasOwnProperty":
		return "Object"
	case "replace", "replaceAll", "split", "trim", "trimStart", "trimEnd", "padStart", "padEnd", "repeat", "normalize",
		"charAt", "charCodeAt", "codePointAt", "startsWith", "endsWith", "match", "matchAll", "search", "substring",
		"substr", "toUpperCase", "toLowerCase", "localeCompare", "fromCodePoint", "fromCharCode", "raw":
		return "String"
	case "toFixed", "toPrecision", "toExponential", "toString":
		return "Number"
	case "exec", "test":
		return "RegExp"
	case "get", "set", "delete", "clear", "has", "getOrInsert", "getOrInsertComputed":
		return "Map"
	case "add", "union", "intersection", "difference", "symmetricDifference", "isSubsetOf", "isSupersetOf", "isDisjointFrom":
		return "Set"
	case "toISOString", "toJSON", "getTime", "toLocaleDateString", "toLocaleTimeString", "toLocaleString", "UTC":
		return "Date"
	case "keyFor":
		return "Symbol"
	case "asIntN", "asUintN":
		return "BigInt"
	case "register", "unregister":
		return "FinalizationRegistry"
	case "next", "return", "throw":
		return "Generator"
	case "toArray", "take", "drop":
		return "Iterator"
	case "resize", "transfer":
		return "ArrayBuffer"
	}
	return "Array"
}
