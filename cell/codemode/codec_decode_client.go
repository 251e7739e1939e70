package codemode

import (
	"errors"
	"fmt"
	"slices"
)

func (d *Decoder) clientMessage() (ClientToHost, error) {
	tag, err := d.tag("type")
	if err != nil {
		return nil, err
	}
	switch tag {
	case "connection/hello":
		return d.clientHello()
	case "operation/request":
		m := new(OperationRequest)
		err := d.object(f0|f1|f2, func(name []byte) (bit fields, err error) {
			switch string(name) {
			case "type":
				return f0, d.skipTag()
			case "id":
				m.ID, err = readID[RequestID](d)
				return f1, err
			case "request":
				m.Request, err = d.hostRequest()
				return f2, err
			}
			return 0, nil
		})
		return m, err
	case "operation/cancel":
		id, err := d.onlyID()
		return &OperationCancel{ID: RequestID(id)}, err
	case "operation/yield":
		if d.dialect.LaterRequests() {
			id, err := d.onlyID()
			return &OperationYield{ID: RequestID(id)}, err
		}
	case "delegate/response":
		m := new(DelegateAnswer)
		err := d.object(f0|f1|f2, func(name []byte) (bit fields, err error) {
			switch string(name) {
			case "type":
				return f0, d.skipTag()
			case "id":
				m.ID, err = readID[DelegateRequestID](d)
				return f1, err
			case "result":
				return f2, readResult(d, &m.Result, d.delegateResponse)
			}
			return 0, nil
		})
		return m, err
	}
	return nil, unknownVariant(tag)
}

func readID[T ~int64](d *Decoder) (T, error) {
	n, err := d.int()
	return T(n), err
}

// onlyID reads an object with a tag and an id.
func (d *Decoder) onlyID() (id int64, err error) {
	err = d.object(f0|f1, func(name []byte) (bit fields, err error) {
		switch string(name) {
		case "type":
			return f0, d.skipTag()
		case "id":
			id, err = d.int()
			return f1, err
		}
		return 0, nil
	})
	return id, err
}

// readResult reads a WireResult whose value is read by value.
func readResult[T any](d *Decoder, r *WireResult[T], value func() (T, error)) error {
	tag, err := d.tag("status")
	if err != nil {
		return err
	}
	if tag != "ok" && tag != "error" {
		return unknownVariant(tag)
	}
	return d.object(f0|f1, func(name []byte) (bit fields, err error) {
		switch {
		case string(name) == "status":
			return f0, d.skipTag()
		case string(name) == "value" && tag == "ok":
			r.Value, err = value()
			return f1, err
		case string(name) == "message" && tag == "error":
			text, err := d.string()
			r.Err = remoteError(text)
			return f1, err
		}
		return 0, nil
	})
}

func (d *Decoder) clientHello() (*ClientHello, error) {
	h := new(ClientHello)
	err := d.object(f0|f1|f2|f3, func(name []byte) (bit fields, err error) {
		switch string(name) {
		case "type":
			return f0, d.skipTag()
		case "supportedVersions":
			h.SupportedVersions, err = d.versions()
			return f1, err
		case "requiredCapabilities":
			h.RequiredCapabilities, err = d.capabilities()
			return f2, err
		case "optionalCapabilities":
			h.OptionalCapabilities, err = d.capabilities()
			return f3, err
		}
		return 0, nil
	})
	if err == nil {
		err = h.Validate()
	}
	return h, err
}

func (d *Decoder) version() (ProtocolVersion, error) {
	n, err := d.uint()
	switch {
	case err != nil:
		return 0, err
	case n == 0:
		return 0, ErrInvalidVersion
	case n > 1<<32-1:
		return 0, fmt.Errorf("version %d outside of 32 bits", n)
	}
	return ProtocolVersion(n), nil
}

func (d *Decoder) versions() (s SupportedProtocolVersions, err error) {
	err = d.array(func() error {
		v, err := d.version()
		s = append(s, v)
		return err
	})
	slices.Sort(s)
	if err == nil {
		err = s.Validate()
	}
	return s, err
}

func (d *Decoder) capabilities() (s CapabilitySet, err error) {
	s = CapabilitySet{}
	err = d.array(func() error {
		name, err := d.string()
		s = append(s, Capability(name))
		return err
	})
	slices.Sort(s)
	if err == nil {
		err = s.Validate()
	}
	return s, err
}

func (d *Decoder) delegateResponse() (DelegateResponse, error) {
	tag, err := d.tag("type")
	if err != nil {
		return nil, err
	}
	switch tag {
	case "tool/result":
		r := new(ToolResult)
		err := d.object(f0|f1, func(name []byte) (bit fields, err error) {
			switch string(name) {
			case "type":
				return f0, d.skipTag()
			case "result":
				r.Result, err = d.json()
				return f1, err
			}
			return 0, nil
		})
		return r, err
	case "notification/delivered":
		return new(NotificationDelivered), d.delivered()
	}
	return nil, unknownVariant(tag)
}

// delivered reads the one object in which other fields than the known ones are
// accepted, any number of times. Spec: codemode §3.
func (d *Decoder) delivered() error {
	tags := 0
	return d.members(func(name []byte) (err error) {
		if string(name) != "type" {
			_, err = d.value()
			return err
		}
		if tags++; tags > 1 {
			return errors.New("duplicate field \"type\"")
		}
		return d.skipTag()
	})
}
