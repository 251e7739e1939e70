package v8err

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxTokens bounds the index: 24 bytes a token. What lies behind the last
// token keeps QuickJS's position and message.
const maxTokens = 1 << 20

// kind is the class of a token.
type kind uint8

const (
	ident kind = iota
	keyword
	private // #name
	number
	str
	regex
	template // `…` without substitutions
	tmplHead // `…${
	tmplMid  // }…${
	tmplTail // }…`
	punct
)

// Marks of opening braces.
const (
	isBlock uint8 = 1 << iota // statements: a block or a function's body
	isClass                   // members of a class
)

// token is one lexical element. Positions are byte offsets.
type token struct {
	start, end uint32
	mate       int32 // the other end of a bracket or template; -1 if none
	up         int32 // the opening token around this one; -1 at the top
	kind       kind
	mark       uint8
	newline    bool // a line ends between this token and the one before
}

// scanner tokenises JavaScript well enough to tell what an expression is made
// of. It never fails: what it does not know becomes a token of its own.
type scanner struct {
	src     string
	pos     int
	toks    []token
	open    []int32         // opening tokens not yet closed
	class   []int32         // class tokens whose body is still to come
	classOf map[int32]int32 // opening brace of a class body to its class token
}

// scan tokenises src up to maxTokens.
func scan(src string) *scanner {
	s := &scanner{src: src, classOf: map[int32]int32{}}
	if len(src) > 1 && src[:2] == "#!" {
		s.skipLine()
	}
	for len(s.toks) < maxTokens {
		newline := s.space()
		if s.pos >= len(s.src) {
			break
		}
		from, n := s.pos, len(s.toks)
		s.next()
		if s.pos <= from {
			s.pos = from + 1
		}
		if len(s.toks) > n {
			s.toks[n].newline = newline
		}
	}
	return s
}

// space skips blanks and comments and reports whether they hold a line's end.
func (s *scanner) space() (newline bool) {
	for s.pos < len(s.src) {
		c := s.src[s.pos]
		switch {
		case c == '\n' || c == '\r':
			newline = true
			s.pos++
		case c == ' ' || c == '\t' || c == '\v' || c == '\f':
			s.pos++
		case c == '/' && s.at(1) == '/':
			s.skipLine()
		case c == '/' && s.at(1) == '*':
			end := s.find("*/", s.pos+2)
			newline = newline || hasLineEnd(s.src[s.pos:end])
			s.pos = min(end+2, len(s.src))
		case c >= utf8.RuneSelf:
			r, n := utf8.DecodeRuneInString(s.src[s.pos:])
			if !unicode.IsSpace(r) && r != '\ufeff' {
				return newline
			}
			newline = newline || r == '\u2028' || r == '\u2029'
			s.pos += n
		default:
			return newline
		}
	}
	return newline
}

// next appends the token at pos.
func (s *scanner) next() {
	c := s.src[s.pos]
	start := s.pos
	switch {
	case c == '`':
		s.pos++
		s.template(start, template, tmplHead)
	case c == '}' && s.inTemplate():
		s.pos++
		s.template(start, tmplTail, tmplMid)
	case c == '"' || c == '\'':
		s.quoted(c)
		s.add(start, str)
	case isDigit(c) || c == '.' && isDigit(s.at(1)):
		s.number()
		s.add(start, number)
	case c == '#':
		s.pos++
		s.word()
		s.add(start, private)
	case c == '/' && s.regexAllowed():
		s.regex()
		s.add(start, regex)
	case isWordByte(c):
		s.word()
		k := ident
		if reserved(s.src[start:s.pos]) {
			k = keyword
		}
		s.add(start, k)
	default:
		s.punct()
	}
}

// add appends a token from start to pos.
func (s *scanner) add(start int, k kind) int32 {
	up := int32(-1)
	if n := len(s.open); n > 0 {
		up = s.open[n-1]
	}
	s.toks = append(s.toks, token{start: uint32(start), end: uint32(s.pos), mate: -1, up: up, kind: k})
	i := int32(len(s.toks) - 1)
	if k == keyword && s.src[start:s.pos] == "class" && !s.afterDot(i) {
		s.class = append(s.class, i)
	}
	return i
}

// template reads the rest of a template's piece. whole is its kind when the
// template ends here, part when a substitution begins.
func (s *scanner) template(start int, whole, part kind) {
	k := whole
	for s.pos < len(s.src) {
		c := s.src[s.pos]
		s.pos++
		if c == '\\' {
			s.pos = min(s.pos+1, len(s.src))
		} else if c == '`' {
			break
		} else if c == '$' && s.at(0) == '{' {
			s.pos++
			k = part
			break
		}
	}
	if k == tmplMid || k == tmplTail {
		head := s.open[len(s.open)-1]
		s.open = s.open[:len(s.open)-1]
		i := s.add(start, k)
		s.toks[i].mate = head
		if k == tmplTail {
			s.toks[head].mate = i
			return
		}
		s.open = append(s.open, head)
		return
	}
	i := s.add(start, k)
	if k == tmplHead {
		s.open = append(s.open, i)
	}
}

// inTemplate reports whether the innermost open bracket is a substitution's.
func (s *scanner) inTemplate() bool {
	n := len(s.open)
	return n > 0 && s.toks[s.open[n-1]].kind == tmplHead
}

func (s *scanner) quoted(q byte) {
	for s.pos++; s.pos < len(s.src); s.pos++ {
		switch s.src[s.pos] {
		case '\\':
			s.pos++
		case q:
			s.pos++
			return
		case '\n':
			return
		}
	}
	s.pos = len(s.src)
}

func (s *scanner) number() {
	for s.pos < len(s.src) {
		c := s.src[s.pos]
		exp := (c == '+' || c == '-') && (s.src[s.pos-1]|0x20) == 'e' && (s.pos < 2 || s.src[s.pos-2]|0x20 != 'x')
		if !isWordByte(c) && c != '.' && !exp {
			return
		}
		if c == '.' && s.at(1) == '.' { // 1..toFixed()
			s.pos++
			return
		}
		s.pos++
	}
}

func (s *scanner) word() {
	for s.pos < len(s.src) && isWordByte(s.src[s.pos]) {
		s.pos++
		if s.src[s.pos-1] == '\\' && s.at(0) == 'u' && s.at(1) == '{' {
			s.pos = min(s.find("}", s.pos)+1, len(s.src))
		}
	}
}

func (s *scanner) regex() {
	class := false
	for s.pos++; s.pos < len(s.src); s.pos++ {
		switch c := s.src[s.pos]; {
		case c == '\\':
			s.pos++
		case c == '\n':
			return
		case c == '[':
			class = true
		case c == ']':
			class = false
		case c == '/' && !class:
			s.pos++
			s.word()
			return
		}
	}
	s.pos = len(s.src)
}

// operators, longest first for each first byte.
var operators = [...]string{
	">>>=", "...", "===", "!==", "**=", "<<=", ">>=", ">>>", "&&=", "||=", "??=",
	"=>", "==", "!=", "<=", ">=", "&&", "||", "??", "?.", "++", "--", "+=", "-=", "*=", "/=", "%=",
	"&=", "|=", "^=", "<<", ">>", "**",
}

func (s *scanner) punct() {
	start := s.pos
	rest := s.src[start:]
	s.pos++
	for _, op := range operators {
		if len(rest) >= len(op) && rest[:len(op)] == op {
			if op == "?." && len(rest) > 2 && isDigit(rest[2]) {
				continue
			}
			s.pos = start + len(op)
			break
		}
	}
	switch rest[0] {
	case '(', '[', '{':
		s.push(start)
	case ')', ']', '}':
		s.close(start)
	default:
		s.add(start, punct)
	}
}

// push adds an opening bracket, marked by what it opens.
func (s *scanner) push(start int) {
	block := s.src[start] == '{' && s.blockHere()
	i := s.add(start, punct)
	if s.src[start] == '{' {
		if n := len(s.class); n > 0 && s.toks[s.class[n-1]].up == s.toks[i].up {
			s.classOf[i] = s.class[n-1]
			s.class = s.class[:n-1]
			s.toks[i].mark = isClass
		} else if block {
			s.toks[i].mark = isBlock
		}
	}
	s.open = append(s.open, i)
}

// close adds a closing bracket and pairs it with the innermost open one.
func (s *scanner) close(start int) {
	mate := int32(-1)
	if n := len(s.open); n > 0 && !s.inTemplate() {
		mate = s.open[n-1]
		s.open = s.open[:n-1]
	}
	i := s.add(start, punct)
	if mate >= 0 {
		s.toks[i].mate = mate
		s.toks[mate].mate = i
	}
}

// blockHere reports whether a brace after the tokens so far opens statements.
func (s *scanner) blockHere() bool {
	n := int32(len(s.toks)) - 1
	if n < 0 {
		return true
	}
	switch t := s.toks[n]; t.kind {
	case keyword:
		switch s.text(n) {
		case "else", "do", "try", "finally", "static":
			return true
		}
		return false
	case ident:
		return s.text(n) == "static"
	case punct:
		switch s.text(n) {
		case ")", ";", "=>":
			return true
		case "{":
			return t.mark&isBlock != 0
		case "}":
			return t.mate >= 0 && s.toks[t.mate].mark != 0
		case ":":
			return n > 0 && s.toks[n-1].kind == ident && s.labelBefore(n-1)
		}
	}
	return false
}

// labelBefore reports whether the name at i can be a label.
func (s *scanner) labelBefore(i int32) bool {
	if up := s.toks[i].up; up >= 0 && s.toks[up].mark&isBlock == 0 {
		return false
	}
	return i == 0 || s.text(i-1) == ";" || s.text(i-1) == "{" || s.text(i-1) == "}"
}

// regexAllowed reports whether a slash after the tokens so far opens a regular
// expression and does not divide.
func (s *scanner) regexAllowed() bool {
	n := int32(len(s.toks)) - 1
	if n < 0 {
		return true
	}
	switch t := s.toks[n]; t.kind {
	case ident, private, number, str, regex, template, tmplTail:
		return false
	case keyword:
		return !s.afterDot(n) && !valueWord(s.text(n))
	case punct:
		switch s.text(n) {
		case "]", "++", "--":
			return false
		case ")":
			return t.mate > 0 && s.toks[t.mate-1].kind == keyword && controlWord(s.text(t.mate-1)) && !s.afterDot(t.mate-1)
		case "}":
			return t.mate >= 0 && s.toks[t.mate].mark != 0
		}
	}
	return true
}

// text is the source of token i.
func (s *scanner) text(i int32) string {
	if i < 0 || int(i) >= len(s.toks) {
		return ""
	}
	t := s.toks[i]
	return s.src[t.start:t.end]
}

// afterDot reports whether token i is a property's name.
func (s *scanner) afterDot(i int32) bool {
	if i < 1 || s.toks[i-1].kind != punct {
		return false
	}
	p := s.text(i - 1)
	return p == "." || p == "?."
}

func (s *scanner) at(off int) byte {
	if s.pos+off < len(s.src) {
		return s.src[s.pos+off]
	}
	return 0
}

// find is the offset of sep at or after from, or the end of the source.
func (s *scanner) find(sep string, from int) int {
	if from < len(s.src) {
		if i := strings.Index(s.src[from:], sep); i >= 0 {
			return from + i
		}
	}
	return len(s.src)
}

func (s *scanner) skipLine() {
	for s.pos < len(s.src) && s.src[s.pos] != '\n' && s.src[s.pos] != '\r' {
		s.pos++
	}
}
