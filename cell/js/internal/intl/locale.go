package intl

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

func isAlpha(s string) bool {
	for i := range len(s) {
		if c := s[i] | 0x20; c < 'a' || c > 'z' {
			return false
		}
	}
	return s != ""
}

func isDigits(s string) bool {
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return s != ""
}

func isAlnum(s string) bool {
	for i := range len(s) {
		if !isAlpha(s[i:i+1]) && !isDigits(s[i:i+1]) {
			return false
		}
	}
	return s != ""
}

// A tag is a parsed Unicode locale identifier in canonical case and order.
type tag struct {
	language, script, region string
	variants                 []string
	attributes               []string          // of the u extension
	keywords                 map[string]string // of the u extension
	extensions               []string          // the others, each from its singleton on
	private                  string            // from x on
}

// badTag is how V8 refuses a tag.
func badTag(s string) error { return rangef("Invalid language tag: %s", s) }

// parseTag reads a tag as ECMA-402 wants it: no extlangs, no grandfathered
// tags, no duplicate variants or singletons.
func parseTag(s string) (tag, error) {
	t := tag{keywords: map[string]string{}}
	sub := strings.Split(strings.ToLower(s), "-")
	if n := len(sub[0]); !isAlpha(sub[0]) || n < 2 || n == 4 || n > 8 {
		return t, badTag(s)
	}
	t.language, sub = sub[0], sub[1:]
	if len(sub) > 0 && len(sub[0]) == 4 && isAlpha(sub[0]) {
		t.script, sub = strings.ToUpper(sub[0][:1])+sub[0][1:], sub[1:]
	}
	if len(sub) > 0 && (len(sub[0]) == 2 && isAlpha(sub[0]) || len(sub[0]) == 3 && isDigits(sub[0])) {
		t.region, sub = strings.ToUpper(sub[0]), sub[1:]
	}
	for len(sub) > 0 && isAlnum(sub[0]) && (len(sub[0]) >= 5 && len(sub[0]) <= 8 || len(sub[0]) == 4 && isDigits(sub[0][:1])) {
		if slices.Contains(t.variants, sub[0]) {
			return t, badTag(s)
		}
		t.variants, sub = append(t.variants, sub[0]), sub[1:]
	}
	if !t.parseExtensions(sub) {
		return t, badTag(s)
	}
	t.canonicalize()
	return t, nil
}

func (t *tag) parseExtensions(sub []string) bool {
	seen := ""
	for len(sub) > 0 {
		single := sub[0]
		if len(single) != 1 || !isAlnum(single) || strings.Contains(seen, single) {
			return false
		}
		seen += single
		least := 2
		if single == "x" {
			least = 1
		}
		n := 1
		for n < len(sub) && len(sub[n]) >= least && len(sub[n]) <= 8 && isAlnum(sub[n]) {
			n++
		}
		if n == 1 {
			return false
		}
		switch single {
		case "x":
			t.private = strings.Join(sub[:n], "-")
			return n == len(sub)
		case "u":
			t.parseKeywords(sub[1:n])
		default:
			t.extensions = append(t.extensions, strings.Join(sub[:n], "-"))
		}
		sub = sub[n:]
	}
	return true
}

func (t *tag) parseKeywords(sub []string) {
	for len(sub) > 0 && len(sub[0]) > 2 {
		t.attributes, sub = append(t.attributes, sub[0]), sub[1:]
	}
	for len(sub) > 0 {
		n := 1
		for n < len(sub) && len(sub[n]) > 2 {
			n++
		}
		value := strings.Join(sub[1:n], "-")
		if value == "true" || value == "yes" {
			value = ""
		}
		if _, ok := t.keywords[sub[0]]; !ok {
			t.keywords[sub[0]] = value
		}
		sub = sub[n:]
	}
}

// canonicalize sorts and replaces the deprecated codes that are still met.
func (t *tag) canonicalize() {
	switch t.language {
	case "iw":
		t.language = "he"
	case "in":
		t.language = "id"
	case "ji":
		t.language = "yi"
	case "jw":
		t.language = "jv"
	case "mo":
		t.language = "ro"
	case "tl":
		t.language = "fil"
	case "cmn":
		t.language = "zh"
	case "sh":
		t.language = "sr"
		if t.script == "" {
			t.script = "Latn"
		}
	}
	switch t.region {
	case "UK":
		t.region = "GB"
	case "DD":
		t.region = "DE"
	case "FX":
		t.region = "FR"
	case "BU":
		t.region = "MM"
	}
	slices.Sort(t.variants)
	slices.Sort(t.attributes)
	slices.Sort(t.extensions)
}

func (t tag) base() string {
	parts := []string{t.language}
	for _, p := range append([]string{t.script, t.region}, t.variants...) {
		if p != "" {
			parts = append(parts, p)
		}
	}
	return strings.Join(parts, "-")
}

func (t tag) String() string {
	out, exts := t.base(), slices.Clone(t.extensions)
	if len(t.keywords)+len(t.attributes) > 0 {
		u := "u"
		for _, a := range t.attributes {
			u += "-" + a
		}
		exts = append(exts, u+keywordText(t.keywords))
	}
	slices.Sort(exts)
	for _, e := range exts {
		out += "-" + e
	}
	if t.private != "" {
		out += "-" + t.private
	}
	return out
}

func keywordText(keywords map[string]string) string {
	keys := make([]string, 0, len(keywords))
	for k := range keywords {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	out := ""
	for _, k := range keys {
		out += "-" + k
		if v := keywords[k]; v != "" {
			out += "-" + v
		}
	}
	return out
}

func canonicalTag(s string) (string, error) {
	t, err := parseTag(s)
	if err != nil {
		return "", err
	}
	return t.String(), nil
}

// dataOf names the data of a supported locale. ok is false for others.
func dataOf(locale string) (data string, ok bool) {
	switch locale {
	case "en", "en-US":
		return "en", true
	case "en-GB", "en-CA", "en-AU", "en-IN":
		return locale, true
	case "de", "de-DE":
		return "de", true
	case "fr", "fr-FR":
		return "fr", true
	case "es", "es-ES":
		return "es", true
	case "it", "it-IT":
		return "it", true
	case "pt", "pt-BR":
		return "pt", true
	case "ja", "ja-JP":
		return "ja", true
	case "zh", "zh-CN", "zh-Hans", "zh-Hans-CN":
		return "zh", true
	}
	return "", false
}

// best finds the longest supported prefix of a tag without extensions.
func best(base string, allowed func(string) bool) (string, bool) {
	for base != "" {
		if data, ok := dataOf(base); ok && allowed(data) {
			return base, true
		}
		i := strings.LastIndexByte(base, '-')
		base = base[:max(i, 0)]
	}
	return "", false
}

func anyData(string) bool { return true }

// collated tells for which data the root order of letters is right; Japanese
// and Chinese order their own way.
func collated(data string) bool { return data != "ja" && data != "zh" }

func (in *Instance) defaultLocale(env string) string {
	env, _, _ = strings.Cut(env, ".")
	env, _, _ = strings.Cut(env, "@")
	t, err := parseTag(strings.ReplaceAll(env, "_", "-"))
	if err != nil {
		return "en-US"
	}
	if l, ok := best(t.base(), anyData); ok {
		return l
	}
	return "en-US"
}

// A choice is a locale negotiated from what a program asked for.
type choice struct {
	locale   string            // without extensions
	data     string            // whose data it uses
	keywords map[string]string // of the requested tag
}

// negotiate picks the first supported of the comma-separated canonical tags.
func (in *Instance) negotiate(requested string, allowed func(string) bool) choice {
	for _, r := range strings.Split(requested, ",") {
		t, err := parseTag(r)
		if err != nil {
			continue
		}
		if l, ok := best(t.base(), allowed); ok {
			data, _ := dataOf(l)
			return choice{l, data, t.keywords}
		}
	}
	l := in.locale
	if data, _ := dataOf(l); !allowed(data) {
		l = "en-US"
	}
	data, _ := dataOf(l)
	return choice{l, data, nil}
}

// keyword settles one relevant key: an option that is valid wins, then the
// tag's keyword, then the default. kept collects what resolvedOptions' locale
// still carries.
func (c choice) keyword(key, option, def string, valid func(string) bool, kept map[string]string) string {
	value := def
	k, asked := c.keywords[key]
	if asked && valid(k) {
		value = k
		kept[key] = k
	}
	if option != "" && valid(option) && option != value {
		value = option
		delete(kept, key)
	}
	return value
}

// named is the locale with the keywords that were kept.
func (c choice) named(kept map[string]string) string {
	if len(kept) == 0 {
		return c.locale
	}
	return c.locale + "-u" + keywordText(kept)
}

// supported filters a JSON array of canonical tags: fields are the kind of
// formatter and the comma-separated tags.
func (in *Instance) supported(args []byte) ([]byte, error) {
	f, err := split(args, 2)
	if err != nil {
		return nil, err
	}
	allowed := anyData
	if string(f[0]) == "co" {
		allowed = collated
	}
	out := []string{}
	for _, r := range strings.Split(string(f[1]), ",") {
		t, err := parseTag(r)
		if err != nil {
			continue
		}
		if _, ok := best(t.base(), allowed); ok {
			out = append(out, r)
		}
	}
	return json.Marshal(out)
}

// values answers Intl.supportedValuesOf.
func (in *Instance) values(key string) ([]byte, error) {
	root, err := in.root()
	if err != nil {
		return nil, err
	}
	switch key {
	case "calendar":
		return json.Marshal([]string{"gregory"})
	case "collation":
		return json.Marshal([]string{})
	case "currency":
		return json.Marshal(root.Currencies)
	case "numberingSystem":
		out := []string{}
		for _, n := range root.NumberingSystems {
			if _, ok := root.Digits[n]; ok {
				out = append(out, n)
			}
		}
		return json.Marshal(out)
	case "timeZone":
		return json.Marshal(root.ZoneValues)
	case "unit":
		return json.Marshal(root.Units)
	}
	return nil, fmt.Errorf("%w: values of %q", errOp, key)
}
