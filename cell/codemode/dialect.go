package codemode

// Dialect says which additions of later releases a connection speaks. The
// protocol's number never changed, and every decoder refuses what it doesn't
// know, so both sides must mean the same one. Spec: codemode §15.
type Dialect uint8

// The dialects. AnyDialect is for decoding, when the peer's release is unknown:
// it accepts what any other dialect accepts. Encoding in it writes every
// addition that is set.
const (
	AnyDialect Dialect = iota
	Base               // 0.144: nothing but the seed's messages
	BaseAudio          // 0.145, 0.146: and input_audio
	Limits             // 0.149 to 0.151: and later request fields
	Timed              // 0.152 and on: and timing fields, which are mandatory
)

// String returns the dialect's name in lower case.
func (d Dialect) String() string {
	return [...]string{"any", "base", "base-audio", "limits", "timed"}[min(d, Timed)]
}

// Audio reports whether input_audio items are spoken.
func (d Dialect) Audio() bool { return d != Base }

// LaterRequests reports whether requests may have the fields of §15, and
// operation/yield is a message.
func (d Dialect) LaterRequests() bool { return d == AnyDialect || d >= Limits }

// timing reports whether timing fields may be there, timingRequired whether
// they must.
func (d Dialect) timing() bool         { return d == AnyDialect || d >= Timed }
func (d Dialect) timingRequired() bool { return d >= Timed }

// GuessDialect tells a client's dialect by the capabilities it asks for. Two
// generations of clients ask for [CapabilityExecutionLimits] alone and differ;
// for those it returns ambiguous. Spec: codemode §15.
func GuessDialect(hello *ClientHello, ambiguous Dialect) Dialect {
	for _, c := range [...]Capability{CapabilityYieldObservation, CapabilityBoundedOutput,
		CapabilityDelegateCapacity, CapabilityCatalogRevision} {
		if hello.Asks(c) {
			return Timed
		}
	}
	if hello.Asks(CapabilityExecutionLimits) {
		return ambiguous
	}
	return Base
}
