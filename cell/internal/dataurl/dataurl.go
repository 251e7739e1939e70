// Package dataurl decodes data: URLs, in which cells hand out images and clips.
package dataurl

import (
	"encoding/base64"
	"errors"
	"fmt"
	"mime"
	"net/url"
	"strings"
)

// Decode returns the MIME type, without parameters, and the bytes that a data:
// URL holds. A type that is missing or broken is application/octet-stream.
func Decode(u string) (mimeType string, data []byte, err error) {
	if len(u) < 5 || !strings.EqualFold(u[:5], "data:") {
		return "", nil, errors.New("not a data: URL")
	}
	meta, body, ok := strings.Cut(u[5:], ",")
	if !ok {
		return "", nil, errors.New("data: URL has no comma")
	}
	meta, isBase64 := strings.CutSuffix(meta, ";base64")
	mimeType, _, err = mime.ParseMediaType(meta)
	if err != nil {
		mimeType = "application/octet-stream"
	}
	if !isBase64 {
		text, err := url.PathUnescape(body)
		return mimeType, []byte(text), err
	}
	data, err = base64.StdEncoding.DecodeString(body)
	if err != nil {
		data, err = base64.RawURLEncoding.DecodeString(strings.TrimRight(body, "="))
	}
	if err != nil {
		return mimeType, nil, fmt.Errorf("data: URL: %w", err)
	}
	return mimeType, data, nil
}
