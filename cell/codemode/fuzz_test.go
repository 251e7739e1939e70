package codemode_test

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/berth-dev/berth/cell/codemode"
	"github.com/berth-dev/berth/conformance"
)

// fuzz checks that what decodes encodes, to something that decodes to the same,
// and that nothing decodes that is not JSON.
func fuzz(f *testing.F, set string, recode recode) {
	for _, v := range conformance.Load(f, set) {
		f.Add(v.Bytes)
	}
	f.Fuzz(func(t *testing.T, payload []byte) {
		for _, d := range dialects {
			once, err := recode(d, payload)
			if code := codemode.CodeOf(err); err != nil && code != codemode.CodeDecode && code != codemode.CodeTooDeep {
				t.Fatalf("%s: error %v", d, err)
			}
			if err != nil {
				continue
			}
			if !jsontext.Value(payload).IsValid(jsontext.AllowDuplicateNames(true)) || !json.Valid(once) {
				t.Fatalf("%s: accepted or wrote what is not JSON: %q, %q", d, payload, once)
			}
			twice, err := recode(d, once)
			if err != nil || !bytes.Equal(once, twice) {
				t.Fatalf("%s: %q becomes %q, then %q, %v", d, payload, once, twice, err)
			}
		}
	})
}

func FuzzClientToHost(f *testing.F) { fuzz(f, "codemode/client", recodeClient) }
func FuzzHostToClient(f *testing.F) { fuzz(f, "codemode/host", recodeHost) }

// FuzzStrings compares the strings of our own reader with those of jsontext.
func FuzzStrings(f *testing.F) {
	for _, s := range []string{`a`, `\u0000`, `\ud83d\ude00`, `\ud83d\ud83d`, `\n\"\\\/`, "\x7f\u2028", "\xff", `\u12`, "0123456\n"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, content []byte) {
		if bytes.HasSuffix(content, []byte(`\`)) {
			return // it would escape our quote
		}
		text := append(append([]byte{'"'}, content...), '"')
		want, wantErr := jsontext.AppendUnquote(nil, text)
		payload := append(append([]byte(`{"type":"cell/closed","sessionId":"s","cellId":`), text...), '}')
		m, err := codemode.NewDecoder(codemode.Base).DecodeHostToClient(payload)
		if bytes.Contains(content, []byte(`"`)) && (err == nil) != (wantErr == nil) {
			return // the quote may end the string and begin something else
		}
		if (err == nil) != (wantErr == nil) {
			t.Fatalf("%s: %v, want %v", text, err, wantErr)
		}
		if err == nil && string(m.(*codemode.CellClosed).CellID) != string(want) {
			t.Fatalf("%s: %q, want %q", text, m.(*codemode.CellClosed).CellID, want)
		}
	})
}
