package intl

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// dateData is a locale's names and patterns. Patterns hold fields such as {y},
// {MM} and {M:3}, the third list; ranges switch sources with control characters.
// The integer lists map combinations of options to patterns; see gen.
type dateData struct {
	Lists          []string  `json:"lists"` // names joined by |
	Pats           []string  `json:"pats"`
	Ranges         []string  `json:"ranges"`
	Date           []int     `json:"date"`
	DateRange      []int     `json:"dateRange"` // three each: years, months, days differ
	Time           []int     `json:"time"`
	TimeRange      []int     `json:"timeRange"` // four each: half days, hours, minutes, seconds differ
	WeekdayTime    []int     `json:"weekdayTime"`
	Join           [4]string `json:"join"` // between date and time, by the width of the month
	JoinStyle      [4]string `json:"joinStyle"`
	DateStyle      [4]int    `json:"dateStyle"`
	DateStyleRange [12]int   `json:"dateStyleRange"`
	TimeStyle      [16]int   `json:"timeStyle"`
	Eras           [3]int    `json:"eras"` // lists, by width
	Periods        [3]int    `json:"periods"`
	Cycles         [3]string `json:"cycles"` // by default, with and without hour12
	TwoDates       string    `json:"twoDates"`
	OneDate        string    `json:"oneDate"`
}

// dateFields are the options that choose a pattern.
type dateFields struct {
	Weekday      string `json:"weekday,omitempty"`
	Era          string `json:"era,omitempty"`
	Year         string `json:"year,omitempty"`
	Month        string `json:"month,omitempty"`
	Day          string `json:"day,omitempty"`
	DayPeriod    string `json:"dayPeriod,omitempty"`
	Hour         string `json:"hour,omitempty"`
	Minute       string `json:"minute,omitempty"`
	Second       string `json:"second,omitempty"`
	Fraction     int    `json:"fractionalSecondDigits,omitempty"`
	TimeZoneName string `json:"timeZoneName,omitempty"`
	DateStyle    string `json:"dateStyle,omitempty"`
	TimeStyle    string `json:"timeStyle,omitempty"`
}

// dateOptions are the resolved options of a DateTimeFormat, in V8's order.
type dateOptions struct {
	Locale          string `json:"locale"`
	Calendar        string `json:"calendar"`
	NumberingSystem string `json:"numberingSystem"`
	TimeZone        string `json:"timeZone"`
	HourCycle       string `json:"hourCycle,omitempty"`
	Hour12          *bool  `json:"hour12,omitempty"`
	dateFields
	Data    string     `json:"_data"`
	Asked   dateFields `json:"_asked"` // what the fields above were resolved from
	Pattern string     `json:"_pattern"`
}

type dateRequest struct {
	Locales         string `json:"locales"`
	NumberingSystem string `json:"numberingSystem"`
	Calendar        string `json:"calendar"`
	TimeZone        string `json:"timeZone"`
	HourCycle       string `json:"hourCycle"`
	Hour12          *bool  `json:"hour12"`
	dateFields
}

var (
	widths   = [...]string{"", "narrow", "short", "long"}
	numerals = [...]string{"", "numeric", "2-digit"}
	months   = [...]string{"", "numeric", "2-digit", "narrow", "short", "long"}
	cycles   = [...]string{"h11", "h12", "h23", "h24"}
	styles   = [...]string{"full", "long", "medium", "short"}
)

// newDate resolves the options of a DateTimeFormat.
func (in *Instance) newDate(args []byte) ([]byte, error) {
	var r dateRequest
	if err := json.Unmarshal(args, &r); err != nil {
		return nil, fmt.Errorf("%w: %w", errOp, err)
	}
	c := in.negotiate(r.Locales, anyData)
	o := dateOptions{Calendar: "gregory", Asked: r.dateFields, Data: c.data}
	data, err := load[dateData](in, c.data, "dates")
	if err != nil {
		return nil, err
	}
	kept := map[string]string{}
	c.keyword("ca", r.Calendar, "gregory", func(v string) bool { return v == "gregory" }, kept)
	if o.NumberingSystem, err = in.numbering(r.NumberingSystem, c, kept); err != nil {
		return nil, err
	}
	hc := in.hourCycle(r, c, data, kept)
	o.Locale = c.named(kept)
	if r.TimeZone == "" {
		r.TimeZone = in.zone
		if o.TimeZone, err = in.canonicalZone(r.TimeZone); err != nil {
			o.TimeZone = "UTC"
		}
	} else if o.TimeZone, err = in.canonicalZone(r.TimeZone); err != nil {
		return nil, err
	}
	numbers, err := load[numberData](in, c.data, "numbers")
	if err != nil {
		return nil, err
	}
	if o.Pattern, err = data.pattern(r.dateFields, hc, numbers.Decimal); err != nil {
		return nil, err
	}
	o.resolve(hc)
	return json.Marshal(&o)
}

// hourCycle settles hour12, hourCycle and the tag's hc.
func (in *Instance) hourCycle(r dateRequest, c choice, data *dateData, kept map[string]string) string {
	valid := func(v string) bool { return slices.Contains(cycles[:], v) }
	if r.Hour12 != nil {
		if *r.Hour12 {
			return data.Cycles[1]
		}
		return data.Cycles[2]
	}
	return c.keyword("hc", r.HourCycle, data.Cycles[0], valid, kept)
}

// resolve reads off the pattern what resolvedOptions tells.
func (o *dateOptions) resolve(hc string) {
	if strings.Contains(o.Pattern, "{h") || strings.Contains(o.Pattern, "{H") || strings.Contains(o.Pattern, "{k") || strings.Contains(o.Pattern, "{K") {
		twelve := hc == "h11" || hc == "h12"
		o.HourCycle, o.Hour12 = hc, &twelve
	}
	a := o.Asked
	if a.DateStyle != "" || a.TimeStyle != "" {
		o.DateStyle, o.TimeStyle = a.DateStyle, a.TimeStyle
		return
	}
	for _, f := range compile(o.Pattern, nil) {
		numeric := "numeric"
		if f.wide {
			numeric = "2-digit"
		}
		switch f.field {
		case 'E':
			o.Weekday = a.Weekday
		case 'G':
			o.Era = a.Era
		case 'y':
			o.Year = numeric
		case 'M':
			o.Month = numeric
			if f.list >= 0 {
				o.Month = a.Month
			}
		case 'd':
			o.Day = numeric
		case 'a':
			o.DayPeriod = a.DayPeriod
		case 'h', 'H', 'k', 'K':
			o.Hour = numeric
		case 'm':
			o.Minute = numeric
		case 's':
			o.Second = numeric
		case 'S':
			o.Fraction = a.Fraction
		case 'z':
			o.TimeZoneName = a.TimeZoneName
		}
	}
}

// index finds an option among its values; unknown ones are malformed.
func index(values []string, v string, err *error) int {
	i := slices.Index(values, v)
	if i < 0 {
		*err = fmt.Errorf("%w: option %q", errOp, v)
		return 0
	}
	return i
}

// dateIndex is the combination's place in the Date list.
func (f dateFields) dateIndex() (int, error) {
	var err error
	i := index(widths[:], f.Weekday, &err)
	i = i*2 + min(index(widths[:], f.Era, &err), 1)
	i = i*3 + index(numerals[:], f.Year, &err)
	i = i*6 + index(months[:], f.Month, &err)
	i = i*3 + index(numerals[:], f.Day, &err)
	return i, err
}

const timesPerPeriod = 9 + 2*9*4 // without an hour; with one, by cycle

// timeIndex is the combination's place among those without a day period or
// with one; zones and periods are the slow dimensions.
func (f dateFields) timeIndex(hc string, periods int) (int, error) {
	var err error
	i := 0
	if f.TimeZoneName != "" {
		i = periods
	}
	if periods > 1 {
		i += min(index(widths[:], f.DayPeriod, &err), 1)
	}
	i *= timesPerPeriod
	hour := index(numerals[:], f.Hour, &err)
	low := index(numerals[:], f.Minute, &err)*3 + index(numerals[:], f.Second, &err)
	if hour == 0 {
		return i + low, err
	}
	return i + 9 + (hour-1)*36 + low*4 + index(cycles[:], hc, &err), err
}

func (f dateFields) hasDate() bool {
	return f.Weekday+f.Era+f.Year+f.Month+f.Day != "" || f.DateStyle != ""
}

func (f dateFields) hasTime() bool {
	return f.Hour+f.Minute+f.Second+f.DayPeriod+f.TimeZoneName != "" || f.Fraction > 0 || f.TimeStyle != ""
}

// widen puts the lists for the widths of era and day period into a pattern;
// the tables hold one width of each.
func (d *dateData) widen(p string, f dateFields) string {
	if i := slices.Index(widths[:], f.Era); i > 0 {
		p = relist(p, "{G:", d.Eras[i-1])
	}
	if i := slices.Index(widths[:], f.DayPeriod); i > 0 {
		p = relist(p, "{a:", d.Periods[i-1])
	}
	return p
}

// relist changes the list of a field wherever it occurs.
func relist(p, field string, list int) string {
	pieces := strings.Split(p, field)
	for i := range pieces[1:] {
		_, rest, _ := strings.Cut(pieces[i+1], "}")
		pieces[i+1] = strconv.Itoa(list) + "}" + rest
	}
	return strings.Join(pieces, field)
}

// at is the pattern of a list's entry.
func at(pats []string, list []int, i int) (string, error) {
	if i < 0 || i >= len(list) || list[i] < 0 || list[i] >= len(pats) {
		return "", fmt.Errorf("%w: no such pattern", errOp)
	}
	return pats[list[i]], nil
}

// pattern builds the pattern for options.
func (d *dateData) pattern(f dateFields, hc, decimal string) (string, error) {
	if f.DateStyle != "" || f.TimeStyle != "" {
		return d.stylePattern(f, hc)
	}
	if f.Fraction > 0 && f.Second == "" && f.Minute != "" {
		f.Second = "2-digit"
	}
	date, err := d.datePattern(f)
	if err != nil {
		return "", err
	}
	if !f.hasTime() {
		return date, nil
	}
	if f.Weekday != "" && f.Era+f.Year+f.Month+f.Day == "" && f.Hour != "" {
		return d.weekdayPattern(f, hc, decimal)
	}
	time, err := d.timePattern(f, hc, decimal)
	if err != nil || date == "" {
		return time, err
	}
	return date + d.Join[f.joinWidth()] + time, nil
}

func (d *dateData) datePattern(f dateFields) (string, error) {
	i, err := f.dateIndex()
	if err != nil || i == 0 {
		return "", err
	}
	if f.Weekday+f.Year+f.Month+f.Day == "" {
		return d.widen("{G:0}", f), nil
	}
	p, err := at(d.Pats, d.Date, i)
	return d.widen(p, f), err
}

func (d *dateData) timePattern(f dateFields, hc, decimal string) (string, error) {
	i, err := f.timeIndex(hc, 2)
	if err != nil {
		return "", err
	}
	if f.Hour+f.Minute+f.Second+f.DayPeriod == "" {
		switch {
		case f.TimeZoneName == "":
			return "{S}", nil
		case f.Fraction == 0:
			return "{z}", nil
		}
		return "{S} {z}", nil
	}
	p, err := at(d.Pats, d.Time, i)
	return withFraction(d.widen(p, f), f, decimal), err
}

func (d *dateData) weekdayPattern(f dateFields, hc, decimal string) (string, error) {
	var err error
	w := index(widths[:], f.Weekday, &err)
	i, err2 := f.timeIndex(hc, 1)
	if err != nil || err2 != nil {
		return "", fmt.Errorf("%w: weekday", errOp)
	}
	p, err := at(d.Pats, d.WeekdayTime, (w-1)*2*timesPerPeriod+i)
	if err != nil || f.DayPeriod == "" {
		return withFraction(p, f, decimal), err
	}
	// A day period takes the place that the time has.
	plain := f
	plain.Weekday, plain.DayPeriod = "", ""
	before, err := d.timePattern(plain, hc, "")
	if err != nil {
		return "", err
	}
	f.Weekday = ""
	after, err := d.timePattern(f, hc, decimal)
	return strings.Replace(p, before, after, 1), err
}

// withFraction appends fraction digits to the seconds.
func withFraction(p string, f dateFields, decimal string) string {
	if f.Fraction == 0 {
		return p
	}
	for _, s := range []string{"{ss}", "{s}"} {
		if strings.Contains(p, s) {
			return strings.Replace(p, s, s+decimal+"{S}", 1)
		}
	}
	return p + " ├F14: {S}┤"
}

// joinWidth indexes Join.
func (f dateFields) joinWidth() int {
	switch {
	case f.Month == "long" && f.Weekday != "":
		return 0
	case f.Month == "long":
		return 1
	case f.Month == "short":
		return 2
	}
	return 3
}

func (d *dateData) stylePattern(f dateFields, hc string) (string, error) {
	var err error
	date, time, join := "", "", ""
	if f.DateStyle != "" {
		i := index(styles[:], f.DateStyle, &err)
		join = d.JoinStyle[i]
		if date, err = at(d.Pats, d.DateStyle[:], i); err != nil {
			return "", err
		}
	}
	if f.TimeStyle != "" {
		i := index(styles[:], f.TimeStyle, &err)*4 + index(cycles[:], hc, &err)
		if err != nil {
			return "", err
		}
		if time, err = at(d.Pats, d.TimeStyle[:], i); err != nil {
			return "", err
		}
	}
	if date == "" || time == "" {
		join = ""
	}
	return date + join + time, err
}
