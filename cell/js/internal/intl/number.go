package intl

import (
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"
)

// numberData is a locale's signs and patterns. Patterns are templates of fill,
// one for each sign: none, minus, plus.
type numberData struct {
	Decimal     string `json:"decimal"`
	Group       string `json:"group"`
	Minus       string `json:"minus"`
	Plus        string `json:"plus"`
	Exponent    string `json:"exponent"`
	ExpMinus    string `json:"expMinus"`
	Infinity    string `json:"infinity"`
	NaN         string `json:"nan"`
	MinGrouping int    `json:"minGrouping"`
	Groups      [2]int `json:"groups"` // digits of the inner groups and of the last

	CurrencyDecimal     string `json:"currencyDecimal"`
	CurrencyGroup       string `json:"currencyGroup"`
	CurrencyMinGrouping int    `json:"currencyMinGrouping"`
	CurrencyGroups      [2]int `json:"currencyGroups"`

	Patterns struct {
		Decimal    [3]string `json:"decimal"`
		Percent    [3]string `json:"percent"`
		Currency   [3]string `json:"currency"`
		Accounting [3]string `json:"accounting"`
	} `json:"patterns"`
	CompactPercent string `json:"compactPercent"`

	Range   [3]string `json:"range"` // 1 to 2, 1 to 1, -1 to 2
	Compact struct {
		Short, Long, Currency, CurrencyLong []forms
	} `json:"compact"`
}

type currencyData struct {
	Symbols   map[string]string `json:"symbols"`
	Narrow    map[string]string `json:"narrow"`
	Names     map[string]forms  `json:"names"`
	Display   map[string]string `json:"display"` // DisplayNames', where not in Names
	NameForms forms             `json:"nameForms"`
}

// A numberFormat formats with one set of resolved options. It is immutable.
type numberFormat struct {
	numberOptions
	data     *numberData
	currency *currencyData // nil unless a currency
	units    *unitData     // nil unless a unit
	digits   []string      // ten, nil for Latin ones
	language string
}

func (in *Instance) numberFormat(options []byte) (*numberFormat, error) {
	return reuse(in, "nf", options, func(options []byte) (*numberFormat, error) {
		f := &numberFormat{}
		if err := json.Unmarshal(options, &f.numberOptions); err != nil {
			return nil, fmt.Errorf("%w: %w", errOp, err)
		}
		return f, in.complete(f)
	})
}

// complete loads the tables that the options ask for, and checks what the
// formatter relies on.
func (in *Instance) complete(f *numberFormat) error {
	if f.MinFraction != nil && (*f.MinFraction < 0 || *f.MinFraction > 100) ||
		f.MaxFraction != nil && (*f.MaxFraction < 0 || *f.MaxFraction > 100) ||
		(f.MinFraction == nil) != (f.MaxFraction == nil) || f.MinFraction == nil && f.MaxSignificant == 0 ||
		f.MinInteger < 0 || f.MinInteger > 21 || f.MinSignificant < 0 || f.MinSignificant > 21 ||
		f.MaxSignificant < 0 || f.MaxSignificant > 21 || f.Increment < 0 || f.Increment > 5000 {
		return fmt.Errorf("%w: digits out of range", errOp)
	}
	f.language, _, _ = strings.Cut(f.Data, "-")
	var err error
	if f.data, err = load[numberData](in, f.Data, "numbers"); err != nil {
		return err
	}
	if f.Style == "currency" {
		if f.currency, err = load[currencyData](in, f.Data, "currencies"); err != nil {
			return err
		}
	}
	if f.Style == "unit" {
		if f.units, err = load[unitData](in, f.Data, "units"); err != nil {
			return err
		}
	}
	f.digits, err = in.digitsOf(f.NumberingSystem)
	return err
}

// digitsOf is nil for Latin digits.
func (in *Instance) digitsOf(system string) ([]string, error) {
	if system == "latn" || system == "" {
		return nil, nil
	}
	root, err := in.root()
	if err != nil {
		return nil, err
	}
	digits := strings.Split(root.Digits[system], "")
	if len(digits) != 10 {
		return nil, fmt.Errorf("%w: numbering system %q", errOp, system)
	}
	return digits, nil
}

// localDigits replaces Latin digits; digits is nil or has ten.
func localDigits(s string, digits []string) string {
	if digits == nil {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		if r >= '0' && r <= '9' {
			b.WriteString(digits[r-'0'])
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}

// formatNumber answers the nf operations: the options, a newline and a number,
// or two numbers with a newline between.
func (in *Instance) formatNumber(op string, args []byte) ([]byte, error) {
	isRange := strings.HasPrefix(op, "nf.range")
	n := 2
	if isRange {
		n = 3
	}
	fields, err := split(args, n)
	if err != nil {
		return nil, err
	}
	f, err := in.numberFormat(fields[0])
	if err != nil {
		return nil, err
	}
	a, err := parseDecimal(string(fields[1]))
	if err != nil {
		return nil, err
	}
	if !isRange {
		return answer(op, f.layout(a).parts())
	}
	b, err := parseDecimal(string(fields[2]))
	if err != nil {
		return nil, err
	}
	return answer(op, f.formatRange(a, b))
}

// A layout is a number before its layers are put around it: the exponent, then
// sign, compact notation, percent or currency, then a unit or the currency's
// name. Each is a template of fill.
type layout struct {
	number               []part
	inner, middle, outer string
	plural               string
}

func (l layout) parts() []part {
	out := l.number
	for _, t := range []string{l.inner, l.middle, l.outer} {
		if t != bare {
			out = fill(t, out, nil)
		}
	}
	return out
}

const bare = "{n}" // the template that adds nothing

// layout rounds and writes a number.
func (f *numberFormat) layout(d decimal) layout {
	if f.Style == "percent" {
		d = d.shift(2)
	}
	l := layout{inner: bare, outer: bare}
	exp, compact := 0, ""
	switch f.Notation {
	case "compact":
		d, exp, compact = f.compact(d)
	case "scientific", "engineering":
		d, exp = f.scientific(d)
		if d.finite() {
			l.inner = f.exponent(exp)
		}
	default:
		d = f.round(d)
	}
	integer, fraction := f.write(d)
	l.plural = f.plural(d, fraction, exp)
	l.number = f.numberParts(d, integer, fraction)
	l.middle = f.around(compact, f.sign(d), d.finite())
	switch {
	case f.Style == "currency" && f.CurrencyDisplay == "name":
		l.outer = strings.Replace(f.currency.NameForms.of(l.plural), "{c}", "{currency:"+f.currencyName(l.plural)+"}", 1)
	case f.Style == "unit":
		l.outer = f.units.template(f.Unit, f.UnitDisplay, l.plural)
		if f.Unit == "percent" && f.Notation == "compact" {
			l.outer = f.data.CompactPercent
		}
	case f.Style == "percent" && f.Notation == "compact": // a unit, to ICU
		l.outer = f.data.CompactPercent
	}
	return l
}

// plural is the category of the number d × 10^exp, for the unit around it;
// fraction is what is shown of d's.
func (f *numberFormat) plural(d decimal, fraction string, exp int) string {
	if !d.finite() {
		return "other"
	}
	d = d.shift(exp)
	o := operandsOf(d.integerText(), d.fractionText(len(fraction)-exp))
	if f.Notation == "compact" {
		o.e = exp
	}
	return cardinal(f.language, o)
}

// around is the template of sign, compact notation, percent and currency.
func (f *numberFormat) around(compact string, sign int, finite bool) string {
	t := f.signed(sign)
	if f.Style == "currency" && f.CurrencyDisplay != "name" {
		if compact != "" {
			t = f.signedCompact(compact, sign)
		}
		return f.placeCurrency(t, finite)
	}
	if compact != "" {
		return strings.Replace(t, bare, compact, 1)
	}
	return t
}

// sign indexes patterns: 0 none, 1 minus, 2 plus.
func (f *numberFormat) sign(d decimal) int {
	switch f.SignDisplay {
	case "never":
		return 0
	case "negative":
		if d.neg && !d.zero() {
			return 1
		}
		return 0
	case "exceptZero":
		if d.zero() || d.nan {
			return 0
		}
	}
	switch {
	case d.neg:
		return 1
	case f.SignDisplay == "always" || f.SignDisplay == "exceptZero":
		return 2
	}
	return 0
}

func (f *numberFormat) signed(sign int) string {
	switch f.Style {
	case "percent":
		if f.Notation == "compact" {
			return f.data.Patterns.Decimal[sign]
		}
		return f.data.Patterns.Percent[sign]
	case "currency":
		switch {
		case f.CurrencyDisplay == "name":
			return f.data.Patterns.Decimal[sign]
		case f.CurrencySign == "accounting":
			return f.data.Patterns.Accounting[sign]
		}
		return f.data.Patterns.Currency[sign]
	}
	return f.data.Patterns.Decimal[sign]
}

// signedCompact puts the sign around a compact amount of money.
func (f *numberFormat) signedCompact(compact string, sign int) string {
	if sign == 1 && f.CurrencySign == "accounting" && strings.HasPrefix(f.data.Patterns.Accounting[1], "(") {
		return "(" + compact + ")"
	}
	switch sign {
	case 1:
		return "{minusSign:" + f.data.Minus + "}" + compact
	case 2:
		return "{plusSign:" + f.data.Plus + "}" + compact
	}
	return compact
}

func (f *numberFormat) currencyName(plural string) string {
	if names, ok := f.currency.Names[f.Currency]; ok {
		return names.of(plural)
	}
	return f.Currency
}

func (f *numberFormat) currencySymbol() string {
	if f.CurrencyDisplay == "narrowSymbol" {
		if s, ok := f.currency.Narrow[f.Currency]; ok {
			return s
		}
	}
	if f.CurrencyDisplay != "code" {
		if s, ok := f.currency.Symbols[f.Currency]; ok {
			return s
		}
	}
	return f.Currency
}

// placeCurrency puts the currency's sign into a template, with a space where
// a letter would touch digits.
func (f *numberFormat) placeCurrency(template string, digits bool) string {
	i := strings.Index(template, "{currency:")
	if i < 0 {
		return template
	}
	end := i + strings.IndexByte(template[i:], '}') + 1
	symbol := f.currencySymbol()
	before, after := template[:i], template[end:]
	if last, _ := utf8.DecodeLastRuneInString(symbol); digits && strings.HasPrefix(after, bare) && !isSymbol(last) {
		after = "\u00a0" + after
	}
	if first, _ := utf8.DecodeRuneInString(symbol); digits && strings.HasSuffix(before, bare) && !isSymbol(first) {
		before += "\u00a0"
	}
	return before + "{currency:" + symbol + "}" + after
}
