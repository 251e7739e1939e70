package v8err

// fn is what the source tells about a function.
type fn struct {
	name      string // key or name in the source; "" if it has none
	owner     string // class that declares it as a method; "Object" in a literal
	generator bool
	property  bool // an anonymous function that is a property's value
	inits     bool // no function of the source: a class's field initialisers
	static    bool // those of the class itself
	assigned  string
}

// functionAt is the innermost function with braces around f's position. Arrow
// functions without braces are not seen: callers compare names.
func (s *Source) functionAt(f *rawFrame) fn {
	t := s.tokenOf(f)
	if t < 0 {
		return fn{}
	}
	c := s.code
	for i, depth := t, 0; i >= 0 && depth < reach; i, depth = c.toks[i].up, depth+1 {
		if !c.is(i, "{") {
			continue
		}
		if i == t {
			continue
		}
		if class, ok := c.classOf[i]; ok {
			return s.initialiser(t, i, class)
		}
		if c.is(i-1, "=>") {
			return s.arrow(i - 1)
		}
		if c.is(i-1, "static") && c.toks[i].up >= 0 && c.toks[c.toks[i].up].mark&isClass != 0 {
			return fn{inits: true, static: true}
		}
		if c.is(i-1, ")") && c.toks[i-1].mate > 0 {
			if out, ok := s.header(c.toks[i-1].mate); ok {
				return out
			}
		}
	}
	return fn{}
}

// initialiser is the code of a field in the class body that opens at token open.
func (s *Source) initialiser(t, open, class int32) fn {
	c := s.code
	if t == c.toks[open].mate || t == class {
		return fn{}
	}
	for i, depth := t, 0; i > open && depth < reach; i, depth = c.toks[i].up, depth+1 {
		if c.toks[i].up == open && c.is(i, "[") && !c.suffix(i) {
			return fn{} // a computed name
		}
	}
	static := false
	for i, steps := t, 0; i > open && steps < reach; i, steps = i-1, steps+1 {
		if m := c.toks[i].mate; m > open && m < i {
			i = m
		}
		if c.is(i, "static") && c.toks[i].up == open {
			static = true
			break
		}
		if c.is(i, ";") && c.toks[i].up == open {
			break
		}
	}
	return fn{inits: true, static: static}
}

// arrow is the arrow function with its arrow at token i.
func (s *Source) arrow(i int32) fn {
	c := s.code
	start := i - 1
	if c.is(start, ")") && c.toks[start].mate >= 0 {
		start = c.toks[start].mate
	}
	if c.is(start-1, "async") {
		start--
	}
	return s.valueOf(start, fn{})
}

// header is the function or method whose parameters open at token p.
func (s *Source) header(p int32) (fn, bool) {
	c := s.code
	i := p - 1
	if i < 0 {
		return fn{}, false
	}
	if c.toks[i].kind == keyword && (controlWord(c.text(i)) || c.is(i, "switch") || c.is(i, "catch")) && !c.afterDot(i) {
		return fn{}, false
	}
	var out fn
	name := i
	if c.is(i, "*") || c.is(i, "function") && c.toks[i].kind == keyword {
		name = -1
	} else {
		out.name = c.memberName(i)
		if c.is(i, "]") {
			i = c.toks[i].mate
		}
		i--
	}
	if c.is(i, "*") {
		out.generator = true
		i--
	}
	if c.is(i, "function") {
		if c.is(i-1, "async") {
			i--
		}
		return s.valueOf(i, out), true
	}
	if name < 0 {
		return out, false
	}
	up := c.toks[p].up
	if class, ok := c.classOf[up]; ok {
		out.owner = s.className(class)
	} else if up >= 0 && c.is(up, "{") && c.toks[up].mark == 0 {
		out.owner = "Object"
	}
	return out, true
}

// memberName is the key that token i ends.
func (s *scanner) memberName(i int32) string {
	if s.is(i, "]") {
		return ""
	}
	if i >= 0 && s.toks[i].kind == str {
		return literal(s.text(i))
	}
	return s.text(i)
}

// valueOf adds to out where the function that begins at token i is put.
func (s *Source) valueOf(i int32, out fn) fn {
	c := s.code
	switch {
	case c.is(i-1, ":") && i >= 2:
		if up := c.toks[i-1].up; up >= 0 && c.is(up, "{") && c.toks[up].mark == 0 {
			out.owner, out.property = "Object", true
			if out.name == "" {
				out.name = c.memberName(i - 2)
			}
		}
	case c.is(i-1, "="):
		up := c.toks[i-1].up
		if class, ok := c.classOf[up]; ok {
			out.owner, out.property = s.className(class), true
			out.name = c.memberName(i - 2)
			return out
		}
		if c.afterDot(i-2) && out.name == "" {
			out.assigned = s.assignedName(i - 2)
		}
	}
	return out
}

// assignedName is how V8 calls an anonymous function assigned to the property
// whose name is token i: by the last two names, less "prototype".
func (s *Source) assignedName(i int32) string {
	c := s.code
	name, owner := c.text(i), i-2
	if c.is(owner, "prototype") && c.afterDot(owner) {
		owner -= 2
	}
	if owner < 0 || c.toks[owner].kind != ident && !c.is(owner, "this") {
		return name
	}
	if c.is(owner, "this") {
		return name
	}
	return c.text(owner) + "." + name
}

// className is the name of the class whose "class" is token i: its own or that
// of the variable it is put in; "Object" if it has none.
func (s *Source) className(i int32) string {
	c := s.code
	if int(i)+1 < len(c.toks) && c.toks[i+1].kind == ident {
		return c.text(i + 1)
	}
	if c.is(i-1, "=") && i >= 2 && c.toks[i-2].kind == ident {
		return c.text(i - 2)
	}
	return "Object"
}

// function names the frame of a function of the program. caller is the frame
// that it returns to, nil if none is known.
func (s *Source) function(f, caller *rawFrame) Frame {
	out := Frame{Func: f.name, File: f.file}
	if f.file != s.file {
		return out
	}
	def := s.functionAt(f)
	if def.inits && f.name == "" {
		out.Func = "<instance_members_initializer>"
		if def.static {
			out.Func = "<static_initializer>"
		}
		return out
	}
	if t := s.tokenOf(f); t >= 0 && s.defaultConstructor(t) {
		out.New = true
		return out
	}
	if caller != nil && caller.native && (caller.name == "call" || caller.name == "apply") {
		return out
	}
	if caller == nil || caller.native {
		s.bound(&out, def, caller)
		return out
	}
	t := s.tokenOf(caller)
	if t < 0 {
		return out
	}
	if s.code.is(t, "return") {
		if call := s.tailCall(t, f.name); call >= 0 {
			t = call
		}
	}
	s.called(&out, def, t)
	return out
}

// bound names a function that a built-in or nobody has called.
func (s *Source) bound(out *Frame, def fn, caller *rawFrame) {
	switch {
	case caller != nil && out.Func == "" && (caller.name == "parse" || caller.name == "stringify"):
		out.Type = "Object"
	case caller != nil && (caller.name == "next" || !implicit(out.Func)):
		if out.Func == "" && def.assigned != "" {
			out.Func = def.assigned
		}
	case def.owner != "" && def.name == out.Func && isName(out.Func):
		out.Type = def.owner
	}
}

// implicit reports whether built-ins call the method name on their own.
func implicit(name string) bool {
	switch name {
	case "toString", "valueOf", "toJSON", "then", "next", "return":
		return true
	}
	return false
}

// called names a function by the operation at token t that has called it.
func (s *Source) called(out *Frame, def fn, t int32) {
	c := s.code
	if c.is(t, "(") && c.newOf(t) >= 0 || s.defaultConstructor(t) || c.is(t, "(") && c.is(t-1, "super") {
		out.New = true
		return
	}
	if !c.is(t, "(") && c.newOf(t) >= 0 && out.Func != "" && !implicit(out.Func) {
		out.New = true
		return
	}
	if out.Func != "" && !isName(out.Func) {
		return
	}
	if out.Func == "" && def.assigned != "" {
		out.Func = def.assigned
		return
	}
	if implicit(out.Func) && def.owner != "" && def.name == out.Func && !c.is(t-1, out.Func) {
		out.Type = def.owner // called by a built-in that has no frame
		return
	}
	if !c.is(t, "(") || !c.suffix(t) {
		if def.owner != "" && def.name == out.Func {
			out.Type = def.owner
		}
		return
	}
	name := t - 1
	if c.is(name, "?.") {
		name--
	}
	if !c.afterDot(name) {
		if out.Func == "apply" && c.text(name) != "apply" && def.owner != "" {
			out.Type = def.owner
		}
		return
	}
	method := c.text(name)
	if c.toks[name].kind == private {
		return
	}
	if (method == "call" || method == "apply") && method != out.Func {
		out.Type = s.passed(t)
		return
	}
	out.Type = s.receiver(name-2, def)
	if method != out.Func {
		out.Method = method
	}
}

// passed is the class of the literal that is the first argument of the call at
// token t, "" if it is none.
func (s *Source) passed(t int32) string {
	c := s.code
	if int(t)+1 >= len(c.toks) || c.is(t+1, ")") {
		return ""
	}
	if c.is(t+1, "{") {
		return "Object"
	}
	return s.literalClass(c.forward(t + 1))
}

// receiver guesses the class of the object that the expression ending at token
// i yields, where a method of def was called on it.
func (s *Source) receiver(i int32, def fn) string {
	c := s.code
	if ch, ok := c.before(i); ok {
		switch {
		case c.is(ch.start, "new") && ch.calls <= ch.news && ch.news == 1 && (c.is(i, ")") || i == ch.primary):
			if c.toks[ch.primary].kind == ident && (i == ch.primary || c.is(ch.primary+1, "(")) {
				return c.text(ch.primary)
			}
		case ch.start == i && c.toks[i].kind == ident:
			if class := s.classMade(c.text(i)); class != "" && def.owner != "Object" {
				return class
			}
		case ch.start == i && (c.is(i, "this") || c.is(i, "super")):
			if def.owner != "" {
				return def.owner + sameReceiver
			}
			return "Object" + sameReceiver
		}
	}
	if def.owner != "" {
		return def.owner
	}
	return "Object"
}

// sameReceiver marks a guessed class that gives way to that of the calling
// frame, whose "this" is the same object.
const sameReceiver = "\x00"

// inherit replaces the marked classes.
func (s *Source) inherit(frames []Frame) {
	for i := len(frames) - 1; i >= 0; i-- {
		t := frames[i].Type
		if n := len(t); n == 0 || t[n-1:] != sameReceiver {
			continue
		}
		frames[i].Type = t[:len(t)-1]
		for j := i + 1; j < len(frames); j++ {
			if frames[j].New && frames[j].Func != "" {
				frames[i].Type = s.constructed(frames, j)
			} else if frames[j].Type != "" && !frames[j].Native() {
				frames[i].Type = frames[j].Type
			} else if frames[j].Native() || frames[j].Func == "" {
				if j+1 < len(frames) && i == j-1 {
					continue
				}
			}
			break
		}
	}
}

// constructed is the class of the object that the constructor frame j works on:
// that of the outermost constructor.
func (s *Source) constructed(frames []Frame, j int) string {
	for j+1 < len(frames) && frames[j+1].New {
		j++
	}
	return frames[j].Func
}

// staticBlock reports whether raw frame i is QuickJS's extra frame between a
// static block and its class.
func (s *Source) staticBlock(raw []rawFrame, i int) bool {
	if i == 0 || i+1 >= len(raw) || raw[i].name != "" || raw[i-1].name != "" || raw[i].native || raw[i-1].native {
		return false
	}
	def := s.functionAt(&raw[i-1])
	return def.inits && def.static && raw[i].line == raw[i+1].line && raw[i].col == raw[i+1].col
}
