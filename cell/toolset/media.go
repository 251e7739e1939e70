package toolset

import (
	"encoding/base64"
	"errors"
	"fmt"
	"io/fs"
	"mime"
	"net/url"
	"os"
	"path/filepath"
	"strings"
)

// media writes images and clips of a run to files of its folder, as
// cell-image-1.png and so on. It never replaces a file.
type media struct {
	dir  string
	next map[string]int
}

// maxMediaFiles bounds the search for a free name.
const maxMediaFiles = 100_000

// save writes data to a file and returns its path.
func (m *media) save(kind, mimeType string, data []byte) (path string, err error) {
	for i := m.next[kind] + 1; i <= maxMediaFiles; i++ {
		path = filepath.Join(m.dir, fmt.Sprintf("cell-%s-%d%s", kind, i, extension(mimeType)))
		f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if err != nil {
			return "", fmt.Errorf("write %s: %w", kind, err)
		}
		if m.next == nil {
			m.next = map[string]int{}
		}
		m.next[kind] = i
		_, err = f.Write(data)
		if err = errors.Join(err, f.Close()); err != nil {
			return "", fmt.Errorf("write %s: %w", kind, err)
		}
		return path, nil
	}
	return "", fmt.Errorf("write %s: no name is free in %q", kind, m.dir)
}

// extension never comes from the machine's configuration, nor from the program.
func extension(mimeType string) string {
	switch mimeType {
	case "image/png", "image/gif", "image/webp", "image/bmp", "image/avif", "audio/wav", "audio/ogg", "audio/flac":
		return "." + mimeType[strings.IndexByte(mimeType, '/')+1:]
	case "image/jpeg":
		return ".jpg"
	case "image/svg+xml":
		return ".svg"
	case "audio/x-wav", "audio/wave":
		return ".wav"
	case "audio/mpeg", "audio/mp3":
		return ".mp3"
	}
	return ".bin"
}

// decodeDataURL returns what a data URL holds.
func decodeDataURL(u string) (mimeType string, data []byte, err error) {
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
