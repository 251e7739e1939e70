package v8err

import "strings"

// assign puts the position at the assignment to the property accessed at token
// t, and returns the property's key.
func (c *site) assign(t int32) (string, bool) {
	s := c.code()
	t = s.assigned(t, quoted(c.message))
	if !s.is(t, ".") && !s.is(t, "[") && !s.is(t, "?.") {
		if (s.is(t, "++") || s.is(t, "--")) && t > 0 && s.afterDot(t-1) {
			return s.text(t - 1), true
		}
		if s.assignment(t) && t > 0 {
			if s.afterDot(t - 1) {
				return s.text(t - 1), true
			}
			if s.is(t-1, "]") && s.toks[t-1].mate > 0 {
				return c.key(s.toks[t-1].mate)
			}
		}
		return "", false
	}
	key, ok := c.key(t)
	end := t + 1
	if s.is(t, "[") {
		end = s.toks[t].closing(t)
	}
	switch {
	case s.assignment(end + 1):
		c.pos = int(s.toks[end+1].start)
	case s.is(t, ".") && s.afterDot(t-1):
		c.pos = int(s.propPos(t - 2)) // the target of a pattern
	}
	return key, ok
}

// assigned is the access that is assigned to when QuickJS's position is token
// t: it may lie in the assigned value. key is the property's key, if known.
func (s *scanner) assigned(t int32, key string) int32 {
	if s.is(t, ".") || s.is(t, "?.") || s.is(t, "[") {
		end := t + 1
		if s.is(t, "[") {
			end = s.toks[t].closing(t)
		}
		if s.assignment(end+1) && (key == "" || s.is(t, "[") || s.text(end) == key) || s.is(end+1, "++") || s.is(end+1, "--") {
			return t
		}
	}
	if s.is(t, "++") || s.is(t, "--") || s.assignment(t) {
		return t
	}
	for j := t; j > 1 && j > t-200; j-- {
		if s.is(j, ";") || s.toks[j].kind == punct && s.toks[j].mark&isBlock != 0 {
			break
		}
		if m := s.toks[j].mate; m >= 0 && m < j {
			j = m
			continue
		}
		if !s.assignment(j) {
			continue
		}
		if s.afterDot(j-1) && (key == "" || s.text(j-1) == key) {
			return j - 2
		}
		if m := s.toks[j-1].mate; s.is(j-1, "]") && m > 0 && s.suffix(m) {
			return m
		}
	}
	return t
}

// write explains setting a property of undefined or null at token t.
func (c *site) write(t int32) bool {
	m := c.message
	of := m[strings.LastIndexByte(m, ' ')+1:]
	key := quoted(m)
	at, ok := c.assign(t)
	if key == "" && ok {
		key = at
	}
	if key == "" {
		return c.set("Cannot set properties of ", of)
	}
	return c.set("Cannot set properties of ", of, " (setting '", key, "')")
}

// writePrimitive explains setting a property of a primitive value at token t.
func (c *site) writePrimitive(t int32) bool {
	s := c.code()
	if of := s.afterFor(t); of >= 0 && !s.is(t, ".") {
		return c.set("Result of the Symbol.iterator method is not an object")
	}
	key, ok := c.assign(t)
	if !ok {
		return false
	}
	t = s.assigned(t, "")
	ch, ok := s.before(t - 1)
	if !ok {
		return false
	}
	v, ok := c.literalValue(ch.start, t-1)
	if !ok {
		return false
	}
	if v.Type == "string" && key != "" && (isDigit(key[0]) || key == "length") {
		return c.set("Cannot assign to read only property '", key, "' of string '", v.Text, "'")
	}
	return c.set("Cannot create property '", key, "' on ", v.Type, " '", v.Text, "'")
}

// literalValue is the value of an expression that is a literal or a variable
// whose value the engine knows.
func (c *site) literalValue(from, to int32) (Value, bool) {
	s := c.code()
	for from < to && s.is(from, "(") && s.toks[from].closing(from) == to {
		from, to = from+1, to-1
	}
	if from != to {
		if path := s.path(from, to); path != "" && c.in.Var != nil {
			return c.in.Var(path)
		}
		return Value{}, false
	}
	w := s.text(from)
	switch s.toks[from].kind {
	case str, template:
		return Value{"string", literal(w)}, true
	case number:
		if strings.HasSuffix(w, "n") {
			return Value{"bigint", numberText(w)}, true
		}
		return Value{"number", numberText(w)}, true
	case keyword:
		if w == "true" || w == "false" {
			return Value{"boolean", w}, true
		}
		if w == "null" {
			return Value{"null", w}, true
		}
	case ident:
		if w == "undefined" {
			return Value{"undefined", w}, true
		}
		if c.in.Var != nil {
			return c.in.Var(w)
		}
	}
	return Value{}, false
}

// readOnly explains writing what must not be written: a constant, a property
// or a private method called name, at token t.
func (c *site) readOnly(t int32, name string) bool {
	s := c.code()
	if strings.HasPrefix(name, "#") {
		if _, ok := c.assign(t); ok {
			c.pos = int(s.propPos(t))
			if c.accessor(t, name) {
				return c.set("'", name, "' was defined without a setter")
			}
			return c.set("Private method '", name, "' is not writable")
		}
	}
	if key, ok := c.assign(t); ok || key != "" {
		t = s.assigned(t, name)
		if v, known := c.literalValueBefore(t); known && v.Type == "string" {
			return c.set("Cannot assign to read only property '", name, "' of string '", v.Text, "'")
		}
		return c.set("Cannot assign to read only property '", name, "' of object '", c.objectText(t, name), "'")
	}
	switch {
	case s.assignment(t + 1):
		c.pos = int(s.toks[t+1].start)
	case s.is(t, "--") || s.is(t, "++"):
		if s.is(t+1, name) && !s.is(t-1, name) {
			c.pos = int(s.toks[t+1].start)
		}
	case !s.is(t, name) && !s.assignment(t):
		for i := t; i > 0 && i > t-60; i-- {
			if s.assignment(i) && s.is(i-1, name) && !s.afterDot(i-1) {
				c.pos = int(s.toks[i].start)
				return c.set("Assignment to constant variable.")
			}
		}
		if i := s.nextName(t, name); i >= 0 {
			c.pos = int(s.toks[i].start)
		}
	}
	if name == "undefined" || name == "NaN" || name == "Infinity" {
		return c.set("Cannot assign to read only property '", name, "' of object '#<Object>'")
	}
	return c.set("Assignment to constant variable.")
}

// literalValueBefore is the value of the object accessed at token t.
func (c *site) literalValueBefore(t int32) (Value, bool) {
	ch, ok := c.code().before(t - 1)
	if !ok {
		return Value{}, false
	}
	return c.literalValue(ch.start, t-1)
}

// objectText is how V8 prints the object accessed at token t.
func (c *site) objectText(t int32, key string) string {
	s := c.code()
	if ch, ok := s.before(t - 1); ok && ch.start == t-1 && c.in.Var != nil {
		if v, ok := c.in.Var(s.text(t - 1)); ok {
			return v.Text
		}
	}
	if key != "" && isDigit(key[0]) {
		return "[object Array]"
	}
	if key == "prototype" && t > 0 && constructor(s.text(t-1)) {
		return "function " + s.text(t-1) + "() { [native code] }"
	}
	return "#<" + c.ownerClass(t) + ">"
}

// ownerClass guesses the class of the object accessed at token t.
func (c *site) ownerClass(t int32) string {
	s := c.code()
	if s.is(t, "++") || s.is(t, "--") || s.assignment(t) {
		t -= 2
	}
	ch, ok := s.before(t - 1)
	switch {
	case !ok:
	case ch.news == 1 && ch.calls <= 1 && (s.is(t-1, ")") || ch.primary == t-1):
		return s.text(ch.primary)
	case ch.start == t-1 && s.is(t-1, "this"):
		if def := c.src.functionAt(&c.raw[0]); def.owner != "" {
			return def.owner
		}
	case ch.start == t-1:
		if class := c.src.classMade(s.text(t - 1)); class != "" {
			return class
		}
	}
	return "Object"
}

// accessor reports whether the class around token t declares name as a getter.
func (c *site) accessor(t int32, name string) bool {
	s := c.code()
	for up := s.toks[t].up; up >= 0; up = s.toks[up].up {
		if s.toks[up].mark&isClass == 0 {
			continue
		}
		for i := up + 1; i < s.toks[up].closing(up); i = s.toks[i].closing(i) + 1 {
			if s.is(i, name) && s.is(i-1, "get") {
				return true
			}
		}
	}
	return false
}

// nextName is the next token from t on that is the variable name; -1 if there
// is none nearby.
func (s *scanner) nextName(t int32, name string) int32 {
	for i := t; int(i) < len(s.toks) && i < t+200; i++ {
		if s.toks[i].kind == ident && !s.afterDot(i) && s.text(i) == name {
			return i
		}
	}
	return -1
}

// deletion explains a property that cannot be deleted; QuickJS points behind it.
func (c *site) deletion(t int32) bool {
	s := c.code()
	del := s.deleteAt(t)
	if del < 0 {
		return false
	}
	c.pos = int(c.src.statementOr(del))
	key, ok := c.key(t)
	if !ok {
		return false
	}
	return c.set("Cannot delete property '", key, "' of ", c.objectText(t, ""))
}

// deleteAt is the "delete" of the property accessed at token t; -1 if it is
// not being deleted.
func (s *scanner) deleteAt(t int32) int32 {
	if !s.is(t, ".") && !s.is(t, "[") && !s.is(t, "?.") {
		return -1
	}
	ch, ok := s.before(t - 1)
	if !ok || !s.is(ch.start-1, "delete") {
		return -1
	}
	return ch.start - 1
}

// privateAccess explains a private member that the object lacks.
func (c *site) privateAccess(t int32, name string) bool {
	s := c.code()
	if name == "" {
		c.readPos(t)
		if int(t)+1 < len(s.toks) {
			for up := s.toks[t].up; up >= 0; up = s.toks[up].up {
				if class, ok := s.classOf[up]; ok {
					return c.set("Receiver must be an instance of class ", c.src.className(class))
				}
			}
		}
		return false
	}
	if s.assignment(t+2) && s.is(t+2, "=") {
		c.pos = int(s.toks[t+2].start)
		return c.set("Cannot write private member ", name, " to an object whose class did not declare it")
	}
	c.readPos(t)
	return c.set("Cannot read private member ", name, " from an object whose class did not declare it")
}

// parentClass explains a class that extends what is none.
func (c *site) parentClass(t int32) bool {
	s := c.code()
	for i := t; i >= 0 && int(i) < len(s.toks) && i < t+100; i++ {
		if !s.is(i, "extends") && !s.is(i-1, "extends") {
			continue
		}
		from := i
		if s.is(i, "extends") {
			from++
		}
		to := from
		for int(to)+1 < len(s.toks) && s.toks[to+1].mark&isClass == 0 {
			to = s.toks[to].closing(to) + 1
		}
		text := "undefined"
		if v, ok := c.literalValue(from, to); ok {
			text = v.Text
		}
		return c.set("Class extends value ", text, " is not a constructor or null")
	}
	return false
}

// relation explains the operand of "in" or "instanceof" at token t.
func (c *site) relation(t int32) bool {
	s := c.code()
	if s.is(t, "instanceof") {
		v, ok := c.literalValue(t+1, s.forward(t+1))
		if ok && v.Type != "object" && v.Type != "function" {
			return c.set("Right-hand side of 'instanceof' is not an object")
		}
		return c.set("Right-hand side of 'instanceof' is not callable")
	}
	if s.is(t-1, "in") {
		t--
		c.pos = int(s.toks[t].start)
	}
	if !s.is(t, "in") {
		return false
	}
	left, right := "", ""
	if s.toks[t-1].kind == private {
		left = s.text(t - 1)
	} else if ch, ok := s.before(t - 1); ok {
		if v, ok := c.literalValue(ch.start, t-1); ok {
			left = v.Text
		} else {
			return false
		}
	}
	if v, ok := c.literalValue(t+1, s.forward(t+1)); ok {
		right = v.Text
	} else {
		return c.set("Cannot use 'in' operator to search for '", left, "' in undefined")
	}
	return c.set("Cannot use 'in' operator to search for '", left, "' in ", right)
}
