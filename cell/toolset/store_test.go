package toolset_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/berth-dev/berth/cell/toolset"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"
)

func TestStoreFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s.json")
	store, values, err := toolset.OpenStore(t.Context(), path, nil)
	if err != nil || len(values) != 0 {
		t.Fatal(values, err)
	}
	want := map[string]jsontext.Value{"b": []byte(`{"x":[1.50,null]}`), "a\u2028\x00": []byte(`"é"`)}
	if err := store.Save(want); err != nil {
		t.Fatal(err)
	}

	// While it is open nobody else gets in, however patient.
	ctx, cancel := context.WithCancel(t.Context())
	if _, _, err := toolset.OpenStore(ctx, path, cancel); !errors.Is(err, context.Canceled) {
		t.Errorf("second holder: %v", err)
	}
	waited := make(chan struct{})
	opened := make(chan error)
	go func() {
		second, got, err := toolset.OpenStore(t.Context(), path, func() { close(waited) })
		if err == nil {
			if !cmp.Equal(got, want) {
				t.Error(cmp.Diff(want, got))
			}
			err = second.Close()
		}
		opened <- err
	}()
	<-waited
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
	if err := <-opened; err != nil {
		t.Error(err)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
	left, err := filepath.Glob(path + ".tmp*")
	if err != nil || len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

func TestStoreFollowsLinksAndKeepsModes(t *testing.T) {
	dir := t.TempDir()
	real, link := filepath.Join(dir, "real"), filepath.Join(dir, "link")
	if err := os.WriteFile(real, []byte(`{"berth_store":1,"values":{}}`), 0o640); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(real, 0o640); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(real, link); err != nil {
		t.Fatal(err)
	}
	store, _, err := toolset.OpenStore(t.Context(), link, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(store.Save(map[string]jsontext.Value{"k": []byte("1")}), store.Close()); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(real)
	if want := `{"berth_store":1,"values":{"k":1}}` + "\n"; err != nil || string(data) != want {
		t.Errorf("got %q %v", data, err)
	}
	if info, _ := os.Stat(real); info.Mode().Perm() != 0o640 {
		t.Errorf("mode %v", info.Mode())
	}
	if info, _ := os.Lstat(link); info.Mode()&os.ModeSymlink == 0 {
		t.Error("the link was replaced")
	}
}

// TestForeignStoreIsLeftAlone: whatever is in the file stays there.
func TestForeignStoreIsLeftAlone(t *testing.T) {
	for content, want := range map[string]string{
		``:                                       "not a berth store, or a damaged one",
		`{"berth_store":1,"values":{"a":1}`:      "not a berth store, or a damaged one",
		`{"berth_store":1,"values":{"a":1}} x`:   "not a berth store, or a damaged one",
		`{"berth_store":1,"values":{},"more":1}`: "not a berth store, or a damaged one",
		`{"name":"package"}`:                     "not a berth store, or a damaged one",
		`{"berth_store":2,"values":{}}`:          "berth store of version 2, want 1",
		`{"berth_store":1}`:                      "berth store of version 1, want 1",
	} {
		path := filepath.Join(t.TempDir(), "s")
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		_, _, err := toolset.OpenStore(t.Context(), path, nil)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", content, err, want)
		}
		if data, err := os.ReadFile(path); err != nil || string(data) != content {
			t.Errorf("%s became %s", content, data)
		}
	}
}
