package v8err

import "strings"

// located explains an error thrown by the program's code at token t, and
// reports whether it could.
func (c *site) located(t int32) bool {
	m := c.message
	switch {
	case m == "not a function":
		return c.notFunction(t)
	case strings.HasSuffix(m, "not a constructor"):
		return c.notConstructor(t)
	case strings.HasPrefix(m, "cannot read property 'Symbol.iterator' of "):
		return c.notIterable(t, m[len("cannot read property 'Symbol.iterator' of "):])
	case m == "value is not iterable":
		return c.notIterable(t, "")
	case strings.HasPrefix(m, "cannot read property"):
		return c.read(t)
	case strings.HasPrefix(m, "cannot set property"):
		return c.write(t)
	case m == "not an object":
		return c.writePrimitive(t)
	case strings.HasPrefix(m, "'") && strings.HasSuffix(m, "' is not defined"):
		name := m[1 : len(m)-len("' is not defined")]
		c.variable(t, name)
		return c.set(name, " is not defined")
	case strings.HasSuffix(m, " is not initialized"):
		return c.uninitialised(t, strings.TrimSuffix(m, " is not initialized"))
	case m == "'this' can be initialized only once":
		return c.set("Super constructor may only be called once")
	case strings.HasSuffix(m, "' is read-only"):
		return c.readOnly(t, m[1:len(m)-len("' is read-only")])
	case m == "cannot convert to object":
		return c.destructure(t)
	case m == "object is not extensible":
		if key, ok := c.assign(t); ok {
			return c.set("Cannot add property ", key, ", object is not extensible")
		}
	case m == "no setter for property":
		if key, ok := c.assign(t); ok {
			return c.set("Cannot set property ", key, " of #<", c.ownerClass(c.code().assigned(t, "")), "> which has only a getter")
		}
	case m == "proxy: cannot set property":
		if key, ok := c.assign(t); ok {
			return c.set("'set' on proxy: trap returned falsish for property '", key, "'")
		}
	case m == "invalid array length":
		for i := t; i > 0 && i > t-10; i-- {
			if s := c.code(); s.is(i, "length") && s.assignment(i+1) {
				c.pos = int(s.toks[i+1].start)
				break
			}
		}
	case m == "could not delete property":
		return c.deletion(t)
	case m == "class constructors must be invoked with 'new'":
		c.classCall = true
		name := c.raw[0].name
		return c.set("Class constructor ", name, " cannot be invoked without 'new'")
	case m == "invalid brand on object":
		return c.privateAccess(t, "")
	case strings.HasPrefix(m, "private class field '"):
		return c.privateAccess(t, strings.TrimSuffix(strings.TrimPrefix(m, "private class field '"), "' does not exist"))
	case m == "parent class must be constructor":
		return c.parentClass(t)
	case m == "derived class constructor must return an object or undefined":
		c.classCall = true
		return c.set("Derived constructors may only return object or undefined")
	case strings.HasPrefix(m, "invalid 'in"):
		return c.relation(t)
	}
	return false
}

// code is the scanned text.
func (c *site) code() *scanner { return c.src.code }

// notFunction names what was called at token t.
func (c *site) notFunction(t int32) bool {
	s := c.code()
	if s.is(t, "return") {
		if call := c.src.tailCall(t, ""); call >= 0 {
			t = call
		}
	}
	if n := s.newOf(t); n >= 0 {
		return c.notConstructor(t)
	}
	tok := s.toks[t]
	switch {
	case s.is(t, "(") && s.suffix(t), tok.kind == template || tok.kind == tmplHead:
	case s.is(t, "?."):
		t++
	default:
		return c.notIterator(t)
	}
	callee := t - 1
	if s.is(callee, "?.") {
		callee--
	}
	ch, ok := s.before(callee)
	if !ok {
		return false
	}
	c.pos = int(s.callPos(t))
	if p := c.arrayPattern(t); p {
		return c.set(s.name(ch.start, callee), " is not a function or its return value is not iterable")
	}
	return c.set(s.name(ch.start, callee), " is not a function")
}

// arrayPattern reports whether the call at token t is all that an array
// pattern or a spread is filled from: V8 then blames both.
func (c *site) arrayPattern(t int32) bool {
	s := c.code()
	ch, ok := s.before(s.toks[t].closing(t))
	if !ok || !s.is(ch.start-1, "=") {
		return false
	}
	next := s.toks[t].closing(t) + 1
	if s.is(next, ".") || s.is(next, "(") || s.is(next, "[") && !s.toks[next].newline {
		return false
	}
	return s.is(ch.start-2, "]") && s.patternEnds(ch.start-2)
}

// patternEnds reports whether the bracket that token i closes is a pattern and
// not a subscript.
func (s *scanner) patternEnds(i int32) bool {
	open := s.toks[i].mate
	return open >= 0 && (!s.suffix(open) || s.is(open-1, "let"))
}

// notIterator explains a missing method of an iterator or a primitive
// conversion, near token t.
func (c *site) notIterator(t int32) bool {
	s := c.code()
	if s.afterFor(t) >= 0 {
		if of := s.afterFor(t); s.is(of, "of") && s.is(s.toks[of].up-1, "await") {
			from, to := of+1, s.toks[s.toks[of].up].closing(s.toks[of].up)-1
			c.pos = int(s.nodePos(from, to))
			return c.set(s.name(from, to), " is not async iterable")
		}
	}
	return c.set("undefined is not a function")
}

// afterFor is the "of" of the for statement whose head holds or follows token
// t; -1 if there is none.
func (s *scanner) afterFor(t int32) int32 {
	head := s.toks[t].up
	if s.is(t, "for") {
		for head = t + 1; int(head) < len(s.toks) && head < t+3 && !s.is(head, "("); {
			head++
		}
	}
	for depth := 0; head >= 0 && depth < reach; depth++ {
		if s.is(head, "(") && (s.is(head-1, "for") || s.is(head-1, "await") && s.is(head-2, "for")) {
			break
		}
		if s.toks[head].mark != 0 {
			return -1
		}
		head = s.toks[head].up
	}
	if head < 0 || int(head) >= len(s.toks) || !s.is(head, "(") {
		return -1
	}
	for j, steps := head+1, 0; j < s.toks[head].closing(head) && steps < reach; j, steps = s.toks[j].closing(j)+1, steps+1 {
		if s.is(j, "of") && s.toks[j].kind == ident && j > head+1 && !s.afterDot(j) && !s.is(j-1, "const") && !s.is(j-1, "let") {
			return j
		}
	}
	return -1
}

// notConstructor names what was constructed with arguments at token t.
func (c *site) notConstructor(t int32) bool {
	s := c.code()
	n := s.newOf(t)
	if n < 0 {
		return false
	}
	ch, _ := s.before(t - 1)
	from := n + 1
	if ch.primary > from {
		from = ch.primary
	}
	c.pos = int(s.toks[n].start)
	return c.set(s.name(from, t-1), " is not a constructor")
}

// read explains reading a property of undefined or null at token t.
func (c *site) read(t int32) bool {
	s := c.code()
	of := c.message[strings.LastIndexByte(c.message, ' ')+1:]
	key := quoted(c.message)
	if strings.HasPrefix(key, "Symbol.") {
		key = "Symbol(" + key + ")"
	}
	if key == "" {
		var ok bool
		if key, ok = c.key(t); !ok {
			c.readPos(t)
			return c.set("Cannot read properties of ", of)
		}
		if key == "Symbol(Symbol.iterator)" {
			c.readPos(t)
			return c.set(of, " is not iterable (cannot read property Symbol(Symbol.iterator))")
		}
	}
	if !s.is(t, ".") && !s.is(t, "[") && !s.is(t, "?.") {
		// A position that is too early: the access follows.
		if at := c.find(t, key); at >= 0 {
			t = at
		}
	}
	c.readPos(t)
	return c.set("Cannot read properties of ", of, " (reading '", key, "')")
}

// find is the next access of the property key from token t on; -1 if there is
// none nearby.
func (c *site) find(t int32, key string) int32 {
	s := c.code()
	for i := t; int(i)+1 < len(s.toks) && i < t+200; i++ {
		if (s.is(i, ".") || s.is(i, "?.")) && s.text(i+1) == key {
			return i
		}
	}
	return -1
}

// readPos is V8's position of the access at token t.
func (c *site) readPos(t int32) {
	s := c.code()
	if s.is(t, ".") || s.is(t, "[") || s.is(t, "?.") {
		end := t + 1
		if s.is(t, "[") {
			end = s.toks[t].closing(t)
		}
		if c.updated(t, end) {
			// Reading before writing has no position of its own: the last
			// operation before it lends one.
			if s.afterDot(t-1) && t >= 2 {
				c.pos = int(s.propPos(t - 2))
			} else {
				c.pos = int(c.src.evalPos(t-1, ""))
			}
			return
		}
		c.pos = int(s.propPos(t))
	}
}

// updated reports whether the property accessed from token t to end is read
// and written at once.
func (c *site) updated(t, end int32) bool {
	s := c.code()
	n := end + 1
	if s.is(n, "++") || s.is(n, "--") {
		return !s.toks[n].newline
	}
	if s.assignment(n) {
		return !s.is(n, "=")
	}
	if ch, ok := s.before(end); ok && ch.start > 0 && ch.news == 0 {
		return s.is(ch.start-1, "++") || s.is(ch.start-1, "--")
	}
	return false
}

// key is the property's key accessed at token t, where the text or the engine
// knows it.
func (c *site) key(t int32) (string, bool) {
	s := c.code()
	if s.is(t, "?.") {
		t++
	}
	if s.is(t, ".") || !s.is(t, "[") {
		if int(t)+1 < len(s.toks) && s.afterDot(t+1) {
			return s.text(t + 1), true
		}
		if s.afterDot(t) {
			return s.text(t), true
		}
		return "", false
	}
	from, to := t+1, s.toks[t].closing(t)-1
	if from == to {
		switch s.toks[from].kind {
		case str, template:
			return literal(s.text(from)), true
		case number:
			return numberText(s.text(from)), true
		case ident:
			return c.variableText(s.text(from))
		}
		return "", false
	}
	if path := s.path(from, to); path != "" && !s.is(from, "Symbol") {
		return c.variableText(path)
	}
	if to == from+2 && s.is(from, "Symbol") && s.is(from+1, ".") {
		return "Symbol(Symbol." + s.text(to) + ")", true
	}
	return "", false
}

// path is an expression that is a variable with names behind it, "a.b.c"; "" if
// it is another.
func (s *scanner) path(from, to int32) string {
	if to-from > 16 || to < from {
		return ""
	}
	path := ""
	for i := from; i <= to; i++ {
		dot := (i-from)%2 == 1
		if dot != s.is(i, ".") || !dot && s.toks[i].kind != ident && i == from {
			return ""
		}
		path += s.text(i)
	}
	return path
}

// variableText is the value at a path as a key.
func (c *site) variableText(path string) (string, bool) {
	if c.in.Var != nil {
		if v, ok := c.in.Var(path); ok {
			return v.Text, true
		}
	}
	return "", false
}

// quoted is the text between the first two apostrophes of m.
func quoted(m string) string {
	_, rest, ok := strings.Cut(m, "'")
	if !ok {
		return ""
	}
	if i := strings.LastIndexByte(rest, '\''); i >= 0 {
		return rest[:i]
	}
	return ""
}
