package intl

import (
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// A token is a field or, with field 0, a literal of a pattern.
type token struct {
	field  byte   // y M d E G a h H k K m s S z
	wide   bool   // two digits
	list   int    // number of the list of names, or -1
	text   string // of a literal
	names  []string
	source byte // of a range: 1 start, 2 end, 3 both
}

const maxDate = 8.64e15 // ms

// compile reads a pattern; lists may be nil if names are not needed.
func compile(pattern string, lists []string) []token {
	var out []token
	source := byte(3)
	literal := func(s string) {
		for s != "" {
			i := strings.IndexAny(s, "\x01\x02\x03")
			if i < 0 {
				i = len(s)
			}
			if i > 0 {
				out = append(out, token{text: s[:i], source: source, list: -1})
			}
			if i == len(s) {
				return
			}
			source, s = s[i], s[i+1:]
		}
	}
	for pattern != "" {
		i := strings.IndexByte(pattern, '{')
		if i < 0 {
			break
		}
		literal(pattern[:i])
		end := strings.IndexByte(pattern[i:], '}')
		if end < 2 {
			return out
		}
		name, list, named := strings.Cut(pattern[i+1:i+end], ":")
		t := token{field: name[0], wide: len(name) == 2, list: -1, source: source}
		if named {
			t.list, _ = strconv.Atoi(list)
			if t.list >= 0 && t.list < len(lists) {
				t.names = strings.Split(lists[t.list], "|")
			}
		}
		out = append(out, t)
		pattern = pattern[i+end+1:]
	}
	literal(pattern)
	return out
}

// A dateFormat formats with one set of resolved options. It is immutable.
type dateFormat struct {
	dateOptions
	in      *Instance
	data    *dateData
	decimal string
	zone    *time.Location
	names   *zoneNames // nil unless the pattern names the zone
	digits  []string
	tokens  []token
}

func (in *Instance) dateFormat(options []byte) (*dateFormat, error) {
	return reuse(in, "df", options, func(options []byte) (*dateFormat, error) {
		f := &dateFormat{in: in}
		if err := json.Unmarshal(options, &f.dateOptions); err != nil {
			return nil, fmt.Errorf("%w: %w", errOp, err)
		}
		var err error
		if f.data, err = load[dateData](in, f.Data, "dates"); err != nil {
			return nil, err
		}
		numbers, err := load[numberData](in, f.Data, "numbers")
		if err != nil {
			return nil, err
		}
		f.decimal = numbers.Decimal
		if f.zone, err = in.location(f.TimeZone); err != nil {
			return nil, err
		}
		if f.digits, err = in.digitsOf(f.NumberingSystem); err != nil {
			return nil, err
		}
		f.tokens = compile(f.Pattern, f.data.Lists)
		for _, t := range f.tokens {
			if t.field == 'z' {
				f.names, err = load[zoneNames](in, f.Data, "zones")
			}
		}
		return f, err
	})
}

// instant reads a time value: milliseconds, integral and in range. Spec: ECMA-262 TimeClip.
func instant(text []byte) (time.Time, error) {
	ms, err := strconv.ParseFloat(string(text), 64)
	if err != nil && string(text) != "NaN" {
		return time.Time{}, fmt.Errorf("%w: time %.40q", errOp, text)
	}
	if math.IsNaN(ms) || math.Abs(ms) > maxDate {
		return time.Time{}, rangeError("Invalid time value")
	}
	return time.UnixMilli(int64(ms)), nil
}

// formatDate answers the df operations: the options, a newline and a time
// value, or two of them with a newline between.
func (in *Instance) formatDate(op string, args []byte) ([]byte, error) {
	isRange := strings.HasPrefix(op, "df.range")
	n := 2
	if isRange {
		n = 3
	}
	fields, err := split(args, n)
	if err != nil {
		return nil, err
	}
	f, err := in.dateFormat(fields[0])
	if err != nil {
		return nil, err
	}
	a, err := instant(fields[1])
	if err != nil {
		return nil, err
	}
	if !isRange {
		return answer(op, f.parts(f.tokens, a.In(f.zone), a))
	}
	b, err := instant(fields[2])
	if err != nil {
		return nil, err
	}
	parts, err := f.formatRange(a.In(f.zone), b.In(f.zone))
	if err != nil {
		return nil, err
	}
	return answer(op, parts)
}

// parts fills the fields of tokens from a, those of source 2 from b.
func (f *dateFormat) parts(tokens []token, a, b time.Time) []part {
	out := make([]part, 0, len(tokens))
	minute, second := false, false
	for _, t := range tokens {
		minute = minute || t.field == 'm'
		second = second || t.field == 's'
	}
	for _, t := range tokens {
		if t.field == 0 {
			out = append(out, part{Type: "literal", Value: t.text})
			continue
		}
		at := a
		if t.source == 2 {
			at = b.In(f.zone)
		}
		exact := !(minute && at.Minute() != 0 || second && at.Second() != 0)
		typ, value := f.field(t, at, exact)
		out = append(out, part{Type: typ, Value: value})
	}
	return out
}

// field writes one field; exact tells that all smaller fields shown are zero,
// which matters to names such as noon.
func (f *dateFormat) field(t token, at time.Time, exact bool) (typ, value string) {
	number := func(n int) string {
		s := strconv.Itoa(n)
		if t.wide && len(s) < 2 {
			s = "0" + s
		}
		return localDigits(s, f.digits)
	}
	switch t.field {
	case 'y':
		y := at.Year()
		if y <= 0 {
			y = 1 - y
		}
		if t.wide {
			y %= 100
		}
		return "year", number(y)
	case 'M':
		if t.list >= 0 {
			return "month", t.name(int(at.Month()) - 1)
		}
		return "month", number(int(at.Month()))
	case 'd':
		return "day", number(at.Day())
	case 'E':
		return "weekday", t.name(int(at.Weekday()))
	case 'G':
		if at.Year() <= 0 {
			return "era", t.name(0)
		}
		return "era", t.name(1)
	case 'a':
		i := at.Hour() * 2
		if !exact {
			i++
		}
		return "dayPeriod", t.name(i)
	case 'h', 'H', 'k', 'K':
		return "hour", number(hourIn(t.field, at.Hour()))
	case 'm':
		return "minute", number(at.Minute())
	case 's':
		return "second", number(at.Second())
	case 'S':
		s := fmt.Sprintf("%03d", at.Nanosecond()/1e6)
		return "fractionalSecond", localDigits(s[:min(max(f.Asked.Fraction, 0), 3)], f.digits)
	}
	return "timeZoneName", f.zoneName(at)
}

func (t token) name(i int) string {
	if i >= len(t.names) {
		return ""
	}
	return t.names[i]
}

func hourIn(field byte, hour int) int {
	switch field {
	case 'h':
		return (hour+11)%12 + 1
	case 'K':
		return hour % 12
	case 'k':
		return (hour+23)%24 + 1
	}
	return hour
}
