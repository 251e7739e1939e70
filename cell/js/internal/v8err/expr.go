package v8err

// This file finds its way among the tokens of expressions.

// reach bounds how many tokens are looked at in one direction: an error costs
// little however large the expression is that failed.
const reach = 1 << 13

func (s *scanner) is(i int32, text string) bool {
	return i >= 0 && int(i) < len(s.toks) && s.toks[i].kind != str && s.text(i) == text
}

// operandEnd reports whether an operand can end with token i, so that a
// parenthesis behind it calls and a bracket subscripts.
func (s *scanner) operandEnd(i int32) bool {
	if i < 0 || int(i) >= len(s.toks) {
		return false
	}
	switch t := s.toks[i]; t.kind {
	case ident:
		w := s.text(i)
		return w != "await" && w != "yield" && w != "of" || s.afterDot(i)
	case private, number, str, regex, template, tmplTail:
		return true
	case keyword:
		return s.afterDot(i) || valueWord(s.text(i)) || s.is(i, "import")
	case punct:
		switch s.text(i) {
		case "]":
			return true
		case ")":
			return !(t.mate > 0 && s.toks[t.mate-1].kind == keyword && controlWord(s.text(t.mate-1)) && !s.afterDot(t.mate-1))
		case "}":
			if t.mate < 0 {
				return false
			}
			if class, ok := s.classOf[t.mate]; ok {
				return !s.statementStart(class)
			}
			return s.toks[t.mate].mark&isBlock == 0 || s.is(t.mate-1, ")")
		}
	}
	return false
}

// statementStart reports whether the class at token i is a declaration.
func (s *scanner) statementStart(i int32) bool {
	if i == 0 {
		return true
	}
	switch s.text(i - 1) {
	case ";", "export", "default":
		return true
	case "{", "}":
		open := i - 1
		if m := s.toks[open].mate; m >= 0 && m < open {
			open = m
		}
		return s.toks[open].mark != 0
	}
	return s.toks[i].newline && s.operandEnd(i-1)
}

// suffix reports whether i is an opening bracket c that belongs to the operand
// before it: arguments or a subscript.
func (s *scanner) suffix(i int32) bool {
	if i < 1 {
		return false
	}
	return s.is(i-1, "?.") || s.operandEnd(i-1)
}

// chain is a member expression with its calls: primary, .name, [key], (args).
type chain struct {
	start   int32 // first token, the outermost "new" if there is one
	primary int32 // first token behind the "new"s
	end     int32 // last token
	news    int   // how many "new" stand in front
	calls   int   // how many argument lists it has, those of "new" among them
	opt     bool  // it has a "?."
}

// before reads backwards the member expression that ends with token end.
func (s *scanner) before(end int32) (chain, bool) {
	c := chain{end: end}
	i := end
	if !s.operandEnd(i) {
		return c, false
	}
	for steps := 0; ; steps++ {
		if steps > reach {
			return c, false
		}
		t := s.toks[i]
		prev := i - 1
		switch {
		case t.kind == tmplTail || t.kind == template || t.mate >= 0 && t.mate < i:
			first := i
			if t.mate >= 0 {
				first = t.mate
			}
			prev = first - 1
			if s.is(first, "{") {
				i = s.literalStart(first)
				break
			}
			if !s.suffix(first) {
				i = first
				break
			}
			if s.is(first, "(") {
				c.calls++
			}
			if s.is(prev, "?.") {
				c.opt = true
				prev--
			}
			i = prev
			continue
		case s.afterDot(i):
			c.opt = c.opt || s.is(prev, "?.")
			if s.is(prev-1, "new") || s.is(prev-1, "import") { // new.target, import.meta
				i = prev - 1
				break
			}
			i = prev - 1
			if !s.operandEnd(i) {
				return c, false
			}
			continue
		case t.mate >= 0 || t.kind == punct:
			return c, false
		}
		break
	}
	c.start, c.primary = i, i
	for c.start > 0 && c.news < reach && s.is(c.start-1, "new") && s.toks[c.start-1].kind == keyword && !s.afterDot(c.start-1) {
		c.start--
		c.news++
	}
	return c, true
}

// literalStart is the first token of the object literal, function or class
// whose last brace opens at i.
func (s *scanner) literalStart(i int32) int32 {
	if class, ok := s.classOf[i]; ok {
		return class
	}
	if !s.is(i-1, ")") || s.toks[i-1].mate < 0 {
		return i
	}
	j := s.toks[i-1].mate - 1
	if j >= 0 && s.toks[j].kind == ident {
		j--
	}
	if s.is(j, "*") {
		j--
	}
	if !s.is(j, "function") {
		return i
	}
	if s.is(j-1, "async") {
		j--
	}
	return j
}

// newOf is the "new" that the argument list at token i belongs to; -1 if it is
// a call's. For a "new" without arguments, i is the token behind its class.
func (s *scanner) newOf(i int32) int32 {
	c, ok := s.before(i - 1)
	if !ok || c.calls >= c.news {
		return -1
	}
	return c.primary - 1 - int32(c.calls)
}

// callPos is the offset that V8 gives a call whose arguments open at token i.
func (s *scanner) callPos(i int32) uint32 {
	if n := s.newOf(i); n >= 0 {
		return s.toks[n].start
	}
	prev := i - 1
	if prev >= 0 && s.is(i, "(") && (s.toks[prev].kind == ident && s.operandEnd(prev) || s.is(prev, "super")) {
		return s.toks[prev].start
	}
	return s.toks[i].start
}

// propPos is the offset that V8 gives the property access whose ".", "?." or
// "[" is token i: the name as long as nothing is called before it.
func (s *scanner) propPos(i int32) uint32 {
	if !s.is(i, ".") || int(i)+1 >= len(s.toks) {
		return s.toks[i].start
	}
	if c, ok := s.before(i - 1); ok && (c.calls > c.news || c.opt) {
		return s.toks[i].start
	}
	return s.toks[i+1].start
}

// forward is the last token of the member expression that begins at i.
func (s *scanner) forward(i int32) int32 {
	for from := i; i-from < reach && s.is(i, "new"); {
		i++
	}
	if int(i) >= len(s.toks) {
		return int32(len(s.toks)) - 1
	}
	end := s.toks[i].closing(i)
	switch {
	case s.is(i, "class"):
		for j := i + 1; int(j) < len(s.toks) && j-i < reach && s.toks[j].up >= s.toks[i].up; j = s.toks[j].closing(j) + 1 {
			if s.toks[j].mark&isClass != 0 {
				end = s.toks[j].closing(j)
				break
			}
		}
	case s.is(i, "function"), s.is(i, "async") && s.is(i+1, "function"):
		j := i
		for int(j) < len(s.toks) && j-i < 4 && !s.is(j, "(") {
			j++
		}
		if int(j) < len(s.toks) {
			if j = s.toks[j].closing(j) + 1; s.is(j, "{") {
				end = s.toks[j].closing(j)
			}
		}
	}
	for steps := 0; int(end)+1 < len(s.toks) && steps < reach; steps++ {
		n := end + 1
		switch t := s.toks[n]; {
		case s.is(n, ".") || s.is(n, "?."):
			if s.is(n+1, "(") || s.is(n+1, "[") {
				end = s.toks[n+1].closing(n + 1)
			} else {
				end = min(n+1, int32(len(s.toks))-1)
			}
		case s.is(n, "(") || s.is(n, "["):
			end = t.closing(n)
		case t.kind == template || t.kind == tmplHead:
			end = t.closing(n)
		default:
			return end
		}
	}
	return end
}

// closing is the index of the bracket that closes t, which is token i.
func (t token) closing(i int32) int32 {
	if t.mate > i {
		return t.mate
	}
	return i
}

// exprEnd is the last token of the expression that begins at i: it ends before
// a comma (unless all is set), a semicolon, a closing bracket, or a line's end
// behind which a new statement begins.
func (s *scanner) exprEnd(i int32, all bool) int32 {
	j := i
	for steps := 0; int(j) < len(s.toks); steps++ {
		t := s.toks[j]
		if steps > reach || t.mate >= 0 && t.mate < j || t.kind == punct && (s.is(j, ";") || s.is(j, ",") && !all) || t.kind == punct && t.mate < 0 && (s.is(j, ")") || s.is(j, "}") || s.is(j, "]")) {
			return j - 1
		}
		if j > i && t.newline && s.operandEnd(j-1) && s.startsStatement(j) {
			return j - 1
		}
		j = t.closing(j) + 1
	}
	return int32(len(s.toks)) - 1
}

// startsStatement reports whether token i, first of its line and behind an
// operand, cannot continue the expression.
func (s *scanner) startsStatement(i int32) bool {
	switch t := s.toks[i]; t.kind {
	case punct:
		return s.is(i, "{") || s.is(i, "++") || s.is(i, "--") || s.is(i, "!") || s.is(i, "~")
	case template, tmplHead, tmplMid, tmplTail:
		return false
	case keyword:
		return !s.is(i, "in") && !s.is(i, "instanceof")
	}
	return true
}

// precedence of binary operators; 0 for others.
func precedence(op string) int {
	switch op {
	case ",":
		return 1
	case "=", "+=", "-=", "*=", "/=", "%=", "**=", "<<=", ">>=", ">>>=", "&=", "|=", "^=", "&&=", "||=", "??=":
		return 2
	case "=>":
		return 3
	case "?":
		return 4
	case "??", "||":
		return 5
	case "&&":
		return 6
	case "|":
		return 7
	case "^":
		return 8
	case "&":
		return 9
	case "==", "!=", "===", "!==":
		return 10
	case "<", ">", "<=", ">=", "instanceof", "in":
		return 11
	case "<<", ">>", ">>>":
		return 12
	case "+", "-":
		return 13
	case "*", "/", "%":
		return 14
	case "**":
		return 15
	}
	return 0
}

// assignment reports whether token i assigns.
func (s *scanner) assignment(i int32) bool {
	return i >= 0 && int(i) < len(s.toks) && s.toks[i].kind == punct && precedence(s.text(i)) == 2
}

// topOperator is the operator between from and to that binds least, or -1 if
// they hold a single operand.
func (s *scanner) topOperator(from, to int32) int32 {
	best, prec := int32(-1), 100
	for j, steps := from, 0; j <= to && steps < reach; j, steps = s.toks[j].closing(j)+1, steps+1 {
		t := s.toks[j]
		if t.kind != punct && t.kind != keyword || s.afterDot(j) || t.mate >= 0 {
			continue
		}
		p := precedence(s.text(j))
		if p == 0 || j == from || !s.operandEnd(j-1) && !s.is(j, "=>") {
			continue
		}
		right := p == 2 || p == 3 || p == 4 || p == 15
		if p < prec || p == prec && !right {
			best, prec = j, p
		}
	}
	return best
}

// nodePos is the offset that V8 gives the expression of tokens from to to.
func (s *scanner) nodePos(from, to int32) uint32 {
	for depth := 0; depth < reach && from < to && s.is(from, "(") && s.toks[from].closing(from) == to; depth++ {
		from, to = from+1, to-1
	}
	if from > to || int(to) >= len(s.toks) {
		return s.toks[min(from, int32(len(s.toks))-1)].start
	}
	if op := s.topOperator(from, to); op >= 0 {
		if s.is(op, "=>") {
			return s.toks[from].start
		}
		return s.toks[op].start
	}
	first := s.toks[from]
	c, ok := s.before(to)
	if !ok || c.start != from {
		return first.start
	}
	switch {
	case s.is(to, ")") && s.toks[to].mate > from:
		return s.callPos(s.toks[to].mate)
	case s.is(to, "]") && s.toks[to].mate > from:
		return s.toks[s.toks[to].mate].start
	case s.afterDot(to) && to > from+1:
		return s.propPos(to - 1)
	}
	return first.start
}
