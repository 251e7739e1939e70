package v8err

import (
	"sort"
	"strings"
	"unicode/utf8"
)

// Source is the text of one module.
type Source struct {
	file string
	text string
	// remap turns a position in text into one in what the program's author
	// wrote, where the two differ.
	remap func(line, column int) (int, int)

	code  *scanner         // nil until the first error
	lines []uint32         // offset of every lineStep-th line, as QuickJS counts lines
	ascii bool             // columns are bytes
	plain bool             // V8 counts the same lines
	made  map[string]int32 // variables to where "new" or "[" begins what they are declared to hold
}

// lineStep is how many lines lie between two remembered offsets.
const lineStep = 32

// NewSource returns the source of the module that stacks call file. remap may
// be nil; otherwise text was generated, and remap turns its positions, in lines
// and UTF-16 columns from 1, into the author's.
func NewSource(file, text string, remap func(line, column int) (int, int)) *Source {
	return &Source{file: file, text: text, remap: remap}
}

// index tokenises the text if that has not happened yet.
func (s *Source) index() {
	if s.code != nil {
		return
	}
	s.code = scan(s.text)
	s.ascii = utf16Len(s.text) == len(s.text)
	s.plain = !strings.Contains(s.text, "\r") && !strings.Contains(s.text, "\u2028") && !strings.Contains(s.text, "\u2029")
	n := 0
	for off := 0; ; n++ {
		if n%lineStep == 0 {
			s.lines = append(s.lines, uint32(off))
		}
		i := strings.IndexByte(s.text[off:], '\n')
		if i < 0 {
			break
		}
		off += i + 1
	}
}

// offset is the byte offset of a position as QuickJS gives it: lines end at
// line feeds alone and columns count code points. It is -1 outside the text.
func (s *Source) offset(line, column int) int {
	s.index()
	if line < 1 || column < 1 || (line-1)/lineStep >= len(s.lines) {
		return -1
	}
	off := int(s.lines[(line-1)/lineStep])
	for range (line - 1) % lineStep {
		i := strings.IndexByte(s.text[off:], '\n')
		if i < 0 {
			return -1
		}
		off += i + 1
	}
	if s.ascii {
		if off += column - 1; off > len(s.text) {
			return -1
		}
		return off
	}
	for ; column > 1; column-- {
		if off >= len(s.text) {
			return -1
		}
		_, n := utf8.DecodeRuneInString(s.text[off:])
		off += n
	}
	return off
}

// position is V8's line and column of a byte offset.
func (s *Source) position(off int) (line, column int) {
	s.index()
	if s.plain {
		step := sort.Search(len(s.lines), func(i int) bool { return int(s.lines[i]) > off }) - 1
		start := int(s.lines[step])
		line = step*lineStep + 1
		for {
			i := strings.IndexByte(s.text[start:off], '\n')
			if i < 0 {
				break
			}
			start += i + 1
			line++
		}
		column = off - start + 1
		if !s.ascii {
			column = utf16Len(s.text[start:off]) + 1
		}
	} else {
		line, column = s.slowPosition(off)
	}
	if s.remap != nil {
		return s.remap(line, column)
	}
	return line, column
}

// slowPosition counts the lines of a text with other line ends than line feeds.
func (s *Source) slowPosition(off int) (line, column int) {
	line, start := 1, 0
	for i := 0; i < off; {
		r, n := utf8.DecodeRuneInString(s.text[i:])
		i += n
		if r == '\n' || r == '\u2028' || r == '\u2029' || r == '\r' && (i >= len(s.text) || s.text[i] != '\n') {
			line, start = line+1, i
		}
	}
	return line, utf16Len(s.text[min(start, off):off]) + 1
}

// tokenAt is the index of the token at or, between tokens, after off. It is -1
// behind the last token.
func (s *Source) tokenAt(off int) int32 {
	s.index()
	t := s.code.toks
	i := sort.Search(len(t), func(i int) bool { return int(t[i].end) > off })
	if off < 0 || i == len(t) {
		return -1
	}
	return int32(i)
}

// classMade is the class that the variable name was declared to hold an
// instance of, as in "const name = new Class(…)"; "" if that is not known.
func (s *Source) classMade(name string) string {
	c := s.code
	if i, ok := s.initial(name); ok && c.is(i, "new") && int(i)+1 < len(c.toks) && c.toks[i+1].kind == ident && !c.is(i+2, ".") {
		return c.text(i + 1)
	}
	return ""
}

// maxMade bounds how many variables are remembered.
const maxMade = 1 << 14

// initial is the "new" or "[" that begins what the variable name first gets.
func (s *Source) initial(name string) (int32, bool) {
	if s.made == nil {
		s.made = map[string]int32{}
		c := s.code
		for i := int32(2); int(i) < len(c.toks) && len(s.made) < maxMade; i++ {
			if !c.is(i-1, "=") || c.toks[i-2].kind != ident || !c.is(i, "new") && !c.is(i, "[") {
				continue
			}
			if name := c.text(i - 2); len(name) < 64 {
				if _, ok := s.made[name]; !ok {
					s.made[name] = i
				}
			}
		}
	}
	i, ok := s.made[name]
	return i, ok
}

// utf16Len is the length of s in UTF-16 code units.
func utf16Len(s string) int {
	n := 0
	for i := range len(s) {
		if s[i]&0xc0 != 0x80 { // not inside a character
			n++
		}
		if s[i] >= 0xf0 {
			n++
		}
	}
	return n
}
