package quickjs

import (
	"encoding/binary"
	"fmt"
	"time"
)

// The C library beneath the engine, whose local time Date has, looks for time
// zones in the machine's files alone, and a machine may have none. It gets the
// linked ones, as Intl does, in the form of such a file (RFC 9636).

// The years for which transitions are written out.
const (
	zoneFrom = 1800
	zoneTo   = 2500
)

// zoneFile is a time zone as a file of version 2, with nothing in the part for
// version 1.
func zoneFile(loc *time.Location) []byte {
	type kind struct {
		offset int
		dst    bool
		name   string
	}
	var (
		kinds []kind
		names []byte
		times []byte
		types []byte
		table []byte
	)
	number := map[kind]byte{}
	typeAt := func(t time.Time) byte {
		name, offset := t.Zone()
		k := kind{offset, t.IsDST(), name}
		n, ok := number[k]
		if !ok && len(kinds) < 255 {
			n = byte(len(kinds))
			number[k], kinds = n, append(kinds, k)
			table = binary.BigEndian.AppendUint32(table, uint32(int32(offset)))
			table = append(table, flag(k.dst), byte(len(names)))
			if len(names)+len(name) < 255 {
				names = append(append(names, name...), 0)
			}
		}
		return n
	}
	t := time.Date(zoneFrom, 1, 1, 0, 0, 0, 0, time.UTC).In(loc)
	typeAt(t)
	for t.Year() < zoneTo {
		_, end := t.ZoneBounds()
		if end.IsZero() {
			break
		}
		if !end.After(t) { // package time at the ends of some years
			t = t.AddDate(0, 0, 1)
			continue
		}
		t = end
		times = binary.BigEndian.AppendUint64(times, uint64(t.Unix()))
		types = append(types, typeAt(t))
	}
	file := header(0, 0, 0)
	file = append(file, header(len(types), len(kinds), len(names))...)
	for _, part := range [][]byte{times, types, table, names} {
		file = append(file, part...)
	}
	_, last := t.Zone()
	return append(file, footer(last)...)
}

// footer is the rule for after the last transition: an offset for ever.
func footer(offset int) string {
	sign := '-' // west of Greenwich is positive there
	if offset < 0 {
		sign, offset = '+', -offset
	}
	return fmt.Sprintf("\n<Z>%c%d:%02d:%02d\n", sign, offset/3600, offset/60%60, offset%60)
}

func flag(b bool) byte {
	if b {
		return 1
	}
	return 0
}

// header counts transitions, types and the bytes of their names.
func header(transitions, types, names int) []byte {
	h := append([]byte("TZif2"), make([]byte, 15+3*4)...)
	for _, n := range []int{transitions, types, names} {
		h = binary.BigEndian.AppendUint32(h, uint32(n))
	}
	return h
}
