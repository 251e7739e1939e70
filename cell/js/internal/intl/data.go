package intl

import (
	"archive/zip"
	_ "embed"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"sync"
)

// archive holds one JSON file for each locale and subject; see gen.
//
//go:embed data/locales.zip
var archive string

// store decodes files of the archive, each once.
type store struct {
	open  sync.Once
	files map[string]*zip.File
	err   error

	mu     sync.Mutex // guards loaded
	loaded map[string]any
}

func (s *store) init() {
	zr, err := zip.NewReader(strings.NewReader(archive), int64(len(archive)))
	if err != nil {
		s.err = fmt.Errorf("open data: %w", err)
		return
	}
	s.files, s.loaded = make(map[string]*zip.File, len(zr.File)), map[string]any{}
	for _, f := range zr.File {
		s.files[f.Name] = f
	}
}

// find returns the file for a locale or for its language, whichever exists.
func (s *store) find(locale, subject string) (*zip.File, error) {
	s.open.Do(s.init)
	if s.err != nil {
		return nil, s.err
	}
	base, _, _ := strings.Cut(locale, "-")
	for _, l := range []string{locale, base, "en"} {
		if f := s.files[l+"/"+subject]; f != nil {
			return f, nil
		}
	}
	return nil, fmt.Errorf("find data: no %s for %s", subject, locale)
}

// load returns the decoded file of a locale (or "root") and subject; shared,
// not to be changed.
func load[T any](in *Instance, locale, subject string) (*T, error) {
	s := &in.data
	f, err := s.find(locale, subject)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if v, ok := s.loaded[f.Name]; ok {
		return v.(*T), nil
	}
	r, err := f.Open()
	if err != nil {
		return nil, fmt.Errorf("open data %s: %w", f.Name, err)
	}
	raw, err := io.ReadAll(r)
	if err != nil {
		return nil, fmt.Errorf("read data %s: %w", f.Name, err)
	}
	v := new(T)
	if err := json.Unmarshal(raw, v); err != nil {
		return nil, fmt.Errorf("decode data %s: %w", f.Name, err)
	}
	s.loaded[f.Name] = v
	return v, nil
}

// forms is a text for each plural category; a text alone stands for all.
type forms map[string]string

func (f *forms) UnmarshalJSON(b []byte) error {
	if len(b) > 0 && b[0] == '"' {
		var s string
		if err := json.Unmarshal(b, &s); err != nil {
			return err
		}
		*f = forms{"other": s}
		return nil
	}
	return json.Unmarshal(b, (*map[string]string)(f))
}

func (f forms) of(category string) string {
	if s, ok := f[category]; ok {
		return s
	}
	return f["other"]
}

// rootData is what all locales share.
type rootData struct {
	CurrencyDigits   map[string]int    `json:"currencyDigits"`
	Currencies       []string          `json:"currencies"`
	Units            []string          `json:"units"`
	NumberingSystems []string          `json:"numberingSystems"`
	Calendars        []string          `json:"calendars"`
	Collations       []string          `json:"collations"`
	ZoneValues       []string          `json:"zoneValues"`
	Digits           map[string]string `json:"digits"` // ten digits each
}

func (in *Instance) root() (*rootData, error) { return load[rootData](in, "root", "root") }
