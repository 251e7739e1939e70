package codemode

import (
	"fmt"
	"slices"
)

// ProtocolVersion is a version of the protocol, from 1 on. Spec: codemode §4.
type ProtocolVersion uint32

// V1 is the only version there is.
const V1 ProtocolVersion = 1

// Capabilities that later releases added, all optional. Spec: codemode §15.
const (
	CapabilityBoundedOutput    Capability = "bounded-output-v1"
	CapabilityDelegateCapacity Capability = "delegate-capacity-4096"
	CapabilityExecutionLimits  Capability = "session-cell-execution-resource-limits"
	CapabilityCatalogRevision  Capability = "tool-catalog-revision-v1"
	CapabilityYieldObservation Capability = "yield-observation"
)

// SupportedProtocolVersions is a set of versions, ascending, at least one.
type SupportedProtocolVersions []ProtocolVersion

// NewSupportedProtocolVersions returns the set of the given versions or an
// [*InvalidSupportedProtocolVersionsError].
func NewSupportedProtocolVersions(versions ...ProtocolVersion) (SupportedProtocolVersions, error) {
	s := SupportedProtocolVersions(slices.Clone(versions))
	slices.Sort(s)
	return s, s.Validate()
}

// Validate checks that the set is ascending and has one version at least.
func (s SupportedProtocolVersions) Validate() error {
	if len(s) == 0 {
		return &InvalidSupportedProtocolVersionsError{}
	}
	if s[0] == 0 {
		return ErrInvalidVersion
	}
	for i := 1; i < len(s); i++ {
		if s[i] <= s[i-1] {
			return &InvalidSupportedProtocolVersionsError{Duplicate: s[i]}
		}
	}
	return nil
}

// CapabilitySet is a set of capabilities, ascending by bytes; it may be empty.
type CapabilitySet []Capability

// NewCapabilitySet returns the set of the given names. A blank name is
// [ErrInvalidIdentifier], one given twice a [*DuplicateCapabilityError].
func NewCapabilitySet(names ...Capability) (CapabilitySet, error) {
	s := CapabilitySet(slices.Clone(names))
	slices.Sort(s)
	return s, s.Validate()
}

// Validate checks that the set is ascending and no name is blank.
func (s CapabilitySet) Validate() error {
	for i, name := range s {
		if err := name.Validate(); err != nil {
			return err
		}
		if i > 0 && name <= s[i-1] {
			return &DuplicateCapabilityError{Capability: name}
		}
	}
	return nil
}

// Has reports whether name is in the set.
func (s CapabilitySet) Has(name Capability) bool {
	_, ok := slices.BinarySearch(s, name)
	return ok
}

// ClientHello is connection/hello, the first message on a connection.
// Spec: codemode §5.
type ClientHello struct {
	SupportedVersions    SupportedProtocolVersions
	RequiredCapabilities CapabilitySet
	OptionalCapabilities CapabilitySet
}

// Validate checks the sets and that they do not overlap.
func (h *ClientHello) Validate() error {
	if err := h.SupportedVersions.Validate(); err != nil {
		return err
	}
	if err := h.RequiredCapabilities.Validate(); err != nil {
		return err
	}
	if err := h.OptionalCapabilities.Validate(); err != nil {
		return err
	}
	for _, name := range h.RequiredCapabilities {
		if h.OptionalCapabilities.Has(name) {
			return &ClientHelloError{OverlappingCapability: name}
		}
	}
	return nil
}

// Asks reports whether the client asked for the capability.
func (h *ClientHello) Asks(name Capability) bool {
	return h.RequiredCapabilities.Has(name) || h.OptionalCapabilities.Has(name)
}

// HostHello is connection/ready, the host's consent. Spec: codemode §5.
type HostHello struct {
	SelectedVersion ProtocolVersion
	Capabilities    CapabilitySet // those that are enabled on the connection
}

// ConnectionRejected is connection/rejected; the host closes after it.
type ConnectionRejected struct {
	Reason HandshakeRejectReason
}

// RejectKind tells the reasons of a rejection apart.
type RejectKind uint8

// The kinds of rejection.
const (
	NoCompatibleVersion       RejectKind = iota + 1 // noCompatibleVersion
	MissingRequiredCapability                       // missingRequiredCapability
	InvalidHello                                    // invalidHello
)

// HandshakeRejectReason says why the host refused. Spec: codemode §5.
type HandshakeRejectReason struct {
	Kind              RejectKind
	SupportedVersions SupportedProtocolVersions // of NoCompatibleVersion: the host's
	Capability        Capability                // of MissingRequiredCapability
	Message           string                    // of InvalidHello
}

// String describes the reason for people.
func (r HandshakeRejectReason) String() string {
	switch r.Kind {
	case NoCompatibleVersion:
		return fmt.Sprintf("no compatible version, host supports %d", r.SupportedVersions)
	case MissingRequiredCapability:
		return fmt.Sprintf("missing required capability %q", string(r.Capability))
	default:
		return fmt.Sprintf("invalid hello: %s", r.Message)
	}
}

// InvalidSupportedProtocolVersionsError says that a set of versions is empty
// (Duplicate is 0) or holds one version twice.
type InvalidSupportedProtocolVersionsError struct {
	Duplicate ProtocolVersion
}

func (e *InvalidSupportedProtocolVersionsError) Error() string {
	if e.Duplicate == 0 {
		return "at least one protocol version is required"
	}
	return fmt.Sprintf("duplicate protocol version %d", e.Duplicate)
}

// DuplicateCapabilityError says that a set holds a capability twice.
type DuplicateCapabilityError struct {
	Capability Capability
}

func (e *DuplicateCapabilityError) Error() string {
	return fmt.Sprintf("duplicate capability `%s`", e.Capability)
}

// ClientHelloError says that a capability is both required and optional.
type ClientHelloError struct {
	OverlappingCapability Capability
}

func (e *ClientHelloError) Error() string {
	return fmt.Sprintf("capability `%s` cannot be both required and optional", e.OverlappingCapability)
}
