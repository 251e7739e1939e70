package mcpserve

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"unicode"

	"github.com/berth-dev/berth/cell/toolset"
	"github.com/go-json-experiment/json"
)

// maxFound is how many tools one search returns.
const maxFound = 20

// Weights of where a word of the query is found.
const (
	inName        = 8.0
	inParameters  = 3.0
	inDescription = 2.0
	asPrefix      = 0.5 // of a longer word, instead of the word itself
)

// index finds tools by words. It is fixed once built.
type index struct {
	entries []entry
	seen    map[string]int // tools that have a word, for its rarity
}

type entry struct {
	tool  int                // position in the catalogue
	words map[string]float64 // weight of the best place that has it
}

func newIndex(tools []toolset.Tool) *index {
	ix := &index{seen: map[string]int{}}
	for i, t := range tools {
		e := entry{tool: i, words: map[string]float64{}}
		e.add(t.Description, inDescription)
		e.add(parameters(t.Input), inParameters)
		e.add(t.Name, inName)
		for w := range e.words {
			ix.seen[w]++
		}
		ix.entries = append(ix.entries, e)
	}
	return ix
}

func (e *entry) add(text string, weight float64) {
	for _, w := range words(text) {
		e.words[w] = max(e.words[w], weight)
	}
}

// find returns positions of tools, the best first, at most maxFound. Without a
// word to look for these are the first tools.
func (ix *index) find(query string) []int {
	type hit struct {
		tool  int
		score float64
	}
	var hits []hit
	wanted := words(query)
	for _, e := range ix.entries {
		score := 0.0
		for _, w := range wanted {
			score += e.score(w) * ix.rarity(w)
		}
		if score > 0 || len(wanted) == 0 {
			hits = append(hits, hit{e.tool, score})
		}
	}
	slices.SortStableFunc(hits, func(a, b hit) int { return cmp.Compare(b.score, a.score) })
	found := []int{}
	for _, h := range hits[:min(len(hits), maxFound)] {
		found = append(found, h.tool)
	}
	return found
}

func (e *entry) score(word string) float64 {
	if weight, ok := e.words[word]; ok {
		return weight
	}
	best := 0.0
	for w, weight := range e.words {
		if len(word) > 1 && strings.HasPrefix(w, word) || len(w) > 3 && strings.HasPrefix(word, w) {
			best = max(best, weight*asPrefix)
		}
	}
	return best
}

// rarity makes a word count for more if few tools have it.
func (ix *index) rarity(word string) float64 {
	return math.Log(1 + float64(len(ix.entries)+1)/float64(ix.seen[word]+1))
}

// words splits text into lower-case words, also at camelCase and digits.
func words(text string) []string {
	var out []string
	var word []rune
	flush := func() {
		if len(word) > 0 {
			out = append(out, strings.ToLower(string(word)))
		}
		word = nil
	}
	for _, r := range text {
		switch {
		case !unicode.IsLetter(r) && !unicode.IsDigit(r):
			flush()
			continue
		case len(word) > 0 && unicode.IsUpper(r) && unicode.IsLower(word[len(word)-1]),
			len(word) > 0 && unicode.IsDigit(r) != unicode.IsDigit(word[len(word)-1]):
			flush()
		}
		word = append(word, r)
	}
	flush()
	return out
}

// parameters returns names and descriptions of a schema's properties.
func parameters(schema []byte) string {
	var s any
	if json.Unmarshal(schema, &s) != nil {
		return ""
	}
	var b strings.Builder
	collect(&b, s, 0)
	return b.String()
}

func collect(b *strings.Builder, schema any, depth int) {
	object, ok := schema.(map[string]any)
	if !ok || depth > 5 {
		return
	}
	if d, ok := object["description"].(string); ok {
		b.WriteString(d + "\n")
	}
	if p, ok := object["properties"].(map[string]any); ok {
		for name, sub := range p {
			b.WriteString(name + "\n")
			collect(b, sub, depth+1)
		}
	}
	collect(b, object["items"], depth+1)
}
