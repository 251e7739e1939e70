package schema_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/berth-dev/berth/cell/schema"
	"github.com/berth-dev/berth/conformance"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"
)

func TestType(t *testing.T) {
	for _, v := range conformance.Load(t, "codemode/schema") {
		if got := schema.Type(v.Bytes); got != *v.Want {
			t.Errorf("%s: %s\n got %s\nwant %s", v.Name, v.Bytes, got, *v.Want)
		}
	}
}

func TestIdentifier(t *testing.T) {
	for _, v := range conformance.Load(t, "codemode/identifiers") {
		if got := schema.Identifier(string(v.Bytes)); got != *v.Want {
			t.Errorf("%s: got %q, want %q", v.Name, got, *v.Want)
		}
	}
}

func TestDescribe(t *testing.T) {
	for _, v := range conformance.Load(t, "codemode/descriptions") {
		var def struct {
			Name         string
			Description  string
			Kind         string
			InputSchema  json.RawMessage `json:"input_schema"`
			OutputSchema json.RawMessage `json:"output_schema"`
		}
		if err := json.Unmarshal(v.Bytes, &def); err != nil {
			t.Fatalf("%s: %v", v.Name, err)
		}
		tool := schema.Tool{Name: def.Name, Description: def.Description, Freeform: def.Kind == "freeform",
			Input: jsontext.Value(def.InputSchema), Output: jsontext.Value(def.OutputSchema)}
		if diff := cmp.Diff(*v.Want, tool.Describe()); diff != "" {
			t.Errorf("%s: %s", v.Name, diff)
		}
		if got, want := tool.ReturnsCallToolResult(), strings.Contains(*v.Want, "CallToolResult"); got != want {
			t.Errorf("%s: returns CallToolResult: %v", v.Name, got)
		}
	}
}

func TestCallToolResult(t *testing.T) {
	for in, want := range map[string]string{
		``:                  "CallToolResult",
		`{}`:                "CallToolResult",
		`{"type":`:          "CallToolResult",
		`{"type":"string"}`: "CallToolResult<string>",
		`{"type":"object","properties":{"n":{"const":1.50}}}`: "CallToolResult<{ n?: 1.50; }>",
	} {
		tool := schema.Tool{Name: "x", Output: schema.CallToolResult(jsontext.Value(in))}
		if got := schema.Type(tool.Output); got != want || !tool.ReturnsCallToolResult() {
			t.Errorf("%s: got %s, want %s", in, got, want)
		}
	}
}

// TestHostile has schemas that grow, nest or repeat without measure.
func TestHostile(t *testing.T) {
	nest := func(open, core, shut string, n int) string {
		return strings.Repeat(open, n) + core + strings.Repeat(shut, n)
	}
	names := func(n int, item string) string {
		var b strings.Builder
		for i := range n {
			if i > 0 {
				b.WriteByte(',')
			}
			b.WriteString(strings.ReplaceAll(item, "#", strings.Repeat("k", i%50)+string(rune('a'+i%26))))
		}
		return b.String()
	}
	for name, in := range map[string]string{
		"deep arrays":     nest(`{"type":"array","items":`, `{}`, `}`, 5000),
		"deep brackets":   nest(`[`, ``, `]`, 9000),
		"deeper brackets": nest(`{"const":`, `1`, `}`, 20000),
		"wide union":      `{"anyOf":[` + names(20000, `{"type":"string"}`) + `]}`,
		"wide object":     `{"type":"object","properties":{` + names(15000, `"#":{"description":"d"}`) + `},"required":[` + names(10000, `"#"`) + `]}`,
		"long literal":    `{"const":"` + strings.Repeat("x", 300<<10) + `"}`,
		"too long":        `{"const":"` + strings.Repeat("x", 600<<10) + `"}`,
		"branching":       nest(`{"anyOf":[{"type":"string"},`, `{}`, `]}`, 500),
	} {
		begun := time.Now()
		got := schema.Type(jsontext.Value(in))
		if len(got) > schema.MaxType {
			t.Errorf("%s: %d bytes", name, len(got))
		}
		if took := time.Since(begun); took > time.Minute {
			t.Errorf("%s: took %v", name, took)
		}
	}
	deep := schema.Type(jsontext.Value(nest(`{"type":"array","items":`, `{"type":"string"}`, `}`, 101)))
	if want := strings.Repeat("Array<", 101) + "unknown" + strings.Repeat(">", 101); deep != want {
		t.Errorf("101 levels: %s", deep)
	}
	if got := schema.Type(jsontext.Value(nest(`{"type":"array","items":`, `{"type":"string"}`, `}`, 100))); !strings.Contains(got, "string") {
		t.Errorf("100 levels: %s", got)
	}
}

func FuzzType(f *testing.F) {
	for _, v := range conformance.Load(f, "codemode/schema") {
		f.Add(v.Bytes)
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		got := schema.Type(in)
		switch {
		case got == "" || len(got) > schema.MaxType:
			t.Errorf("%d bytes", len(got))
		case !utf8.ValidString(got):
			t.Errorf("not UTF-8: %q", got)
		case !json.Valid(in) && got != "unknown" && utf8.Valid(in):
			t.Errorf("a type for what is no JSON: %s", got)
		case got != schema.Type(in):
			t.Error("two answers")
		}
	})
}

func FuzzIdentifier(f *testing.F) {
	for _, v := range conformance.Load(f, "codemode/identifiers") {
		f.Add(string(v.Bytes))
	}
	f.Fuzz(func(t *testing.T, name string) {
		got := schema.Identifier(name)
		if got == "" || got != schema.Identifier(got) {
			t.Errorf("%q became %q", name, got)
		}
	})
}
