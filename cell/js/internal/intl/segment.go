package intl

import (
	"encoding/json"
	"fmt"
	"unicode"
	"unicode/utf8"

	"github.com/clipperhouse/uax29/v2/graphemes"
	"github.com/clipperhouse/uax29/v2/sentences"
	"github.com/clipperhouse/uax29/v2/words"
)

func (in *Instance) newSegmenter(args []byte) ([]byte, error) {
	var r struct {
		Locales     string `json:"locales"`
		Granularity string `json:"granularity"`
	}
	if err := json.Unmarshal(args, &r); err != nil {
		return nil, fmt.Errorf("%w: %w", errOp, err)
	}
	return json.Marshal(map[string]string{"locale": in.negotiate(r.Locales, anyData).locale, "granularity": r.Granularity})
}

// breaks answers sg.breaks: the granularity, a newline and a text. The answer
// is a JSON array: for each segment its length in UTF-16 units, negative for a
// word that has letters or digits. Chinese, Japanese and Thai words are not
// looked up in a dictionary.
func (in *Instance) breaks(args []byte) ([]byte, error) {
	fields, err := split(args, 2)
	if err != nil {
		return nil, err
	}
	out, s := []int{}, string(fields[1])
	switch string(fields[0]) {
	case "grapheme":
		for it := graphemes.FromString(s); it.Next(); {
			out = append(out, units(it.Value()))
		}
	case "word":
		for it := words.FromString(s); it.Next(); {
			out = appendWord(out, it.Value())
		}
	case "sentence":
		for it := sentences.FromString(s); it.Next(); {
			out = append(out, units(it.Value()))
		}
	default:
		return nil, fmt.Errorf("%w: granularity %q", errOp, fields[0])
	}
	return json.Marshal(out)
}

// appendWord appends a word's length, or its pieces': a full stop or colon
// between letters ends a word in CLDR, other than in Unicode's own rules.
func appendWord(out []int, s string) []int {
	last := rune(0)
	for i, r := range s {
		if (r == '.' || r == ':') && unicode.IsLetter(last) && i+1 < len(s) {
			return appendWord(append(appendWord(out, s[:i]), 1), s[i+1:])
		}
		last = r
	}
	n := units(s)
	if wordLike(s) {
		n = -n
	}
	return append(out, n)
}

// units counts UTF-16 code units; a byte that is no UTF-8 may be part of a
// surrogate, three bytes for one unit.
func units(s string) int {
	n := 0
	for len(s) > 0 {
		r, size := utf8.DecodeRuneInString(s)
		switch {
		case r == utf8.RuneError && size == 1:
			size = min(surrogate(s), len(s))
			n++
		case r > 0xffff:
			n += 2
		default:
			n++
		}
		s = s[size:]
	}
	return n
}

// surrogate is the length of a surrogate's bytes at the start of s, or 1.
func surrogate(s string) int {
	if len(s) >= 3 && s[0] == 0xed && s[1] >= 0xa0 && s[1]&0xc0 == 0x80 && s[2]&0xc0 == 0x80 {
		return 3
	}
	return 1
}

func wordLike(s string) bool {
	for _, r := range s {
		if unicode.IsLetter(r) || unicode.IsNumber(r) {
			return true
		}
	}
	return false
}
