package v8err

// variable puts the position where V8 has a variable that is not there: at its
// name, or at the statement that begins with reading it.
func (c *site) variable(t int32, name string) {
	s := c.code()
	i := t
	if s.text(t) != name || s.afterDot(t) {
		if i = s.nextName(t, name); i < 0 {
			return
		}
	}
	if s.is(i+1, "=") {
		c.pos = int(s.toks[i+1].start)
		return
	}
	if s.is(i+1, "(") || s.is(i+1, "?.") && s.is(i+2, "(") {
		c.pos = int(c.src.calleePos(i))
		return
	}
	c.pos = int(c.src.statementOr(i))
}

// uninitialised explains a variable read before its declaration, or "this"
// before super().
func (c *site) uninitialised(t int32, name string) bool {
	if name == "this" {
		if s := c.code(); s.is(t, "constructor") && s.is(t+1, "(") {
			c.pos = int(s.toks[t+1].start)
		}
		return c.set("Must call super constructor in derived class before accessing 'this' or returning from derived constructor")
	}
	c.variable(t, name)
	return c.set("Cannot access '", name, "' before initialization")
}

// statementOr is the offset that V8 gives reading the variable at token i. The
// first instruction of a statement bears the statement's position: so it is
// the statement's when nothing is evaluated before the variable.
func (s *Source) statementOr(i int32) uint32 {
	if pos, ok := s.statement(i); ok {
		return pos
	}
	return s.code.toks[i].start
}

// statement is the offset of the statement that begins with evaluating token i;
// it is false if something is evaluated before.
func (s *Source) statement(i int32) (uint32, bool) {
	c := s.code
	first := i
	for first > 0 && i-first < reach {
		prev := first - 1
		t := c.toks[prev]
		switch {
		case t.kind == punct && (c.is(prev, "!") || c.is(prev, "~")),
			t.kind == punct && (c.is(prev, "-") || c.is(prev, "+")) && !c.operandEnd(prev-1),
			unaryWord(c.text(prev)) && !c.afterDot(prev),
			c.is(prev, "new") && t.kind == keyword && !c.afterDot(prev):
			first = prev
			continue
		case c.is(prev, "(") && !c.suffix(prev) && !c.headOf(prev):
			first = prev
			continue
		case c.is(prev, "...") && prev > 0 && (c.is(prev-1, "[") || c.is(prev-1, "{")) && !c.suffix(prev-1):
			first = prev - 1
			continue
		case t.kind == tmplHead && t.end == t.start+3 && !c.suffix(prev):
			first = prev
			continue
		case c.is(prev, "=") && prev > 0 && c.toks[prev-1].kind == ident && !c.afterDot(prev-1) && !c.declares(prev-1) && !c.isParameter(prev-1):
			first = prev - 1
			continue
		}
		break
	}
	return s.statementAt(first)
}

// calleePos is the offset that V8 gives reading the variable at token i when it
// is called: the read has no position of its own, so the operation evaluated
// before it lends one.
func (s *Source) calleePos(i int32) uint32 {
	c := s.code
	own := c.toks[i].start
	for range 50 {
		if pos, ok := s.statement(i); ok {
			return pos
		}
		p := i - 1
		switch {
		case p < 0 || c.is(p, ":") && c.inLiteral(p):
			return c.toks[i].start
		case c.is(p, "await"):
			return c.toks[p].start
		case c.is(p, "(") && c.suffix(p):
			if n := c.newOf(p); n >= 0 {
				i = n
				continue
			}
			if !c.afterDot(p-1) && c.toks[p-1].kind == ident {
				i = p - 1
				continue
			}
			return s.lastOp(p - 1)
		case c.is(p, "["), c.is(p, "("):
			if c.suffix(p) {
				return s.lastOp(p - 1)
			}
			i = p
		case c.toks[p].kind == tmplHead:
			i = p
		case c.toks[p].kind == tmplMid:
			i = c.toks[p].mate
		case c.is(p, ":"):
			for from := p; p > 0 && from-p < reach && !c.is(p, "?"); {
				if m := c.toks[p].mate; m >= 0 && m < p {
					p = m
				}
				p--
			}
			return s.lastOp(p - 1)
		case c.is(p, ","), precedence(c.text(p)) > 2:
			ch, ok := c.before(p - 1)
			if !ok {
				return own
			}
			if k := c.toks[p-1].kind; ch.start < p-1 || k != number && k != str && k != template {
				return s.lastOp(p - 1)
			}
			i = ch.start
		default:
			return own
		}
	}
	return own
}

// inLiteral reports whether the colon at token i belongs to an object literal.
func (s *scanner) inLiteral(i int32) bool {
	up := s.toks[i].up
	return up >= 0 && s.is(up, "{") && s.toks[up].mark == 0
}

// lastOp is the offset of the operation that yields the value that token end
// ends.
func (s *Source) lastOp(end int32) uint32 {
	if end < 0 {
		return 0
	}
	ch, ok := s.code.before(end)
	if !ok {
		return s.code.toks[end].start
	}
	if ch.start == end {
		return s.statementOr(end)
	}
	return s.code.nodePos(ch.start, end)
}

// isParameter reports whether a parameter begins at token i.
func (s *scanner) isParameter(i int32) bool {
	_, ok := s.parameter(i)
	return ok
}

// headOf reports whether the parenthesis at token i belongs to a statement.
func (c *scanner) headOf(i int32) bool {
	return i > 0 && c.toks[i-1].kind == keyword && !c.afterDot(i-1) &&
		(controlWord(c.text(i-1)) || c.is(i-1, "switch") || c.is(i-1, "catch"))
}

// declares reports whether the variable at token i is being declared.
func (c *scanner) declares(i int32) bool {
	for ; i > 0; i-- {
		switch c.text(i - 1) {
		case "let", "const", "var":
			return true
		case ",":
			// An earlier declarator of the same statement: skip its initialiser.
			j := i - 2
			for j >= 0 && !c.is(j, ";") && !c.is(j, "let") && !c.is(j, "const") && !c.is(j, "var") && i-j < 500 {
				if m := c.toks[j].mate; m >= 0 && m < j {
					j = m
				} else if m >= 0 {
					return false
				}
				j--
			}
			return c.is(j, "let") || c.is(j, "const") || c.is(j, "var")
		default:
			return false
		}
	}
	return false
}

// statementAt is the offset that V8 gives the statement whose first expression
// begins at token i; it is false if the expression begins no statement.
func (s *Source) statementAt(i int32) (uint32, bool) {
	c := s.code
	if i == 0 {
		return c.toks[0].start, true
	}
	prev := i - 1
	switch {
	case c.is(prev, "return"), c.is(prev, "throw"):
		return c.toks[prev].start, true
	case c.is(prev, "(") && (c.is(prev-1, "if") || c.is(prev-1, "switch")):
		return c.toks[prev-1].start, true
	case c.is(prev, "(") && c.headOf(prev):
		return c.nodePos(i, c.toks[prev].closing(prev)-1), true
	case c.is(prev, "=>"):
		return c.nodePos(i, c.exprEnd(i, false)), true
	case c.is(prev, ";") && c.toks[prev].up >= 0 && c.is(c.toks[prev].up, "("):
		return c.nodePos(i, c.exprEnd(i, true)), true
	case c.is(prev, "=") && c.declares(prev-1):
		return c.toks[i].start, true
	case c.is(prev, "=") && prev > 0 && (c.is(prev-1, "}") || c.is(prev-1, "]")):
		return c.toks[i].start, true
	case c.is(prev, ";"), c.is(prev, "else"), c.is(prev, "do"), c.is(prev, "default"):
		return c.toks[i].start, true
	case c.is(prev, "{"):
		return c.toks[i].start, c.toks[prev].mark&isBlock != 0
	case c.is(prev, "}"):
		return c.toks[i].start, c.toks[prev].mate >= 0 && c.toks[c.toks[prev].mate].mark != 0
	case c.is(prev, ")"):
		return c.toks[i].start, !c.operandEnd(prev) || c.toks[i].newline
	case c.is(prev, ":"):
		return c.toks[i].start, c.labelBefore(prev - 1)
	}
	return c.toks[i].start, c.toks[i].newline && c.operandEnd(prev) && c.startsStatement(i)
}
