package codemode

import (
	"bytes"
	"errors"
	"fmt"
)

// Decoder turns payloads into messages. It belongs to one goroutine; a payload
// that it refuses leaves no trace in it.
type Decoder struct {
	cursor
	dialect Dialect
	owned   bool // parts of the text may be kept
}

// NewDecoder returns a decoder of messages in dialect d.
func NewDecoder(d Dialect) *Decoder { return &Decoder{dialect: d} }

// DecodeClientToHost decodes the payload of a client's frame. The payload is
// not kept. An error is an [*Error] with [CodeDecode]. Spec: codemode §3, §6.1.
func (d *Decoder) DecodeClientToHost(payload []byte) (ClientToHost, error) {
	return decode(d, payload, false, d.clientMessage)
}

// DecodeHostToClient decodes the payload of a host's frame. The payload is not
// kept. An error is an [*Error] with [CodeDecode]. Spec: codemode §3, §6.2.
func (d *Decoder) DecodeHostToClient(payload []byte) (HostToClient, error) {
	return decode(d, payload, false, d.hostMessage)
}

func decode[M any](d *Decoder, payload []byte, owned bool, message func() (M, error)) (M, error) {
	d.text, d.pos, d.owned = payload, 0, owned
	m, err := message()
	if err == nil {
		err = d.end()
	}
	d.text, d.buf = nil, bytes.Buffer{}
	if err != nil {
		var none M
		return none, &Error{Code: CodeDecode, Message: "failed to decode code-mode IPC frame", Err: err}
	}
	return m, nil
}

// fields is the set of an object's fields that were read, one bit each.
type fields uint32

// Bits of the fields of the object at hand.
const (
	f0 fields = 1 << iota
	f1
	f2
	f3
	f4
	f5
)

// object reads an object's members. For each it calls member with the name,
// which must read the value and return the bit that stands for the name, or 0
// if there is no such field. The bits of need must all have been seen.
func (d *Decoder) object(need fields, member func(name []byte) (fields, error)) error {
	var seen fields
	err := d.members(func(name []byte) error {
		bit, err := member(name)
		switch {
		case err != nil:
			return err
		case bit == 0:
			return fmt.Errorf("unknown field before byte %d", d.pos)
		case seen&bit != 0:
			return fmt.Errorf("duplicate field before byte %d", d.pos)
		}
		seen |= bit
		return nil
	})
	if err == nil && need&^seen != 0 {
		err = fmt.Errorf("a required field is missing before byte %d", d.pos)
	}
	return err
}

// errFound ends the search for a tag.
var errFound = errors.New("found")

// tag finds the string member called name of the object that comes next,
// wherever in the object it stands. The object is left to be read. Encoders put
// the tag first, so this rarely looks further.
func (d *Decoder) tag(name string) (string, error) {
	var tag string
	start := d.pos
	err := d.members(func(member []byte) (err error) {
		if string(member) != name {
			_, err = d.value()
			return err
		}
		if tag, err = d.string(); err != nil {
			return err
		}
		return errFound
	})
	d.pos = start
	switch err {
	case errFound:
		return tag, nil
	case nil:
		return "", fmt.Errorf("missing field %q", name)
	}
	return "", err
}

// skipTag reads the value of a tag that is known already.
func (d *Decoder) skipTag() error {
	_, err := d.bytes()
	return err
}

// json reads a carried value. It is kept as it came.
func (d *Decoder) json() (RawJSON, error) {
	v, err := d.value()
	if d.owned && len(v) >= takeSize {
		return RawJSON(v), err
	}
	return RawJSON(bytes.Clone(v)), err
}

// optionalJSON reads a carried value; null is nil.
func (d *Decoder) optionalJSON() (RawJSON, error) {
	if d.null() {
		return nil, nil
	}
	return d.json()
}

func unknownVariant(tag string) error { return fmt.Errorf("unknown variant %q", tag) }

func (d *Decoder) sessionID() (SessionID, error) {
	s, err := d.string()
	if err == nil {
		err = SessionID(s).Validate()
	}
	return SessionID(s), err
}

func (d *Decoder) cellID() (WireCellID, error) {
	s, err := d.string()
	return WireCellID(s), err
}
