package strict_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/berth-dev/berth/cell/internal/strict"
	"github.com/go-json-experiment/json/jsontext"
)

type server struct {
	Command string            `json:"command"`
	Args    []string          `json:"args,omitempty"`
	Env     map[string]string `json:"env"`
	Wait    *int64            `json:"wait"`
	Off     bool              `json:"off"`
}

func TestUnmarshal(t *testing.T) {
	for data, want := range map[string]string{
		`{"command":"x","args":["y"],"env":{"A":"b"},"wait":5,"off":true}`: "",
		`{"comand":"x"}`:             `unknown key "comand", want "command", "args", "env", "wait" or "off"`,
		`{"command":5}`:              "command: want a string, got a number",
		`{"args":["x",{}]}`:          "args.1: want a string, got an object",
		`{"args":"x"}`:               "args: want an array, got a string",
		`{"env":{"A":false}}`:        "env.A: want a string, got false",
		`{"wait":"x"}`:               "wait: want a whole number, got a string",
		`{"wait":1.5}`:               "wait: want a whole number, got another number",
		`{"off":[]}`:                 "off: want true or false, got an array",
		`[]`:                         "want an object, got an array",
		`{"off":true,"off":true}`:    `line 1, column 13: duplicate key "off"`,
		"{\n  \"off\": true,\n  }\n": `line 2, column 14: invalid character ',' at start of value`,
		"{\n":                        "line 2, column 1: unexpected EOF",
	} {
		var s server
		err := strict.Unmarshal([]byte(data), &s, "key")
		if got := text(err); got != want {
			t.Errorf("%s: %s, want %s", data, got, want)
		}
	}
	var any map[string]string
	if err := strict.Unmarshal([]byte(`[1]`), &any, "key"); text(err) != "want an object, got an array" {
		t.Errorf("got %v", err)
	}
}

func TestPlace(t *testing.T) {
	data := []byte("{\n  \"a\": {\"command\": \"x\"},\n  \"b~/\": {\n    \"args\": [\"x\",\n\t5]}\n}\n")
	var s server
	wrong := fmt.Errorf("b: %w", strict.Unmarshal([]byte(`{"args": ["x", 5]}`), &s, "key"))
	for _, c := range []struct {
		at   jsontext.Pointer
		err  error
		want string
	}{
		{"/a", errors.New("no"), "line 2, column 3: no"},
		{"/b~0~1", errors.New("no"), "line 3, column 3: no"},
		{"/b~0~1", wrong, "line 5, column 2: b: args.1: want a string, got a number"},
		{"/c", errors.New("no"), "no"},
	} {
		if got := text(strict.Place(data, c.at, c.err)); got != c.want {
			t.Errorf("%s: %s, want %s", c.at, got, c.want)
		}
	}
}

func text(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}
