package codemode

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"
)

// Decoder turns payloads into messages. It belongs to one goroutine; a payload
// that it refuses leaves no trace in it.
type Decoder struct {
	dialect Dialect
	payload []byte
	owned   bool // parts of payload may be kept
	buf     bytes.Buffer
	json    *jsontext.Decoder
	scratch []byte
}

// NewDecoder returns a decoder of messages in dialect d.
func NewDecoder(d Dialect) *Decoder {
	dec := &Decoder{dialect: d}
	dec.json = jsontext.NewDecoder(&dec.buf, jsontext.AllowDuplicateNames(true))
	return dec
}

// DecodeClientToHost decodes the payload of a client's frame. The payload is
// not kept. An error is an [*Error] with [CodeDecode]. Spec: codemode §3, §6.1.
func (d *Decoder) DecodeClientToHost(payload []byte) (ClientToHost, error) {
	return d.clientToHost(payload, false)
}

// DecodeHostToClient decodes the payload of a host's frame. The payload is not
// kept. An error is an [*Error] with [CodeDecode]. Spec: codemode §3, §6.2.
func (d *Decoder) DecodeHostToClient(payload []byte) (HostToClient, error) {
	return d.hostToClient(payload, false)
}

func (d *Decoder) clientToHost(payload []byte, owned bool) (ClientToHost, error) {
	d.begin(payload, owned)
	m, err := d.clientMessage()
	if err == nil {
		err = d.end()
	}
	d.payload = nil
	if err != nil {
		return nil, decodeError(err)
	}
	return m, nil
}

func (d *Decoder) hostToClient(payload []byte, owned bool) (HostToClient, error) {
	d.begin(payload, owned)
	m, err := d.hostMessage()
	if err == nil {
		err = d.end()
	}
	d.payload = nil
	if err != nil {
		return nil, decodeError(err)
	}
	return m, nil
}

func decodeError(err error) error {
	return &Error{Code: CodeDecode, Message: "failed to decode code-mode IPC frame", Err: err}
}

func (d *Decoder) begin(payload []byte, owned bool) {
	d.payload, d.owned = payload, owned
	d.buf = *bytes.NewBuffer(payload)
	d.json.Reset(&d.buf, jsontext.AllowDuplicateNames(true))
}

// end checks that nothing but white space follows the message.
func (d *Decoder) end() error {
	if _, err := d.json.ReadToken(); err != io.EOF {
		return errors.New("bytes after the message")
	}
	return nil
}

// fields is the set of an object's fields that were read, one bit each.
type fields uint32

// object reads an object's members. For each it calls member with the name,
// which must read the value and return the bit that stands for the name, or 0
// if there is no such field. The bits of need must all have been seen.
func (d *Decoder) object(need fields, member func(name []byte) (fields, error)) error {
	if err := d.open('{'); err != nil {
		return err
	}
	var seen fields
	for d.json.PeekKind() != '}' {
		name, err := d.name()
		if err != nil {
			return err
		}
		bit, err := member(name)
		switch {
		case err != nil:
			return err
		case bit == 0:
			return fmt.Errorf("unknown field %q", name)
		case seen&bit != 0:
			return fmt.Errorf("duplicate field %q", name)
		}
		seen |= bit
	}
	if missing := need &^ seen; missing != 0 {
		return fmt.Errorf("missing field (set %#x)", missing)
	}
	_, err := d.json.ReadToken()
	return err
}

func (d *Decoder) open(kind jsontext.Kind) error {
	t, err := d.json.ReadToken()
	if err != nil {
		return err
	}
	if t.Kind() != kind {
		return wrongKind(kind, t.Kind())
	}
	return nil
}

func wrongKind(want, got jsontext.Kind) error {
	return fmt.Errorf("want %v, got %v", want, got)
}

// name reads a member's name, unescaped, valid until the next name.
func (d *Decoder) name() ([]byte, error) {
	v, err := d.json.ReadValue()
	if err != nil {
		return nil, err
	}
	if bytes.IndexByte(v, '\\') < 0 {
		return v[1 : len(v)-1], nil
	}
	d.scratch, err = jsontext.AppendUnquote(d.scratch[:0], v)
	return d.scratch, err
}

func (d *Decoder) array(element func() error) error {
	if err := d.open('['); err != nil {
		return err
	}
	for d.json.PeekKind() != ']' {
		if err := element(); err != nil {
			return err
		}
	}
	_, err := d.json.ReadToken()
	return err
}

// null reads a null and reports it; anything else is left to be read.
func (d *Decoder) null() bool {
	if d.json.PeekKind() != 'n' {
		return false
	}
	_, err := d.json.ReadToken()
	return err == nil
}

func (d *Decoder) string() (string, error) {
	if k := d.json.PeekKind(); k != '"' && k != 0 {
		return "", wrongKind('"', k)
	}
	v, err := d.json.ReadValue()
	if err != nil {
		return "", err
	}
	if bytes.IndexByte(v, '\\') < 0 {
		return string(v[1 : len(v)-1]), nil
	}
	if len(v) > takeSize {
		long, err := jsontext.AppendUnquote(make([]byte, 0, len(v)), v)
		return string(long), err
	}
	d.scratch, err = jsontext.AppendUnquote(d.scratch[:0], v)
	return string(d.scratch), err
}

func (d *Decoder) optionalString() (*string, error) {
	if d.null() {
		return nil, nil
	}
	s, err := d.string()
	return &s, err
}

func (d *Decoder) number() ([]byte, error) {
	if k := d.json.PeekKind(); k != '0' && k != 0 {
		return nil, wrongKind('0', k)
	}
	v, err := d.json.ReadValue()
	return v, err
}

func (d *Decoder) int() (int64, error) {
	v, err := d.number()
	if err != nil {
		return 0, err
	}
	return strconv.ParseInt(string(v), 10, 64)
}

func (d *Decoder) uint() (uint64, error) {
	v, err := d.number()
	if err != nil {
		return 0, err
	}
	return strconv.ParseUint(string(v), 10, 64)
}

func (d *Decoder) optionalUint() (*uint64, error) {
	if d.null() {
		return nil, nil
	}
	n, err := d.uint()
	return &n, err
}

func (d *Decoder) optionalInt32() (*int64, error) {
	if d.null() {
		return nil, nil
	}
	n, err := d.int()
	if err == nil && (n > math.MaxInt32 || n < math.MinInt32) {
		err = fmt.Errorf("%d outside of 32 bits", n)
	}
	return &n, err
}

// value reads a carried value. It is kept as it came.
func (d *Decoder) value() (RawJSON, error) {
	v, err := d.json.ReadValue()
	if err != nil {
		return nil, err
	}
	if d.owned && len(v) >= takeSize {
		end := d.json.InputOffset()
		return RawJSON(d.payload[end-int64(len(v)) : end : end]), nil
	}
	return RawJSON(bytes.Clone(v)), nil
}

// optionalValue reads a carried value; null is nil.
func (d *Decoder) optionalValue() (RawJSON, error) {
	if d.null() {
		return nil, nil
	}
	return d.value()
}

// tag finds the string member called name of the object that comes next,
// wherever in the object it stands. The object is left to be read.
func (d *Decoder) tag(name string) (string, error) {
	start := int(d.json.InputOffset())
	if k := d.json.PeekKind(); k != '{' {
		if k == 0 {
			_, err := d.json.ReadToken()
			return "", err
		}
		return "", wrongKind('{', k)
	}
	rest := d.payload[start:] // white space and punctuation, then the object
	rest = rest[bytes.IndexByte(rest, '{'):]
	if tag, ok := leadingTag(rest[1:], name); ok {
		return tag, nil
	}
	return scanTag(rest, name)
}

// leadingTag finds the tag as encoders put it: first, without white space. The
// members are yet to be checked.
func leadingTag(members []byte, name string) (string, bool) {
	n := len(name)
	if len(members) < n+4 || members[0] != '"' || string(members[1:n+1]) != name || string(members[n+1:n+4]) != `":"` {
		return "", false
	}
	members = members[n+4:]
	end := bytes.IndexByte(members, '"')
	if end < 0 || bytes.IndexByte(members[:end], '\\') >= 0 {
		return "", false
	}
	return string(members[:end]), true
}

// scanTag reads the object in advance to find its tag.
func scanTag(object []byte, name string) (string, error) {
	dec := NewDecoder(AnyDialect)
	dec.begin(object, false)
	if err := dec.open('{'); err != nil {
		return "", err
	}
	for dec.json.PeekKind() != '}' {
		member, err := dec.name()
		if err != nil {
			return "", err
		}
		if string(member) == name {
			return dec.string()
		}
		if err := dec.json.SkipValue(); err != nil {
			return "", err
		}
	}
	return "", fmt.Errorf("missing field %q", name)
}

// skipTag reads the value of a tag that is known already.
func (d *Decoder) skipTag() error {
	_, err := d.json.ReadValue()
	return err
}
