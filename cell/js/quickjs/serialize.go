package quickjs

import (
	"fmt"
	"strings"
)

// The most levels of arrays and objects in a stored value, where a strict reader
// stops, and in a tool's input, which three more levels wrap on the wire.
// Spec: codemode §11.3.
const (
	maxDepth      = 127
	maxInputDepth = maxDepth - 3
)

const tooDeep = "recursion limit exceeded"

// unserializable says what a strict JSON reader has against text that
// JSON.stringify wrote: more than levels levels, or an escape for half a
// surrogate pair. "" means nothing. Columns count bytes from 1.
func unserializable(json string, levels int) string {
	depth, deep := 0, 0 // deep is the column of the first level that is too deep
	for k := 0; k < len(json); k++ {
		switch json[k] {
		case '[', '{':
			if depth++; depth > maxDepth {
				return complaint(tooDeep, k+1)
			} else if depth > levels && deep == 0 {
				deep = k + 1
			}
		case ']', '}':
			depth--
		case '"':
			end, bad := scanString(json, k+1)
			if bad != "" {
				return complaint(bad, end)
			}
			k = end
		}
	}
	if deep > 0 {
		return complaint(tooDeep, deep)
	}
	return ""
}

func complaint(what string, column int) string {
	return fmt.Sprintf("failed to serialize JavaScript value: %s at line 1 column %d", what, column)
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
