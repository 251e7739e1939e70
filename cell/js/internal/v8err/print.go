package v8err

import (
	"strconv"
	"strings"
)

// unnamed is what V8 prints for a value that its source does not name.
const unnamed = "(intermediate value)"

// Limits of what is printed of an expression.
const (
	maxPrintDepth = 12
	maxPrintBytes = 1 << 10
)

// printer prints an expression as V8's messages name it.
type printer struct {
	*scanner
	b     strings.Builder
	depth int
}

// name is the expression of tokens from to to, as V8's messages print it.
func (s *scanner) name(from, to int32) string {
	p := &printer{scanner: s}
	p.expr(from, to)
	if p.b.Len() == 0 {
		return unnamed
	}
	return p.b.String()
}

// put adds text and reports whether there is room for more.
func (p *printer) put(text string) bool {
	if p.b.Len()+len(text) > maxPrintBytes {
		return false
	}
	p.b.WriteString(text)
	return true
}

// expr prints an expression.
func (p *printer) expr(from, to int32) {
	p.depth++
	defer func() { p.depth-- }()
	if from > to || from < 0 || int(to) >= len(p.toks) || p.depth > maxPrintDepth || p.b.Len() >= maxPrintBytes {
		p.put(unnamed)
		return
	}
	if p.is(from, "(") && p.toks[from].closing(from) == to {
		p.expr(from+1, to-1)
		return
	}
	if op := p.topOperator(from, to); op >= 0 {
		p.binary(from, op, to)
		return
	}
	if w := p.text(from); from < to && (p.toks[from].kind == punct && strings.Contains("!~+-++--", w) || unaryWord(w) || w == "yield") {
		if w == "await" || w == "yield" {
			p.put(unnamed)
			return
		}
		if p.toks[from].kind != punct {
			w += " "
		}
		p.put("(" + w)
		p.expr(from+1, to)
		p.put(")")
		return
	}
	p.member(from, to)
}

// binary prints an expression with an operator.
func (p *printer) binary(from, op, to int32) {
	switch w := p.text(op); {
	case w == "?":
		p.put(unnamed + unnamed + unnamed)
	case w == "=>":
		p.put(unnamed)
	case precedence(w) == 2:
		p.expr(from, op-1)
	default:
		p.put("(")
		p.expr(from, op-1)
		p.put(" " + w + " ")
		p.expr(op+1, to)
		p.put(")")
	}
}

// member prints a primary expression and what is accessed and called on it.
func (p *printer) member(from, to int32) {
	i := p.primary(from)
	for i < to && p.b.Len() < maxPrintBytes {
		n := i + 1
		t := p.toks[n]
		switch {
		case p.is(n, ".") || p.is(n, "?."):
			i = n + 1
			if p.is(i, "(") {
				p.put("(...)")
				i = p.toks[i].closing(i)
			} else if p.is(i, "[") {
				p.put("?.")
				p.key(i, "")
				i = p.toks[i].closing(i)
			} else {
				p.put(p.text(n) + p.text(i))
			}
		case p.is(n, "["):
			p.key(n, ".")
			i = t.closing(n)
		case p.is(n, "("):
			p.put("(...)")
			i = t.closing(n)
		case t.kind == template || t.kind == tmplHead:
			p.put("(...)")
			i = t.closing(n)
		default:
			return
		}
	}
}

// key prints the subscript that opens at token i.
func (p *printer) key(i int32, dot string) {
	from, to := i+1, p.toks[i].closing(i)-1
	if k := p.toks[from].kind; from == to && (k == str || k == template) {
		p.put(dot + literal(p.text(from)))
		return
	}
	p.put("[")
	p.expr(from, to)
	p.put("]")
}

// primary prints the primary expression at token i and returns its last token.
func (p *printer) primary(i int32) int32 {
	t := p.toks[i]
	switch t.kind {
	case ident:
		if p.is(i, "async") && (p.is(i+1, "function") || p.is(i+1, "(") && p.is(p.toks[i+1].closing(i+1)+1, "=>")) {
			p.put(unnamed)
			return p.function(i)
		}
		p.put(p.text(i))
	case number:
		p.put(numberText(p.text(i)))
	case str, template:
		p.put(`"` + literal(p.text(i)) + `"`)
	case regex, private:
		p.put(p.text(i))
	case tmplHead:
		p.substitutions(i)
		return t.closing(i)
	case keyword:
		return p.word(i)
	case punct:
		switch p.text(i) {
		case "(":
			p.expr(i+1, t.closing(i)-1)
		case "[":
			p.array(i)
		case "{":
			p.object(i)
		default:
			p.put(unnamed)
		}
		return t.closing(i)
	}
	return i
}

// word prints the primary expression that begins with a reserved word.
func (p *printer) word(i int32) int32 {
	switch w := p.text(i); w {
	case "this", "null", "true", "false":
		p.put(w)
		return i
	case "new":
		p.put(unnamed)
		if p.is(i+1, ".") {
			return i + 2
		}
		return p.constructed(i)
	case "import":
		p.put(unnamed)
		if p.is(i+1, ".") {
			return i + 2
		}
		return i
	case "function", "class":
		p.put(unnamed)
		return p.function(i)
	}
	p.put(unnamed)
	return i
}

// constructed is the last token of the "new" expression at token i.
func (p *printer) constructed(i int32) int32 {
	end := i + 1
	for p.is(end, "new") && end-i < reach {
		end++
	}
	news := end - i
	end = p.toks[min(end, int32(len(p.toks))-1)].closing(end)
	for int(end)+1 < len(p.toks) && news > 0 {
		n := end + 1
		switch {
		case p.is(n, "."):
			end = n + 1
		case p.is(n, "["):
			end = p.toks[n].closing(n)
		case p.is(n, "("):
			end = p.toks[n].closing(n)
			news--
		default:
			return end
		}
	}
	return end
}

// function is the last token of the function or class at token i.
func (p *printer) function(i int32) int32 {
	up := p.toks[i].up
	for j := i; int(j) < len(p.toks) && j-i < reach && p.toks[j].up == up; j = p.toks[j].closing(j) + 1 {
		if p.is(j, "{") {
			return p.toks[j].closing(j)
		}
	}
	return i
}

// array prints the array literal at token i.
func (p *printer) array(i int32) {
	end := p.toks[i].closing(i)
	p.put("[")
	for from := i + 1; from < end && p.b.Len() < maxPrintBytes; {
		to := p.exprEnd(from, false)
		if from > i+1 {
			p.put(",")
		}
		if p.is(from, "...") {
			p.put("...")
			from++
		}
		p.expr(from, to)
		from = to + 2
	}
	p.put("]")
}

// object prints the object literal at token i: V8 names its values only.
func (p *printer) object(i int32) {
	end := p.toks[i].closing(i)
	p.put("{")
	for from := i + 1; from < end && p.put(unnamed); {
		j := from
		for j < end && j-from < reach && !p.is(j, ",") {
			j = p.toks[j].closing(j) + 1
		}
		from = j + 1
	}
	p.put("}")
}

// substitutions prints the values inside the template at token i.
func (p *printer) substitutions(i int32) {
	end := p.toks[i].closing(i)
	from := i + 1
	for j, steps := from, 0; j <= end && steps < reach; j, steps = p.toks[j].closing(j)+1, steps+1 {
		if k := p.toks[j].kind; k == tmplMid && p.toks[j].mate == i || j == end {
			p.expr(from, j-1)
			from = j + 1
		}
	}
}

// literal is the text of a string or template literal, without quotes.
func literal(text string) string {
	if len(text) < 2 {
		return text
	}
	text = text[1 : len(text)-1]
	if !strings.Contains(text, `\`) {
		return text
	}
	return unescape(text)
}

// unescape resolves the escapes of a string literal.
func unescape(s string) string {
	var b strings.Builder
	for s != "" {
		c := s[0]
		if c != '\\' || len(s) < 2 {
			b.WriteByte(c)
			s = s[1:]
			continue
		}
		c, s = s[1], s[2:]
		switch c {
		case 'n':
			b.WriteByte('\n')
		case 't':
			b.WriteByte('\t')
		case 'r':
			b.WriteByte('\r')
		case 'b':
			b.WriteByte('\b')
		case 'f':
			b.WriteByte('\f')
		case 'v':
			b.WriteByte('\v')
		case '0':
			b.WriteByte(0)
		case 'x', 'u':
			r, n := escapedRune(c, s)
			b.WriteRune(r)
			s = s[n:]
		case '\n':
		default:
			b.WriteByte(c)
		}
	}
	return b.String()
}

// escapedRune reads the digits of a \x or \u escape and returns how many bytes they take.
func escapedRune(c byte, s string) (rune, int) {
	n := 2
	if c == 'u' {
		n = 4
		if strings.HasPrefix(s, "{") {
			if end := strings.IndexByte(s, '}'); end > 0 && end < 10 {
				if v, err := strconv.ParseUint(s[1:end], 16, 32); err == nil {
					return rune(v), end + 1
				}
			}
		}
	}
	if len(s) >= n {
		if v, err := strconv.ParseUint(s[:n], 16, 32); err == nil {
			return rune(v), n
		}
	}
	return rune(c), 0
}

// numberText is a number literal as JavaScript prints its value.
func numberText(text string) string {
	t := strings.ReplaceAll(text, "_", "")
	if strings.HasSuffix(t, "n") {
		return strings.TrimSuffix(t, "n")
	}
	if v, err := strconv.ParseUint(t, 0, 53); err == nil && (len(t) == 1 || t[0] != '0' || t[1] > '9') {
		return strconv.FormatUint(v, 10)
	}
	v, err := strconv.ParseFloat(t, 64)
	if err != nil {
		return text
	}
	return jsNumber(v)
}

// jsNumber prints v as JavaScript does.
func jsNumber(v float64) string {
	if abs := max(v, -v); abs != 0 && (abs >= 1e21 || abs < 1e-6) {
		s := strconv.FormatFloat(v, 'e', -1, 64)
		s = strings.Replace(s, "e-0", "e-", 1)
		return strings.Replace(s, "e+0", "e+", 1)
	}
	return strconv.FormatFloat(v, 'f', -1, 64)
}
