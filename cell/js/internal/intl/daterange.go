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
	pattern, err := f.rangePattern(difference(a, b))
	if err != nil {
		return nil, err
	}
	if pattern == "" {
		return from(f.parts(f.tokens, a, a), "shared"), nil
	}
	tokens := compile(pattern, f.data.Lists)
	parts := f.parts(tokens, a, b)
	for i, t := range tokens {
		parts[i].Source = [...]string{"", "startRange", "endRange", "shared"}[t.source]
	}
	if same(parts) {
		return from(f.parts(f.tokens, a, a), "shared"), nil
	}
	return merge(parts), nil
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
	switch {
	case diff == sameTime && q.Fraction == 0:
		return "", nil
	case q.Fraction > 0 || q.DayPeriod != "" && clock || diff == byEra:
		return f.twice(f.Pattern), nil
	case date && !clock:
		if diff < byDay {
			return "", nil
		}
		return f.dateRange(diff)
	case diff < byDay:
		clock, err := f.timeRange(diff)
		if err != nil || clock == "" || !date {
			return clock, err
		}
		q.TimeStyle, q.Hour, q.Minute, q.Second, q.TimeZoneName = "", "", "", "", ""
		day, err := f.data.pattern(q, f.cycle(), f.decimal)
		return day + f.data.dayJoin() + clock, err
	case date:
		return f.twice(f.Pattern), nil
	}
	day, err := f.data.datePattern(dateFields{Year: "numeric", Month: "numeric", Day: "numeric"})
	return f.twice(day + f.data.Join[3] + f.Pattern), err
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
	return at(f.data.Ranges, f.data.DateRange, i*3+byYear-diff)
}

// timeRange is the pattern for two times of one day.
func (f *dateFormat) timeRange(diff int) (string, error) {
	q := f.Asked
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
