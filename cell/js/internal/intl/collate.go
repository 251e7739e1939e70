package intl

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// collatorOptions are the resolved options of a Collator, in V8's order.
type collatorOptions struct {
	Locale            string `json:"locale"`
	Usage             string `json:"usage"`
	Sensitivity       string `json:"sensitivity"`
	IgnorePunctuation bool   `json:"ignorePunctuation"`
	Collation         string `json:"collation"`
	Numeric           bool   `json:"numeric"`
	CaseFirst         string `json:"caseFirst"`
	Data              string `json:"_data"`
}

func (in *Instance) newCollator(args []byte) ([]byte, error) {
	var r struct {
		Locales   string `json:"locales"`
		Usage     string `json:"usage"`
		Numeric   *bool  `json:"numeric"`
		CaseFirst string `json:"caseFirst"`
		collatorRest
	}
	if err := json.Unmarshal(args, &r); err != nil {
		return nil, fmt.Errorf("%w: %w", errOp, err)
	}
	c := in.negotiate(r.Locales, collated)
	kept := map[string]string{}
	o := collatorOptions{Usage: r.Usage, Sensitivity: r.Sensitivity, IgnorePunctuation: r.IgnorePunctuation, Collation: "default", Data: c.data}
	o.CaseFirst = c.keyword("kf", r.CaseFirst, "false", func(v string) bool { return v == "upper" || v == "lower" || v == "false" }, kept)
	if k, ok := c.keywords["kn"]; ok && (k == "" || k == "false") {
		o.Numeric = k == ""
		kept["kn"] = k
	}
	if r.Numeric != nil && *r.Numeric != o.Numeric {
		o.Numeric = *r.Numeric
		delete(kept, "kn")
	}
	o.Locale = c.named(kept)
	return json.Marshal(&o)
}

type collatorRest struct {
	Sensitivity       string `json:"sensitivity"`
	IgnorePunctuation bool   `json:"ignorePunctuation"`
}

// collationData is the root order of characters: see gen for its notation.
type collationData struct {
	Letters  string `json:"letters"`
	Marks    string `json:"marks"`
	Ignored  string `json:"ignored"`
	Variable string `json:"variable"` // left out by ignorePunctuation

	once     sync.Once
	weights  map[rune]weights
	variable map[rune]bool
	ascii    [utf8.RuneSelf]weights
	emoji    int32 // primary weight of symbols beyond the table
}

// weights order a character: by letter, then accent, then case. A primary of
// zero is a mark on the letter before, all zero is ignored.
type weights struct {
	primary, secondary, tertiary int32
	upper                        bool
}

const (
	plain    = 1          // secondary and tertiary of a letter without any
	implicit = 0x10000000 // primaries of characters that have no place in the table
)

func (c *collationData) init() {
	c.weights, c.variable = make(map[rune]weights, 16<<10), map[rune]bool{}
	for _, r := range c.Ignored {
		c.weights[r] = weights{}
	}
	for _, r := range c.Variable {
		c.variable[r] = true
	}
	w := weights{1 << 8, plain, plain, false}
	c.order(c.Letters, func(r rune, level byte) {
		switch level {
		case 0:
			w = weights{w.primary + 1<<8, plain, plain, false}
		case 1:
			w.secondary, w.tertiary = w.secondary+1, plain
		case 2:
			w.tertiary++
		}
		w.upper = unicode.IsUpper(r)
		c.weights[r] = w
	})
	m := weights{0, 1 << 10, plain, false} // marks weigh more than a letter's own variants
	c.order(c.Marks, func(r rune, level byte) {
		switch level {
		case 0, 1:
			m.secondary, m.tertiary = m.secondary+1, plain
		case 2:
			m.tertiary++
		}
		c.weights[r] = m
	})
	for i := range c.ascii {
		c.ascii[i] = c.weights[rune(i)]
	}
	c.emoji = c.weights['$'].primary - 1
}

// order walks a table: level tells what sets a character apart from the one
// before: 0 everything, 1 accent, 2 case, 3 nothing.
func (c *collationData) order(table string, visit func(r rune, level byte)) {
	level, last := byte(0), rune(0)
	for i := 0; i < len(table); {
		r, size := utf8.DecodeRuneInString(table[i:])
		i += size
		switch r {
		case 1, 2, 3:
			level = byte(r)
			continue
		case 4:
			end, size := utf8.DecodeRuneInString(table[i:])
			i += size
			for r := last + 1; r <= end; r++ {
				visit(r, 0)
			}
			continue
		}
		visit(r, level)
		level, last = 0, r
	}
}

func (in *Instance) collation() (*collationData, error) {
	c, err := load[collationData](in, "root", "collation")
	if err != nil {
		return nil, err
	}
	c.once.Do(c.init)
	return c, nil
}

// compare answers co.compare: the options, a newline and two texts with
// U+0000 between. The answer is -1, 0 or 1, or nothing if there is more than
// one U+0000.
func (in *Instance) compare(args []byte) ([]byte, error) {
	fields, err := split(args, 2)
	if err != nil {
		return nil, err
	}
	o, err := reuse(in, "co", fields[0], func(options []byte) (*collatorOptions, error) {
		o := &collatorOptions{}
		if err := json.Unmarshal(options, o); err != nil {
			return nil, fmt.Errorf("%w: %w", errOp, err)
		}
		return o, nil
	})
	if err != nil {
		return nil, err
	}
	data, err := in.collation()
	if err != nil {
		return nil, err
	}
	a, b, ok := strings.Cut(string(fields[1]), "\x00")
	if !ok {
		return nil, fmt.Errorf("%w: one text", errOp)
	}
	if strings.Contains(b, "\x00") {
		return nil, nil
	}
	return []byte([]string{"-1", "0", "1"}[o.compare(data, a, b)+1]), nil
}

func (o *collatorOptions) compare(c *collationData, a, b string) int {
	if r, ok := o.compareASCII(c, a, b); ok {
		return r
	}
	a, b = window(a, b)
	x, y := o.key(c, a), o.key(c, b)
	primary := func(w weights) int32 { return w.primary }
	if r := compareBy(x, y, primary); r != 0 || o.Sensitivity == "base" {
		return r
	}
	if o.Sensitivity != "case" {
		if r := compareBy(x, y, func(w weights) int32 { return w.secondary }); r != 0 || o.Sensitivity == "accent" {
			return r
		}
	}
	const upper = 1 << 20 // weighs more than any other difference of case
	return compareBy(x, y, func(w weights) int32 {
		level := w.tertiary
		if o.Sensitivity == "case" {
			level = min(w.primary, 1)
		}
		switch {
		case level == 0 || o.CaseFirst == "false" && o.Sensitivity != "case":
			return level
		case w.upper != (o.CaseFirst == "upper"):
			return level + upper
		}
		return level
	})
}

// maxCompared bounds the bytes of long texts that are taken apart.
const maxCompared = 64 << 10

// window cuts long texts to where they differ: from the last letter they have
// in common, for maxCompared bytes.
func window(a, b string) (string, string) {
	if len(a)+len(b) <= 2*maxCompared {
		return a, b
	}
	n := 0
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	for n > 0 {
		n--
		if r, _ := utf8.DecodeRuneInString(a[n:]); unicode.IsLetter(r) {
			break
		}
	}
	return clip(a[n:]), clip(b[n:])
}

// clip ends a long text between two characters.
func clip(s string) string {
	if len(s) <= maxCompared {
		return s
	}
	n := maxCompared
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}

// compareASCII is compare without taking the texts apart, for the plain case.
func (o *collatorOptions) compareASCII(c *collationData, a, b string) (r int, ok bool) {
	if o.Numeric || o.IgnorePunctuation || o.Sensitivity != "variant" || o.CaseFirst != "false" {
		return 0, false
	}
	tertiary := 0
	for i := range min(len(a), len(b)) {
		if a[i] >= utf8.RuneSelf || b[i] >= utf8.RuneSelf {
			return 0, false
		}
		x, y := c.ascii[a[i]], c.ascii[b[i]]
		switch {
		case x.primary == 0 || y.primary == 0:
			return 0, false
		case r == 0 && x.primary != y.primary:
			r = cmp.Compare(x.primary, y.primary)
		case tertiary == 0:
			tertiary = cmp.Compare(x.tertiary, y.tertiary)
		}
	}
	for _, rest := range []string{a[min(len(a), len(b)):], b[min(len(a), len(b)):]} {
		for i := range len(rest) {
			if rest[i] >= utf8.RuneSelf || c.ascii[rest[i]].primary == 0 {
				return 0, false
			}
		}
	}
	return cmp.Or(r, cmp.Compare(len(a), len(b)), tertiary), true
}

// compareBy compares the weights of one level; zeros do not count.
func compareBy(x, y []weights, level func(weights) int32) int {
	i, j := 0, 0
	for {
		for i < len(x) && level(x[i]) == 0 {
			i++
		}
		for j < len(y) && level(y[j]) == 0 {
			j++
		}
		switch {
		case i == len(x) && j == len(y):
			return 0
		case i == len(x):
			return -1
		case j == len(y):
			return 1
		}
		if a, b := level(x[i]), level(y[j]); a != b {
			if a < b {
				return -1
			}
			return 1
		}
		i++
		j++
	}
}

// key is the sequence of weights of a text.
func (o *collatorOptions) key(c *collationData, s string) []weights {
	out := make([]weights, 0, len(s))
	runes := expand(s, o.Data == "es")
	for i := 0; i < len(runes); i++ {
		r := runes[i]
		if o.IgnorePunctuation && c.variable[r] {
			for i+1 < len(runes) && unicode.Is(unicode.M, runes[i+1]) {
				i++
			}
			continue
		}
		if o.Numeric && r >= '0' && r <= '9' {
			n := i
			for n < len(runes) && runes[n] >= '0' && runes[n] <= '9' {
				n++
			}
			out = appendNumber(out, c.weights['0'], runes[i:n])
			i = n - 1
			continue
		}
		out = append(out, c.weigh(r))
	}
	return out
}

// Marks after what a character was taken apart into, where Unicode has no
// canonical decomposition: they weigh a little, as accents or as case.
const (
	ligated    = 0xfffe
	compatible = 0xffff
	part0      = 1 << 24 // added to digits that are parts of a character
)

// expand takes characters apart as the root order sees them. In Spanish ñ is a
// letter of its own.
func expand(s string, spanish bool) []rune {
	if strings.IndexFunc(s, func(r rune) bool { return r >= utf8.RuneSelf }) < 0 {
		return []rune(s)
	}
	var out []rune
	for _, r := range norm.NFC.String(s) {
		if l := ligature(r); l != "" {
			out = append(append(out, []rune(l)...), ligated)
			continue
		}
		if spanish && (r == 'ñ' || r == 'Ñ') {
			out = append(out, r)
			continue
		}
		for _, d := range norm.NFD.String(string(r)) {
			k := norm.NFKD.String(string(d))
			if k == string(d) {
				out = append(out, d)
				continue
			}
			for _, r := range k {
				if r >= '0' && r <= '9' {
					r += part0
				}
				out = append(out, r)
			}
			out = append(out, compatible)
		}
	}
	return out
}

// ligature spells the letters that sort as two without having a decomposition.
func ligature(r rune) string {
	switch r {
	case 'æ':
		return "ae"
	case 'Æ':
		return "AE"
	case 'œ':
		return "oe"
	case 'Œ':
		return "OE"
	case 'ß':
		return "ss"
	case 'ẞ':
		return "SS"
	}
	return ""
}

func (c *collationData) weigh(r rune) weights {
	if r > part0 {
		r -= part0
	}
	switch r {
	case 'ñ', 'Ñ':
		w := c.weights['n'+r-'ñ'] // ñ and Ñ are as far apart as n and N
		w.primary++
		return w
	case ligated:
		return weights{0, 1 << 9, plain, false}
	case compatible:
		return weights{0, 0, plain + 1, false}
	}
	if w, ok := c.weights[r]; ok {
		return w
	}
	switch {
	case unicode.Is(unicode.Han, r):
		return weights{implicit + r, plain, plain, false}
	case unicode.IsLetter(r):
		return weights{implicit/2 + r, plain, plain, false}
	case unicode.Is(unicode.M, r):
		return weights{0, 1 << 11, plain, false}
	case r > 0xffff:
		return weights{c.emoji, r, plain, false}
	}
	return weights{implicit*2 + r, plain, plain, false}
}

// appendNumber weighs a run of digits by its value: length first.
func appendNumber(out []weights, zero weights, digits []rune) []weights {
	for len(digits) > 1 && digits[0] == '0' {
		digits = digits[1:]
	}
	out = append(out, weights{zero.primary, plain, plain, false}, weights{int32(len(digits)) + 1, plain, plain, false})
	for _, d := range digits {
		out = append(out, weights{d, plain, plain, false})
	}
	return out
}
