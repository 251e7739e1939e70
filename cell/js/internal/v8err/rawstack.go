package v8err

import (
	"strconv"
	"strings"
)

// rawFrame is one line of QuickJS's backtrace.
type rawFrame struct {
	name      string // "" for "<anonymous>"
	file      string // "" for built-ins
	line, col int
	native    bool
	parse     bool // where text did not parse: no function's frame
}

// maxRawFrames bounds how much of a backtrace is read: far more than any limit
// shows, as some of QuickJS's frames have no twin.
const maxRawFrames = 512

// parseStack reads a backtrace; lines it does not understand are left out.
func parseStack(stack string) []rawFrame {
	var out []rawFrame
	for len(out) < maxRawFrames && stack != "" {
		line, rest, _ := strings.Cut(stack, "\n")
		stack = rest
		body, ok := strings.CutPrefix(line, "    at ")
		if !ok {
			continue
		}
		if f, ok := parseFrame(body); ok {
			out = append(out, f)
		}
	}
	return out
}

func parseFrame(body string) (rawFrame, bool) {
	i := strings.LastIndex(body, " (")
	if i < 0 || !strings.HasSuffix(body, ")") {
		f := rawFrame{parse: true}
		return f, f.place(body)
	}
	f := rawFrame{name: body[:i]}
	if f.name == "<anonymous>" {
		f.name = ""
	}
	where := body[i+2 : len(body)-1]
	if where == "native" {
		f.native = true
		return f, true
	}
	return f, f.place(where)
}

// place reads "file:line:column" or "file".
func (f *rawFrame) place(s string) bool {
	f.file = s
	if i := strings.LastIndexByte(s, ':'); i > 0 {
		if j := strings.LastIndexByte(s[:i], ':'); j > 0 {
			line, err1 := strconv.Atoi(s[j+1 : i])
			col, err2 := strconv.Atoi(s[i+1:])
			if err1 == nil && err2 == nil {
				f.file, f.line, f.col = s[:j], line, col
			}
		}
	}
	return f.file != ""
}
