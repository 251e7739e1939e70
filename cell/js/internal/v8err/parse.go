package v8err

import "strings"

// parseCode shapes the error of code that did not parse: the module's own, or
// what eval and Function were given. The module's has no frames: V8 shows none.
func (s *Source) parseCode(out *Shaped, r *Raw, raw []rawFrame) {
	where := &raw[0]
	c := &site{src: s, raw: raw[1:], in: r, name: r.Name, message: r.Message, pos: -1}
	switch {
	case c.message == overflow:
		c.name, c.message = "RangeError", overflowed
	case where.file == s.file:
		s.syntax(c, where)
	case len(raw) > 1 && raw[1].native && constructor(raw[1].name) || len(raw) > 1 && strings.HasSuffix(raw[1].name, "Function"):
		NewSource(where.file, functionText(r), nil).syntax(c, where)
	default:
		NewSource(where.file, "", nil).syntax(c, where)
	}
	out.Name, out.Message = c.name, c.message
	out.Frames = s.frames(c, r.Limit)
	out.finish()
}

// functionText is what the Function constructor makes of its arguments.
func functionText(r *Raw) string {
	var args []string
	for i := 0; r.Arg != nil && i < 64; i++ {
		v, ok := r.Arg(i)
		if !ok {
			break
		}
		args = append(args, v.Text)
	}
	body := ""
	if n := len(args); n > 0 {
		body, args = args[n-1], args[:n-1]
	}
	return "(function anonymous(" + strings.Join(args, ",") + "\n) {\n" + body + "\n})"
}

// fault is a place in a text that did not parse.
type fault struct {
	*scanner
	t int32 // the token at QuickJS's position; len(toks) at the text's end
}

// syntax finds V8's words for code that did not parse.
func (s *Source) syntax(c *site, where *rawFrame) {
	off := s.offset(where.line, where.col)
	t := s.tokenAt(off)
	f := fault{s.code, t}
	if t < 0 {
		f.t = int32(len(s.code.toks))
	}
	switch m := c.message; {
	case c.name != "SyntaxError":
	case strings.HasPrefix(m, "unexpected token in expression: '"):
		c.message = f.inExpression()
		if len(s.text) == 0 { // text unknown: QuickJS names the token
			c.message = f.unexpectedText(strings.TrimSuffix(m[len("unexpected token in expression: '"):], "'"))
		}
	case strings.HasPrefix(m, "expecting '") && t >= 0 && s.code.toks[t].kind == regex:
		c.message = f.badRegex(m)
	case strings.HasPrefix(m, "expecting '"):
		c.message = f.expecting(m[len("expecting '")])
	default:
		if text, ok := f.declared(m); ok {
			c.message = text
		} else if text, ok := f.structure(m); ok {
			c.message = text
		} else if text, ok := syntaxText(m); ok {
			c.message = text
		} else if t >= 0 && s.code.toks[t].kind == regex {
			c.message = f.badRegex(m)
		}
	}
}

// badRegex is the message for a regular expression that is none.
func (f fault) badRegex(m string) string {
	text := f.text(f.t)
	end := strings.LastIndexByte(text, '/')
	if end < 1 {
		return "Invalid regular expression: missing /"
	}
	pattern, flags := text[1:end], text[end+1:]
	return "Invalid regular expression: " + text[:end+1] + flags + ": " + regexpText(m, pattern, strings.ContainsAny(flags, "uv"))
}

// unexpected is the message for a token where another was needed.
func (f fault) unexpected(t int32) string {
	if int(t) >= len(f.toks) || t < 0 {
		return "Unexpected end of input"
	}
	w := f.text(t)
	switch f.toks[t].kind {
	case number:
		return "Unexpected number"
	case str:
		if !closed(w) {
			return illegal
		}
		return "Unexpected string"
	case template, tmplHead:
		return "Unexpected template string"
	case private:
		if w == "#" {
			return illegal
		}
		return "Unexpected identifier '" + w + "'"
	case ident:
		return unexpectedWord(w)
	case punct:
		if w == "@" || w == "#" || w == `\` {
			return illegal
		}
	case keyword:
		if w == "enum" {
			return "Unexpected reserved word"
		}
	}
	return "Unexpected token '" + w + "'"
}

const illegal = "Invalid or unexpected token"

// unexpectedText is unexpected for a token known by its text alone.
func (f fault) unexpectedText(w string) string {
	g := fault{scan(w), 0}
	return g.unexpected(0)
}

// unexpectedWord is the message for a name where another token was needed.
func unexpectedWord(w string) string {
	switch w {
	case "implements", "interface", "let", "package", "private", "protected", "public", "static", "yield":
		return "Unexpected strict mode reserved word"
	case "await":
		return "Unexpected reserved word"
	}
	if strings.Contains(w, `\`) {
		return illegal
	}
	return "Unexpected identifier '" + w + "'"
}

// closed reports whether a string literal ends with its quote.
func closed(w string) bool {
	return len(w) > 1 && w[len(w)-1] == w[0] && !strings.Contains(w, "\n")
}

// inExpression is the message where an operand was needed.
func (f fault) inExpression() string {
	t := f.t
	rest := ""
	if int(t) < len(f.toks) {
		rest = f.src[f.toks[t].start:]
	}
	switch {
	case strings.HasPrefix(rest, "<!--"), f.is(t, ">") && f.is(t-1, "--") && f.toks[t-1].newline:
		return "HTML comments are not allowed in modules"
	case f.is(t, ")") && f.is(t-1, "(") && f.is(t-2, "import"):
		return "import() requires a specifier"
	}
	return f.unexpected(t)
}

// expecting is the message where the character c was needed.
func (f fault) expecting(c byte) string {
	t := f.t
	open := f.around()
	switch {
	case c == ',' && open > 0 && f.is(open, "(") && f.suffix(open) && !f.isFunctionHead(open):
		return "missing ) after argument list"
	case c == ';' && f.is(t, ":") && open >= 0 && f.toks[open].mark&isClass != 0:
		return f.unexpected(t - 1)
	case c == ':' && (f.is(t, "}") || f.is(t, ",") || f.is(t, "=")):
		if f.is(t-1, "]") && f.toks[t-1].mate >= 0 {
			return f.unexpected(f.toks[t-1].mate)
		}
		return f.unexpected(t - 1)
	case c == ')' && f.is(t, ",") && f.is(t-2, "..."):
		return "Rest parameter must be last formal parameter"
	case c == '}' && f.is(t, "="):
		return "Invalid shorthand property initializer"
	}
	return f.unexpected(t)
}

// around is the innermost bracket that is open at the fault; -1 if none is.
func (f fault) around() int32 {
	if int(f.t) < len(f.toks) {
		up := f.toks[f.t].up
		if m := f.toks[f.t].mate; m >= 0 && m < f.t {
			return m // a closing bracket paired, rightly or not, with this one
		}
		return up
	}
	if n := len(f.open); n > 0 {
		return f.open[n-1]
	}
	return -1
}

// isFunctionHead reports whether the parenthesis at token i opens parameters.
func (f fault) isFunctionHead(i int32) bool {
	return f.is(i-1, "function") || f.is(i-2, "function") || f.is(i-2, "*") ||
		f.toks[i].up >= 0 && f.toks[f.toks[i].up].mark&isClass != 0
}
