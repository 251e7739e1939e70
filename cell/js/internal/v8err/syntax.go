package v8err

import "strings"

// declared explains names that are declared twice or must not be declared.
func (f fault) declared(m string) (string, bool) {
	before := f.text(f.t - 1)
	switch m {
	case "invalid redefinition of lexical identifier", "invalid redefinition of parameter name", "invalid redefinition of a variable",
		"invalid redefinition of global identifier", "invalid redefinition of global identifier in module code", "private class field is already defined":
		for i := f.t - 1; i > 1 && i > f.t-40; i-- {
			if f.is(i, "default") && f.is(i-1, "export") {
				before = ".default"
				break
			}
			if f.is(i, ";") || f.toks[i].kind == ident {
				break
			}
		}
		return "Identifier '" + before + "' has already been declared", true
	case "duplicate label name":
		return "Label '" + f.text(f.t) + "' has already been declared", true
	case "break/continue label not found":
		return "Undefined label '" + f.text(f.t) + "'", true
	case "invalid method name", "invalid field name":
		return f.memberFault(), true
	case "variable name expected":
		if f.is(f.t, "[") || f.is(f.t, "{") {
			if f.toks[f.t].mate > f.t {
				return "Missing initializer in destructuring declaration", true
			}
			return f.unexpected(f.statementEnd()), true
		}
		if f.is(f.t-1, "let") && (int(f.t) >= len(f.toks) || f.toks[f.t].kind != ident) {
			return unexpectedWord("let"), true // a variable called let
		}
		return f.unexpected(f.t), true
	case "octal literals are deprecated in strict mode":
		switch w := f.text(f.t); {
		case strings.HasSuffix(w, "n"):
			return illegal, true
		case strings.ContainsAny(w, "89"):
			return "Decimals with leading zeros are not allowed in strict mode.", true
		}
		return "Octal literals are not allowed in strict mode.", true
	case "invalid number literal":
		switch w := f.text(f.t); {
		case strings.HasSuffix(w, "_"):
			return "Numeric separators are not allowed at the end of numeric literals", true
		case strings.Contains(w, "__"):
			return "Only one underscore is allowed as numeric separator", true
		}
		return illegal, true
	case "malformed escape sequence in string literal":
		return badEscape(f.text(f.t)), true
	}
	if name, ok := strings.CutSuffix(m, " is a reserved identifier"); ok {
		return unexpectedWord(strings.Trim(name, "'")), true
	}
	return "", false
}

// statementEnd is the next semicolon, or the text's end.
func (f fault) statementEnd() int32 {
	t := f.t
	for int(t) < len(f.toks) && t-f.t < reach && !f.is(t, ";") {
		t++
	}
	return t
}

// badEscape explains the first wrong escape of a string literal.
func badEscape(lit string) string {
	for i := 0; i+1 < len(lit); i++ {
		if lit[i] != '\\' {
			continue
		}
		i++
		switch rest := lit[i+1:]; lit[i] {
		case 'x':
			if len(rest) < 2 || !isHex(rest[0]) || !isHex(rest[1]) {
				return "Invalid hexadecimal escape sequence"
			}
		case 'u':
			if strings.HasPrefix(rest, "{") {
				digits, _, ok := strings.Cut(rest[1:], "}")
				digits = strings.TrimLeft(digits, "0")
				if ok && (len(digits) > 6 || len(digits) == 6 && digits > "10ffff") {
					return "Undefined Unicode code-point"
				}
			}
		}
	}
	return "Invalid Unicode escape sequence"
}

// memberFault explains a class member whose name is not allowed.
func (f fault) memberFault() string {
	i := f.t - 1
	if f.is(i, ")") && f.toks[i].mate > 0 {
		i = f.toks[i].mate - 1
	}
	for n := 0; n < 4 && i > 0 && !f.is(i, "constructor") && !f.is(i, "prototype") && !f.is(i, "#constructor"); n++ {
		i--
	}
	switch {
	case f.is(i, "prototype"):
		return "Classes may not have a static property named 'prototype'"
	case f.is(i-1, "get"), f.is(i-1, "set"):
		return "Class constructor may not be an accessor"
	case f.is(i-1, "async"):
		return "Class constructor may not be an async method"
	case f.is(i-1, "*"):
		return "Class constructor may not be a generator"
	}
	return "Classes may not have a field named 'constructor'"
}

// structure explains statements and patterns that are put together wrongly.
func (f fault) structure(m string) (string, bool) {
	t := f.t
	switch m {
	case "invalid increment/decrement operand":
		if f.is(t, "++") || f.is(t, "--") {
			return "Invalid left-hand side expression in postfix operation", true
		}
		return "Invalid left-hand side expression in prefix operation", true
	case "invalid destructuring target":
		switch {
		case f.is(t-1, ":"):
			return f.unexpected(t), true
		case f.is(t-1, "..."):
			return "`...` must be followed by an identifier in declaration contexts", true
		}
		return "Invalid destructuring assignment target", true
	case "invalid number of arguments for getter or setter":
		for i := t; i > 0 && i > t-12; i-- {
			if f.is(i, "get") {
				return "Getter must not have any formal parameters.", true
			}
			if f.is(i, "set") {
				break
			}
		}
		return "Setter must have exactly one formal parameter.", true
	case "function name expected":
		if f.is(t, "(") {
			return "Function statements require a function name", true
		}
		return f.unexpected(t), true
	case "lexical declarations can't appear in single-statement context":
		if f.is(t, "let") {
			return "Lexical declaration cannot appear in a single-statement context", true
		}
		return f.unexpected(t), true
	case "function declarations can't appear in single-statement context":
		if f.is(t, "async") {
			return "Async functions can only be declared at the top level or inside a block.", true
		}
		return "In strict mode code, functions can only be declared at top level or inside a block.", true
	case "expected 'of' or 'in' in for control expression":
		for i := t; f.is(t, ",") && int(i) < len(f.toks) && !f.is(i, ")"); i++ {
			if f.is(i, "of") || f.is(i, "in") {
				return "Invalid left-hand side in for-" + f.text(i) + " loop: Must have a single binding.", true
			}
		}
		return f.unexpected(t), true
	case "expecting field name":
		if f.is(t-1, "?.") && int(t) < len(f.toks) && (f.toks[t].kind == template || f.toks[t].kind == tmplHead) {
			return "Invalid tagged template on optional chain", true
		}
		return f.unexpected(t), true
	case "unexpected end of string":
		if int(t) < len(f.toks) && f.toks[t].kind == str {
			return illegal, true
		}
		return "Unexpected end of input", true
	case "unexpected 'await' keyword", "for await is only valid in asynchronous functions":
		return "Unexpected reserved word", true
	case "class statement requires a name", "invalid property name", "missing formal parameter", "expecting target", "meta expected",
		"invalid switch statement", "identifier expected", "from clause expected", "string expected", "cannot mix ?? with && or ||",
		"expecting 'as'", "invalid import binding", "'for await' loop should be used with 'of'", "class declarations can't appear in single-statement context",
		"missing binding pattern...", "invalid assignment syntax":
		return f.unexpected(t), true
	}
	if strings.HasPrefix(m, "unsupported keyword") {
		return f.unexpected(t), true
	}
	return "", false
}

// syntaxText is V8's text for a message that holds no token.
func syntaxText(m string) (string, bool) {
	text := ""
	switch m {
	case "invalid variable name in strict mode", "invalid lvalue in strict mode", "invalid argument name in strict code", "invalid function name in strict code":
		text = "Unexpected eval or arguments in strict mode"
	case "missing initializer for const variable":
		text = "Missing initializer in const declaration"
	case "return not in a function", "return in a static initializer block":
		text = "Illegal return statement"
	case "break must be inside loop or switch":
		text = "Illegal break statement"
	case "continue must be inside loop":
		text = "Illegal continue statement: no surrounding iteration statement"
	case "unexpected 'yield' keyword":
		text = "Unexpected strict mode reserved word"
	case "cannot delete a direct reference in strict mode":
		text = "Delete of an unqualified identifier in strict mode."
	case "invalid keyword: with":
		text = "Strict mode code may not include a with statement"
	case "octal escape sequences are not allowed in strict mode":
		text = "Octal escape sequences are not allowed in strict mode."
	case "invalid assignment left-hand side":
		text = "Invalid left-hand side in assignment"
	case "invalid for in/of left hand-side":
		text = "Invalid left-hand side in for-loop"
	case "a declaration in the head of a for-of loop can't have an initializer":
		text = "for-of loop variable declaration may not have an initializer."
	case "a declaration in the head of a for-in loop can't have an initializer":
		text = "for-in loop variable declaration may not have an initializer."
	case "'for of' expression cannot start with 'async'":
		text = "The left-hand side of a for-of loop may not be 'async'."
	case "duplicate default":
		text = "More than one default clause in switch statement"
	case "expecting catch or finally":
		text = "Missing catch or finally after try"
	case "line terminator not allowed after throw":
		text = "Illegal newline after throw"
	case "new.target only allowed within functions":
		text = "new.target expression is not allowed here"
	case "super() is only valid in a derived class constructor", "'super' is only valid in a method", "invalid use of 'super'":
		text = "'super' keyword unexpected here"
	case "property constructor appears more than once":
		text = "A class may only have one constructor"
	case "private class field forbidden after super":
		text = "Unexpected private field"
	case "cannot delete a private class field":
		text = "Private fields can not be deleted"
	case "invalid export syntax":
		text = "Unexpected token 'export'"
	case "invalid regular expression flags":
		text = "Invalid regular expression flags"
	case "unexpected end of regexp", "unexpected line terminator in regexp":
		text = "Invalid regular expression: missing /"
	case "invalid first character of private name", "unexpected character", "unexpected end of comment", "invalid UTF-8 sequence", "contains unpaired surrogate":
		text = illegal
	case "expected '}' after template expression":
		text = "Missing } in template expression"
	case "new keyword cannot be used with an optional chain":
		text = "Invalid optional chain from new expression"
	case "template literal cannot appear in an optional chain":
		text = "Invalid tagged template on optional chain"
	case "duplicate argument names not allowed in this context", "duplicate parameter names not allowed in this context":
		text = "Duplicate parameter name not allowed in this context"
	case "duplicate __proto__ property name":
		text = "Duplicate __proto__ fields are not allowed in object literals"
	case "assignment rest property must be last", "rest element must be the last one":
		text = "Rest element must be last element"
	case "rest element cannot have a default value":
		text = "Rest parameter may not have a default initializer"
	case `"use strict" not allowed in function with default or destructuring parameter`:
		text = "Illegal 'use strict' directive in function with non-simple parameter list"
	case "'arguments' identifier is not allowed in class field initializer":
		text = "'arguments' is not allowed in class field initializer or static initialization block"
	case "await in default expression":
		text = "Illegal await-expression in formal parameters of async function"
	case "yield in default expression":
		text = "Yield expression not allowed in formal parameter"
	case "'let' is not a valid lexical identifier", "invalid lexical variable name":
		text = "let is disallowed as a lexically bound name"
	default:
		if name, ok := strings.CutPrefix(m, "duplicate exported name "); ok {
			return "Duplicate export of " + name, true
		}
		return unplaced(m)
	}
	return text, true
}

// unplaced is V8's text for a fault of the program that QuickJS reports without
// a position.
func unplaced(m string) (string, bool) {
	switch {
	case strings.HasPrefix(m, "undefined private field '"):
		return "Private field '" + quoted(m) + "' must be declared in an enclosing class", true
	case strings.HasPrefix(m, "exported variable '"):
		return "Export '" + quoted(m) + "' is not defined in module", true
	case strings.HasPrefix(m, "duplicate exported name '"):
		return "Duplicate export of '" + quoted(m) + "'", true
	case strings.HasPrefix(m, "redeclaration of '"):
		return "Identifier '" + quoted(m) + "' has already been declared", true
	case strings.HasPrefix(m, "unparenthesized unary expression"):
		return "Unary operator used immediately before exponentiation expression. Parenthesis must be used to disambiguate operator precedence", true
	}
	return "", false
}
