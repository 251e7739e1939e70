package v8err

const (
	noIterator   = " is not iterable"
	noSymbol     = " is not iterable (cannot read property Symbol(Symbol.iterator))"
	notReturning = " is not a function or its return value is not iterable"
)

// notIterable explains a value that cannot be iterated, near token t. of is
// "undefined" or "null" where QuickJS tells, and "" for other values.
func (c *site) notIterable(t int32, of string) bool {
	s := c.code()
	if c.loop(t) || c.spread(t, of) {
		return true
	}
	p, ok := s.patternNear(t, "[")
	if c.inner(t, of, p, ok) {
		return true
	}
	if ok {
		return c.fill(p, of)
	}
	for i := max(0, t-2); int(i)+1 < len(s.toks) && i < t+50; i++ {
		if s.is(i, "yield") && s.is(i+1, "*") {
			if v, ok := c.literalValue(i+2, s.exprEnd(i+2, false)); ok {
				return c.set(v.described(), noSymbol)
			}
			break
		}
	}
	return c.set(unknownValue(of).described(), noSymbol)
}

// unknownValue is undefined or null, or an object where QuickJS does not tell.
func unknownValue(of string) Value {
	switch of {
	case "":
		return Value{"object", "#<Object>"}
	case "null":
		return Value{"null", "null"}
	}
	return Value{of, of}
}

// loop explains a for statement over what is not iterable.
func (c *site) loop(t int32) bool {
	s := c.code()
	of := s.afterFor(t)
	if of < 0 && s.is(t, "for") {
		return false
	}
	if of < 0 {
		// The position may be that of the statement before.
		return false
	}
	head := s.toks[of].up
	from, to := of+1, s.toks[head].closing(head)-1
	if from > to {
		return false
	}
	if s.is(of-1, "]") && s.patternEnds(of-1) && c.yields(from, to) {
		c.pos = int(s.toks[of-1].start)
		return c.set(".for", noIterator)
	}
	if s.is(head-1, "await") {
		c.pos = int(s.nodePos(from, to))
		return c.set(s.name(from, to), " is not async iterable")
	}
	return c.blame(from, to)
}

// yields reports whether the expression is a call of a built-in whose result
// can be iterated, so that an element of it failed.
func (c *site) yields(from, to int32) bool {
	s := c.code()
	if !s.is(to, ")") || s.toks[to].mate <= from {
		return from == to && s.toks[from].kind == ident && c.src.classMade(s.text(from)) == "" && c.holdsArray(s.text(from))
	}
	switch s.text(s.toks[to].mate - 1) {
	case "entries", "map", "filter", "values", "keys", "slice", "sort", "split", "matchAll", "concat", "from", "flat":
		return true
	}
	return false
}

// holdsArray reports whether the variable name is declared as an array literal.
func (c *site) holdsArray(name string) bool {
	i, ok := c.src.initial(name)
	return ok && c.code().is(i, "[")
}

// blame states that the expression is not iterable, and puts the position there.
func (c *site) blame(from, to int32) bool {
	s := c.code()
	c.pos = int(s.nodePos(from, to))
	if call := s.lastCall(from, to); call >= 0 {
		return c.set(s.name(from, call-1), notReturning)
	}
	name := s.name(from, to)
	if s.is(from, "new") && s.afterDot(to) { // V8 names the class here
		name = s.text(from+1) + "." + s.text(to)
	}
	return c.set(name, noIterator)
}

// lastCall is the argument list that ends the expression; -1 if it is no call.
func (s *scanner) lastCall(from, to int32) int32 {
	open := s.toks[to].mate
	if !s.is(to, ")") || open <= from || !s.suffix(open) {
		return -1
	}
	if ch, ok := s.before(to); !ok || ch.start != from || ch.news > 0 {
		return -1
	}
	if s.is(open-1, "?.") {
		return open - 1
	}
	return open
}

// spread explains a spread of what is not iterable.
func (c *site) spread(t int32, of string) bool {
	s := c.code()
	dots := s.spreadAt(t)
	if dots < 0 {
		return false
	}
	from := dots + 1
	to := s.exprEnd(from, false)
	up := s.toks[dots].up
	if up < 0 || to < from {
		return false
	}
	if s.is(up, "(") && s.suffix(up) {
		c.pos = int(s.callPos(up))
		if of == "" {
			return c.set("Spread syntax requires ...iterable[Symbol.iterator] to be a function")
		}
		return c.set(s.name(from, to), " is not iterable (cannot read property undefined)")
	}
	return c.blame(from, to)
}

// spreadAt is the "..." whose operand holds token t or follows it soon; -1 if
// there is none.
func (s *scanner) spreadAt(t int32) int32 {
	if s.is(t, "...") {
		return t
	}
	if ch, ok := s.before(s.chainEnd(t)); ok && s.is(ch.start-1, "...") {
		return ch.start - 1
	}
	for i := t; int(i) < len(s.toks) && i < t+8; i++ {
		if s.is(i, "...") && !s.is(i-1, "{") {
			return i
		}
		if s.is(i, ";") {
			break
		}
	}
	return -1
}

// chainEnd is the last token of the access or call at token t.
func (s *scanner) chainEnd(t int32) int32 {
	switch {
	case (s.is(t, ".") || s.is(t, "?.")) && int(t)+1 < len(s.toks):
		return t + 1
	default:
		return s.toks[t].closing(t)
	}
}

// fill explains an array pattern that got what is not iterable.
func (c *site) fill(p pattern, of string) bool {
	s := c.code()
	if p.loop {
		c.pos = int(s.toks[s.toks[p.open].closing(p.open)].start)
		return c.set(".for", noIterator)
	}
	v := unknownValue(of)
	if got, known := c.value(p); of == "" && known {
		v = got
	}
	if p.param >= 0 || p.from == 0 {
		c.pos = int(s.toks[p.open].start)
		if p.param >= 0 {
			c.pos = int(s.toks[s.toks[p.open].up].start)
		}
		return c.set(v.described(), noSymbol)
	}
	if p.assign >= 0 {
		c.pos = int(s.toks[p.assign].start)
		return c.set(v.described(), noSymbol)
	}
	if s.afterDot(p.to) && s.topOperator(p.from, p.to) < 0 && !s.is(p.from, "await") {
		c.pos = int(s.toks[p.from].start)
		return c.set(v.described(), noSymbol)
	}
	return c.blame(p.from, p.to)
}

// inner explains an array pattern inside another pattern. p is the first pattern
// of its own near token t, if there is one.
func (c *site) inner(t int32, of string, p pattern, ok bool) bool {
	s := c.code()
	for i := t; i >= 0 && int(i) < len(s.toks) && i < t+60 && (!ok || i < p.open); i++ {
		if !s.is(i, "[") || s.suffix(i) {
			continue
		}
		up := s.toks[i].up
		if up < t || !s.is(up, "{") || !s.is(i-1, ":") {
			return false
		}
		outer, isPattern := s.patternAt(up)
		if !isPattern {
			return false
		}
		c.pos = int(s.toks[i].start)
		if of == "" {
			return c.set(c.source(outer, Value{"object", "#<Object>"}), noSymbol)
		}
		return c.set("Cannot destructure property 'Symbol(Symbol.iterator)' of '", c.source(outer, unknownValue(of)), "' as it is ", of, ".")
	}
	return false
}
