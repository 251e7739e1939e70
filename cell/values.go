package cell

import (
	"encoding/json"
	"maps"
	"slices"
)

// valueOverhead is charged for a stored value besides its key and bytes.
const valueOverhead = 128

// values is an immutable map of stored values, so that a snapshot is a pointer.
// Commits are layers; a layer is merged with its parent once it is half as
// large, so that there are few of them and a commit costs what it writes.
type values struct {
	parent *values
	layer  map[string][]byte
	bytes  int64 // of all that can be seen from here
}

func (v *values) load(key string) ([]byte, bool) {
	for ; v != nil; v = v.parent {
		if value, ok := v.layer[key]; ok {
			return value, true
		}
	}
	return nil, false
}

func (v *values) size() int64 {
	if v == nil {
		return 0
	}
	return v.bytes
}

// keys returns the list of all keys as JSON, sorted.
func (v *values) keys() []byte {
	all := map[string]struct{}{}
	for ; v != nil; v = v.parent {
		for key := range v.layer {
			all[key] = struct{}{}
		}
	}
	sorted := slices.AppendSeq([]string{}, maps.Keys(all))
	slices.Sort(sorted)
	list, err := json.Marshal(sorted)
	if err != nil {
		return []byte("[]") // keys are Unicode: the engine sees to it
	}
	return list
}

func valueSize(key string, value []byte) int64 {
	return int64(len(key)) + int64(len(value)) + valueOverhead
}

// with returns v with writes on top. It takes ownership of writes.
func (v *values) with(writes map[string][]byte) *values {
	bytes := v.size()
	for key, value := range writes {
		bytes += valueSize(key, value)
		if old, ok := v.load(key); ok {
			bytes -= valueSize(key, old)
		}
	}
	parent, layer := v, writes
	for parent != nil && len(parent.layer) <= 2*len(layer) {
		merged := maps.Clone(parent.layer)
		maps.Copy(merged, layer)
		parent, layer = parent.parent, merged
	}
	return &values{parent: parent, layer: layer, bytes: bytes}
}
