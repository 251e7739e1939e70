package report_test

import (
	"bytes"
	"encoding/json"
	"math"
	"strings"
	"testing"

	"github.com/berth-dev/berth/bench/report"
)

func p(v float64) *float64 { return &v }

func TestVerdicts(t *testing.T) {
	tests := []struct {
		name   string
		values []*float64
		target report.Target
		ratio  string // as printed
		met    string
	}{
		{"no target", []*float64{p(1), p(4)}, report.Target{}, "0.250×", ""},
		{"ratio met", []*float64{p(1), p(10)}, report.RatioAtMost(0.15), "0.100×", "met"},
		{"ratio at the limit", []*float64{p(3), p(20)}, report.RatioAtMost(0.15), "0.150×", "met"},
		{"ratio missed", []*float64{p(2), p(10)}, report.RatioAtMost(0.15), "0.200×", "MISSED"},
		{"rate met", []*float64{p(40), p(10)}, report.RatioAtLeast(3.5), "4×", "met"},
		{"rate missed", []*float64{p(30), p(10)}, report.RatioAtLeast(3.5), "3×", "MISSED"},
		{"ours met", []*float64{p(20), p(10)}, report.AtMost(20), "2×", "met"},
		{"ours missed", []*float64{p(20.5)}, report.AtMost(20), "", "MISSED"},
		{"count missed", []*float64{p(9999)}, report.AtLeast(10_000), "", "MISSED"},
		{"no peer", []*float64{p(1), nil}, report.RatioAtMost(2), "", "not measured"},
		{"nothing of ours", []*float64{nil, p(1)}, report.AtMost(2), "", "not measured"},
		{"not a number", []*float64{p(math.NaN()), p(1)}, report.AtMost(2), "", "not measured"},
		{"peer of zero", []*float64{p(1), p(0)}, report.RatioAtMost(2), "", "not measured"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			r := report.Report{Columns: []string{"ours", "peer"}}
			r.Add(report.Figure{Group: "g", Name: "figure", Values: test.values, Target: test.target, Notes: []string{"why"}})
			var out bytes.Buffer
			if err := r.WriteTable(&out); err != nil {
				t.Fatal(err)
			}
			lines := strings.Split(strings.TrimSpace(out.String()), "\n")
			line, note := lines[len(lines)-2], lines[len(lines)-1]
			if note != "  [1] why" {
				t.Errorf("note: %q", note)
			}
			for _, want := range []string{test.ratio, test.target.String(), test.met, "[1]"} {
				if !strings.Contains(line, want) {
					t.Errorf("line %q lacks %q", line, want)
				}
			}
			if met := r.Figures[0].Met; (met != nil) != (test.met == "met" || test.met == "MISSED") {
				t.Errorf("met: %v, want %q", met, test.met)
			}
		})
	}
}

func TestJSON(t *testing.T) {
	r := report.Report{Schema: report.Schema, Columns: []string{"ours", "peer"}}
	r.Add(report.Figure{Group: "g", Name: "a", Unit: "ms", Values: []*float64{p(1), nil}})
	var out bytes.Buffer
	if err := r.WriteJSON(&out); err != nil {
		t.Fatal(err)
	}
	var back struct {
		Schema  int
		Figures []struct {
			Values []*float64
			Target *report.Target
		}
	}
	if err := json.Unmarshal(out.Bytes(), &back); err != nil {
		t.Fatal(err)
	}
	f := back.Figures[0]
	if back.Schema != 1 || len(f.Values) != 2 || *f.Values[0] != 1 || f.Values[1] != nil || f.Target != nil {
		t.Errorf("got %s", out.Bytes())
	}
}
