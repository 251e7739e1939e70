package codemode

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

const hexDigits = "0123456789abcdef"

// appendString appends s as a JSON string, escaped as upstream does it: only
// what must be, everything else as it is. Bytes that are not UTF-8 become
// U+FFFD. Spec: codemode §3.
func appendString(dst []byte, s string) []byte {
	if !utf8.ValidString(s) {
		s = strings.Map(func(r rune) rune { return r }, s) // one U+FFFD for each such byte
	}
	dst = append(slices.Grow(dst, len(s)+len(s)/32+2), '"')
	for {
		n := plainPrefix(s)
		dst = append(dst, s[:n]...)
		if n == len(s) {
			return append(dst, '"')
		}
		dst = appendEscaped(dst, s[n])
		s = s[n+1:]
	}
}

// plainPrefix is the length of the part of s that needs no escaping. It looks
// at eight bytes at a time.
func plainPrefix[S string | []byte](s S) int {
	const ones, tops = 0x0101010101010101, 0x8080808080808080
	i := 0
	for ; i+8 <= len(s); i += 8 {
		b := s[i : i+8]
		w := uint64(b[0]) | uint64(b[1])<<8 | uint64(b[2])<<16 | uint64(b[3])<<24 |
			uint64(b[4])<<32 | uint64(b[5])<<40 | uint64(b[6])<<48 | uint64(b[7])<<56
		quote, slash := w^(ones*'"'), w^(ones*'\\')
		if ((w-ones*' ')&^w|(quote-ones)&^quote|(slash-ones)&^slash)&tops != 0 {
			break
		}
	}
	for i < len(s) && s[i] >= ' ' && s[i] != '"' && s[i] != '\\' {
		i++
	}
	return i
}

func appendEscaped(dst []byte, c byte) []byte {
	switch c {
	case '"', '\\':
		return append(dst, '\\', c)
	case '\b':
		return append(dst, '\\', 'b')
	case '\f':
		return append(dst, '\\', 'f')
	case '\n':
		return append(dst, '\\', 'n')
	case '\r':
		return append(dst, '\\', 'r')
	case '\t':
		return append(dst, '\\', 't')
	default:
		return append(dst, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&15])
	}
}

// appendCompact appends a carried JSON value without its white space, after
// checking that it is one valid value. It also returns the value's levels of
// arrays and objects.
func appendCompact(dst []byte, v RawJSON) (out []byte, levels int, err error) {
	if !jsontext.Value(v).IsValid(jsontext.AllowDuplicateNames(true)) {
		return dst, 0, errors.New("invalid JSON")
	}
	depth, kept := 0, 0 // v[:kept] is in dst
	for i := 0; i < len(v); i++ {
		switch v[i] {
		case '[', '{':
			depth++
			levels = max(levels, depth)
		case ']', '}':
			depth--
		case '"':
			i = stringEnd(v, i+1)
		case ' ', '\t', '\n', '\r':
			dst = append(dst, v[kept:i]...)
			kept = i + 1
		}
	}
	return append(dst, v[kept:]...), levels, nil
}

// stringEnd is the index of the quote that ends a JSON string whose content
// begins at i.
func stringEnd(v []byte, i int) int {
	for {
		i += bytes.IndexByte(v[i:], '"')
		slashes := 0
		for v[i-1-slashes] == '\\' {
			slashes++
		}
		if slashes%2 == 0 {
			return i
		}
		i++
	}
}
