// Package conformance holds the vectors and transcripts that every
// implementation of berth's wires must pass, as JSON files that tests in any
// language can read, and the loader that Go tests use.
//
// conformance/<protocol>/<set>.json is an object with a description and a list,
// "vectors" ([Vector]) or "steps" ([Step], a transcript). A set that is missing
// or empty fails the test that asks for it, so that green means tested. Marks
// such as §3 mean the protocol's contract in docs/contracts.
package conformance

import (
	"bytes"
	"embed"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
)

//go:embed */*.json
var files embed.FS

// Vector is one input and what is to become of it.
type Vector struct {
	Name    string `json:"name"`    // unique in its set
	Spec    string `json:"spec"`    // the contract's section
	Meaning string `json:"meaning"` // what the vector shows, if the name doesn't say it

	// The input, in exactly one of these; Bytes holds it decoded.
	Text  *string `json:"text"` // UTF-8
	Hex   *string `json:"hex"`  // bytes, two digits each; white space is ignored
	Bytes []byte  `json:"-"`

	Dialect  string   `json:"dialect"`  // the only dialect that is meant; "" means every one
	Verdict  string   `json:"verdict"`  // "accept", "reject" or what the set's description says
	Want     *string  `json:"want"`     // what accepted input is written as again, if not as it came
	Frames   []string `json:"frames"`   // the payloads, for sets of streams
	Error    string   `json:"error"`    // a part of the error, if it matters
	Observed string   `json:"observed"` // the releases of the peer that were seen to do the same
}

// Step is one message of a transcript.
type Step struct {
	From string `json:"from"` // who sends it; the set's description names the ends
	Text string `json:"text"` // the payload; "" is the end of the sender's stream
	Note string `json:"note"`
}

// set is a file.
type set struct {
	Description string   `json:"description"`
	Vectors     []Vector `json:"vectors"`
	Steps       []Step   `json:"steps"`
}

// Load returns the vectors of a set such as "codemode/frames". It fails tb if
// there are none, or if one is not well formed.
func Load(tb testing.TB, name string) []Vector {
	tb.Helper()
	s, err := read(name)
	if err == nil && len(s.Vectors) == 0 {
		err = errors.New("no vectors")
	}
	if err != nil {
		tb.Fatalf("conformance set %q: %v", name, err)
	}
	return s.Vectors
}

// LoadTranscript returns the steps of a transcript such as "codemode/golden". It
// fails tb if there are none.
func LoadTranscript(tb testing.TB, name string) []Step {
	tb.Helper()
	s, err := read(name)
	if err == nil && len(s.Steps) == 0 {
		err = errors.New("no steps")
	}
	if err != nil {
		tb.Fatalf("conformance set %q: %v", name, err)
	}
	return s.Steps
}

// read parses and checks a set.
func read(name string) (*set, error) {
	data, err := files.ReadFile(name + ".json")
	if err != nil {
		return nil, err
	}
	s := new(set)
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	if err := dec.Decode(s); err != nil {
		return nil, err
	}
	seen := make(map[string]bool)
	for i := range s.Vectors {
		v := &s.Vectors[i]
		if v.Name == "" || v.Spec == "" || v.Verdict == "" || seen[v.Name] {
			return nil, fmt.Errorf("vector %d (%q): no name, spec or verdict, or a name used twice", i, v.Name)
		}
		seen[v.Name] = true
		if err := v.decode(); err != nil {
			return nil, fmt.Errorf("vector %q: %w", v.Name, err)
		}
	}
	return s, nil
}

func (v *Vector) decode() (err error) {
	switch {
	case v.Text != nil && v.Hex == nil:
		v.Bytes = []byte(*v.Text)
	case v.Hex != nil && v.Text == nil:
		v.Bytes, err = hex.DecodeString(strings.Join(strings.Fields(*v.Hex), ""))
	default:
		err = errors.New("want either text or hex")
	}
	return err
}
