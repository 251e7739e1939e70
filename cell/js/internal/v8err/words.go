package v8err

import (
	"strconv"
	"strings"
)

func itoa(n int) string { return strconv.Itoa(n) }

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// isWordByte reports whether c can be part of a name or of a number.
func isWordByte(c byte) bool {
	return isDigit(c) || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || c == '_' || c == '$' || c == '\\' || c >= 0x80
}

func hasLineEnd(s string) bool {
	return strings.ContainsAny(s, "\n\r\u2028\u2029")
}

// reserved reports whether w can never be a variable's name. Words that are
// reserved in some places only (async, let, yield, await, static) count as names.
func reserved(w string) bool {
	switch w {
	case "break", "case", "catch", "class", "const", "continue", "debugger", "default", "delete", "do", "else",
		"enum", "export", "extends", "false", "finally", "for", "function", "if", "import", "in", "instanceof",
		"new", "null", "return", "super", "switch", "this", "throw", "true", "try", "typeof", "var", "void",
		"while", "with":
		return true
	}
	return false
}

// valueWord reports whether the reserved word w is a value by itself.
func valueWord(w string) bool {
	switch w {
	case "this", "super", "null", "true", "false":
		return true
	}
	return false
}

// controlWord reports whether a parenthesis after w is followed by a statement.
func controlWord(w string) bool {
	switch w {
	case "if", "while", "for", "with":
		return true
	}
	return false
}

// unaryWord reports whether w is an operator before its operand.
func unaryWord(w string) bool {
	switch w {
	case "typeof", "void", "delete", "await":
		return true
	}
	return false
}

// isName reports whether s is written like a variable.
func isName(s string) bool {
	if s == "" || isDigit(s[0]) {
		return false
	}
	for i := range len(s) {
		if !isWordByte(s[i]) || s[i] == '\\' {
			return false
		}
	}
	return true
}
