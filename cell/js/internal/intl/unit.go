package intl

import "strings"

// unitData has for each display style the templates of units, what "per X"
// adds to a unit's name, and the templates of pairs that follow no rule.
type unitData struct {
	Unit     map[string]map[string]forms  `json:"unit"`
	Per      map[string]map[string]string `json:"per"`
	Compound map[string]map[string]forms  `json:"compound"`
}

// template is what stands around a number of a unit, such as "{n} {unit:km}".
func (u *unitData) template(unit, style, plural string) string {
	if f, ok := u.Unit[style][unit]; ok {
		return f.of(plural)
	}
	if f, ok := u.Compound[style][unit]; ok {
		return f.of(plural)
	}
	top, bottom, _ := strings.Cut(unit, "-per-")
	t := u.Unit[style][top].of(plural)
	i := strings.LastIndex(t, "{unit:")
	if i < 0 {
		return "{n} " + unit
	}
	end := i + strings.IndexByte(t[i:], '}')
	return t[:end] + u.Per[style][bottom] + t[end:]
}
