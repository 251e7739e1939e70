package v8err

import "strings"

// arg is the built-in's argument i, undefined if it is not known.
func (c *site) arg(i int) (Value, bool) {
	if c.in.Arg != nil {
		if v, ok := c.in.Arg(i); ok {
			return v, true
		}
		return Value{"undefined", "undefined"}, true
	}
	return Value{"undefined", "undefined"}, false
}

// argText is the text of argument i, or text if it is not known.
func (c *site) argText(i int, text string) string {
	if v, ok := c.arg(i); ok {
		return v.Text
	}
	return text
}

// owner is how the built-in name at the top of the stack is called in full.
func (c *site) owner(name string) string {
	f := c.src.builtin(c.raw, 0)
	if f.Type == "" {
		return ownerOf(name)
	}
	return f.Type
}

// builtin explains an error thrown by the built-in name.
func (c *site) builtin(name string) {
	m := c.message
	switch m {
	case "not a function":
		c.notCallable(name)
	case "not an object", "not a object", "not a prototype":
		c.notObject(name)
	case "value is not iterable":
		v := Value{"object", "#<Object>"}
		if known, ok := c.arg(0); ok {
			v = known
		}
		c.set(v.described(), noSymbol)
	case "cannot read property 'Symbol.iterator' of undefined":
		if name == "fromEntries" {
			c.set("undefined is not iterable")
			return
		}
		c.set("undefined", noSymbol)
	case "cannot read property 'Symbol.iterator' of null":
		c.set("object null", noSymbol)
	case "must be called with new", "constructor requires 'new'":
		if name == "Promise" {
			c.set("Promise constructor cannot be invoked without 'new'")
			return
		}
		c.set("Constructor ", name, " requires 'new'")
	case "invalid number of digits":
		c.digits(name)
	case "invalid repeat count":
		if v, ok := c.arg(0); ok && v.Type == "number" && !strings.HasPrefix(v.Text, "-") && v.Text != "Infinity" {
			c.set("Invalid string length")
			return
		}
		c.set("Invalid count value: ", c.argText(0, "-1"))
	case "invalid code point":
		c.set("Invalid code point ", c.argText(0, "-1"))
	case "invalid array index", "invalid array buffer length", "invalid length", "invalid offset", "invalid byteOffset", "invalid byteLength", "invalid byteOffset or byteLength":
		c.buffer(name)
	case "invalid bigint literal", "cannot convert to BigInt", "cannot convert to bigint":
		c.set("Cannot convert ", c.argText(0, "undefined"), " to a BigInt")
	case "cannot convert to BigInt: not an integer", "cannot convert NaN or Infinity to BigInt":
		c.set("The number ", c.argText(0, "NaN"), " cannot be converted to a BigInt because it is not an integer")
	case "cannot convert bigint to number":
		c.set("Cannot convert a BigInt value to a number")
	case "not a symbol":
		if name == "keyFor" {
			c.set(c.argText(0, "undefined"), " is not a symbol")
			return
		}
		c.set("Symbol.prototype.", strings.TrimPrefix(name, "get "), " requires that 'this' be a Symbol")
	case "not a number", "not a boolean", "not a string", "not a BigInt":
		class := strings.ToUpper(m[6:7]) + m[7:]
		c.set(class, ".prototype.", name, " requires that 'this' be a ", class)
	case "not a Date object":
		c.set("this is not a Date object.")
	case "null or undefined are forbidden":
		c.set("String.prototype.", name, " called on null or undefined")
	case "cannot convert to object":
		c.toObject(name)
	case "regexp must have the 'g' flag":
		c.set("String.prototype.", name, " called with a non-global RegExp argument")
	case "regexp not supported":
		c.set("First argument to String.prototype.", name, " must not be a regular expression")
	case "property is not configurable", "not configurable":
		c.set("Cannot redefine property: ", c.argText(1, "undefined"))
	case "invalid getter":
		c.set("Getter must be a function: ", "undefined")
	case "invalid setter":
		c.set("Setter must be a function: ", "undefined")
	case "cannot have setter/getter and value or writable":
		c.set("Invalid property descriptor. Cannot both specify accessors and a value or writable attribute, #<Object>")
	case "object is not extensible":
		c.notExtensible(name)
	case "could not delete property":
		c.set("Cannot delete property '", c.argText(1, "0"), "' of ", "[object Array]")
	case "invalid target":
		c.invalidTarget(name)
	case "argument must be a function":
		c.set(name, ": cleanup must be callable")
	case ".size is not a number":
		c.set("Set.prototype.", name, " argument must be an object")
	case "array buffer is not resizable":
		c.set("Method ArrayBuffer.prototype.", name, " called on incompatible receiver #<ArrayBuffer>")
	default:
		c.builtinText(name)
	}
}

// builtinText explains the messages of built-ins that hold words of their own.
func (c *site) builtinText(name string) {
	m := c.message
	switch {
	case c.name == "SyntaxError" && name == "RegExp":
		c.regexp()
	case strings.HasSuffix(m, " object expected"):
		class := strings.TrimSuffix(m, " object expected")
		if name == "DataView" {
			c.set("First argument to DataView constructor must be an ArrayBuffer")
			return
		}
		c.set("Method ", class, ".prototype.", name, " called on incompatible receiver ", "#<Object>")
	case strings.HasPrefix(m, "'") && strings.HasSuffix(m, "' is read-only"):
		c.set("Cannot assign to read only property '", quoted(m), "' of object '[object Array]'")
	case strings.HasSuffix(m, "is not a constructor"):
		if strings.HasPrefix(m, " ") {
			c.set("() => {} is not a constructor")
		}
	default:
		c.plain()
	}
}

// notCallable explains a callback that is no function.
func (c *site) notCallable(name string) {
	i := 0
	switch name {
	case "Promise":
		c.set("Promise resolver ", c.argText(0, "undefined"), " is not a function")
		return
	case "sort", "toSorted":
		c.set("The comparison function must be either a function or undefined: ", c.argText(0, "undefined"))
		return
	case "apply", "call":
		v, _ := c.arg(0)
		c.set("Function.prototype.", name, " was called on ", v.Text, ", which is a ", v.Type, " and not a function")
		return
	case "from", "groupBy":
		i = 1
	}
	v, known := c.arg(i)
	if !known {
		c.set("undefined is not a function")
		return
	}
	if name == "groupBy" {
		c.set(v.Text, " is not a function")
		return
	}
	c.set(v.described(), " is not a function")
}

// notObject explains an argument that should have been an object.
func (c *site) notObject(name string) {
	switch name {
	case "Map", "fromEntries", "WeakMap":
		c.set("Iterator value ", c.argText(-1, "undefined"), " is not an entry object")
	case "Proxy":
		c.set("Cannot create proxy with a non-object as target or handler")
	case "defineProperty":
		if v, ok := c.arg(0); c.owner(name) == "Object" && ok && (v.Type == "object" || v.Type == "function") {
			c.set("Property description must be an object: ", c.argText(2, "undefined"))
			return
		}
		c.set(c.owner(name), ".", name, " called on non-object")
	case "setPrototypeOf", "create":
		if v, ok := c.arg(0); name == "setPrototypeOf" && ok && (v.Type == "undefined" || v.Type == "null") {
			c.set("Object.setPrototypeOf called on null or undefined")
			return
		}
		i := 1
		if name == "create" {
			i = 0
		}
		c.set("Object prototype may only be an Object or null: ", c.argText(i, "undefined"))
	case "resolve", "reject":
		c.set("PromiseResolve called on non-object")
	case "construct":
		c.set(c.argText(0, "undefined"), " is not a constructor")
	case "getPrototypeOf":
		if c.owner(name) == "Object" {
			c.set("Cannot convert undefined or null to object")
			return
		}
		c.set("Reflect.getPrototypeOf called on non-object")
	case "parse", "stringify":
		c.plain()
	default:
		c.set(c.owner(name), ".", name, " called on non-object")
	}
}

// toObject explains undefined or null where an object was needed.
func (c *site) toObject(name string) {
	owner := c.owner(name)
	receiver := len(c.raw) > 1 && c.raw[1].native && (c.raw[1].name == "call" || c.raw[1].name == "apply")
	if receiver && (owner == "Array" || owner == "String") {
		if t := c.src.tokenOf(&c.raw[min(2, len(c.raw)-1)]); t >= 5 && c.code().is(t-1, c.raw[1].name) {
			if kind := c.prototypeOf(t - 5); kind != "" {
				owner = kind
			}
		}
		c.set(owner, ".prototype.", name, " called on null or undefined")
		return
	}
	c.set("Cannot convert undefined or null to object")
}

// prototypeOf is the class whose prototype is named at token i, or that of the
// literal there.
func (c *site) prototypeOf(i int32) string {
	s := c.code()
	if s.is(i, "prototype") && i >= 2 {
		return s.text(i - 2)
	}
	return c.src.literalClass(i)
}

// digits explains an argument of a number's formatting out of its range.
func (c *site) digits(name string) {
	switch name {
	case "toPrecision":
		c.set("toPrecision() argument must be between 1 and 100")
	case "toExponential":
		c.set("toExponential() argument must be between 0 and 100")
	default:
		c.set(name, "() digits argument must be between 0 and 100")
	}
}

// buffer explains lengths and offsets of buffers and typed arrays.
func (c *site) buffer(name string) {
	m := c.message
	switch {
	case m == "invalid array buffer length":
		c.set("Array buffer allocation failed")
	case name == "ArrayBuffer":
		c.set("Invalid array buffer length")
	case name == "with":
		c.set("Invalid typed array index")
	case name == "asIntN" || name == "asUintN":
		c.set("Invalid value: not (convertible to) a safe integer")
	case m == "invalid length":
		c.set("byte length of ", name, " should be a multiple of ", elementSize(name))
	case m == "invalid offset" || m == "invalid byteOffset":
		if size := elementSize(name); size != "1" && name != "DataView" {
			c.set("start offset of ", name, " should be a multiple of ", size)
			return
		}
		c.set("Start offset ", c.argText(1, "0"), " is outside the bounds of the buffer")
	case strings.HasSuffix(name, "Array") && constructor(name):
		c.set("Invalid typed array length: ", c.argText(0, "-1"))
	default:
		c.set("Offset is outside the bounds of the DataView")
	}
}

// elementSize is how many bytes an element of the typed array class takes.
func elementSize(class string) string {
	switch {
	case strings.Contains(class, "64"):
		return "8"
	case strings.Contains(class, "32"):
		return "4"
	case strings.Contains(class, "16"):
		return "2"
	}
	return "1"
}

// notExtensible explains a property that cannot be added.
func (c *site) notExtensible(name string) {
	switch name {
	case "defineProperty":
		c.set("Cannot define property ", c.argText(1, "undefined"), ", object is not extensible")
	case "setPrototypeOf":
		c.set(c.argText(0, "#<Object>"), " is not extensible")
	default:
		key := "0"
		if t := c.src.tokenOf(&c.raw[min(1, len(c.raw)-1)]); t >= 0 {
			key = c.lengthOf(t)
		}
		c.set("Cannot add property ", key, ", object is not extensible")
	}
}

// lengthOf guesses the length of the array whose method is called at token t,
// from the literal that its variable was declared with.
func (c *site) lengthOf(t int32) string {
	s := c.code()
	if t < 3 || s.toks[t-3].kind != ident {
		return "0"
	}
	i, ok := c.src.initial(s.text(t - 3))
	if !ok || !s.is(i, "[") {
		return "0"
	}
	end, count := s.toks[i].closing(i), 0
	for k := i + 1; k < end && count < reach; k = s.exprEnd(k, false) + 2 {
		count++
	}
	return itoa(count)
}

// invalidTarget explains what a weak reference cannot hold.
func (c *site) invalidTarget(name string) {
	if name == "register" {
		c.set("FinalizationRegistry.prototype.register: invalid target")
		return
	}
	c.set(name, ": invalid target")
}
