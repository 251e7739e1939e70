package toolset

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/berth-dev/berth/cell/codemode"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// keeper carries stored values into a session and out of it. The wire has no
// message for that, so two small cells of our own do it, before and after the
// program, through a tool that only they have. The program can't meddle: each
// cell has globals of its own, and the values it stored are all that it leaves.
// The keys come from under a key that our host answers with the list of them,
// whatever is stored there; it is random, so that no program uses it.
type keeper struct {
	keyList string // the key that lists the keys
	in      [][]byte
	out     map[string]jsontext.Value
}

// keeperChunk is about how many bytes cross the wire at once; a single value
// may be larger.
const keeperChunk = 8 << 20

// newKeyList returns a key that no program knows.
func newKeyList() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails
	return "berth-keys-" + hex.EncodeToString(b[:])
}

// Values travel as JSON in strings: what the wire limits in nesting it does not
// see, and what JavaScript would do to numbers happens in the program's host only.
const restoreSource = `for (let i = 0; ; i++) {
  const chunk = await tools.keeper(i);
  if (chunk === null) break;
  for (const [key, value] of chunk) store(key, JSON.parse(value));
}`

const saveSource = `const keyList = await tools.keeper(0);
let chunk = [], size = 0;
for (const key of load(keyList)) {
  const value = JSON.stringify(load(key));
  chunk.push([key, value]);
  size += key.length + value.length;
  if (size > %d) { await tools.keeper(chunk); chunk = []; size = 0; }
}
await tools.keeper(chunk);`

// pair is a key and its value's JSON, as an array of two strings.
type pair [2]string

// restore puts values into a session that is new.
func (k *keeper) restore(ctx context.Context, run cellRunner, values map[string]jsontext.Value) error {
	var chunk []pair
	size := 0
	flush := func() error {
		data, err := json.Marshal(chunk)
		k.in = append(k.in, data)
		chunk, size = nil, 0
		return err
	}
	for _, key := range slices.Sorted(maps.Keys(values)) {
		chunk = append(chunk, pair{key, string(values[key])})
		if size += len(key) + len(values[key]); size > keeperChunk {
			if err := flush(); err != nil {
				return fmt.Errorf("restore stored values: %w", err)
			}
		}
	}
	if err := flush(); err != nil {
		return fmt.Errorf("restore stored values: %w", err)
	}
	if err := run(ctx, restoreSource, k.give); err != nil {
		return fmt.Errorf("restore stored values: %w", err)
	}
	k.in = nil
	return nil
}

// give answers the restoring cell.
func (k *keeper) give(_ context.Context, input codemode.RawJSON) (codemode.RawJSON, error) {
	var i int
	if err := json.Unmarshal(input, &i); err != nil {
		return nil, err
	}
	if i < 0 || i >= len(k.in) {
		return nil, nil
	}
	return k.in[i], nil
}

// save takes all stored values out of a session.
func (k *keeper) save(ctx context.Context, run cellRunner) (map[string]jsontext.Value, error) {
	k.out = map[string]jsontext.Value{}
	if err := run(ctx, fmt.Sprintf(saveSource, keeperChunk), k.take); err != nil {
		return nil, fmt.Errorf("read stored values: %w", err)
	}
	return k.out, nil
}

// take answers the saving cell, which has one call at a time under way.
func (k *keeper) take(_ context.Context, input codemode.RawJSON) (codemode.RawJSON, error) {
	if string(input) == "0" {
		return json.Marshal(k.keyList)
	}
	var chunk []pair
	if err := json.Unmarshal(input, &chunk); err != nil {
		return nil, err
	}
	for _, p := range chunk {
		v := jsontext.Value(p[1])
		if !v.IsValid(jsontext.AllowDuplicateNames(true)) {
			return nil, errors.New("a stored value is not JSON")
		}
		k.out[p[0]] = v
	}
	return nil, nil
}

// cellRunner runs a cell of our own to its end, with one tool named keeper.
type cellRunner func(ctx context.Context, source string, tool func(context.Context, codemode.RawJSON) (codemode.RawJSON, error)) error
