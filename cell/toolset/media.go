package toolset

import (
	"errors"
	"fmt"
	"io/fs"
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
