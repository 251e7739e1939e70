package codemode

import (
	"errors"
	"strings"
	"unicode"
)

// MaxFrameBytes is the largest payload of a frame, in bytes. Spec: codemode §2.
const MaxFrameBytes = 64 << 20

// MaxNesting is how many levels of arrays and objects a whole frame may have
// before a published host or client refuses it. Our decoders accept more.
// Spec: codemode §3.
const MaxNesting = 127

// RequestID names a request; the client allocates it. Any value is valid, none
// may be used twice while it is remembered. Spec: codemode §4.
type RequestID int64

// DelegateRequestID names a reverse call; the host allocates it.
// Spec: codemode §4.
type DelegateRequestID int64

// SessionID names a session; the client allocates it. It must not be blank.
// Spec: codemode §4.
type SessionID string

// Validate returns [ErrInvalidIdentifier] if the id is blank.
func (id SessionID) Validate() error { return validateIdentifier(string(id)) }

// WireCellID names a cell of a session; the host allocates it. Any string is
// valid. Spec: codemode §4.
type WireCellID string

// Capability names an addition to the protocol. It must not be blank.
// Spec: codemode §4, §15.
type Capability string

// Validate returns [ErrInvalidIdentifier] if the name is blank.
func (c Capability) Validate() error { return validateIdentifier(string(c)) }

// Errors of values that no message may hold.
var (
	// ErrInvalidIdentifier is returned for a blank [SessionID] or [Capability].
	ErrInvalidIdentifier = errors.New("identifier must not be empty")
	// ErrInvalidVersion is returned for the [ProtocolVersion] 0.
	ErrInvalidVersion = errors.New("protocol version must not be zero")
)

// validateIdentifier refuses what is empty once Unicode white space is trimmed.
func validateIdentifier(s string) error {
	if strings.TrimFunc(s, unicode.IsSpace) == "" {
		return ErrInvalidIdentifier
	}
	return nil
}

// RawJSON is one JSON value that the protocol carries without looking into it.
// Nil stands for an absent value where one is optional. It must not be changed
// once a message holds it.
type RawJSON []byte

// ClientToHost is a message from the client: [ClientHello], [OperationRequest],
// [OperationCancel], [OperationYield] or [DelegateAnswer]. Spec: codemode §6.1.
type ClientToHost interface{ clientToHost() }

// HostToClient is a message from the host: [HostHello], [ConnectionRejected],
// [OperationResponse], [ExecuteInitialResponse], [DelegateCall],
// [DelegateCancel] or [CellClosed]. Spec: codemode §6.2.
type HostToClient interface{ hostToClient() }

// WireResult is a value or the reason why there is none. Spec: codemode §6.7.
type WireResult[T any] struct {
	Value T
	Err   *Error // nil means Value holds; only its Message crosses the wire
}

func (*ClientHello) clientToHost()      {}
func (*OperationRequest) clientToHost() {}
func (*OperationCancel) clientToHost()  {}
func (*OperationYield) clientToHost()   {}
func (*DelegateAnswer) clientToHost()   {}

func (*HostHello) hostToClient()              {}
func (*ConnectionRejected) hostToClient()     {}
func (*OperationResponse) hostToClient()      {}
func (*ExecuteInitialResponse) hostToClient() {}
func (*DelegateCall) hostToClient()           {}
func (*DelegateCancel) hostToClient()         {}
func (*CellClosed) hostToClient()             {}
