package intl

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// numberOptions are the resolved options of a NumberFormat, in V8's order.
type numberOptions struct {
	Locale          string `json:"locale"`
	NumberingSystem string `json:"numberingSystem"`
	Style           string `json:"style"`
	Currency        string `json:"currency,omitempty"`
	CurrencyDisplay string `json:"currencyDisplay,omitempty"`
	CurrencySign    string `json:"currencySign,omitempty"`
	Unit            string `json:"unit,omitempty"`
	UnitDisplay     string `json:"unitDisplay,omitempty"`
	digitOptions
	UseGrouping    any    `json:"useGrouping,omitempty"` // false or a text
	Notation       string `json:"notation"`
	CompactDisplay string `json:"compactDisplay,omitempty"`
	SignDisplay    string `json:"signDisplay"`
	roundingOptions
	Data string `json:"_data"` // whose tables
}

type digitOptions struct {
	MinInteger     int  `json:"minimumIntegerDigits"`
	MinFraction    *int `json:"minimumFractionDigits,omitempty"`
	MaxFraction    *int `json:"maximumFractionDigits,omitempty"`
	MinSignificant int  `json:"minimumSignificantDigits,omitempty"`
	MaxSignificant int  `json:"maximumSignificantDigits,omitempty"`
}

type roundingOptions struct {
	Increment     int    `json:"roundingIncrement"`
	Mode          string `json:"roundingMode"`
	Priority      string `json:"roundingPriority"`
	TrailingZeros string `json:"trailingZeroDisplay"`
}

// numberRequest is what the script read, checked, from a program's options.
type numberRequest struct {
	Locales string `json:"locales"`
	numberOptions
	Sig  bool `json:"_sig"`  // significant digits were asked for
	Frac bool `json:"_frac"` // fraction digits were asked for
}

func (in *Instance) numbering(option string, c choice, kept map[string]string) (string, error) {
	root, err := in.root()
	if err != nil {
		return "", err
	}
	if option == "" && c.keywords["nu"] == "" {
		return "latn", nil
	}
	return c.keyword("nu", option, "latn", func(v string) bool { return root.Digits[v] != "" }, kept), nil
}

// newNumber resolves the options of a NumberFormat.
func (in *Instance) newNumber(args []byte) ([]byte, error) {
	var r numberRequest
	if err := json.Unmarshal(args, &r); err != nil {
		return nil, fmt.Errorf("%w: %w", errOp, err)
	}
	c := in.negotiate(r.Locales, anyData)
	kept := map[string]string{}
	var err error
	if r.NumberingSystem, err = in.numbering(r.NumberingSystem, c, kept); err != nil {
		return nil, err
	}
	r.Locale, r.Data = c.named(kept), c.data
	root, err := in.root()
	if err != nil {
		return nil, err
	}
	least, most := 0, 3
	if r.Style == "percent" {
		most = 0
	}
	if r.Style == "currency" {
		r.Currency = strings.ToUpper(r.Currency)
		if r.Notation == "standard" {
			least = 2
			if n, ok := root.CurrencyDigits[r.Currency]; ok {
				least = n
			}
			most = least
		}
	}
	if r.SignDisplay == "never" && r.Style == "currency" {
		r.CurrencySign = "standard"
	}
	if r.Style == "unit" && !knownUnit(root, r.Unit) {
		return nil, rangef("Invalid unit argument for Intl.NumberFormat() '%s'", r.Unit)
	}
	if err := r.resolveDigits(least, most); err != nil {
		return nil, err
	}
	return json.Marshal(&r.numberOptions)
}

func knownUnit(root *rootData, unit string) bool {
	a, b, per := strings.Cut(unit, "-per-")
	known := func(u string) bool { _, ok := slices.BinarySearch(root.Units, u); return ok }
	return known(a) && (!per || known(b))
}

// resolveDigits is ECMA-402's SetNumberFormatDigitOptions, after the reading.
// least and most are the style's fraction digits.
func (r *numberRequest) resolveDigits(least, most int) error {
	compact := r.Notation == "compact"
	needSig := r.Sig || r.Priority != "auto"
	needFrac := r.Priority != "auto" || !r.Sig && !(compact && !r.Frac)
	switch {
	case needSig && r.Sig:
		r.MinSignificant = max(r.MinSignificant, 1)
		if r.MaxSignificant == 0 {
			r.MaxSignificant = 21
		}
		if r.MinSignificant > r.MaxSignificant {
			return rangeError("maximumSignificantDigits value is out of range.")
		}
	case needSig:
		r.MinSignificant, r.MaxSignificant = 1, 21
	}
	if needFrac {
		if err := r.resolveFraction(least, most); err != nil {
			return err
		}
	} else {
		r.MinFraction, r.MaxFraction = nil, nil
	}
	if !needSig && !needFrac {
		zero := 0
		r.MinFraction, r.MaxFraction, r.MinSignificant, r.MaxSignificant, r.Priority = &zero, &zero, 1, 2, "morePrecision"
	}
	if r.Increment > 1 && needFrac && *r.MinFraction != *r.MaxFraction {
		return rangeError("maximumFractionDigits value is out of range.")
	}
	return nil
}

func (r *numberRequest) resolveFraction(least, most int) error {
	lo, hi := r.MinFraction, r.MaxFraction
	switch {
	case lo == nil && hi == nil:
		lo, hi = &least, &most
	case lo == nil:
		l := min(least, *hi)
		lo = &l
	case hi == nil:
		h := max(most, *lo)
		hi = &h
	case *lo > *hi:
		return rangeError("maximumFractionDigits value is out of range.")
	}
	r.MinFraction, r.MaxFraction = lo, hi
	return nil
}
