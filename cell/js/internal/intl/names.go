package intl

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// nameData is a locale's names of regions, languages and scripts.
type nameData struct {
	Region   map[string]string `json:"region"`
	Language map[string]string `json:"language"`
	Script   map[string]string `json:"script"`
}

// displayOptions are the resolved options of DisplayNames, in V8's order.
type displayOptions struct {
	Locale          string `json:"locale"`
	Style           string `json:"style"`
	Type            string `json:"type"`
	Fallback        string `json:"fallback"`
	LanguageDisplay string `json:"languageDisplay,omitempty"`
	Data            string `json:"_data"`
}

// english tells which data has all the names: only English has.
func english(data string) bool { return strings.HasPrefix(data, "en") }

func (in *Instance) newNames(args []byte) ([]byte, error) {
	var r struct {
		Locales string `json:"locales"`
		displayOptions
	}
	if err := json.Unmarshal(args, &r); err != nil {
		return nil, fmt.Errorf("%w: %w", errOp, err)
	}
	allowed := anyData
	if r.Type != "currency" && r.Type != "dateTimeField" {
		allowed = english
	}
	c := in.negotiate(r.Locales, allowed)
	r.Locale, r.Data = c.locale, c.data
	if r.Type != "language" {
		r.LanguageDisplay = ""
	}
	return json.Marshal(&r.displayOptions)
}

// displayName answers dn.of: the options, a newline and a code. The answer is
// empty if there is no name.
func (in *Instance) displayName(args []byte) ([]byte, error) {
	fields, err := split(args, 2)
	if err != nil {
		return nil, err
	}
	var o displayOptions
	if err := json.Unmarshal(fields[0], &o); err != nil {
		return nil, fmt.Errorf("%w: %w", errOp, err)
	}
	code := string(fields[1])
	if !validCode(o.Type, code) {
		return nil, rangeError("invalid_argument")
	}
	name, err := in.nameOf(o, code)
	if name == "" && o.Fallback == "code" {
		name = code
	}
	return []byte(name), err
}

// validCode checks a code's form. V8 takes its case as it is.
func validCode(typ, code string) bool {
	switch typ {
	case "region":
		return len(code) == 2 && isAlpha(code) || len(code) == 3 && isDigits(code)
	case "script":
		return len(code) == 4 && isAlpha(code)
	case "currency":
		return len(code) == 3 && isAlpha(code)
	case "calendar":
		for _, s := range strings.Split(code, "-") {
			if len(s) < 3 || len(s) > 8 || !isAlnum(s) {
				return false
			}
		}
		return true
	case "dateTimeField":
		return slices.Contains([]string{"era", "year", "quarter", "month", "weekOfYear", "weekday", "day", "dayPeriod", "hour", "minute", "second", "timeZoneName"}, code)
	}
	t, err := parseTag(code)
	return err == nil && len(t.keywords)+len(t.extensions)+len(t.private) == 0
}

func (in *Instance) nameOf(o displayOptions, code string) (string, error) {
	switch o.Type {
	case "currency":
		c, err := load[currencyData](in, o.Data, "currencies")
		if err != nil {
			return "", err
		}
		switch {
		case o.Style == "narrow" && c.Narrow[code] != "":
			return c.Narrow[code], nil
		case o.Style != "long" && c.Symbols[code] != "":
			return c.Symbols[code], nil
		case o.Style != "long":
			return "", nil
		}
		if name := c.Display[code]; name != "" {
			return name, nil
		}
		return c.Names[code].of("one"), nil
	case "dateTimeField":
		w, err := load[wordData](in, o.Data, "words")
		if err != nil {
			return "", err
		}
		return w.Fields[code], nil
	}
	n, err := load[nameData](in, o.Data, "names")
	if err != nil {
		return "", err
	}
	switch o.Type {
	case "region":
		return n.Region[code], nil
	case "script":
		return n.Script[code], nil
	case "language":
		return n.language(code), nil
	}
	return "", nil
}

// language names a tag, with script and region in parentheses if the whole has
// no name.
func (n *nameData) language(code string) string {
	if name := n.Language[code]; name != "" {
		return name
	}
	t, err := parseTag(code)
	if err != nil {
		return ""
	}
	name := n.Language[t.language]
	var more []string
	if s := n.Script[t.script]; s != "" {
		more = append(more, s)
	}
	if r := n.Region[t.region]; r != "" {
		more = append(more, r)
	}
	if name == "" || len(more) == 0 {
		return name
	}
	return name + " (" + strings.Join(more, ", ") + ")"
}
