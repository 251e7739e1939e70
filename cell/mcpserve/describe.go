package mcpserve

import (
	"fmt"
	"strings"

	"github.com/berth-dev/berth/cell/schema"
	"github.com/berth-dev/berth/cell/toolset"
)

// MaxDescription is how long the description of exec may be, in bytes.
const MaxDescription = 16 << 10

// namesBudget is how much of a description may be names of tools that are not
// declared.
const namesBudget = 4 << 10

const execText = `Runs a JavaScript program that uses the tools below: loops, conditions and parallel calls in one go. Only what the program puts out comes back, so filter and combine first, then print what matters.

` + "`source`" + ` is one ES module with top-level await. It runs in a fresh engine without files, network, imports or console. Tools are async functions, for example ` + "`const r = await tools.server__tool({id: 1})`" + `. A tool of an MCP server resolves with its CallToolResult (` + "`r.structuredContent`, `r.content`, `r.isError`" + `); a call that fails rejects with a text that says why.

- ` + "`text(value)`" + ` puts out text; what is not a string is written as JSON.
- ` + "`image(urlOrBlock, detail?)`" + ` puts out an image: a data: URL or an image block of a result, ` + "`image(r.content[0])`" + `. ` + "`audio(…)`" + ` does so for clips.
- ` + "`notify(value)`" + ` tells the user something at once.
- ` + "`store(key, value)` and `load(key)`" + ` keep JSON values for later programs of this session.
- ` + "`setTimeout`, `clearTimeout`, `yield_control()`" + ` (hand over the output so far and go on), ` + "`exit()`" + ` (end here, successfully), ` + "`ALL_TOOLS`" + ` (names and descriptions).
- When the program's end is reached, calls that nobody awaits are dropped.

A program that is still running after ` + "`yield_time_ms`" + ` goes on; what it has put out comes with a cell ID for the tool ` + "`wait`" + `. Text over ` + "`max_output_tokens`" + ` is cut in the middle.
`

const waitText = "Waits for more output of a program that `exec` left running, or ends it with `terminate`."

const searchText = "Finds tools by words of their names, descriptions and parameters. Resolves with an array of at most 20 declarations, the best first."

// describe writes exec's description. search reports that there was no room for
// the declarations of all tools, so that the catalogue needs a search.
func describe(tools []toolset.Tool, problems []string) (text string, search bool) {
	head := execText
	for i, p := range problems {
		if i == 10 {
			head += fmt.Sprintf("\nand %d more.\n", len(problems)-i)
			break
		}
		head += "\n" + clip(p, 300) + "\n"
	}
	var b strings.Builder
	b.WriteString(head)
	shared := false
	for _, t := range tools {
		d := declared(t)
		if d.ReturnsCallToolResult() && !shared {
			shared = true
			b.WriteString("\nShared types:\n```ts\n" + schema.SharedTypes + "\n```\n")
		}
		b.WriteString("\n### `" + schema.Identifier(t.Name) + "`\n" + d.Describe() + "\n")
		if b.Len() > MaxDescription {
			return overview(head, tools), true
		}
	}
	return b.String(), false
}

// overview stands in for declarations that are too long: the search, and names
// as far as there is room for them.
func overview(head string, tools []toolset.Tool) string {
	var b strings.Builder
	b.WriteString(head)
	fmt.Fprintf(&b, "\nThere are %d tools, too many to declare here. Look for the ones you need first:\n\n", len(tools))
	b.WriteString("### `search_tools`\n" + declared(searchTool(nil)).Describe() + "\n\nNames: ")
	end := min(MaxDescription-200, b.Len()+namesBudget)
	for i, t := range tools {
		name := schema.Identifier(t.Name)
		if b.Len()+len(name) > end {
			fmt.Fprintf(&b, "and %d more", len(tools)-i)
			break
		}
		b.WriteString(name)
		if i < len(tools)-1 {
			b.WriteString(", ")
		}
	}
	b.WriteString(".\n")
	return clip(b.String(), MaxDescription)
}

// searchTool is the catalogue's own tool; call may be nil for its declaration.
func searchTool(call toolCall) toolset.Tool {
	return toolset.Tool{Name: "search_tools", Description: searchText, Freeform: true, Source: "berth",
		Output: []byte(`{"type":"array","items":{"type":"string"}}`), Call: call}
}

func declared(t toolset.Tool) schema.Tool {
	return schema.Tool{Name: t.Name, Description: t.Description, Freeform: t.Freeform, Input: []byte(t.Input), Output: []byte(t.Output)}
}

// clip cuts text to at most n bytes, in whole characters.
func clip(text string, n int) string {
	if len(text) <= n {
		return text
	}
	return strings.ToValidUTF8(text[:n-len("…")], "") + "…"
}
