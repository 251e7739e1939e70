package quickjs

import (
	"strings"

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
	switch word {
	case "auto", "low", "high", "original":
	default:
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
	url, bad = i.block(v, "image")
	if isException(bad) {
		return "", nil, bad
	}
	meta := i.get(v, "_meta")
	defer i.drop(meta)
	if isException(meta) {
		return "", nil, i.rethrowText()
	}
	if !isObject(meta) {
		return url, nil, undefined
	}
	d, bad := i.property(meta, "codex/imageDetail")
	if isException(bad) {
		return "", nil, bad
	}
	if d != nil && d.isString {
		switch d.text {
		case "auto", "low", "high", "original":
			return url, &d.text, undefined
		}
	}
	return url, nil, undefined
}

// block reads the data URL of a raw MCP block of the given kind.
func (i *isolate) block(v value, kind string) (url string, bad value) {
	expects := imageExpects
	if kind == "audio" {
		expects = audioExpects
	}
	typ, bad := i.property(v, "type")
	switch {
	case isException(bad):
		return "", bad
	case typ == nil || !typ.isString:
		return "", i.throwText(expects)
	case typ.text != kind:
		return "", i.throwText(kind + " only accepts MCP " + kind + ` blocks, got "` + typ.text + `"`)
	}
	data, bad := i.property(v, "data")
	if isException(bad) {
		return "", bad
	}
	if data == nil || !data.isString || data.text == "" {
		return "", i.throwText(kind + " expected MCP " + kind + " data")
	}
	if schemeOf(data.text) == "data" {
		return data.text, undefined
	}
	mime := defaultMime
	for _, name := range []string{"mimeType", "mime_type"} {
		m, bad := i.property(v, name)
		if isException(bad) {
			return "", bad
		}
		if m != nil && m.isString {
			if m.text != "" {
				mime = m.text
			}
			break
		}
	}
	return "data:" + mime + ";base64," + data.text, undefined
}

func (i *isolate) generatedImage(a args) value {
	v := a.at(0)
	if !isObject(v) {
		return i.throwText("generatedImage expects an image generation result object")
	}
	if r := i.emitImage(v, undefined); isException(r) {
		return r
	}
	hint, bad := i.property(v, "output_hint")
	switch {
	case isException(bad):
		return bad
	case hint == nil:
		return undefined
	case !hint.isString:
		return i.throwText("generatedImage output_hint must be a string when provided")
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
			if url, bad = i.block(v, "audio"); isException(bad) {
				return bad
			}
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
