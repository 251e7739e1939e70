package v8err

// pattern is a destructuring pattern and what it takes apart.
type pattern struct {
	open     int32 // its "{" or "["
	from, to int32 // the value's expression; from is 0 if there is none
	loop     bool  // the target of a for statement
	param    int   // index of the parameter that it is; -1 if it is none
	assign   int32 // "=" of an assignment; -1 in declarations
}

// patternNear is the pattern that failed when QuickJS's position is token t. It
// puts the failure at the last operation before the pattern in the text.
func (s *scanner) patternNear(t int32, bracket string) (pattern, bool) {
	if of := s.afterFor(t); of >= 0 && of < t {
		if p, ok := s.loopTarget(of, bracket); ok {
			return p, true
		}
	}
	for i := t; i >= 0 && int(i) < len(s.toks) && i < t+400; i++ {
		if !s.is(i, bracket) || s.toks[i].mark != 0 || s.toks[i].mate < i || s.suffix(i) && !s.is(i-1, "let") {
			continue
		}
		if p, ok := s.patternAt(i); ok {
			return p, true
		}
	}
	return pattern{}, false
}

// loopTarget is the pattern before the "of" at token of.
func (s *scanner) loopTarget(of int32, bracket string) (pattern, bool) {
	if of < 1 || s.toks[of-1].mate < 0 || !s.is(s.toks[of-1].mate, bracket) {
		return pattern{}, false
	}
	head := s.toks[of].up
	return pattern{open: s.toks[of-1].mate, from: of + 1, to: s.toks[head].closing(head) - 1, loop: true, param: -1, assign: -1}, true
}

// patternAt reads the pattern that opens at token i.
func (s *scanner) patternAt(i int32) (pattern, bool) {
	end := s.toks[i].closing(i)
	p := pattern{open: i, param: -1, assign: -1}
	if n, ok := s.parameter(i); ok {
		p.param = n
		if s.is(end+1, "=") {
			p.from, p.to = end+2, s.exprEnd(end+2, false)
		}
		return p, true
	}
	if s.is(end+1, "of") {
		return s.loopTarget(end+1, s.text(i))
	}
	if !s.is(end+1, "=") {
		return p, false
	}
	p.from, p.to = end+2, s.exprEnd(end+2, false)
	if !s.is(i-1, "let") && !s.is(i-1, "const") && !s.is(i-1, "var") && !s.is(i-1, ",") {
		p.assign = end + 1
	}
	return p, true
}

// parameter is the index of the parameter that begins at token i.
func (s *scanner) parameter(i int32) (int, bool) {
	if s.is(i-1, "...") {
		i--
	}
	up := s.toks[i].up
	if up < 0 || !s.is(up, "(") || !s.is(i-1, "(") && !s.is(i-1, ",") {
		return 0, false
	}
	after := s.toks[up].closing(up) + 1
	if !s.is(after, "=>") && (!s.is(after, "{") || s.headOf(up)) {
		return 0, false
	}
	n := 0
	for j, steps := up+1, 0; j < i && steps < reach; j, steps = s.toks[j].closing(j)+1, steps+1 {
		if s.is(j, ",") {
			n++
		}
	}
	return n, true
}

// value is what the pattern p takes apart. Values that are not known count as
// undefined.
func (c *site) value(p pattern) (v Value, known bool) {
	if p.param >= 0 && c.in.Arg != nil {
		if v, ok := c.in.Arg(p.param); ok {
			return v, true
		}
	}
	if p.from > 0 && !p.loop {
		if v, ok := c.literalValue(p.from, p.to); ok {
			return v, true
		}
	}
	return Value{"undefined", "undefined"}, false
}

// described is how V8 describes a value that no expression names.
func (v Value) described() string {
	switch v.Type {
	case "null":
		return "object null"
	case "string":
		return `string "` + v.Text + `"`
	case "number", "boolean":
		return v.Type + " " + v.Text
	}
	return v.Type
}

// destructure explains an object pattern near token t that got undefined or null.
func (c *site) destructure(t int32) bool {
	s := c.code()
	if del := s.deleteAt(t); del >= 0 {
		c.pos = int(c.src.statementOr(del))
		return c.set("Cannot convert undefined or null to object")
	}
	p, ok := s.patternNear(t, "{")
	if in := s.innerPattern(t); in >= 0 && (!ok || in < p.open) {
		c.pos = int(s.toks[s.target(in+1)].start)
		return c.set("Cannot read properties of undefined (reading '", s.memberName(in+1), "')")
	}
	if !ok {
		return c.set("Cannot convert undefined or null to object")
	}
	if in, v, ok := c.deepest(p); ok {
		c.pos = int(s.toks[s.target(in+1)].start)
		return c.set("Cannot read properties of ", v.Text, " (reading '", s.memberName(in+1), "')")
	}
	v, known := c.value(p)
	if v.Type != "undefined" && v.Type != "null" || !known && c.likelyObject(p) {
		if in := s.nested(p.open); in >= 0 {
			c.pos = int(s.toks[s.target(in+1)].start)
			return c.set("Cannot read properties of undefined (reading '", s.memberName(in+1), "')")
		}
		v = Value{"undefined", "undefined"}
	}
	is := v.Text
	first := p.open + 1
	what := c.source(p, v)
	switch {
	case s.is(first, "}") || s.is(first, "["):
		c.pos = int(s.toks[p.open].start)
		return c.set("Cannot destructure '", what, "' as it is ", is, ".")
	case s.is(first, "..."):
		c.pos = int(s.toks[first+1].start)
		return c.set("Cannot destructure '", what, "' as it is ", is, ".")
	}
	c.pos = int(s.toks[s.target(first)].start)
	key := s.memberName(first)
	if s.hasRest(p.open) || p.param >= 0 && s.is(p.open-1, "...") {
		return c.set("Cannot read properties of ", is, " (reading '", key, "')")
	}
	return c.set("Cannot destructure property '", key, "' of '", what, "' as it is ", is, ".")
}

// deepest follows the pattern p and the value of the variable that it takes
// apart inwards, to the object pattern that got undefined or null.
func (c *site) deepest(p pattern) (open int32, v Value, ok bool) {
	s := c.code()
	if p.from == 0 || p.loop || c.in.Var == nil {
		return 0, v, false
	}
	path := s.path(p.from, p.to)
	for open = p.open; path != ""; {
		if v, ok = c.in.Var(path); !ok && open != p.open {
			return open, Value{"undefined", "undefined"}, true
		}
		if !ok || v.Type != "object" {
			break
		}
		in := s.nested(open)
		if in < 2 || !isName(s.text(in-2)) {
			return 0, v, false
		}
		path, open = path+"."+s.text(in-2), in
	}
	return open, v, ok && open != p.open && (v.Type == "undefined" || v.Type == "null")
}

// innerPattern is the first object pattern from token t on that is an element
// of an array pattern or the rest of the parameters; -1 if there is none nearby.
func (s *scanner) innerPattern(t int32) int32 {
	for i := t; i >= 0 && int(i) < len(s.toks) && i < t+60; i++ {
		if !s.is(i, "{") || s.toks[i].mark != 0 || i < 1 {
			continue
		}
		up := s.toks[i].up
		if up >= t && s.is(up, "[") && (s.is(i-1, "[") || s.is(i-1, ",")) {
			if _, ok := s.patternAt(up); ok && !s.suffix(up) {
				return i
			}
		}
		return -1
	}
	return -1
}

// likelyObject reports whether the pattern p is filled from something that is
// an object most of the time, so that what failed is a pattern inside it.
func (c *site) likelyObject(p pattern) bool {
	s := c.code()
	if p.from == 0 {
		return p.param >= 0 && c.in.Arg == nil && s.nested(p.open) >= 0
	}
	if s.is(p.from, "{") {
		return true
	}
	return p.from == p.to && s.toks[p.from].kind == ident && s.nested(p.open) >= 0 && s.text(p.from) != "undefined"
}

// source is how V8 prints what the pattern p takes apart.
func (c *site) source(p pattern, v Value) string {
	switch {
	case p.loop:
		return ".for"
	case p.param >= 0 && p.from > 0:
		return unnamed + unnamed + unnamed
	case p.from > 0:
		return c.code().name(p.from, p.to)
	}
	return v.described()
}

// nested is the first object pattern that is the value of a property in the
// pattern that opens at token i; -1 if there is none.
func (s *scanner) nested(i int32) int32 {
	end := s.toks[i].closing(i)
	for j, steps := i+1, 0; j < end && steps < reach; j, steps = s.toks[j].closing(j)+1, steps+1 {
		if s.is(j, ":") && s.is(j+1, "{") && !s.is(s.toks[j+1].closing(j+1)+1, "=") {
			return j + 1
		}
	}
	return -1
}

// target is the token that the property named at token i is bound to.
func (s *scanner) target(i int32) int32 {
	if s.is(i+1, ":") && int(i)+2 < len(s.toks) {
		return i + 2
	}
	return i
}

// hasRest reports whether the pattern that opens at token i takes the rest.
func (s *scanner) hasRest(i int32) bool {
	end := s.toks[i].closing(i)
	for j, steps := i+1, 0; j < end && steps < reach; j, steps = s.toks[j].closing(j)+1, steps+1 {
		if s.is(j, "...") {
			return true
		}
	}
	return false
}
