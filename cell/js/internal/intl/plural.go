package intl

import (
	"strconv"
	"strings"
)

// operands are those of the plural rules: the integer part's digits, the
// visible fraction's, and the power of ten of a compact number.
type operands struct {
	i, f string // digits; f with its trailing zeros
	e    int
}

func operandsOf(integer, fraction string) operands {
	return operands{i: strings.TrimLeft(integer, "0"), f: fraction}
}

func (o operands) v() int { return len(o.f) }

// whole tells that the value is an integer, visible zeros or not.
func (o operands) whole() bool { return strings.Trim(o.f, "0") == "" }

// is tells that the integer part is n, at most four digits.
func (o operands) is(n int) bool {
	if n == 0 {
		return o.i == ""
	}
	return o.i == strconv.Itoa(n)
}

// mod is the integer part modulo 10^digits.
func (o operands) mod(digits int) int {
	s := o.i
	if len(s) > digits {
		s = s[len(s)-digits:]
	}
	n, _ := strconv.Atoi(s)
	return n
}

// cardinal is the category of a number of things in a language.
func cardinal(language string, o operands) string {
	// Romance languages count "millions of" things.
	millions := o.e == 0 && !o.is(0) && o.mod(6) == 0 && o.v() == 0 || o.e > 5
	one := false
	switch language {
	case "ja", "zh":
		return "other"
	case "fr", "pt":
		one = o.is(0) || o.is(1)
	case "es":
		one = o.is(1) && o.whole()
	default: // en, de, it
		one = o.is(1) && o.v() == 0
	}
	switch {
	case one:
		return "one"
	case millions && (language == "fr" || language == "es" || language == "it" || language == "pt"):
		return "many"
	}
	return "other"
}

// ordinal is the category of a place in a row.
func ordinal(language string, o operands) string {
	if !o.whole() {
		return "other"
	}
	switch language {
	case "en":
		ten, hundred := o.mod(1), o.mod(2)
		switch {
		case ten == 1 && hundred != 11:
			return "one"
		case ten == 2 && hundred != 12:
			return "two"
		case ten == 3 && hundred != 13:
			return "few"
		}
	case "fr":
		if o.is(1) {
			return "one"
		}
	case "it":
		if o.is(8) || o.is(11) || o.is(80) || o.is(800) {
			return "many"
		}
	}
	return "other"
}
