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
// large, so that there are few of them and a commit costs what it writes, and
// once more is kept than can be seen, so that what was replaced goes.
//
// What is kept for a session may be more than its values: a snapshot holds what
// was replaced since. The host is charged for each stored value until the last
// layer that has it is gone, so layers and values are counted.
type values struct {
	parent *values
	layer  map[string]*stored
	bytes  int64 // of all that can be seen from here
	kept   int64 // of this layer and those below
	refs   int   // guarded by Session.mu: layers above, snapshots, the session
}

// stored is a value in any number of layers.
type stored struct {
	json []byte
	size int64
	refs int // guarded by Session.mu: layers
}

func (v *values) load(key string) ([]byte, bool) {
	for ; v != nil; v = v.parent {
		if value, ok := v.layer[key]; ok {
			return value.json, true
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

// sizeWith is the size of v with writes on top.
func (v *values) sizeWith(writes map[string][]byte) int64 {
	bytes := v.size()
	for key, value := range writes {
		bytes += valueSize(key, value)
		if old, ok := v.load(key); ok {
			bytes -= valueSize(key, old)
		}
	}
	return bytes
}

// with returns v with writes on top, held once and charged to m.
func (v *values) with(writes map[string][]byte, m *meter) *values {
	next := &values{bytes: v.sizeWith(writes), layer: make(map[string]*stored, len(writes)), refs: 1}
	for key, value := range writes {
		size := valueSize(key, value)
		next.layer[key] = &stored{json: value, size: size}
		next.kept += size
		m.used.Add(size)
	}
	parent := v
	for parent != nil && (len(parent.layer) <= 2*len(next.layer) || next.kept+parent.kept > 2*next.bytes) {
		merged := maps.Clone(parent.layer)
		maps.Copy(merged, next.layer)
		next.layer, next.kept = merged, 0
		for _, value := range merged {
			next.kept += value.size
		}
		parent = parent.parent
	}
	for _, value := range next.layer {
		value.refs++
	}
	if next.parent = parent; parent != nil {
		parent.refs++
		next.kept += parent.kept
	}
	return next
}

// hold keeps v for one more holder, who lets go with release.
func (v *values) hold() *values {
	if v != nil {
		v.refs++
	}
	return v
}

// release gives m back what nobody else holds.
func (v *values) release(m *meter) {
	for ; v != nil; v = v.parent {
		if v.refs--; v.refs > 0 {
			return
		}
		for _, value := range v.layer {
			if value.refs--; value.refs == 0 {
				m.used.Add(-value.size)
			}
		}
	}
}
