package intl

import (
	"strconv"
	"strings"
	"unicode"
)

// isSymbol tells that a currency sign's edge needs no space before a digit.
func isSymbol(r rune) bool { return unicode.IsSymbol(r) || unicode.Is(unicode.Z, r) }

// round applies the digit options.
func (f *numberFormat) round(d decimal) decimal {
	if !d.finite() {
		return d
	}
	byFraction := func() decimal { return d.fraction(*f.MaxFraction, f.Increment, f.Mode) }
	bySignificant := func() decimal { return d.keep(f.MaxSignificant, f.Mode) }
	switch {
	case f.MaxSignificant == 0:
		return byFraction()
	case f.MaxFraction == nil:
		return bySignificant()
	}
	if f.significantWins(d) {
		return bySignificant()
	}
	return byFraction()
}

// significantWins decides a conflict of both kinds of digits: the last place
// that each would keep tells which is more precise.
func (f *numberFormat) significantWins(d decimal) bool {
	places := f.MaxSignificant - d.exponent() - 1
	return (places >= *f.MaxFraction) == (f.Priority != "lessPrecision")
}

// write gives the digits of a rounded number, padded as the options want.
func (f *numberFormat) write(d decimal) (integer, fraction string) {
	if !d.finite() {
		return "", ""
	}
	least := 0
	switch {
	case f.MaxSignificant == 0:
		least = *f.MinFraction
	case f.MaxFraction == nil || f.significantWins(d):
		if d.zero() {
			least = f.MinSignificant - 1
		} else {
			least = f.MinSignificant - d.point
		}
	default:
		least = *f.MinFraction
	}
	if f.TrailingZeros == "stripIfInteger" && d.point >= len(d.digits) {
		least = 0
	}
	integer, fraction = d.integerText(), d.fractionText(least)
	if n := f.MinInteger - len(integer); n > 0 {
		integer = strings.Repeat("0", n) + integer
	}
	return integer, fraction
}

// scientific scales to one digit (or up to three) before the point.
func (f *numberFormat) scientific(d decimal) (decimal, int) {
	scale := func(e int) int {
		if f.Notation == "engineering" {
			return e - ((e%3)+3)%3
		}
		return e
	}
	if !d.finite() || d.zero() {
		return f.round(d), 0
	}
	exp := scale(d.exponent())
	out := f.round(d.shift(-exp))
	if next := scale(exp + out.exponent()); next > exp {
		exp = next
		out = f.round(d.shift(-exp))
	}
	return out, exp
}

// exponent is the template of scientific notation.
func (f *numberFormat) exponent(exp int) string {
	out := bare + "{exponentSeparator:" + f.data.Exponent + "}"
	if exp < 0 {
		out += "{exponentMinusSign:" + f.data.ExpMinus + "}"
		exp = -exp
	}
	return out + "{exponentInteger:" + localDigits(strconv.Itoa(exp), f.digits) + "}"
}

// numberParts writes a number without its sign: groups, decimal, fraction.
func (f *numberFormat) numberParts(d decimal, integer, fraction string) []part {
	if d.nan {
		return []part{{Type: "nan", Value: f.data.NaN}}
	}
	if d.inf {
		return []part{{Type: "infinity", Value: f.data.Infinity}}
	}
	decimalSign, groupSign, groups, least := f.data.Decimal, f.data.Group, f.data.Groups, f.data.MinGrouping
	if f.Style == "currency" {
		decimalSign, groupSign, groups, least = f.data.CurrencyDecimal, f.data.CurrencyGroup, f.data.CurrencyGroups, f.data.CurrencyMinGrouping
	}
	switch f.UseGrouping {
	case "always", true:
		least = 1
	case "min2":
		least = 2
	case "auto":
	default:
		least = 0
	}
	var out []part
	for i, g := range group(integer, groups, least) {
		if i > 0 {
			out = append(out, part{Type: "group", Value: groupSign})
		}
		out = append(out, part{Type: "integer", Value: localDigits(g, f.digits)})
	}
	if fraction != "" {
		out = append(out, part{Type: "decimal", Value: decimalSign}, part{Type: "fraction", Value: localDigits(fraction, f.digits)})
	}
	return out
}

// group cuts digits: the last group has sizes[1] digits, the others sizes[0],
// and there is none unless least digits would stand before the last; 0 never.
func group(s string, sizes [2]int, least int) []string {
	if least == 0 || sizes[0] < 1 || sizes[1] < 1 || len(s) < sizes[1]+least {
		return []string{s}
	}
	end := len(s) - sizes[1]
	head := end % sizes[0]
	var out []string
	if head > 0 {
		out = append(out, s[:head])
	}
	for i := head; i < end; i += sizes[0] {
		out = append(out, s[i:i+sizes[0]])
	}
	return append(out, s[end:])
}

// compact scales by the locale's steps and returns the template of the step.
func (f *numberFormat) compact(d decimal) (decimal, int, string) {
	if !d.finite() {
		return d, 0, ""
	}
	table := f.data.Compact.Short
	switch {
	case f.Style == "currency" && f.CurrencyDisplay != "name" && f.CompactDisplay == "long":
		table = f.data.Compact.CurrencyLong
	case f.Style == "currency" && f.CurrencyDisplay != "name":
		table = f.data.Compact.Currency
	case f.CompactDisplay == "long":
		table = f.data.Compact.Long
	}
	exp, step := stepOf(table, d.exponent())
	out := f.round(d.shift(-exp))
	if e := out.exponent() + exp; !out.zero() && e > d.exponent() { // rounded up to another power of ten
		if next, s := stepOf(table, e); next != exp {
			exp, step = next, s
			out = f.round(d.shift(-exp))
		}
	}
	return out, exp, f.compactForm(step, out)
}

const firstStep = 3 // the first power of ten that compact tables cover

// stepOf finds the step of a power of ten: by how many powers it scales, and
// its templates.
func stepOf(table []forms, exponent int) (int, forms) {
	i := min(exponent-firstStep, len(table)-1)
	if i < 0 {
		return 0, nil
	}
	digits := int(table[i].of("other")[0] - '0')
	exp := i + firstStep - digits + 1
	if !strings.Contains(table[i].of("other"), "{compact:") {
		return 0, table[i]
	}
	return exp, table[i]
}

// compactForm picks among a step's templates; each begins with a digit, the
// number of integer digits it was seen with. It is "" if the step adds nothing.
func (f *numberFormat) compactForm(step forms, d decimal) string {
	if step == nil {
		return ""
	}
	form := "other"
	integer, fraction := f.write(d)
	o := operandsOf(integer, fraction)
	switch {
	case o.is(1) && fraction == "":
		form = "one"
	case fraction != "" && cardinal(f.language, o) == "one":
		form = "part"
	}
	if t := step.of(form)[1:]; strings.Contains(t, "{compact:") {
		return t
	}
	return ""
}
