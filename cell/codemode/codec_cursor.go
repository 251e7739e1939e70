package codemode

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// cursor walks over a JSON text. It knows the shapes that the protocol itself
// has; the values that the protocol only carries are checked by jsontext.
type cursor struct {
	text    []byte
	pos     int
	scratch []byte // of strings with escapes
	values  *jsontext.Decoder
	buf     bytes.Buffer // what values reads
}

var errEnd = errors.New("unexpected end of the JSON text")

// peek skips white space and returns the byte that follows, 0 at the end.
func (c *cursor) peek() byte {
	for ; c.pos < len(c.text); c.pos++ {
		switch b := c.text[c.pos]; b {
		case ' ', '\t', '\n', '\r':
		default:
			return b
		}
	}
	return 0
}

// expect reads one byte of punctuation.
func (c *cursor) expect(want byte) error {
	if got := c.peek(); got != want {
		return c.unexpected(string(want))
	}
	c.pos++
	return nil
}

func (c *cursor) unexpected(want string) error {
	if c.peek() == 0 && c.pos >= len(c.text) {
		return errEnd
	}
	return fmt.Errorf("want %s, got %q at byte %d", want, c.peek(), c.pos)
}

// end checks that nothing but white space follows.
func (c *cursor) end() error {
	if c.peek(); c.pos < len(c.text) {
		return fmt.Errorf("byte %d is after the end of the message", c.pos)
	}
	return nil
}

// more reads what follows an element: a comma, or the closing byte.
func (c *cursor) more(closing byte) (bool, error) {
	switch c.peek() {
	case ',':
		c.pos++
		return true, nil
	case closing:
		c.pos++
		return false, nil
	}
	return false, c.unexpected("a comma or " + string(closing))
}

// members reads an object and calls member after each name and colon; member
// reads the value.
func (c *cursor) members(member func(name []byte) error) error {
	if err := c.expect('{'); err != nil {
		return err
	}
	if c.peek() == '}' {
		c.pos++
		return nil
	}
	for {
		name, err := c.bytes()
		if err != nil {
			return err
		}
		if err := c.expect(':'); err != nil {
			return err
		}
		if err := member(name); err != nil {
			return err
		}
		if more, err := c.more('}'); !more || err != nil {
			return err
		}
	}
}

// array reads an array; element reads each of its elements.
func (c *cursor) array(element func() error) error {
	if err := c.expect('['); err != nil {
		return err
	}
	if c.peek() == ']' {
		c.pos++
		return nil
	}
	for {
		if err := element(); err != nil {
			return err
		}
		if more, err := c.more(']'); !more || err != nil {
			return err
		}
	}
}

// null reads a null and reports it; anything else is left to be read.
func (c *cursor) null() bool {
	if c.peek() != 'n' || len(c.text)-c.pos < 4 || string(c.text[c.pos:c.pos+4]) != "null" {
		return false
	}
	c.pos += 4
	return true
}

func (c *cursor) string() (string, error) {
	b, err := c.bytes()
	return string(b), err
}

func (c *cursor) optionalString() (*string, error) {
	if c.null() {
		return nil, nil
	}
	s, err := c.string()
	return &s, err
}

// bytes reads a string. The bytes are part of the text, or of scratch and valid
// until the next string.
func (c *cursor) bytes() ([]byte, error) {
	if c.peek() != '"' {
		return nil, c.unexpected("a string")
	}
	start := c.pos + 1
	c.pos = start + plainPrefix(c.text[start:])
	run := c.text[start:c.pos]
	if c.pos < len(c.text) && c.text[c.pos] == '\\' {
		return c.escapedString(run)
	}
	if err := c.closeString(run); err != nil {
		return nil, err
	}
	return run, nil
}

// closeString checks the last run of a string and reads its closing quote.
func (c *cursor) closeString(run []byte) error {
	if !utf8.Valid(run) {
		return errors.New("invalid UTF-8 in a string")
	}
	if c.pos >= len(c.text) {
		return errEnd
	}
	if c.text[c.pos] != '"' {
		return fmt.Errorf("control character %#x in a string", c.text[c.pos])
	}
	c.pos++
	return nil
}

// escapedString reads the rest of a string that begins with run, at its first
// escape.
func (c *cursor) escapedString(run []byte) ([]byte, error) {
	out := c.scratch[:0]
	for {
		if !utf8.Valid(run) {
			return nil, errors.New("invalid UTF-8 in a string")
		}
		if cap(out)-len(out) < len(run)+utf8.UTFMax { // double it, but never beyond the text
			out = slices.Grow(out, len(run)+utf8.UTFMax+min(len(out), len(c.text)-c.pos))
		}
		out = append(out, run...)
		var err error
		if out, err = c.escape(out); err != nil {
			return nil, err
		}
		start := c.pos
		c.pos += plainPrefix(c.text[start:])
		run = c.text[start:c.pos]
		if c.pos >= len(c.text) || c.text[c.pos] != '\\' {
			break
		}
	}
	out = append(out, run...)
	if cap(out) <= takeSize {
		c.scratch = out
	}
	return out, c.closeString(run)
}

// escape reads one escape, two for a pair of surrogates, and appends what it
// stands for.
func (c *cursor) escape(out []byte) ([]byte, error) {
	rest := c.text[c.pos:]
	if len(rest) < 2 {
		return out, errEnd
	}
	c.pos += 2
	switch rest[1] {
	case '"', '\\', '/':
		return append(out, rest[1]), nil
	case 'b':
		return append(out, '\b'), nil
	case 'f':
		return append(out, '\f'), nil
	case 'n':
		return append(out, '\n'), nil
	case 'r':
		return append(out, '\r'), nil
	case 't':
		return append(out, '\t'), nil
	case 'u':
		r, ok := hex4(rest)
		c.pos += 4
		if ok && utf16.IsSurrogate(r) {
			low, lowOK := hex4(rest[min(6, len(rest)):])
			c.pos += 6
			r = utf16.DecodeRune(r, low)
			ok = lowOK && r != utf8.RuneError
		}
		if ok {
			return utf8.AppendRune(out, r), nil
		}
	}
	return out, fmt.Errorf("invalid escape %q in a string", rest[:2])
}

// hex4 reads \uXXXX.
func hex4(b []byte) (rune, bool) {
	if len(b) < 6 || b[0] != '\\' || b[1] != 'u' {
		return 0, false
	}
	var r rune
	for _, h := range b[2:6] {
		switch {
		case '0' <= h && h <= '9':
			r = r<<4 | rune(h-'0')
		case 'a' <= h|0x20 && h|0x20 <= 'f':
			r = r<<4 | rune(h|0x20-'a'+10)
		default:
			return 0, false
		}
	}
	return r, true
}

// number reads an integer as JSON spells it: no fraction, no exponent, no
// leading zero.
func (c *cursor) number() (digits []byte, negative bool, err error) {
	if c.peek() == '-' {
		negative = true
		c.pos++
	}
	start := c.pos
	for c.pos < len(c.text) && '0' <= c.text[c.pos] && c.text[c.pos] <= '9' {
		c.pos++
	}
	digits = c.text[start:c.pos]
	if len(digits) == 0 || len(digits) > 1 && digits[0] == '0' {
		return nil, false, c.unexpected("an integer")
	}
	if c.pos < len(c.text) {
		switch c.text[c.pos] {
		case '.', 'e', 'E':
			return nil, false, c.unexpected("an integer")
		}
	}
	return digits, negative, nil
}

func (c *cursor) int() (int64, error) {
	digits, negative, err := c.number()
	if err != nil {
		return 0, err
	}
	n, err := strconv.ParseUint(string(digits), 10, 64)
	switch {
	case err != nil:
		return 0, err
	case negative && n <= 1<<63:
		return -int64(n), nil
	case negative || n > math.MaxInt64:
		return 0, fmt.Errorf("integer %d outside of 64 bits, negative %t", n, negative)
	}
	return int64(n), nil
}

func (c *cursor) optionalInt32() (*int32, error) {
	if c.null() {
		return nil, nil
	}
	n, err := c.int()
	if err == nil && (n > math.MaxInt32 || n < math.MinInt32) {
		err = fmt.Errorf("integer %d outside of 32 bits", n)
	}
	small := int32(n)
	return &small, err
}

func (c *cursor) uint() (uint64, error) {
	digits, negative, err := c.number()
	if err != nil {
		return 0, err
	}
	n, err := strconv.ParseUint(string(digits), 10, 64)
	if err == nil && negative && n != 0 { // upstream takes -0 for 0
		err = fmt.Errorf("negative integer -%d", n)
	}
	return n, err
}

func (c *cursor) optionalUint() (*uint64, error) {
	if c.null() {
		return nil, nil
	}
	n, err := c.uint()
	return &n, err
}

// value reads any JSON value, as it is spelled. The bytes are part of the text.
// Names may occur twice in it, which is the sender's own affair.
func (c *cursor) value() ([]byte, error) {
	c.peek()
	if c.values == nil {
		c.values = jsontext.NewDecoder(&c.buf)
	}
	c.buf = *bytes.NewBuffer(c.text[c.pos:])
	c.values.Reset(&c.buf, jsontext.AllowDuplicateNames(true))
	v, err := c.values.ReadValue()
	if err != nil {
		return nil, err
	}
	start := c.pos
	c.pos += len(v)
	return c.text[start:c.pos:c.pos], nil
}
