package v8err

import "strings"

// frames makes V8's frames out of the raw ones of c, at most limit.
func (s *Source) frames(c *site, limit int) []Frame {
	limit = max(0, min(limit, 200))
	var out []Frame
	raw := s.visible(c)
	for i := 0; i < len(raw) && len(out) < limit; i++ {
		f := &raw[i]
		var caller *rawFrame
		if i+1 < len(raw) {
			caller = &raw[i+1]
		}
		if f.native {
			out = append(out, s.builtin(raw, i))
			continue
		}
		frame := s.function(f, caller)
		if i == 0 && c.pos >= 0 {
			frame.Line, frame.Column = s.position(c.pos)
		} else {
			frame.Line, frame.Column = s.framePos(f, s.callee(raw, i))
		}
		if s.remap != nil && frame.Line == 0 {
			continue // the author wrote nothing there
		}
		out = append(out, frame)
		if fn := s.functionAt(f); fn.generator && len(out) < limit && (caller == nil || !caller.native || caller.name != "next") && caller != nil {
			next := Frame{Func: "next", Type: frame.Func}
			if next.Type == "" {
				next.Type = "Generator"
			}
			out = append(out, next)
		}
	}
	s.inherit(out)
	for _, f := range parseStack(c.in.Awaiting) {
		if len(out) >= limit {
			break
		}
		out = append(out, s.awaiting(&f))
	}
	return out
}

// visible are the raw frames that V8 would know.
func (s *Source) visible(c *site) []rawFrame {
	raw := c.raw
	if !c.in.Thrown {
		raw = s.skipConstructors(raw)
	}
	out := make([]rawFrame, 0, min(len(raw), 32))
	for i := range raw {
		f := &raw[i]
		switch {
		case f.parse, c.classCall && i == 0:
		case f.native && s.hidden(raw, i):
		case !f.native && f.file != s.file && !strings.HasPrefix(f.file, "<input>"):
		case s.staticBlock(raw, i):
		default:
			out = append(out, *f)
		}
	}
	return out
}

// callee is the name of the function that raw frame i has called, if known.
func (s *Source) callee(raw []rawFrame, i int) string {
	if i == 0 {
		return ""
	}
	if s.functionAt(&raw[i-1]).generator {
		return "next" // which is what runs a generator
	}
	return raw[i-1].name
}

// skipConstructors leaves out the constructors of error classes: V8 begins the
// stack where the outermost of them is called.
func (s *Source) skipConstructors(raw []rawFrame) []rawFrame {
	i := 0
	for i+1 < len(raw) && !raw[i].native {
		t := s.tokenOf(&raw[i])
		if t < 0 || !(s.code.is(t-1, "super") || s.defaultConstructor(t)) {
			break
		}
		i++
	}
	return raw[i:]
}

// tokenOf is the token at f's position, -1 if there is none.
func (s *Source) tokenOf(f *rawFrame) int32 {
	if f.native || f.file != s.file {
		return -1
	}
	return s.tokenAt(s.offset(f.line, f.col))
}

// defaultConstructor reports whether token i ends a class: there QuickJS puts
// the constructor of a class that declares none.
func (s *Source) defaultConstructor(i int32) bool {
	t := s.code.toks[i]
	return t.mate >= 0 && t.mate < i && s.code.toks[t.mate].mark&isClass != 0
}

// framePos is V8's position of a frame whose function has called name.
func (s *Source) framePos(f *rawFrame, name string) (line, column int) {
	t := s.tokenOf(f)
	if t < 0 {
		return f.line, f.col
	}
	if name == "next" {
		if at := s.code.fetched(t); at >= 0 {
			return s.position(int(s.code.toks[at].start))
		}
	}
	return s.position(int(s.evalPos(t, name)))
}

// fetched is the token at which V8 puts fetching an iterator's next value, where
// QuickJS puts it at token t; -1 if that is a call like any other.
func (s *scanner) fetched(t int32) int32 {
	if of := s.afterFor(t); of >= 0 {
		return s.loopBinding(of)
	}
	if of := s.loopAround(t); of >= 0 && !(s.is(t, "(") && s.is(t-1, "next")) {
		return s.loopBinding(of)
	}
	if s.is(t, "(") && s.is(t-1, "next") || s.is(t, "return") || s.is(t-1, "...") {
		return -1
	}
	if p, ok := s.patternNear(t, "["); ok {
		return p.open + 1
	}
	return -1
}

// loopAround is the "of" of the innermost loop whose body holds token t; -1 if
// there is none.
func (s *scanner) loopAround(t int32) int32 {
	for i, steps := t, 0; i > 0 && steps < reach; i, steps = i-1, steps+1 {
		if m := s.toks[i].mate; m >= 0 && m < i {
			if i = m; s.is(i, "(") && i+1 < t {
				if of := s.afterFor(i + 1); of >= 0 && s.toks[of].up == i {
					return of
				}
			}
			continue
		}
		if s.is(i, "{") && s.toks[i].mark&isBlock != 0 && !s.is(i-1, ")") || s.is(i, "=>") {
			return -1 // a function or a plain block
		}
	}
	return -1
}

// loopBinding is the first token that the loop with its "of" at token of binds:
// V8 puts fetching the next value there.
func (s *scanner) loopBinding(of int32) int32 {
	first := s.toks[of].up + 1
	if s.is(first, "const") || s.is(first, "let") || s.is(first, "var") {
		first++
	}
	return first
}

// evalPos is the offset that V8 gives the operation that QuickJS puts at token
// t. name is the function that it called, if known.
func (s *Source) evalPos(t int32, name string) uint32 {
	c := s.code
	switch tok := c.toks[t]; {
	case c.is(t, "return"):
		if call := s.tailCall(t, name); call >= 0 {
			return c.callPos(call)
		}
	case s.defaultConstructor(t):
		return c.toks[c.classOf[tok.mate]].start
	case c.is(t, "(") && c.suffix(t):
		return c.callPos(t)
	case c.is(t, ".") || c.is(t, "?.") || c.is(t, "[") && c.suffix(t):
		if eq := s.assignedAt(t); eq >= 0 {
			return c.toks[eq].start
		}
		return c.propPos(t)
	case t > 0 && tok.kind != template && tok.kind != tmplHead:
		if n := c.newOf(t); n >= 0 && !c.is(t, "=") && !c.assignment(t) {
			return c.toks[n].start
		}
	}
	return c.toks[t].start
}

// assignedAt is the plain "=" that assigns to the property accessed at token
// t; -1 if there is none.
func (s *Source) assignedAt(t int32) int32 {
	c := s.code
	end := t + 1
	if c.is(t, "[") {
		end = c.toks[t].closing(t)
	}
	if c.is(end+1, "=") {
		return end + 1
	}
	return -1
}

// tailCall is the argument list of the call that ends the return statement at
// token t: QuickJS puts such calls at the "return". name picks among branches.
func (s *Source) tailCall(t int32, name string) int32 {
	c := s.code
	from, to := t+1, c.exprEnd(t+1, true)
	for depth := 0; depth < reach && from < to && c.is(from, "(") && c.toks[from].closing(from) == to; depth++ {
		from, to = from+1, to-1
	}
	best := int32(-1)
	for j, steps := from, 0; j <= to && steps < reach; j, steps = c.toks[j].closing(j)+1, steps+1 {
		tok := c.toks[j]
		end := tok.closing(j)
		call := c.is(j, "(") || tok.kind == template || tok.kind == tmplHead
		if !call || !c.suffix(j) || end != to && !c.is(end+1, ":") {
			continue
		}
		if best < 0 || end == to || name != "" && c.text(j-1) == name {
			best = j
		}
		if name != "" && c.text(j-1) == name {
			break
		}
	}
	return best
}

// awaiting is the frame of an async function that waits.
func (s *Source) awaiting(f *rawFrame) Frame {
	out := s.function(f, nil)
	out.Async = true
	out.Line, out.Column = f.line, f.col
	if t := s.tokenOf(f); t >= 0 {
		out.Line, out.Column = s.position(int(s.awaitPos(t)))
	}
	return out
}

// awaitPos is the offset of the "await" whose operand ends with the operation
// at token t.
func (s *Source) awaitPos(t int32) uint32 {
	c := s.code
	up := c.toks[t].up
	for i, steps := t, 0; i >= 0 && steps < reach; i, steps = i-1, steps+1 {
		if m := c.toks[i].mate; m >= 0 && m < i {
			i = m
			continue
		}
		if c.toks[i].kind == ident && c.is(i, "await") && !c.afterDot(i) {
			if c.is(i-1, "for") {
				if of := c.afterFor(i - 1); of >= 0 {
					return c.toks[c.loopBinding(of)].start
				}
			}
			return c.toks[i].start
		}
		if c.toks[i].up < up && c.toks[i].mark&isBlock != 0 {
			break
		}
	}
	return s.evalPos(t, "")
}
