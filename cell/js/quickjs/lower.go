package quickjs

import (
	"slices"
	"strings"

	"github.com/evanw/esbuild/pkg/api"
	"github.com/go-json-experiment/json"

	"github.com/berth-dev/berth/cell/js/internal/v8err"
)

// maxLowered is the longest source, in bytes, that is lowered. The lowering
// recurses with the source's nesting, and Go ends a process whose stack passes
// 1 GB: about ten times what the worst source of this length takes.
const maxLowered = 64 << 10

// lowered is a source without `using` declarations, which the engine lacks, and
// the way back from its positions.
type lowered struct {
	text  string
	lines [][]mapping // by line, ascending
}

// mapping says where what begins at a column was written. All count from 0,
// columns in UTF-16 units.
type mapping struct{ column, fromLine, fromColumn int }

// lower rewrites a source that the engine could not parse, if `using` may be
// the reason. It returns nil otherwise.
func lower(source string) *lowered {
	if len(source) > maxLowered || !strings.Contains(source, "using") || tangled(source) {
		return nil
	}
	r := api.Transform(source, api.TransformOptions{
		Target:         api.ESNext,
		Supported:      map[string]bool{"using": false},
		Charset:        api.CharsetUTF8,
		Sourcefile:     moduleName,
		Sourcemap:      api.SourceMapExternal,
		SourcesContent: api.SourcesContentExclude,
		LogLevel:       api.LogLevelSilent,
	})
	var m struct {
		Mappings string `json:"mappings"`
	}
	if len(r.Errors) > 0 || json.Unmarshal(r.Map, &m) != nil {
		return nil
	}
	return &lowered{text: words(string(r.Code)), lines: decodeMappings(m.Mappings)}
}

// tangled reports nesting on which lowering could spend long: it takes time with
// the cube of the depth of functions, and cannot be stopped. What nests without
// brackets (arrows, statements) is counted by what it repeats between braces and
// semicolons.
func tangled(source string) bool {
	const (
		maxDepth = 100 // brackets
		maxRun   = 200 // arrows, closing parentheses and "do"
	)
	depth, run := 0, 0
	for k := 0; k < len(source); k++ {
		switch source[k] {
		case '(', '[':
			depth++
		case '{':
			depth, run = depth+1, 0
		case ')':
			depth, run = depth-1, run+1
		case ']':
			depth--
		case '}':
			depth, run = depth-1, 0
		case ';':
			run = 0
		case '>':
			if k > 0 && source[k-1] == '=' {
				run++
			}
		case 'd':
			if strings.HasPrefix(source[k:], "do") { // or a part of another word
				run++
			}
		}
		if depth > maxDepth || run > maxRun {
			return true
		}
	}
	return false
}

// words puts V8's messages into the helpers that a lowered text begins with.
func words(text string) string {
	for _, w := range [...][2]string{
		{`("Object expected")`, "(\"An object is expected with `using` declarations\")"},
		{`("Object not disposable")`, `("Symbol(Symbol.dispose) is not a function")`},
	} {
		text = strings.Replace(text, w[0], w[1], 1)
	}
	return text
}

// source is what positions of the lowered text are resolved with.
func (l *lowered) source() *v8err.Source {
	return v8err.NewSource(moduleName, l.text, l.origin)
}

// origin turns a position of the lowered text, counted from 1, into the
// author's; 0, 0 where the author wrote nothing.
func (l *lowered) origin(line, column int) (int, int) {
	if line < 1 || line > len(l.lines) {
		return 0, 0
	}
	row := l.lines[line-1]
	k, found := slices.BinarySearchFunc(row, column-1, func(m mapping, c int) int { return m.column - c })
	if !found {
		k--
	}
	if k < 0 {
		return 0, 0
	}
	return row[k].fromLine + 1, row[k].fromColumn + 1
}

// decodeMappings reads a source map's mappings: lines end in ";", segments in
// ",", and a segment is up to five base64 VLQ numbers, each but the column a
// difference to the segment before.
func decodeMappings(s string) [][]mapping {
	var lines [][]mapping
	var m mapping
	for line := range strings.SplitSeq(s, ";") {
		m.column = 0
		var row []mapping
		for segment := range strings.SplitSeq(line, ",") {
			fields := decodeVLQ(segment)
			if len(fields) < 4 {
				continue
			}
			m.column += fields[0]
			m.fromLine += fields[2]
			m.fromColumn += fields[3]
			row = append(row, m)
		}
		lines = append(lines, row)
	}
	return lines
}

func decodeVLQ(s string) []int {
	const digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
	var fields []int
	n, shift := 0, 0
	for _, c := range []byte(s) {
		d := strings.IndexByte(digits, c)
		if d < 0 {
			return nil
		}
		n |= d & 31 << shift
		if shift += 5; d&32 != 0 {
			continue
		}
		if v := n >> 1; n&1 != 0 {
			fields = append(fields, -v)
		} else {
			fields = append(fields, v)
		}
		n, shift = 0, 0
	}
	return fields
}
