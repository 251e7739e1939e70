package v8err

import "strings"

// plain translates messages that depend on nothing but themselves.
func (c *site) plain() bool {
	if c.message == "circular reference" && c.in.Cycle != nil {
		if links := c.in.Cycle(); len(links) > 1 {
			return c.set(circle(links))
		}
	}
	if name, text, ok := fixed(c.message); ok {
		c.message = text
		if name != "" {
			c.name = name
		}
		return true
	}
	m := c.message
	if text, ok := unplaced(m); ok && c.name == "SyntaxError" {
		return c.set(text)
	}
	switch {
	case strings.HasPrefix(m, "'") && strings.HasSuffix(m, "' is not defined"):
		return c.set(quoted(m), " is not defined")
	case strings.HasSuffix(m, " is not initialized"):
		return c.set("Cannot access '", strings.TrimSuffix(m, " is not initialized"), "' before initialization")
	case strings.HasPrefix(m, "cannot read property '"):
		return c.set("Cannot read properties of ", lastWord(m), " (reading '", quoted(m), "')")
	case strings.HasPrefix(m, "cannot set property '"):
		return c.set("Cannot set properties of ", lastWord(m), " (setting '", quoted(m), "')")
	case strings.HasPrefix(m, "invalid array index: "):
		return c.set("Invalid index : ", lastWord(m))
	case strings.HasPrefix(m, "invalid value used as "):
		if strings.Contains(m, "WeakSet") {
			return c.set("Invalid value used in weak set")
		}
		return c.set("Invalid value used as weak map key")
	case strings.HasSuffix(m, "' is read-only"):
		return c.set("Cannot assign to read only property '", quoted(m), "' of object '", c.argText(0, "#<Object>"), "'")
	case strings.HasPrefix(m, "private class field '") && strings.HasSuffix(m, "already exists"):
		return c.set("Cannot initialize ", quoted(m), " twice on the same object")
	}
	return false
}

func lastWord(m string) string { return m[strings.LastIndexByte(m, ' ')+1:] }

// fixed is V8's text for a message of QuickJS that holds no values, with V8's
// name for the error where it differs.
func fixed(m string) (name, text string, ok bool) {
	switch m {
	case "out of memory", "string too long", "invalid string length":
		return "RangeError", "Invalid string length", m != "out of memory"
	case "circular prototype chain":
		text = "Cyclic __proto__ value"
	case "prototype is immutable":
		text = "Immutable prototype object 'Object.prototype' cannot have their prototype set"
	case "object is not extensible":
		text = "#<Object> is not extensible"
	case "operand 'prototype' property is not an object":
		text = "Function has non-object prototype 'undefined' in instanceof check"
	case "private method is already present":
		text = "Cannot initialize private methods of class twice on the same object"
	case "BigInt division by zero":
		text = "Division by zero"
	case "BigInt negative exponent":
		text = "Exponent must be positive"
	case "BigInt is too large", "BigInt is too large to allocate":
		text = "Maximum BigInt size exceeded"
	case "cannot convert bigint to number":
		text = "Cannot mix BigInt and other types, use explicit conversions"
	case "bigint argument with unary +":
		text = "Cannot convert a BigInt value to a number"
	case "bigint operands are forbidden for >>>":
		text = "BigInts have no unsigned right shift, use >> instead"
	case "cannot convert symbol to number":
		text = "Cannot convert a Symbol value to a number"
	case "cannot convert symbol to string":
		text = "Cannot convert a Symbol value to a string"
	case "toPrimitive":
		text = "Cannot convert object to primitive value"
	case "iterator must return an object":
		text = "Iterator result undefined is not an object"
	case "parent prototype must be an object or null":
		text = "Class extends value does not have valid prototype property undefined"
	case "unsupported reference to 'super'":
		text = "Unsupported reference to 'super'"
	case "iterator does not have a throw method", "throw is not a method":
		text = "The iterator does not provide a 'throw' method"
	case "cannot invoke a running generator", "already running", "cannot invoke a running iterator":
		text = "Generator is already running"
	case "invalid array length":
		text = "Invalid array length"
	case "cannot convert to object":
		text = "Cannot convert undefined or null to object"
	case "empty array":
		text = "Reduce of empty array with no initial value"
	case "empty iterator":
		text = "Reduce of a done iterator with no initial value"
	case "Date value is NaN":
		text = "Invalid time value"
	case "circular reference":
		text = "Converting circular structure to JSON"
	case "bad normalization form":
		text = "The normalization form should be one of NFC, NFD, NFKC, NFKD."
	case "radix must be between 2 and 36":
		text = "toString() radix argument must be between 2 and 36"
	case "invalid property access":
		text = "'caller', 'callee', and 'arguments' properties may not be accessed on strict mode functions or the arguments objects for calls to them"
	case "expecting hex digit", "expecting surrogate pair", "malformed UTF-8", "expecting %", "invalid character":
		text = "URI malformed"
	case "promise self resolution":
		text = "Chaining cycle detected for promise #<Promise>"
	case "object needs toISOString method":
		text = "toISOString is not a function"
	case "cannot create numeric index in typed array", "non integer index in typed array", "negative index in typed array", "out-of-bound index in typed array":
		text = "Invalid typed array index"
	case "Array loo long", "Array too long":
		text = "Pushing 1 elements on an array-like of length 9007199254740991 is disallowed by ECMA-262"
	case "not an Async-from-Sync Iterator":
		text = "Async-from-Sync Iterator object expected"
	case "ArrayBuffer is detached", "ArrayBuffer is detached or resized":
		text = "Cannot perform %TypedArray%.prototype method on a detached ArrayBuffer"
	case "out of bound", "out-of-bound access":
		text = "Offset is outside the bounds of the DataView"
	case "module namespace properties have writable = false":
		text = "Cannot assign to read only property of object '[object Module]'"
	case "abstract class not constructable":
		text = "Abstract class Iterator not directly constructable"
	case "RegExp exec method must return an object or null":
		text = "object null is not a function"
	case "revoked proxy":
		text = "Cannot perform 'get' on a proxy that has been revoked"
	default:
		return proxyMessage(m)
	}
	return "", text, true
}

// proxyMessage is V8's text for a broken promise of a proxy's trap.
func proxyMessage(m string) (name, text string, ok bool) {
	switch m {
	case "proxy: bad prototype", "proxy: inconsistent prototype":
		text = "'getPrototypeOf' on proxy: proxy target is non-extensible but the trap did not return its actual prototype"
	case "proxy: inconsistent isExtensible":
		text = "'isExtensible' on proxy: trap result does not reflect extensibility of proxy target (which is 'true')"
	case "proxy: inconsistent preventExtensions":
		text = "'preventExtensions' on proxy: the proxy target is extensible"
	case "proxy preventExtensions handler returned false":
		text = "'preventExtensions' on proxy: trap returned falsish"
	case "proxy: inconsistent has":
		text = "'has' on proxy: trap returned falsish for property which exists in the proxy target as non-configurable"
	case "proxy: inconsistent get":
		text = "'get' on proxy: property is a read-only and non-configurable data property on the proxy target but the proxy did not return its actual value"
	case "proxy: inconsistent set":
		text = "'set' on proxy: trap returned truish for property which exists in the proxy target as a non-configurable and non-writable data property with a different value"
	case "proxy: inconsistent getOwnPropertyDescriptor":
		text = "'getOwnPropertyDescriptor' on proxy: trap returned descriptor that is incompatible with the existing property in the proxy target"
	case "proxy: defineProperty exception":
		text = "'defineProperty' on proxy: trap returned falsish"
	case "proxy: inconsistent defineProperty":
		text = "'defineProperty' on proxy: trap returned truish for adding property that is incompatible with the existing property in the proxy target"
	case "proxy: inconsistent deleteProperty":
		text = "'deleteProperty' on proxy: trap returned truish for property which is non-configurable in the proxy target"
	case "proxy: properties must be strings or symbols":
		text = "undefined is not a valid property name"
	case "proxy: duplicate property":
		text = "'ownKeys' on proxy: trap returned duplicate entries"
	case "proxy: target property must be present in proxy ownKeys":
		text = "'ownKeys' on proxy: trap result did not include all non-configurable own properties"
	case "proxy: property not present in target were returned by non extensible proxy":
		text = "'ownKeys' on proxy: trap returned extra keys but proxy target is non-extensible"
	default:
		return "", "", false
	}
	return "", text, true
}

// circle is the message for a circle of objects in JSON: its first two objects
// and its last, and how they hang together.
func circle(links []Link) string {
	var b strings.Builder
	b.WriteString("Converting circular structure to JSON\n    --> starting at object with constructor '" + links[0].Class + "'")
	objects := links[1 : len(links)-1]
	for i, l := range objects {
		if i > 0 && i < len(objects)-1 {
			if i == 1 {
				b.WriteString("\n    |     ...")
			}
			continue
		}
		b.WriteString("\n    |     " + l.name() + " -> object with constructor '" + l.Class + "'")
	}
	b.WriteString("\n    --- " + links[len(links)-1].name() + " closes the circle")
	return b.String()
}

// name is how V8 names the step's key.
func (l Link) name() string {
	if l.Index {
		return "index " + l.Key
	}
	return "property '" + l.Key + "'"
}
