package toolset

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"golang.org/x/sys/unix"
)

// maxStoreFile is over what a session's stored values may take, 256 MiB.
const maxStoreFile = 512 << 20

// storeVersion is the format that we write. A file of another is not touched.
const storeVersion = 1

// storeJSON is the file: values by key, as JSON.
type storeJSON struct {
	Version int                       `json:"berth_store"`
	Values  map[string]jsontext.Value `json:"values"`
}

// Store keeps stored values in a file, which is locked from OpenStore to Close
// and replaced as a whole, so that a crash leaves the old file or the new one.
// The lock is on a file beside it, whose name ends in .lock and which stays.
type Store struct {
	path string // with links resolved
	lock *os.File
}

// OpenStore locks the file, which need not exist, and returns its values. It
// waits for another holder of the lock until ctx ends; waiting, if not nil, is
// called once before. A file that is not a store is an error, and left alone.
func OpenStore(ctx context.Context, path string, waiting func()) (*Store, map[string]jsontext.Value, error) {
	s := &Store{path: path}
	if real, err := filepath.EvalSymlinks(path); err == nil {
		s.path = real
	}
	if err := s.acquire(ctx, waiting); err != nil {
		return nil, nil, fmt.Errorf("store file %q: lock: %w", path, err)
	}
	values, err := s.read()
	if err != nil {
		return nil, nil, errors.Join(fmt.Errorf("store file %q: %w", path, err), s.Close())
	}
	return s, values, nil
}

// retryLock is how often a lock that is held is tried again.
const retryLock = 20 * time.Millisecond

func (s *Store) acquire(ctx context.Context, waiting func()) error {
	f, err := os.OpenFile(s.path+".lock", os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	tick := time.NewTicker(retryLock)
	defer tick.Stop()
	for {
		err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
		switch {
		case err == nil:
			s.lock = f
			return nil
		case errors.Is(err, unix.EINTR):
			continue
		case !errors.Is(err, unix.EWOULDBLOCK):
			return errors.Join(err, f.Close())
		}
		if waiting != nil {
			waiting()
			waiting = nil
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return errors.Join(fmt.Errorf("held by another process: %w", ctx.Err()), f.Close())
		}
	}
}

func (s *Store) read() (map[string]jsontext.Value, error) {
	data, err := readBounded(s.path, maxStoreFile)
	if errors.Is(err, fs.ErrNotExist) {
		return map[string]jsontext.Value{}, nil
	}
	if err != nil {
		return nil, err
	}
	var file storeJSON
	if err := json.Unmarshal(data, &file, json.RejectUnknownMembers(true)); err != nil {
		return nil, fmt.Errorf("not a berth store, or a damaged one: %w", err)
	}
	if file.Version != storeVersion || file.Values == nil {
		return nil, fmt.Errorf("berth store of version %d, want %d", file.Version, storeVersion)
	}
	return file.Values, nil
}

// Save replaces the file. When it returns without error, the values are on disk.
func (s *Store) Save(values map[string]jsontext.Value) error {
	if err := s.save(values); err != nil {
		return fmt.Errorf("store file %q: save: %w", s.path, err)
	}
	return nil
}

func (s *Store) save(values map[string]jsontext.Value) (err error) {
	data, err := json.Marshal(storeJSON{storeVersion, values}, json.Deterministic(true))
	if err != nil {
		return err
	}
	dir := filepath.Dir(s.path)
	tmp, err := os.CreateTemp(dir, filepath.Base(s.path)+".tmp-*") // mode 0600
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, tmp.Close(), os.Remove(tmp.Name()))
		}
	}()
	if old, statErr := os.Stat(s.path); statErr == nil {
		if err := tmp.Chmod(old.Mode().Perm()); err != nil {
			return err
		}
	}
	if _, err := tmp.Write(append(data, '\n')); err != nil {
		return err
	}
	if err := tmp.Sync(); err != nil {
		return err
	}
	if err := os.Rename(tmp.Name(), s.path); err != nil {
		return err
	}
	return errors.Join(tmp.Close(), syncDir(dir))
}

// syncDir makes a rename durable.
func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

// Close gives the lock back.
func (s *Store) Close() error { return s.lock.Close() }
