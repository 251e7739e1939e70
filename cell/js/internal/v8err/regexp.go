package v8err

import "strings"

// regexp explains a pattern that the RegExp constructor refuses.
func (c *site) regexp() {
	pattern, ok := c.arg(0)
	if !ok {
		return
	}
	flags := ""
	if v, ok := c.arg(1); ok && v.Type == "string" {
		flags = v.Text
	}
	if c.message == "invalid regular expression flags" {
		c.set("Invalid flags supplied to RegExp constructor '", flags, "'")
		return
	}
	c.set("Invalid regular expression: /", pattern.Text, "/", flags, ": ", regexpText(c.message, pattern.Text, strings.ContainsAny(flags, "uv")))
}

// regexpText is V8's text for a fault in a pattern.
func regexpText(m, pattern string, unicode bool) string {
	switch m {
	case "expecting ')'":
		return "Unterminated group"
	case "unexpected end":
		if strings.HasSuffix(pattern, `\`) {
			return `\ at end of pattern`
		}
		return "Unterminated character class"
	case "nothing to repeat":
		return "Nothing to repeat"
	case "invalid repetition count":
		return "numbers out of order in {} quantifier"
	case "duplicate group name":
		return "Duplicate capture group name"
	case "invalid class range":
		if unicode {
			return "Invalid character class"
		}
		return "Range out of order in character class"
	case "invalid group name", "expecting group name":
		if strings.Contains(pattern, `\k`) && !strings.Contains(pattern, "(?<") {
			return "Invalid named reference"
		}
		return "Invalid capture group name"
	case "group name not defined":
		return "Invalid named capture referenced"
	case "extraneous characters at the end":
		return "Unmatched ')'"
	case "syntax error":
		if strings.HasPrefix(pattern, "{") {
			return "Nothing to repeat"
		}
		if strings.Contains(pattern, "{") {
			return "Incomplete quantifier"
		}
		return "Lone quantifier brackets"
	case "invalid escape sequence in regular expression":
		if strings.Contains(pattern, `\u`) || strings.Contains(pattern, `\x`) {
			return "Invalid Unicode escape"
		}
		return "Invalid escape"
	case "malformed unicode char":
		return "Invalid Unicode escape"
	case "invalid group", "invalid modifiers":
		return "Invalid group"
	case "too many captures":
		return "Too many captures"
	case "invalid decimal escape in regular expression", "back reference out of range in regular expression":
		return "Invalid decimal escape"
	case "unknown unicode property value", "unknown unicode script", "unknown unicode general category", "unknown unicode property name",
		`expecting '{' after \p`, "expecting '}'":
		return "Invalid property name"
	case "invalid character in class in regular expression":
		return "Invalid character in character class"
	case "invalid class set operation in regular expression", "invalid operation in regular expression":
		return "Invalid set operation in character class"
	case "negated character class with strings in regular expression debugger eval code":
		return "Negated character class may contain strings"
	case "stack overflow", "too many imbricated quantifiers":
		return "Regular expression too large"
	}
	if strings.HasPrefix(m, "duplicate modifier") {
		return "Invalid group"
	}
	return m
}
