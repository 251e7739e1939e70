package quickjs

import (
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

const contentExpects = "content expects one MCP ContentBlock"

// mcpBlock is what contentBlock looks at in an MCP ContentBlock.
type mcpBlock struct {
	Type     string         `json:"type"`
	Text     *string        `json:"text"`
	Data     *string        `json:"data"`
	MimeType *string        `json:"mimeType"`
	URI      *string        `json:"uri"`
	Name     *string        `json:"name"`
	Resource jsontext.Value `json:"resource"`
}

// contentBlock appends one MCP ContentBlock: text, images and audio as such,
// resources as their JSON.
func (i *isolate) contentBlock(a args) value {
	v := a.at(0)
	j := i.stringify(v)
	if isException(j) {
		return i.rethrowText()
	}
	defer i.drop(j)
	if isUndefined(j) {
		if isUndefined(v) {
			return i.throwText(contentExpects)
		}
		return i.throwText("failed to serialize JavaScript value: expected value at line 1 column 1")
	}
	s, ok := i.text(j)
	if !ok {
		return exception
	}
	var b mcpBlock
	if json.Unmarshal([]byte(s), &b) != nil {
		return i.throwText(contentExpects)
	}
	switch {
	case b.Type == "text" && b.Text != nil:
		return i.result(i.host.Text(*b.Text))
	case b.Type == "image" && b.Data != nil && b.MimeType != nil:
		return i.image(a)
	case b.Type == "audio" && b.Data != nil && b.MimeType != nil:
		return i.audio(a)
	case b.Type == "resource" && b.Resource.Kind() == '{', b.Type == "resource_link" && b.URI != nil && b.Name != nil:
		return i.result(i.host.Text(s))
	}
	return i.throwText(contentExpects)
}
