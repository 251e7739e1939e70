package quickjs

import "github.com/go-json-experiment/json"

const contentExpects = "content expects one MCP ContentBlock"

// mcpBlock is what contentBlock looks at in an MCP ContentBlock.
type mcpBlock struct {
	Type     string  `json:"type"`
	Text     *string `json:"text"`
	Data     *string `json:"data"`
	MimeType *string `json:"mimeType"`
	URI      *string `json:"uri"`
	Name     *string `json:"name"`
	Resource *struct {
		URI  *string `json:"uri"`
		Text *string `json:"text"`
		Blob *string `json:"blob"`
	} `json:"resource"`
	Meta struct {
		Detail string `json:"codex/imageDetail"`
	} `json:"_meta"`
}

// contentBlock appends one MCP ContentBlock: text, images and audio as such,
// resources as their JSON.
func (i *isolate) contentBlock(a args) value {
	v := a.at(0)
	if isUndefined(v) {
		return i.throwText(contentExpects)
	}
	s, ok := i.json(v)
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
	case b.Type == "image" && b.Data != nil:
		return i.result(i.host.Image(b.url(), b.detail()))
	case b.Type == "audio" && b.Data != nil:
		return i.result(i.host.Audio(b.url()))
	case b.Type == "resource" && b.Resource != nil && b.Resource.URI != nil && (b.Resource.Text != nil || b.Resource.Blob != nil),
		b.Type == "resource_link" && b.URI != nil && b.Name != nil:
		return i.result(i.host.Text(s))
	}
	return i.throwText(contentExpects)
}

// url is the block's data as a data URL, with whatever type it names.
func (b *mcpBlock) url() string {
	mime := defaultMime
	if b.MimeType != nil {
		mime = *b.MimeType
	}
	return "data:" + mime + ";base64," + *b.Data
}

func (b *mcpBlock) detail() string {
	if d := b.Meta.Detail; isDetail(d) {
		return d
	}
	return defaultDetail
}
