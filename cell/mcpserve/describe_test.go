package mcpserve_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/berth-dev/berth/cell/mcpserve"
	"github.com/berth-dev/berth/cell/toolset"
	"github.com/google/go-cmp/cmp"
)

func TestDescribeStaysWithinItsBudget(t *testing.T) {
	var tools []toolset.Tool
	overflown := false
	for i := range 2000 {
		d, search := mcpserve.Describe(tools, []string{strings.Repeat("é problem ", 200)})
		if len(d) > mcpserve.MaxDescription {
			t.Fatalf("%d tools: %d bytes", i, len(d))
		}
		if overflown && !search {
			t.Fatalf("%d tools fit, fewer did not", i)
		}
		overflown = search
		if search {
			i *= 50
		}
		tools = append(tools, toolset.Tool{Name: fmt.Sprintf("server__tool_with_a_rather_long_name_%d", i), Description: strings.Repeat("word ", i%40)})
	}
	if !overflown {
		t.Error("2000 tools fitted")
	}
	many := make([]string, 5000)
	for i := range many {
		many[i] = strings.Repeat("x", 1000)
	}
	if d, _ := mcpserve.Describe(tools, many); len(d) > mcpserve.MaxDescription || !strings.Contains(d, "search_tools(") {
		t.Errorf("%d bytes with many problems", len(d))
	}
}

func TestRanking(t *testing.T) {
	tools := []toolset.Tool{
		{Name: "files__read_file", Description: "Reads a file from disk.", Input: []byte(`{"properties":{"path":{"description":"where it is"}}}`)},
		{Name: "files__write_file", Description: "Writes a file to disk."},
		{Name: "mail__send", Description: "Sends a message.", Input: []byte(`{"properties":{"to":{},"attachments":{"items":{"properties":{"fileName":{}}}}}}`)},
		{Name: "cal__listEvents", Description: "Lists what is planned; not for files."},
		{Name: "odd", Description: "", Input: []byte(`{"properties":5,"items":[1]}`)},
		{Name: "broken", Input: []byte(`{`)},
	}
	for query, want := range map[string][]int{
		"read file":    {0, 1, 2, 3}, // a longer word counts for less than the word
		"write":        {1},
		"attachments":  {2},
		"events":       {3},
		"event":        {3},
		"WHERE":        {0},
		"":             {0, 1, 2, 3, 4, 5},
		"?!":           {0, 1, 2, 3, 4, 5},
		"nothing here": {},
	} {
		got := mcpserve.Find(tools, query)
		if !cmp.Equal(got, want) {
			t.Errorf("%q: %v, want %v", query, got, want)
		}
	}
}
