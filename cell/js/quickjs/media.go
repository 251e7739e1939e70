package quickjs

import (
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/berth-dev/berth/cell/js"
)

// What the helpers of §11.4 say. The texts are the wire's, not ours.
const (
	imageExpects  = "image expects a non-empty image URL string, an object with image_url and optional detail, or a raw MCP image block"
	audioExpects  = "audio expects a non-empty audio URL string, an object with audio_url, or a raw MCP audio block"
	detailString  = "image detail must be a string when provided"
	detailWord    = "image detail must be one of: auto, low, high, original"
	remoteImage   = "Tool call failed: remote image URLs are not supported in tool outputs. Pass a base64 data URI instead"
	invalidImage  = "Tool call failed: invalid image output. Pass a base64 data URI instead"
	invalidAudio  = "Tool call failed: invalid audio output. Pass a base64 data URI instead"
	defaultMime   = "application/octet-stream"
	defaultDetail = "high"
)

func (i *isolate) image(a args) value {
	return i.emitImage(a.at(0), a.at(1))
}

// emitImage appends the image that v describes. detail, unless undefined or
// null, overrides v's own.
func (i *isolate) emitImage(v, detail value) value {
	url, own, bad := i.imageOf(v)
	if isException(bad) {
		return bad
	}
	if !isUndefined(detail) && !isNull(detail) {
		if !isString(detail) {
			return i.throwText(detailString)
		}
		s, ok := i.text(detail)
		if !ok {
			return exception
		}
		own = &s
	}
	word := defaultDetail
	if own != nil {
		word = strings.ToLower(*own)
	}
	if !isDetail(word) {
		return i.throwText(detailWord)
	}
	scheme := schemeOf(url)
	if scheme == "http" || scheme == "https" {
		return i.throwText(remoteImage)
	}
	if i.dialect != js.Base && scheme != "data" {
		return i.throwText(invalidImage)
	}
	return i.result(i.host.Image(url, word))
}

// imageOf finds the URL and the detail, nil if none, of image's first argument.
// bad is exception if v is not an image; the exception is pending.
func (i *isolate) imageOf(v value) (url string, detail *string, bad value) {
	if isString(v) {
		s, ok := i.text(v)
		if !ok {
			return "", nil, exception
		}
		if s == "" {
			return "", nil, i.throwText(imageExpects)
		}
		return s, nil, undefined
	}
	if !isObject(v) {
		return "", nil, i.throwText(imageExpects)
	}
	u, bad := i.property(v, "image_url")
	if isException(bad) {
		return "", nil, bad
	}
	if u == nil {
		return i.imageBlock(v)
	}
	if !u.isString || u.text == "" {
		return "", nil, i.throwText(imageExpects)
	}
	d, bad := i.property(v, "detail")
	switch {
	case isException(bad):
		return "", nil, bad
	case d == nil || d.isNull:
		return u.text, nil, undefined
	case !d.isString:
		return "", nil, i.throwText(detailString)
	}
	return u.text, &d.text, undefined
}

// imageBlock reads a raw MCP image block.
func (i *isolate) imageBlock(v value) (url string, detail *string, bad value) {
	block, bad := i.block(v, "image", imageExpects)
	if isException(bad) {
		return "", nil, bad
	}
	var meta struct {
		Detail jsontext.Value `json:"codex/imageDetail"`
	}
	if json.Unmarshal(block.Meta, &meta) == nil {
		if d, ok := jsonString(meta.Detail); ok && isDetail(d) {
			detail = &d
		}
	}
	return block.url(), detail, undefined
}

func isDetail(s string) bool {
	switch s {
	case "auto", "low", "high", "original":
		return true
	}
	return false
}

// mcpMedia is a raw MCP block of an image or audio, as its JSON says.
type mcpMedia struct {
	Type      jsontext.Value `json:"type"`
	Data      jsontext.Value `json:"data"`
	MimeType  jsontext.Value `json:"mimeType"`
	MimeType2 jsontext.Value `json:"mime_type"`
	Meta      jsontext.Value `json:"_meta"`
}

// block reads a raw MCP block of the given kind.
func (i *isolate) block(v value, kind, expects string) (m mcpMedia, bad value) {
	text, ok := i.json(v)
	if !ok {
		return m, exception
	}
	if json.Unmarshal([]byte(text), &m) != nil {
		return m, i.throwText(expects)
	}
	typ, ok := jsonString(m.Type)
	switch {
	case !ok:
		return m, i.throwText(expects)
	case typ != kind:
		return m, i.throwText(kind + " only accepts MCP " + kind + ` blocks, got "` + typ + `"`)
	}
	if data, _ := jsonString(m.Data); data == "" {
		return m, i.throwText(kind + " expected MCP " + kind + " data")
	}
	return m, undefined
}

// url is the block as a data URL.
func (m *mcpMedia) url() string {
	data, _ := jsonString(m.Data)
	if schemeOf(data) == "data" {
		return data
	}
	mime := m.MimeType
	if mime == nil {
		mime = m.MimeType2
	}
	typ, _ := jsonString(mime)
	if typ == "" {
		typ = defaultMime
	}
	return "data:" + typ + ";base64," + data
}

func jsonString(v jsontext.Value) (string, bool) {
	var s string
	if v.Kind() != '"' || json.Unmarshal(v, &s) != nil {
		return "", false
	}
	return s, true
}

// json is JSON.stringify(v) as text; ok is false if something was thrown, as a
// string, which stays pending.
func (i *isolate) json(v value) (text string, ok bool) {
	j := i.stringify(v)
	if isException(j) {
		i.rethrowText()
		return "", false
	}
	defer i.drop(j)
	if isUndefined(j) {
		i.throwText(noValue)
		return "", false
	}
	return i.text(j)
}

func (i *isolate) generatedImage(a args) value {
	v := a.at(0)
	if !isObject(v) {
		return i.throwText("generatedImage expects an image generation result object")
	}
	hint, bad := i.property(v, "output_hint")
	switch {
	case isException(bad):
		return i.badKey("failed to read generatedImage output_hint")
	case hint != nil && !hint.isString:
		return i.throwText("generatedImage output_hint must be a string when provided")
	}
	if r := i.emitImage(v, undefined); isException(r) || hint == nil {
		return r
	}
	return i.result(i.host.Text(hint.text))
}

func (i *isolate) audio(a args) value {
	v := a.at(0)
	var url string
	switch {
	case isString(v):
		s, ok := i.text(v)
		if !ok {
			return exception
		}
		url = s
	case isObject(v):
		u, bad := i.property(v, "audio_url")
		switch {
		case isException(bad):
			return bad
		case u == nil:
			m, bad := i.block(v, "audio", audioExpects)
			if isException(bad) {
				return bad
			}
			url = m.url()
		case u.isString:
			url = u.text
		}
	}
	if url == "" {
		return i.throwText(audioExpects)
	}
	if schemeOf(url) != "data" {
		return i.throwText(invalidAudio)
	}
	return i.result(i.host.Audio(url))
}

// field is a property that is not undefined.
type field struct {
	text             string // if isString
	isString, isNull bool
}

// property reads a property, nil if undefined. bad is exception if that threw.
func (i *isolate) property(v value, name string) (f *field, bad value) {
	p := i.get(v, name)
	defer i.drop(p)
	switch {
	case isException(p):
		return nil, i.rethrowText()
	case isUndefined(p):
		return nil, undefined
	case isString(p):
		s, ok := i.text(p)
		if !ok {
			return nil, exception
		}
		return &field{text: s, isString: true}, undefined
	}
	return &field{isNull: isNull(p)}, undefined
}

// schemeOf is what stands before the first colon, in lower case.
func schemeOf(url string) string {
	scheme, _, found := strings.Cut(url, ":")
	if !found || len(scheme) > 8 {
		return ""
	}
	return strings.ToLower(scheme)
}
