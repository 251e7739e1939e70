package intl

import (
	"fmt"
	"strings"
	"sync"
	"time"
	_ "time/tzdata" // zones must not depend on the machine's files
)

// zoneData is what all locales share about time zones.
type zoneData struct {
	Canonical map[string]string   `json:"canonical"` // names known to ICU
	Zones     []string            `json:"zones"`     // canonical, in the order of the locales' lists
	Periods   map[string][]*int64 `json:"periods"`   // start (nil first) and set of names, in turns

	once   sync.Once
	folded map[string]string // lower case to canonical
	place  map[string]int    // canonical to its place in Zones
}

func (z *zoneData) init() {
	z.folded, z.place = make(map[string]string, len(z.Canonical)), make(map[string]int, len(z.Zones))
	for i, c := range z.Zones {
		z.place[c] = i
		z.folded[strings.ToLower(c)] = c
	}
	for name, c := range z.Canonical {
		z.folded[strings.ToLower(name)] = c
	}
}

// zoneNames is what a locale calls zones. Numbers index Pool; an empty text
// means that the offset stands in.
type zoneNames struct {
	Pool    []string  `json:"pool"`
	Meta    [][4]int  `json:"meta"`    // long and short name, then in summer; -1 if unknown
	Generic []int     `json:"generic"` // long and short, for each of Zones
	Offsets [8]string `json:"offsets"` // +9, -5, 0 and +5:30, short, then long
}

func (n *zoneNames) at(i int) string {
	if i < 0 || i >= len(n.Pool) {
		return ""
	}
	return n.Pool[i]
}

func (in *Instance) zoneData() (*zoneData, error) {
	z, err := load[zoneData](in, "root", "zones")
	if err != nil {
		return nil, err
	}
	z.once.Do(z.init)
	return z, nil
}

// canonicalZone accepts a name in any case, or an offset such as +05:30.
func (in *Instance) canonicalZone(name string) (string, error) {
	if s, ok := canonicalOffset(name); ok {
		return s, nil
	}
	if name == "UTC" {
		return name, nil
	}
	z, err := in.zoneData()
	if err != nil {
		return "", err
	}
	if c, ok := z.folded[strings.ToLower(name)]; ok {
		return c, nil
	}
	return "", rangef("Invalid time zone specified: %s", name)
}

// canonicalOffset makes ±hh:mm of ±hh, ±hhmm and ±hh:mm.
func canonicalOffset(s string) (string, bool) {
	if len(s) < 3 || s[0] != '+' && s[0] != '-' {
		return "", false
	}
	h, m := s[1:3], "00"
	switch {
	case len(s) == 5:
		m = s[3:]
	case len(s) == 6 && s[3] == ':':
		m = s[4:]
	case len(s) != 3:
		return "", false
	}
	if !isDigits(h) || !isDigits(m) || h > "23" || m > "59" {
		return "", false
	}
	if h+m == "0000" {
		return "+00:00", true
	}
	return s[:1] + h + ":" + m, true
}

// location loads a canonical zone, once.
func (in *Instance) location(name string) (*time.Location, error) {
	if name == "UTC" {
		return time.UTC, nil
	}
	if v, ok := in.zones.Load(name); ok {
		return v.(*time.Location), nil
	}
	var loc *time.Location
	if s, ok := canonicalOffset(name); ok {
		seconds := (int(s[1]-'0')*10+int(s[2]-'0'))*3600 + (int(s[4]-'0')*10+int(s[5]-'0'))*60
		if s[0] == '-' {
			seconds = -seconds
		}
		loc = time.FixedZone(name, seconds)
	} else {
		canonical, err := in.canonicalZone(name)
		if err != nil {
			return nil, err
		}
		if loc, err = time.LoadLocation(canonical); err != nil {
			return nil, rangef("Invalid time zone specified: %s", name)
		}
	}
	in.zones.Store(name, loc)
	return loc, nil
}

// zoneName is the zone's name at a time in the style that was asked for.
func (f *dateFormat) zoneName(at time.Time) string {
	style := f.Asked.TimeZoneName
	switch f.Asked.TimeStyle {
	case "full":
		style = "long"
	case "long":
		style = "short"
	}
	_, offset := at.Zone()
	name := ""
	z, err := f.in.zoneData()
	if err == nil && f.names != nil {
		switch style {
		case "long", "short":
			if at.Unix() < 0 && f.TimeZone != "UTC" { // ICU's names begin in 1970
				break
			}
			name = f.names.at(f.names.metazone(z, f.TimeZone, at, offset, style == "short"))
		case "longGeneric", "shortGeneric":
			if i, ok := z.place[f.TimeZone]; ok && 2*i+1 < len(f.names.Generic) {
				i *= 2
				if style == "shortGeneric" {
					i++
				}
				name = f.names.at(f.names.Generic[i])
			}
		}
	}
	if name != "" {
		return name
	}
	return f.offsetName(offset, strings.HasPrefix(style, "long"))
}

// zoneAt answers zone: the long name of the default zone at a time value, as
// Date.prototype.toString shows it.
func (in *Instance) zoneAt(args []byte) ([]byte, error) {
	at, err := instant(args)
	if err != nil {
		return nil, err
	}
	f := &dateFormat{in: in}
	f.Asked.TimeZoneName = "long"
	if f.TimeZone, err = in.canonicalZone(in.zone); err != nil {
		f.TimeZone = "UTC"
	}
	data, _ := dataOf(in.locale)
	if f.TimeZone == "UTC" && english(data) {
		return []byte("Coordinated Universal Time"), nil // the usual case, without tables
	}
	if f.zone, err = in.location(f.TimeZone); err != nil {
		return nil, err
	}
	if f.names, err = load[zoneNames](in, data, "zones"); err != nil {
		return nil, err
	}
	return []byte(f.zoneName(at.In(f.zone))), nil
}

// metazone finds the name that was in use at a time, as an index or -1.
func (n *zoneNames) metazone(z *zoneData, zone string, at time.Time, offset int, short bool) int {
	periods, set := z.Periods[zone], -1
	for i := 0; i+1 < len(periods); i += 2 {
		if start := periods[i]; start != nil && *start > at.Unix() {
			break
		}
		if periods[i+1] != nil {
			set = int(*periods[i+1])
		}
	}
	if set < 0 || set >= len(n.Meta) {
		return -1
	}
	i := 0
	if summer(zone, at, offset) {
		i = 2
	}
	if short {
		i++
	}
	return n.Meta[set][i]
}

// summer tells summer time. Where the zone database has winter as the
// exception, names go the other way.
func summer(zone string, at time.Time, offset int) bool {
	switch zone {
	case "Europe/Dublin", "Africa/Casablanca", "Africa/El_Aaiun":
		return offset > 0
	}
	return at.IsDST()
}

// offsetName writes GMT+5:30 as the locale does.
func (f *dateFormat) offsetName(offset int, long bool) string {
	samples := [8]string{"GMT+9", "GMT-5", "GMT", "GMT+5:30", "GMT+09:00", "GMT-05:00", "GMT", "GMT+05:30"}
	if f.names != nil {
		samples = f.names.Offsets
	}
	if offset == 0 {
		return samples[2]
	}
	head := strings.TrimSuffix(samples[0], "9")
	if offset < 0 {
		head, offset = strings.TrimSuffix(samples[1], "5"), -offset
	}
	h, m, s := offset/3600, offset/60%60, offset%60
	out := fmt.Sprintf("%s%d", head, h)
	if long {
		out = fmt.Sprintf("%s%02d:%02d", head, h, m)
	} else if m != 0 || s != 0 {
		out += fmt.Sprintf(":%02d", m)
	}
	if s != 0 {
		out += fmt.Sprintf(":%02d", s)
	}
	return localDigits(out, f.digits)
}
