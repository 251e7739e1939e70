package mcpserve

import (
	"fmt"
	"strings"
	"time"

	"github.com/berth-dev/berth/cell/codemode"
	"github.com/berth-dev/berth/cell/internal/dataurl"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// render turns an observation into a result: a heading, the notifications since
// the last one, and the output, which the host has cut to its budget already.
// Spec: codemode §12.
func render(r *codemode.WireRuntimeResponse, cell string, took time.Duration, notes []string) *mcp.CallToolResult {
	state := "Script completed"
	switch {
	case r.State == codemode.Yielded:
		state = "Script running with cell ID " + cell
	case r.State == codemode.Terminated:
		state = "Script terminated"
	case r.ErrorText != nil:
		state = "Script failed"
	}
	out := &mcp.CallToolResult{IsError: r.ErrorText != nil, Content: []mcp.Content{
		&mcp.TextContent{Text: fmt.Sprintf("%s\nWall time %.1f seconds\nOutput:\n", state, took.Seconds())}}}
	for _, n := range notes {
		out.Content = append(out.Content, &mcp.TextContent{Text: "Notification: " + n})
	}
	for _, item := range r.ContentItems {
		out.Content = append(out.Content, content(item))
	}
	return out
}

// content is an item as MCP has it. An image or a clip whose URL holds no data
// is told as text.
func content(item codemode.WireContentItem) mcp.Content {
	if item.Type == codemode.InputText {
		return &mcp.TextContent{Text: item.Text}
	}
	mimeType, data, err := dataurl.Decode(item.URL)
	switch {
	case err != nil && item.Type == codemode.InputImage:
		return &mcp.TextContent{Text: "Image: " + clip(item.URL, 1000)}
	case err != nil:
		return &mcp.TextContent{Text: "Audio: " + clip(item.URL, 1000)}
	case item.Type == codemode.InputImage:
		return &mcp.ImageContent{Data: data, MIMEType: mimeType}
	}
	return &mcp.AudioContent{Data: data, MIMEType: mimeType}
}

// failed is a result that says why there is none.
func failed(format string, args ...any) *mcp.CallToolResult {
	return &mcp.CallToolResult{IsError: true, Content: []mcp.Content{&mcp.TextContent{Text: fmt.Sprintf(format, args...)}}}
}

// Limits on notifications that wait for the next result of their cell.
const (
	maxNotes     = 100
	maxNoteBytes = 16 << 10
)

// notebook keeps the notifications of a cell until its next result.
type notebook struct {
	notes  []string
	bytes  int
	beyond int // notifications over the limits
}

func (n *notebook) add(text string) {
	if len(n.notes) == maxNotes || n.bytes+len(text) > maxNoteBytes {
		n.beyond++
		return
	}
	n.notes = append(n.notes, strings.Clone(text))
	n.bytes += len(text)
}

// take empties the notebook.
func (n *notebook) take() []string {
	if n == nil {
		return nil
	}
	notes := n.notes
	if n.beyond > 0 {
		notes = append(notes, fmt.Sprintf("(%d more are not shown)", n.beyond))
	}
	*n = notebook{}
	return notes
}
