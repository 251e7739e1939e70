package toolset

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
)

// splitWords splits a command line as a POSIX shell would, without expanding
// anything: blanks separate, quotes and backslashes keep together.
func splitWords(line string) ([]string, error) {
	var words []string
	var word strings.Builder
	open := false // a word has begun, perhaps an empty one
	quote := rune(0)
	escaped := false
	for _, r := range line {
		switch {
		case escaped:
			if quote == '"' && !strings.ContainsRune("\"\\$`", r) {
				word.WriteByte('\\')
			}
			word.WriteRune(r)
			escaped = false
		case r == '\\' && quote != '\'':
			escaped, open = true, true
		case quote != 0 && r == quote:
			quote = 0
		case quote != 0:
			word.WriteRune(r)
		case r == '\'' || r == '"':
			quote, open = r, true
		case strings.ContainsRune(" \t\r\n", r):
			if open {
				words = append(words, word.String())
				word.Reset()
				open = false
			}
		default:
			word.WriteRune(r)
			open = true
		}
	}
	switch {
	case quote != 0:
		return nil, errors.New("a quote is not closed")
	case escaped:
		return nil, errors.New("a backslash is the last character")
	case open:
		words = append(words, word.String())
	}
	return words, nil
}

// splitCommand splits off the variables that stand before the program.
func splitCommand(line string) (env map[string]string, argv []string, err error) {
	argv, err = splitWords(line)
	if err != nil {
		return nil, nil, err
	}
	assignment := regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*=`)
	for len(argv) > 0 && assignment.MatchString(argv[0]) {
		if env == nil {
			env = map[string]string{}
		}
		name, value, _ := strings.Cut(argv[0], "=")
		env[name], argv = value, argv[1:]
	}
	if len(argv) == 0 || argv[0] == "" {
		return nil, nil, errors.New("there is no program")
	}
	return env, argv, nil
}

// ParseServer reads the value of a --mcp or, with isURL, a --mcp-url flag:
// `COMMAND…` or `NAME: COMMAND…`, `URL` or `NAME: URL`.
func ParseServer(value string, isURL bool) (Server, error) {
	var s Server
	if m := regexp.MustCompile(`^\s*([A-Za-z0-9_-]+):\s+(.*)$`).FindStringSubmatch(value); m != nil {
		s.Name, value = m[1], m[2]
	} else if m := regexp.MustCompile(`^\s*([^:'"/=\\-]+):\s+`).FindStringSubmatch(value); m != nil {
		return s, fmt.Errorf("name %q: want letters, digits, _ and - alone", m[1])
	}
	if value = strings.TrimSpace(value); isURL {
		s.URL = value
	} else {
		s.Command = value
	}
	_, err := s.config()
	return s, err
}
