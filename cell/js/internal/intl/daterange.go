package intl

import (
	"strings"
	"time"
)

// The largest field in which two times differ.
const (
	sameTime = iota
	bySecond
	byMinute
	byHour
	byHalfDay
	byDay
	byMonth
	byYear
	byEra
)

func difference(a, b time.Time) int {
	switch {
	case (a.Year() <= 0) != (b.Year() <= 0):
		return byEra
	case a.Year() != b.Year():
		return byYear
	case a.Month() != b.Month():
		return byMonth
	case a.Day() != b.Day():
		return byDay
	case a.Hour()/12 != b.Hour()/12:
		return byHalfDay
	case a.Hour() != b.Hour():
		return byHour
	case a.Minute() != b.Minute():
		return byMinute
	case a.Second() != b.Second():
		return bySecond
	}
	return sameTime
}

// formatRange writes two times, sharing what is the same in both.
func (f *dateFormat) formatRange(a, b time.Time) ([]part, error) {
	diff := difference(a, b)
	g, err := f.forRanges(diff)
	if err != nil {
		return nil, err
	}
	pattern, err := g.rangePattern(diff)
	if err != nil {
		return nil, err
	}
	if pattern == "" {
		return from(f.parts(f.tokens, a, a), "shared"), nil
	}
	tokens := compile(pattern, f.data.Lists)
	parts := g.parts(tokens, a, b)
	for i, t := range tokens {
		parts[i].Source = [...]string{"", "startRange", "endRange", "shared"}[t.source]
	}
	if g.Asked.DayPeriod != "" && g.Asked.Fraction == 0 && same(parts) {
		return from(f.parts(f.tokens, a, a), "shared"), nil
	}
	return merge(parts), nil
}

// forRanges is the format with what ICU's ranges know of: they have no names
// made of offsets, and within a day only short names of zones.
func (f *dateFormat) forRanges(diff int) (*dateFormat, error) {
	g, err := *f, error(nil)
	switch {
	case strings.HasSuffix(f.Asked.TimeZoneName, "Offset"):
		g.Asked.TimeZoneName = ""
		if g.Asked.hasDate() || g.Asked.hasTime() {
			g.Pattern, err = f.data.pattern(g.Asked, f.cycle(), f.decimal)
		}
	case diff < byDay && f.Asked.TimeStyle == "full":
		g.Asked.TimeStyle = "long"
	}
	return &g, err
}

// same tells that both ends read the same.
func same(parts []part) bool {
	start, end := "", ""
	for _, p := range parts {
		switch p.Source {
		case "startRange":
			start += p.Value
		case "endRange":
			end += p.Value
		}
	}
	return start == end
}

// merge joins literals that stand side by side in one source.
func merge(parts []part) []part {
	out := parts[:0]
	for _, p := range parts {
		if n := len(out); n > 0 && p.Type == "literal" && out[n-1].Type == "literal" && out[n-1].Source == p.Source {
			out[n-1].Value += p.Value
			continue
		}
		out = append(out, p)
	}
	return out
}

// rangePattern is "" if both ends look the same.
func (f *dateFormat) rangePattern(diff int) (string, error) {
	q := f.Asked
	date, clock := q.hasDate(), q.hasTime()
	if q.Hour+q.Minute+q.Second+q.DayPeriod+q.TimeStyle == "" && q.Fraction == 0 {
		clock = false // the zone's name alone does not count
	}
	switch {
	case diff == sameTime && q.Fraction == 0 || !clock && diff < byDay:
		return "", nil
	case diff == byEra:
		return f.withEra()
	case !clock && q.TimeZoneName != "":
		return f.twice(f.Pattern), nil
	case !clock:
		return f.dateRange(diff)
	case diff >= byDay:
		return f.twoDays(diff)
	}
	between, err := f.timeRange(diff)
	if err != nil || between == "" || !date {
		return between, err
	}
	q.TimeStyle, q.Hour, q.Minute, q.Second, q.DayPeriod, q.TimeZoneName, q.Fraction = "", "", "", "", "", "", 0
	day, err := f.data.pattern(q, f.cycle(), f.decimal)
	return day + f.data.dayJoin() + between, err
}

// withEra is the pattern of both ends with their eras.
func (f *dateFormat) withEra() (string, error) {
	q := f.Asked
	if q.Era == "" {
		q.Era = "short"
	}
	switch q.DateStyle {
	case "full":
		q.Weekday, q.Year, q.Month, q.Day = "long", "numeric", "long", "numeric"
	case "long":
		q.Year, q.Month, q.Day = "numeric", "long", "numeric"
	case "medium":
		q.Year, q.Month, q.Day = "numeric", "short", "numeric"
	case "short":
		q.Year, q.Month, q.Day = "2-digit", "numeric", "numeric"
	}
	q.DateStyle = ""
	if q.TimeStyle != "" {
		return f.twice(f.Pattern), nil
	}
	p, err := f.data.pattern(q, f.cycle(), f.decimal)
	return f.twice(p), err
}

// twoDays is the pattern of times on two days: each with its whole date, or
// with as much of it as differs.
func (f *dateFormat) twoDays(diff int) (string, error) {
	q := f.Asked
	if q.DateStyle != "" || q.TimeStyle == "" && q.Year != "" && q.Month != "" && q.Day != "" {
		return f.twice(f.Pattern), nil
	}
	if q.TimeStyle != "" {
		day, err := f.data.datePattern(dateFields{Year: "numeric", Month: "numeric", Day: "numeric"})
		return f.twice(day + f.data.Join[3] + f.Pattern), err
	}
	if q.hasDate() && (q.Hour == "" || q.Fraction > 0) {
		return f.twice(f.Pattern), nil
	}
	for i, field := range []*string{&q.Day, &q.Month, &q.Year} {
		if *field == "" && (diff >= byDay+i || !f.Asked.hasDate()) {
			*field = "numeric"
		}
	}
	if q.Hour != "" {
		q.Hour = "numeric"
	}
	p, err := f.data.pattern(q, f.cycle(), f.decimal)
	return f.twice(p), err
}

// twice is a whole pattern for each end.
func (f *dateFormat) twice(pattern string) string {
	_, rest, _ := strings.Cut(f.data.TwoDates, "\x03")
	between, _, _ := strings.Cut(rest, "\x02")
	return "\x01" + pattern + "\x03" + between + "\x02" + pattern
}

// dayJoin stands between a day and a range of its hours.
func (d *dateData) dayJoin() string {
	head, _, _ := strings.Cut(d.OneDate, "\x01")
	return head[strings.LastIndexByte(head, '}')+1:]
}

func (f *dateFormat) dateRange(diff int) (string, error) {
	if f.Asked.DateStyle != "" {
		var err error
		i := index(styles[:], f.Asked.DateStyle, &err)
		if err != nil {
			return "", err
		}
		return at(f.data.Ranges, f.data.DateStyleRange[:], i*3+byYear-diff)
	}
	i, err := f.Asked.dateIndex()
	if err != nil {
		return "", err
	}
	p, err := at(f.data.Ranges, f.data.DateRange, i*3+byYear-diff)
	return f.data.widen(p, f.Asked), err
}

// timeRange is the pattern for two times of one day.
func (f *dateFormat) timeRange(diff int) (string, error) {
	q := f.Asked
	if q.Fraction > 0 || q.DayPeriod != "" {
		q.Weekday, q.Era, q.Year, q.Month, q.Day = "", "", "", "", ""
		p, err := f.data.pattern(q, f.cycle(), f.decimal)
		return f.twice(p), err
	}
	if q.TimeStyle != "" {
		q.Hour, q.Minute = "numeric", "2-digit"
		if q.TimeStyle != "short" {
			q.Second = "2-digit"
		}
		if q.TimeStyle == "full" || q.TimeStyle == "long" {
			q.TimeZoneName = "short"
		}
	}
	i, err := q.timeIndex(f.cycle(), 1)
	if err != nil || i == 0 {
		return "", err
	}
	return at(f.data.Ranges, f.data.TimeRange, i*4+byHalfDay-diff)
}

func (f *dateFormat) cycle() string {
	if f.HourCycle == "" {
		return f.data.Cycles[0]
	}
	return f.HourCycle
}
