package codextest_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/berth-dev/berth/cell/internal/codextest"
)

func post(t *testing.T, url, body string) (int, string) {
	t.Helper()
	resp, err := http.Post(url, "application/json", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(b)
}

func TestModelFollowsItsScript(t *testing.T) {
	m := codextest.NewModel(
		codextest.Say(codextest.Exec("c1", "text(1)")),
		codextest.Say(codextest.Wait("c2", map[string]any{"cell_id": "1"})),
	)
	s := httptest.NewServer(m)
	defer s.Close()

	url := s.URL + "/v1/responses"
	for i, want := range []string{
		`"item":{"call_id":"c1","id":"item_0_0","input":"text(1)","name":"exec","type":"custom_tool_call"}`,
		`"item":{"arguments":"{\"cell_id\":\"1\"}","call_id":"c2","id":"item_1_0","name":"wait","type":"function_call"}`,
		`"text":"done"`,
	} {
		status, got := post(t, url, `{"input":[],"tools":[]}`)
		if status != http.StatusOK || !strings.Contains(got, want) || !strings.Contains(got, "event: response.completed\n") {
			t.Errorf("turn %d: %d\n%s\nwant %s", i, status, got, want)
		}
	}
	if status, _ := post(t, url, `{"input":`); status != http.StatusBadRequest {
		t.Errorf("broken request: got %d", status)
	}
	requests, errs := m.Requests()
	if len(requests) != 3 || len(errs) != 1 {
		t.Errorf("got %d requests, errors %v; want 3 and one", len(requests), errs)
	}
}

func TestOutputs(t *testing.T) {
	var got codextest.Request
	m := codextest.NewModel(func(r codextest.Request) []codextest.Item {
		got = r
		return nil
	})
	s := httptest.NewServer(m)
	defer s.Close()
	post(t, s.URL+"/v1/responses", `{"input":[
		{"type":"custom_tool_call","call_id":"a"},
		{"type":"custom_tool_call_output","call_id":"a","output":[{"type":"input_text","text":"x"},{"type":"input_image","image_url":"data:","detail":"low"}]},
		{"type":"function_call_output","call_id":"b","output":"other"},
		{"type":"custom_tool_call_output","call_id":"a","output":"note"},
		{"type":"custom_tool_call_output","call_id":"c","output":7}]}`)
	outputs, err := got.Outputs("a")
	if err != nil || len(outputs) != 2 || len(outputs[0]) != 2 || outputs[0][1].Detail != "low" || outputs[1][0].Text != "note" {
		t.Errorf("got %+v, %v", outputs, err)
	}
	if outputs, err := got.Outputs("c"); err == nil {
		t.Errorf("got %+v; want an error", outputs)
	}
}
