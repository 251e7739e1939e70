// Package report keeps what a benchmark measured and prints it: ours, the
// peers', and the ratio between ours and the first peer's, beside the target.
//
// A [Report] belongs to one goroutine.
package report

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"text/tabwriter"
)

// Schema is the version of the JSON that WriteJSON prints.
const Schema = 1

// Report is one run of the benchmarks. Columns name the programs that Values
// of all figures belong to, ours first, then the peer that ratios refer to.
type Report struct {
	Schema  int      `json:"schema"`
	Date    string   `json:"date"` // RFC 3339
	Machine Machine  `json:"machine"`
	Columns []string `json:"columns"`
	Figures []Figure `json:"figures"`
}

// Machine is what the figures were measured on.
type Machine struct {
	OS     string  `json:"os"`
	Arch   string  `json:"arch"`
	CPU    string  `json:"cpu,omitempty"`
	Cores  int     `json:"cores"`
	Memory int64   `json:"memory_bytes,omitempty"`
	Load   float64 `json:"load,omitempty"` // of the last minute before the run
}

// Figure is one line of the table.
type Figure struct {
	Group  string     `json:"group"`
	Name   string     `json:"name"`
	Unit   string     `json:"unit,omitempty"`
	Values []*float64 `json:"values"` // one for each column; nil where there is none
	Target Target     `json:"target,omitzero"`
	Ratio  *float64   `json:"ratio,omitempty"`
	Met    *bool      `json:"met,omitempty"`
	Notes  []string   `json:"notes,omitempty"`
}

// Target is what a figure is to reach. The zero Target is none.
type Target struct {
	AtLeast bool    `json:"at_least,omitempty"` // else at most
	Ratio   bool    `json:"ratio,omitempty"`    // of the ratio, else of our value
	Limit   float64 `json:"limit,omitempty"`
}

// AtMost is a target for our value.
func AtMost(limit float64) Target { return Target{Limit: limit} }

// AtLeast is a target for our value.
func AtLeast(limit float64) Target { return Target{Limit: limit, AtLeast: true} }

// RatioAtMost is a target for ours divided by the peer's.
func RatioAtMost(limit float64) Target { return Target{Limit: limit, Ratio: true} }

// RatioAtLeast is a target for ours divided by the peer's.
func RatioAtLeast(limit float64) Target { return Target{Limit: limit, Ratio: true, AtLeast: true} }

func (t Target) String() string {
	if t == (Target{}) {
		return ""
	}
	sign, times := "≤ ", ""
	if t.AtLeast {
		sign = "≥ "
	}
	if t.Ratio {
		times = "×"
	}
	return sign + number(t.Limit) + times
}

// Add judges a figure and appends it. A NaN in its values stands for nil.
func (r *Report) Add(f Figure) {
	for i, v := range f.Values {
		if v != nil && (math.IsNaN(*v) || math.IsInf(*v, 0)) {
			f.Values[i] = nil
		}
	}
	ours, peer := value(f.Values, 0), value(f.Values, 1)
	if ours != nil && peer != nil && *peer != 0 {
		ratio := *ours / *peer
		f.Ratio = &ratio
	}
	judged := ours
	if f.Target.Ratio {
		judged = f.Ratio
	}
	if f.Target != (Target{}) && judged != nil {
		met := *judged <= f.Target.Limit
		if f.Target.AtLeast {
			met = *judged >= f.Target.Limit
		}
		f.Met = &met
	}
	r.Figures = append(r.Figures, f)
}

func value(values []*float64, i int) *float64 {
	if i < len(values) {
		return values[i]
	}
	return nil
}

// WriteJSON prints the report as one JSON object.
func (r *Report) WriteJSON(w io.Writer) error {
	encoder := json.NewEncoder(w)
	encoder.SetIndent("", "  ")
	return encoder.Encode(r)
}

// WriteTable prints the report for people, a table for each group and the notes
// below it.
func (r *Report) WriteTable(w io.Writer) error {
	m := r.Machine
	fmt.Fprintf(w, "%s  %s/%s", r.Date, m.OS, m.Arch)
	if m.CPU != "" {
		fmt.Fprintf(w, "  %s", m.CPU)
	}
	fmt.Fprintf(w, "  %d cores  %.1f GiB  load %.1f before\n", m.Cores, float64(m.Memory)/(1<<30), m.Load)
	for rest := r.Figures; len(rest) > 0; {
		n := 1
		for n < len(rest) && rest[n].Group == rest[0].Group {
			n++
		}
		if err := r.writeGroup(w, rest[:n]); err != nil {
			return err
		}
		rest = rest[n:]
	}
	return nil
}

func (r *Report) writeGroup(w io.Writer, figures []Figure) error {
	fmt.Fprintf(w, "\n%-*s\n", nameWidth, figures[0].Group)
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(table, "\t%s\tratio\ttarget\t\t\n", strings.Join(r.Columns, "\t"))
	var notes []string
	for _, f := range figures {
		fmt.Fprintf(table, "%-*s\t", nameWidth, f.Name)
		for i := range r.Columns {
			fmt.Fprintf(table, "%s\t", withUnit(value(f.Values, i), f.Unit))
		}
		ratio := ""
		if f.Ratio != nil {
			ratio = number(*f.Ratio) + "×"
		}
		mark := ""
		for _, note := range f.Notes {
			at := slices.Index(notes, note)
			if at < 0 {
				at, notes = len(notes), append(notes, note)
			}
			mark += fmt.Sprintf("[%d]", at+1)
		}
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\t\n", ratio, f.Target, verdict(f), mark)
	}
	if err := table.Flush(); err != nil {
		return err
	}
	for i, note := range notes {
		if _, err := fmt.Fprintf(w, "  [%d] %s\n", i+1, note); err != nil {
			return err
		}
	}
	return nil
}

// nameWidth is the least width of a name, so that it stays on the left of a
// table whose cells are on the right.
const nameWidth = 44

func verdict(f Figure) string {
	switch {
	case f.Met != nil && *f.Met:
		return "met"
	case f.Met != nil:
		return "MISSED"
	case f.Target != (Target{}):
		return "not measured"
	}
	return ""
}

func withUnit(v *float64, unit string) string {
	switch {
	case v == nil:
		return "–"
	case unit == "":
		return number(*v)
	}
	return number(*v) + " " + unit
}

// number prints three significant digits, and no fraction of large numbers.
func number(v float64) string {
	switch magnitude := math.Abs(v); {
	case v == math.Trunc(v) && magnitude < 1e6:
		return fmt.Sprintf("%.0f", v)
	case magnitude >= 100:
		return fmt.Sprintf("%.0f", v)
	case magnitude >= 10:
		return fmt.Sprintf("%.1f", v)
	case magnitude >= 1:
		return fmt.Sprintf("%.2f", v)
	default:
		return fmt.Sprintf("%.3f", v)
	}
}
