package intl

import (
	"encoding/json"
	"fmt"
	"strings"
)

// pluralOptions are the resolved options of PluralRules, in V8's order.
type pluralOptions struct {
	Locale   string `json:"locale"`
	Type     string `json:"type"`
	Notation string `json:"notation"`
	digitOptions
	Categories []string `json:"pluralCategories"`
	roundingOptions
	Data string `json:"_data"`
}

func (in *Instance) newPlural(args []byte) ([]byte, error) {
	var r struct {
		numberRequest
		Type string `json:"type"`
	}
	if err := json.Unmarshal(args, &r); err != nil {
		return nil, fmt.Errorf("%w: %w", errOp, err)
	}
	c := in.negotiate(r.Locales, anyData)
	if err := r.resolveDigits(0, 3); err != nil {
		return nil, err
	}
	words, err := load[wordData](in, c.data, "words")
	if err != nil {
		return nil, err
	}
	o := pluralOptions{Locale: language(c.locale), Type: r.Type, Notation: r.Notation, digitOptions: r.digitOptions, roundingOptions: r.roundingOptions, Data: c.data}
	o.Categories = words.Categories.Cardinal
	if r.Type == "ordinal" {
		o.Categories = words.Categories.Ordinal
	}
	return json.Marshal(&o)
}

// language is a locale without its region: plural rules have no regions here.
func language(locale string) string {
	l, _, _ := strings.Cut(locale, "-")
	return l
}

type pluralRules struct {
	pluralOptions
	words   *wordData
	numbers *numberFormat
}

func (in *Instance) pluralRules(options []byte) (*pluralRules, error) {
	return reuse(in, "pr", options, func(options []byte) (*pluralRules, error) {
		p := &pluralRules{}
		if err := json.Unmarshal(options, &p.pluralOptions); err != nil {
			return nil, fmt.Errorf("%w: %w", errOp, err)
		}
		var err error
		if p.words, err = load[wordData](in, p.Data, "words"); err != nil {
			return nil, err
		}
		p.numbers = &numberFormat{numberOptions: numberOptions{Style: "decimal", Notation: p.Notation, CompactDisplay: "short",
			digitOptions: p.digitOptions, roundingOptions: p.roundingOptions, Data: p.Data}}
		return p, in.complete(p.numbers)
	})
}

// selectPlural answers the pr operations: the options and one number or two.
func (in *Instance) selectPlural(op string, args []byte) ([]byte, error) {
	n := 2
	if op == "pr.range" {
		n = 3
	}
	fields, err := split(args, n)
	if err != nil {
		return nil, err
	}
	p, err := in.pluralRules(fields[0])
	if err != nil {
		return nil, err
	}
	var categories []string
	for _, f := range fields[1:] {
		d, err := parseDecimal(string(f))
		if err != nil {
			return nil, err
		}
		categories = append(categories, p.category(d))
	}
	if n == 2 {
		return []byte(categories[0]), nil
	}
	if c, ok := p.words.Ranges[strings.Join(categories, " ")]; ok && p.Type == "cardinal" {
		return []byte(c), nil
	}
	return []byte(categories[1]), nil
}

func (p *pluralRules) category(d decimal) string {
	if p.Type != "ordinal" {
		return p.numbers.layout(d).plural
	}
	if !d.finite() {
		return "other"
	}
	integer, fraction := p.numbers.write(p.numbers.round(d))
	return ordinal(p.numbers.language, operandsOf(integer, fraction))
}
