package intl

import (
	"strings"
	"unicode/utf8"
)

// formatRange writes two numbers, sharing what stands around both if that is
// more than one character, or one number as an approximation.
func (f *numberFormat) formatRange(a, b decimal) []part {
	la, lb := f.layout(a), f.layout(b)
	if text(la.parts()) == text(lb.parts()) {
		return f.approximately(la)
	}
	// A layer is shared only if the one around it is; the middle one only if
	// it is long enough, the exponent never.
	outer := la.outer == lb.outer || f.Style == "unit" || f.Style == "currency"
	middle := outer && la.middle == lb.middle && weight(la.middle) > 1
	repeat := weight(la.inner) > 0 || !middle && weight(la.middle) > 0 || !outer && weight(la.outer) > 0
	separator := f.separator(repeat)
	one := func(l layout, source string) []part {
		parts := fill(l.inner, l.number, nil)
		if !middle {
			parts = fill(l.middle, parts, nil)
		}
		if !outer {
			parts = fill(l.outer, parts, nil)
		}
		return from(parts, source)
	}
	out := append(one(la, "startRange"), part{Type: "literal", Value: separator, Source: "shared"})
	out = append(out, one(lb, "endRange")...)
	if middle {
		out = share(lb.middle, out)
	}
	if outer {
		out = share(lb.outer, out)
	}
	return out
}

// weight counts the characters that a template adds.
func weight(template string) int {
	return utf8.RuneCountInString(text(fill(template, nil, nil)))
}

// from marks parts that have no source yet.
func from(parts []part, source string) []part {
	out := make([]part, len(parts))
	for i, p := range parts {
		if p.Source == "" {
			p.Source = source
		}
		out[i] = p
	}
	return out
}

func share(template string, inside []part) []part {
	return from(fill(template, inside, nil), "shared")
}

// separator stands between the two ends; apart asks for spaces around it.
func (f *numberFormat) separator(apart bool) string {
	s := f.data.Range[0]
	s = strings.TrimSuffix(strings.TrimPrefix(s, "1"), "2")
	if apart && !strings.ContainsAny(s, " \u00a0\u2009\u202f") {
		return " " + s + " "
	}
	return s
}

// approximately puts the locale's sign for that in front.
func (f *numberFormat) approximately(l layout) []part {
	sign := strings.TrimSuffix(f.data.Range[1], "1")
	parts := append([]part{{Type: "approximatelySign", Value: sign}}, l.parts()...)
	return from(parts, "shared")
}
