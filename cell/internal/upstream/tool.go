package upstream

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Tool is a tool of a server, its schemas as the server spelt them.
type Tool struct {
	Name         string
	Title        string
	Description  string
	InputSchema  jsontext.Value // empty if absent
	OutputSchema jsontext.Value // empty if absent
	ReadOnly     bool           // says of itself that it changes nothing
}

// wireTool is lenient: what it does not know is none of our business.
type wireTool struct {
	Name         string          `json:"name"`
	Title        string          `json:"title"`
	Description  string          `json:"description"`
	InputSchema  json.RawMessage `json:"inputSchema"`
	OutputSchema json.RawMessage `json:"outputSchema"`
	Annotations  struct {
		Title        string `json:"title"`
		ReadOnlyHint bool   `json:"readOnlyHint"`
	} `json:"annotations"`
}

// listTools asks for all pages of the tools.
func listTools(ctx context.Context, session *mcp.ClientSession, rec *recorder) ([]Tool, error) {
	if caps := session.InitializeResult().Capabilities; caps == nil || caps.Tools == nil {
		return nil, nil
	}
	var tools []Tool
	cursor := ""
	for {
		page, next, err := toolPage(ctx, session, rec, cursor)
		if err != nil {
			return nil, fmt.Errorf("list tools: %w", err)
		}
		if tools = append(tools, page...); len(tools) > MaxTools {
			return nil, fmt.Errorf("list tools: more than %d", MaxTools)
		}
		if next == "" || next == cursor {
			return tools, nil
		}
		if len(page) == 0 {
			return nil, fmt.Errorf("list tools: an empty page with a next one")
		}
		cursor = next
	}
}

func toolPage(ctx context.Context, session *mcp.ClientSession, rec *recorder, cursor string) ([]Tool, string, error) {
	ctx, c := withCapture(ctx)
	defer rec.forget(c)
	_, err := session.ListTools(ctx, &mcp.ListToolsParams{Cursor: cursor})
	raw := c.take()
	if raw == nil {
		if err == nil {
			err = fmt.Errorf("the answer was lost")
		}
		return nil, "", err
	}
	var page struct {
		Tools      []wireTool `json:"tools"`
		NextCursor string     `json:"nextCursor"`
	}
	if err := json.Unmarshal(raw, &page); err != nil {
		return nil, "", fmt.Errorf("decode tools: %w", err)
	}
	tools := make([]Tool, 0, len(page.Tools))
	for _, t := range page.Tools {
		title := t.Title
		if title == "" {
			title = t.Annotations.Title
		}
		tools = append(tools, Tool{t.Name, title, t.Description,
			jsontext.Value(t.InputSchema), jsontext.Value(t.OutputSchema), t.Annotations.ReadOnlyHint})
	}
	return tools, page.NextCursor, nil
}
