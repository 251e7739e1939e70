package intl

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// wordData is a locale's phrases.
type wordData struct {
	Relative map[string]struct { // by style and unit, "long day"
		Past   forms             `json:"past"`
		Future forms             `json:"future"`
		Names  map[string]string `json:"names"` // by number, such as "-1"
	} `json:"relative"`
	List       map[string][4]string `json:"list"`   // by style and type: between two; first, middle, last of more
	Ranges     map[string]string    `json:"ranges"` // plural category by those of both ends
	Categories struct {
		Cardinal, Ordinal []string
	} `json:"categories"`
	Fields map[string]string `json:"fields"`
}

// wordOptions are the resolved options of several small formatters.
type wordOptions struct {
	Locale          string `json:"locale"`
	Type            string `json:"type,omitempty"`
	Style           string `json:"style,omitempty"`
	Numeric         string `json:"numeric,omitempty"`
	NumberingSystem string `json:"numberingSystem,omitempty"`
	Data            string `json:"_data"`
}

type wordRequest struct {
	Locales string `json:"locales"`
	wordOptions
}

// wordFormat is what formats with wordOptions.
type wordFormat struct {
	wordOptions
	words    *wordData
	numbers  *numberFormat
	language string
}

func (in *Instance) wordRequest(args []byte) (r wordRequest, c choice, err error) {
	if err := json.Unmarshal(args, &r); err != nil {
		return r, c, fmt.Errorf("%w: %w", errOp, err)
	}
	c = in.negotiate(r.Locales, anyData)
	r.Locale, r.Data = c.locale, c.data
	return r, c, nil
}

func (in *Instance) newRelative(args []byte) ([]byte, error) {
	r, c, err := in.wordRequest(args)
	if err != nil {
		return nil, err
	}
	kept := map[string]string{}
	if r.NumberingSystem, err = in.numbering(r.NumberingSystem, c, kept); err != nil {
		return nil, err
	}
	r.Locale = c.named(kept)
	return json.Marshal(&r.wordOptions)
}

func (in *Instance) newList(args []byte) ([]byte, error) {
	r, _, err := in.wordRequest(args)
	if err != nil {
		return nil, err
	}
	return json.Marshal(&r.wordOptions)
}

func (in *Instance) wordFormat(options []byte) (*wordFormat, error) {
	return reuse(in, "wf", options, func(options []byte) (*wordFormat, error) {
		f := &wordFormat{}
		if err := json.Unmarshal(options, &f.wordOptions); err != nil {
			return nil, fmt.Errorf("%w: %w", errOp, err)
		}
		f.language, _, _ = strings.Cut(f.Data, "-")
		var err error
		if f.words, err = load[wordData](in, f.Data, "words"); err != nil {
			return nil, err
		}
		least, most := 0, 3
		f.numbers = &numberFormat{numberOptions: numberOptions{
			NumberingSystem: f.NumberingSystem, Style: "decimal", Notation: "standard", SignDisplay: "auto", UseGrouping: "auto", Data: f.Data,
			digitOptions:    digitOptions{MinInteger: 1, MinFraction: &least, MaxFraction: &most},
			roundingOptions: roundingOptions{Increment: 1, Mode: "halfExpand", Priority: "auto", TrailingZeros: "auto"},
		}}
		return f, in.complete(f.numbers)
	})
}

// formatRelative answers the rf operations: the options, the unit in the
// singular and a number.
func (in *Instance) formatRelative(op string, args []byte) ([]byte, error) {
	fields, err := split(args, 3)
	if err != nil {
		return nil, err
	}
	f, err := in.wordFormat(fields[0])
	if err != nil {
		return nil, err
	}
	unit := string(fields[1])
	phrases, ok := f.words.Relative[f.Style+" "+unit]
	if !ok {
		return nil, fmt.Errorf("%w: unit %q", errOp, unit)
	}
	d, err := parseDecimal(string(fields[2]))
	if err != nil || !d.finite() {
		return nil, fmt.Errorf("%w: number %q", errOp, fields[2])
	}
	if f.Numeric == "auto" && d.point >= len(d.digits) && d.point <= 1 {
		key := d.integerText()
		if d.neg && !d.zero() {
			key = "-" + key
		}
		if name, ok := phrases.Names[key]; ok {
			return answer(op, []part{{Type: "literal", Value: name}})
		}
	}
	phrase := phrases.Future
	if d.neg {
		phrase, d.neg = phrases.Past, false
	}
	l := f.numbers.layout(d)
	number := l.parts()
	for i := range number {
		number[i].Unit = unit
	}
	return answer(op, fill(phrase.of(l.plural), number, nil))
}

// formatList answers the lf operations: the options and a JSON array of texts.
func (in *Instance) formatList(op string, args []byte) ([]byte, error) {
	fields, err := split(args, 2)
	if err != nil {
		return nil, err
	}
	f, err := in.wordFormat(fields[0])
	if err != nil {
		return nil, err
	}
	var list []string
	if err := json.Unmarshal(fields[1], &list); err != nil {
		return nil, fmt.Errorf("%w: %w", errOp, err)
	}
	between, ok := f.words.List[f.Style+" "+f.Type]
	if !ok {
		return nil, fmt.Errorf("%w: list %q %q", errOp, f.Style, f.Type)
	}
	out := []part{}
	for i, s := range list {
		switch {
		case i == 0:
		case len(list) == 2:
			out = append(out, part{Type: "literal", Value: f.euphony(between[0], s)})
		case i == 1:
			out = append(out, part{Type: "literal", Value: between[1]})
		case i == len(list)-1:
			out = append(out, part{Type: "literal", Value: f.euphony(between[3], s)})
		default:
			out = append(out, part{Type: "literal", Value: between[2]})
		}
		out = append(out, part{Type: "element", Value: s})
	}
	return answer(op, out)
}

// euphony is the Spanish change of y and o before the same sound.
func (f *wordFormat) euphony(between, next string) string {
	if f.language != "es" {
		return between
	}
	next = strings.ToLower(next)
	has := func(prefixes ...string) bool {
		return slices.ContainsFunc(prefixes, func(p string) bool { return strings.HasPrefix(next, p) })
	}
	if strings.HasSuffix(between, " y ") && has("i", "hi", "í", "hí") && !has("hia", "hie") {
		return strings.TrimSuffix(between, "y ") + "e "
	}
	if strings.HasSuffix(between, " o ") && (has("o", "ho", "8", "ó", "hó") || next == "11" || has("11 ")) {
		return strings.TrimSuffix(between, "o ") + "u "
	}
	return between
}
