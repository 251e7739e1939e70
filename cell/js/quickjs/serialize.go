package quickjs

import (
	"fmt"
	"strings"
)

// maxInputDepth is the most levels of arrays and objects in a tool's input:
// three more wrap it on the wire, whose readers stop at 127. Spec: codemode §11.3.
const maxInputDepth = 124

// unserializable says what a strict JSON reader has against text that
// JSON.stringify wrote: levels beyond the limit, or an escape for half a
// surrogate pair. "" means nothing. Columns count bytes from 1.
func unserializable(json string) string {
	depth := 0
	for k := 0; k < len(json); k++ {
		switch json[k] {
		case '[', '{':
			if depth++; depth > maxInputDepth {
				return fmt.Sprintf("failed to serialize JavaScript value: recursion limit exceeded at line 1 column %d", k+1)
			}
		case ']', '}':
			depth--
		case '"':
			end, bad := scanString(json, k+1)
			if bad != "" {
				return fmt.Sprintf("failed to serialize JavaScript value: %s at line 1 column %d", bad, end)
			}
			k = end
		}
	}
	return ""
}

// scanString returns the index of the quote that ends a string. At an escape for
// half a surrogate pair, the only ones that the engine writes with a "d", it
// returns the column where a reader gives up, and why.
func scanString(json string, k int) (end int, bad string) {
	const (
		endOfEscape = "unexpected end of hex escape"
		loneLeading = "lone leading surrogate in hex escape"
		escape      = len(`\ud800`)
	)
	for {
		k += strings.IndexAny(json[k:], `"\`)
		switch {
		case json[k] == '"':
			return k, ""
		case json[k+1] != 'u':
			k += 2
		case json[k+2] != 'd':
			k += escape
		case json[k+3] >= 'c':
			return k + escape, loneLeading
		case json[k+escape] != '\\':
			return k + escape + 1, endOfEscape
		case json[k+escape+1] != 'u':
			return k + escape + 2, endOfEscape
		default: // another half
			return k + 2*escape, loneLeading
		}
	}
}

// reservedKey reports a key that later hosts refuse in a tool's input.
func reservedKey(json string) bool {
	return strings.Contains(json, `"$serde_json::private::`)
}
