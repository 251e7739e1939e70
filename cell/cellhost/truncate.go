package cellhost

import (
	"fmt"
	"math"
	"strings"
	"unicode/utf8"

	"github.com/berth-dev/berth/cell"
)

const (
	defaultTokens = 10_000
	tokenBytes    = 4
)

// truncate bounds output to a number of tokens, as hosts with bounded-output-v1
// do. Text alone becomes one item with a heading. Among other items, each text
// takes from the budget what it needs; one is cut where the budget ends, and the
// number of those after it is told. Spec: codemode §15.
func truncate(items []cell.Item, tokens uint64) []cell.Item {
	budget := math.MaxInt / tokenBytes
	if tokens < uint64(budget) {
		budget = int(tokens)
	}
	for _, item := range items {
		if item.Kind != cell.Text {
			return truncateMixed(items, budget)
		}
	}
	texts := make([]string, len(items))
	size := max(0, len(items)-1)
	for i, item := range items {
		texts[i] = item.Value
		size += len(item.Value)
	}
	if size <= budget*tokenBytes {
		return items
	}
	joined := strings.Join(texts, "\n")
	return []cell.Item{{Kind: cell.Text, Value: fmt.Sprintf(
		"Warning: truncated output (original token count: %d)\nTotal output lines: %d\n\n%s",
		tokensOf(size), lines(joined), cut(joined, budget))}}
}

func truncateMixed(items []cell.Item, budget int) []cell.Item {
	var kept []cell.Item
	omitted := 0
	for _, item := range items {
		need := tokensOf(len(item.Value))
		switch {
		case item.Kind != cell.Text:
			kept = append(kept, item)
		case need == 0:
		case budget == 0:
			omitted++
		case need <= budget:
			kept = append(kept, item)
			budget -= need
		default:
			kept = append(kept, cell.Item{Kind: cell.Text, Value: cut(item.Value, budget)})
			budget = 0
		}
	}
	if omitted > 0 {
		kept = append(kept, cell.Item{Kind: cell.Text, Value: fmt.Sprintf("[omitted %d text items ...]", omitted)})
	}
	return kept
}

// cut keeps half of the budget from the start and half from the end, in whole
// characters.
func cut(text string, budget int) string {
	half := budget * tokenBytes / 2
	head, tail := half, len(text)-half
	for head > 0 && !utf8.RuneStart(text[head]) {
		head--
	}
	for tail < len(text) && !utf8.RuneStart(text[tail]) {
		tail++
	}
	return fmt.Sprintf("%s…%d tokens truncated…%s", text[:head], tokensOf(len(text)-budget*tokenBytes), text[tail:])
}

func tokensOf(bytes int) int { return (bytes + tokenBytes - 1) / tokenBytes }

// lines counts lines; a line end at the very end begins none.
func lines(text string) int {
	n := strings.Count(text, "\n")
	if text != "" && !strings.HasSuffix(text, "\n") {
		n++
	}
	return n
}
