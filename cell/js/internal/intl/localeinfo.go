package intl

import (
	"encoding/json"
	"fmt"
	"strings"
)

// localeRequest is a tag and what the options of Intl.Locale change in it.
type localeRequest struct {
	Tag      string `json:"tag"`
	Language string `json:"language"`
	Script   string `json:"script"`
	Region   string `json:"region"`
	Keywords string `json:"keywords"` // such as "ca-gregory,hc-h12"
	Likely   string `json:"likely"`   // "add" or "remove" likely subtags
}

// localeParts is what an Intl.Locale shows.
type localeParts struct {
	Tag      string            `json:"tag"`
	BaseName string            `json:"baseName"`
	Language string            `json:"language"`
	Script   string            `json:"script,omitempty"`
	Region   string            `json:"region,omitempty"`
	Keywords map[string]string `json:"keywords"`
}

// localeOf answers locale.
func localeOf(args []byte) ([]byte, error) {
	var r localeRequest
	if err := json.Unmarshal(args, &r); err != nil {
		return nil, fmt.Errorf("%w: %w", errOp, err)
	}
	t, err := parseTag(r.Tag)
	if err != nil {
		return nil, rangeError("Incorrect locale information provided")
	}
	for _, change := range []struct {
		to *string
		s  string
		ok bool
	}{
		{&t.language, strings.ToLower(r.Language), isAlpha(r.Language) && (len(r.Language) == 2 || len(r.Language) == 3 || len(r.Language) >= 5 && len(r.Language) <= 8)},
		{&t.script, title(r.Script), isAlpha(r.Script) && len(r.Script) == 4},
		{&t.region, strings.ToUpper(r.Region), isAlpha(r.Region) && len(r.Region) == 2 || isDigits(r.Region) && len(r.Region) == 3},
	} {
		switch {
		case change.s == "":
		case !change.ok:
			return nil, rangeError("Incorrect locale information provided")
		default:
			*change.to = change.s
		}
	}
	for _, k := range strings.Split(r.Keywords, ",") {
		if key, value, ok := strings.Cut(k, "-"); ok {
			if value == "true" {
				value = ""
			}
			t.keywords[key] = value
		}
	}
	switch r.Likely {
	case "add":
		t.maximize()
	case "remove":
		t.minimize()
	}
	return encode(localeParts{t.String(), t.base(), t.language, t.script, t.region, t.keywords})
}

func title(s string) string {
	if s == "" {
		return ""
	}
	return strings.ToUpper(s[:1]) + strings.ToLower(s[1:])
}

// likely are the usual script and region of the languages most met.
const likely = ` af:Latn-ZA ar:Arab-EG bg:Cyrl-BG bn:Beng-BD ca:Latn-ES cs:Latn-CZ da:Latn-DK de:Latn-DE el:Grek-GR en:Latn-US es:Latn-ES et:Latn-EE fa:Arab-IR fi:Latn-FI fil:Latn-PH fr:Latn-FR gu:Gujr-IN he:Hebr-IL hi:Deva-IN hr:Latn-HR hu:Latn-HU hy:Armn-AM id:Latn-ID is:Latn-IS it:Latn-IT ja:Jpan-JP ka:Geor-GE kk:Cyrl-KZ km:Khmr-KH kn:Knda-IN ko:Kore-KR lt:Latn-LT lv:Latn-LV ml:Mlym-IN mn:Cyrl-MN mr:Deva-IN ms:Latn-MY my:Mymr-MM nb:Latn-NO ne:Deva-NP nl:Latn-NL nn:Latn-NO no:Latn-NO pa:Guru-IN pl:Latn-PL pt:Latn-BR ro:Latn-RO ru:Cyrl-RU sk:Latn-SK sl:Latn-SI sq:Latn-AL sr:Cyrl-RS sv:Latn-SE sw:Latn-TZ ta:Taml-IN te:Telu-IN th:Thai-TH tr:Latn-TR uk:Cyrl-UA ur:Arab-PK uz:Latn-UZ vi:Latn-VN zh:Hans-CN zh-Hant:Hant-TW zh-TW:Hant-TW zh-HK:Hant-HK zh-MO:Hant-MO `

// usual finds the likely script and region for a tag.
func (t tag) usual() (script, region string, ok bool) {
	for _, key := range []string{t.language + "-" + t.script, t.language + "-" + t.region, t.language} {
		if i := strings.Index(likely, " "+key+":"); i >= 0 {
			value, _, _ := strings.Cut(likely[i+len(key)+2:], " ")
			script, region, _ = strings.Cut(value, "-")
			return script, region, true
		}
	}
	return "", "", false
}

func (t *tag) maximize() {
	script, region, ok := t.usual()
	if !ok {
		return
	}
	if t.script == "" {
		t.script = script
	}
	if t.region == "" {
		t.region = region
	}
}

// minimize drops what maximize would add again.
func (t *tag) minimize() {
	full := *t
	full.maximize()
	for _, try := range [][2]string{{"", ""}, {"", full.region}, {full.script, ""}} {
		short := full
		short.script, short.region = try[0], try[1]
		long := short
		long.maximize()
		if long.script == full.script && long.region == full.region {
			t.script, t.region = short.script, short.region
			return
		}
	}
}
