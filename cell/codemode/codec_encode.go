package codemode

import (
	"fmt"
	"strconv"
)

// encoder appends messages as compact JSON, fields in the order of the
// contract's examples. The first error stays in err and spoils the message.
type encoder struct {
	dialect Dialect
	buf     []byte
	err     error
}

// raw appends JSON of our own, which is valid as it is.
func (e *encoder) raw(s string) { e.buf = append(e.buf, s...) }

// field appends JSON that ends where a string value begins, then the string.
func (e *encoder) field(before, value string) {
	e.buf = append(e.buf, before...)
	e.buf = appendString(e.buf, value)
}

func (e *encoder) fail(err error) {
	if e.err == nil {
		e.err = err
	}
}

func (e *encoder) failf(format string, args ...any) { e.fail(fmt.Errorf(format, args...)) }

func (e *encoder) int(n int64)   { e.buf = strconv.AppendInt(e.buf, n, 10) }
func (e *encoder) uint(n uint64) { e.buf = strconv.AppendUint(e.buf, n, 10) }

func (e *encoder) optionalUint(n *uint64) {
	if n == nil {
		e.raw("null")
		return
	}
	e.uint(*n)
}

func (e *encoder) optionalInt(n *int32) {
	if n == nil {
		e.raw("null")
		return
	}
	e.int(int64(*n))
}

func (e *encoder) optionalString(s *string) {
	if s == nil {
		e.raw("null")
		return
	}
	e.buf = appendString(e.buf, *s)
}

// session appends a session id that begins after before.
func (e *encoder) session(before string, id SessionID) {
	if err := id.Validate(); err != nil {
		e.failf("session id: %w", err)
	}
	e.field(before, string(id))
}

// json appends a carried value, compacted, that has outer levels of arrays and
// objects around it; nil is null. A frame with more than MaxNesting levels would
// end the connection to a published peer. Spec: codemode §3.
func (e *encoder) json(v RawJSON, outer int) {
	if v == nil {
		e.raw("null")
		return
	}
	buf, levels, err := appendCompact(e.buf, v)
	if err != nil {
		e.failf("value of %d bytes: %w", len(v), err)
		return
	}
	if n := outer + levels; n > MaxNesting {
		e.fail(&Error{Code: CodeTooDeep,
			Message: fmt.Sprintf("code-mode IPC frame nests %d levels, limit %d", n, MaxNesting)})
		return
	}
	e.buf = buf
}

func (e *encoder) clientToHost(m ClientToHost) {
	switch m := m.(type) {
	case *ClientHello:
		e.hello(m)
	case *OperationRequest:
		e.raw(`{"type":"operation/request","id":`)
		e.int(int64(m.ID))
		e.raw(`,"request":`)
		e.hostRequest(m.Request)
		e.raw("}")
	case *OperationCancel:
		e.raw(`{"type":"operation/cancel","id":`)
		e.int(int64(m.ID))
		e.raw("}")
	case *OperationYield:
		if !e.dialect.LaterRequests() {
			e.failf("operation/yield in dialect %s", e.dialect)
		}
		e.raw(`{"type":"operation/yield","id":`)
		e.int(int64(m.ID))
		e.raw("}")
	case *DelegateAnswer:
		e.raw(`{"type":"delegate/response","id":`)
		e.int(int64(m.ID))
		e.raw(`,"result":`)
		if e.resultError(m.Result.Err) {
			break
		}
		e.delegateResponse(m.Result.Value)
		e.raw("}}")
	default:
		e.failf("message %T of a client", m)
	}
}

func (e *encoder) hostToClient(m HostToClient) {
	switch m := m.(type) {
	case *HostHello:
		e.ready(m)
	case *ConnectionRejected:
		e.rejected(&m.Reason)
	case *OperationResponse:
		e.raw(`{"type":"operation/response","id":`)
		e.int(int64(m.ID))
		e.raw(`,"result":`)
		if e.resultError(m.Result.Err) {
			break
		}
		e.hostResponse(m.Result.Value)
		e.raw("}}")
	case *ExecuteInitialResponse:
		e.raw(`{"type":"execute/initialResponse","id":`)
		e.int(int64(m.ID))
		e.raw(`,"result":`)
		if e.resultError(m.Result.Err) {
			break
		}
		e.runtimeResponse(&m.Result.Value)
		e.raw("}}")
	case *DelegateCall:
		e.raw(`{"type":"delegate/request","id":`)
		e.int(int64(m.ID))
		e.session(`,"sessionId":`, m.SessionID)
		e.raw(`,"request":`)
		e.delegateRequest(m.Request)
		e.raw("}")
	case *DelegateCancel:
		e.raw(`{"type":"delegate/cancel","id":`)
		e.int(int64(m.ID))
		e.raw("}")
	case *CellClosed:
		e.session(`{"type":"cell/closed","sessionId":`, m.SessionID)
		e.field(`,"cellId":`, string(m.CellID))
		e.raw("}")
	default:
		e.failf("message %T of a host", m)
	}
}

// resultError appends an error result and the end of its message, or the
// beginning of a good result. It reports which.
func (e *encoder) resultError(err *Error) bool {
	if err == nil {
		e.raw(`{"status":"ok","value":`)
		return false
	}
	e.field(`{"status":"error","message":`, err.Message)
	e.raw("}}")
	return true
}

func (e *encoder) hello(h *ClientHello) {
	if err := h.Validate(); err != nil {
		e.fail(err)
	}
	e.raw(`{"type":"connection/hello","supportedVersions":`)
	e.versions(h.SupportedVersions)
	e.raw(`,"requiredCapabilities":`)
	e.capabilities(h.RequiredCapabilities)
	e.raw(`,"optionalCapabilities":`)
	e.capabilities(h.OptionalCapabilities)
	e.raw("}")
}

func (e *encoder) ready(h *HostHello) {
	if h.SelectedVersion == 0 {
		e.fail(ErrInvalidVersion)
	}
	if err := h.Capabilities.Validate(); err != nil {
		e.fail(err)
	}
	e.raw(`{"type":"connection/ready","selectedVersion":`)
	e.uint(uint64(h.SelectedVersion))
	e.raw(`,"capabilities":`)
	e.capabilities(h.Capabilities)
	e.raw("}")
}

func (e *encoder) rejected(r *HandshakeRejectReason) {
	e.raw(`{"type":"connection/rejected","reason":`)
	switch r.Kind {
	case NoCompatibleVersion:
		if err := r.SupportedVersions.Validate(); err != nil {
			e.fail(err)
		}
		e.raw(`{"type":"noCompatibleVersion","supportedVersions":`)
		e.versions(r.SupportedVersions)
	case MissingRequiredCapability:
		if err := r.Capability.Validate(); err != nil {
			e.fail(err)
		}
		e.field(`{"type":"missingRequiredCapability","capability":`, string(r.Capability))
	case InvalidHello:
		e.field(`{"type":"invalidHello","message":`, r.Message)
	default:
		e.failf("reject reason of kind %d", r.Kind)
	}
	e.raw("}}")
}

func (e *encoder) versions(s SupportedProtocolVersions) {
	e.raw("[")
	for i, v := range s {
		if i > 0 {
			e.raw(",")
		}
		e.uint(uint64(v))
	}
	e.raw("]")
}

func (e *encoder) capabilities(s CapabilitySet) {
	e.raw("[")
	for i, c := range s {
		if i > 0 {
			e.raw(",")
		}
		e.buf = appendString(e.buf, string(c))
	}
	e.raw("]")
}
