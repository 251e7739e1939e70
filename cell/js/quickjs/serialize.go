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
			if bad {
				return fmt.Sprintf("failed to serialize JavaScript value: unexpected end of hex escape at line 1 column %d", end)
			}
			k = end
		}
	}
	return ""
}

// scanString returns the index of the quote that ends a string, or where a
// reader stops at an escape for half a surrogate pair.
func scanString(json string, k int) (end int, bad bool) {
	for {
		n := strings.IndexAny(json[k:], `"\`)
		if k += n; json[k] == '"' {
			return k, false
		}
		if json[k+1] != 'u' {
			k += 2
			continue
		}
		// The engine escapes control characters and halves, nothing else.
		if json[k+2] != 'd' {
			k += 6
			continue
		}
		return min(k+8, len(json)), true
	}
}

// reservedKey reports a key that later hosts refuse in a tool's input.
func reservedKey(json string) bool {
	return strings.Contains(json, `"$serde_json::private::`)
}
