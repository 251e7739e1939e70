package codemode

// ContentType tells what a content item holds.
type ContentType uint8

// The content types.
const (
	InputText  ContentType = iota + 1 // input_text
	InputImage                        // input_image
	InputAudio                        // input_audio; not in Base
)

// WireImageDetail is how closely a model should look at an image.
// Spec: codemode §7.
type WireImageDetail uint8

// The details; 0 means that none is given.
const (
	DetailAuto     WireImageDetail = iota + 1 // "auto"
	DetailLow                                 // "low"
	DetailHigh                                // "high"
	DetailOriginal                            // "original"
)

// WireContentItem is a piece of a cell's output. Spec: codemode §7.
type WireContentItem struct {
	Type   ContentType
	Text   string          // of InputText
	URL    string          // of InputImage and InputAudio
	Detail WireImageDetail // of InputImage; 0 means absent
}

// RuntimeState says what became of an observed cell.
type RuntimeState uint8

// The runtime states.
const (
	Yielded    RuntimeState = iota + 1 // still running
	Terminated                         // stopped by a terminate or shutdown
	Result                             // the program ended
)

// WireRuntimeResponse is an observation of a cell. Spec: codemode §7, §15.
type WireRuntimeResponse struct {
	State        RuntimeState
	CellID       WireCellID
	ContentItems []WireContentItem // output since the previous delivered observation
	ErrorText    *string           // of Result; present, even if empty, when the script failed
	// HostDurationNS is how many nanoseconds the host spent on the operation.
	// It is mandatory in [Timed], absent in the dialects before it. A [Server]
	// fills it in. Spec: codemode §15.
	HostDurationNS *uint64
	// BufferedNS is how many nanoseconds a Result had waited uncollected.
	// Optional in [Timed], absent in the dialects before it.
	BufferedNS *uint64
}

// WireWaitOutcome is the answer to a wait or a terminate. Spec: codemode §7.
type WireWaitOutcome struct {
	Missing  bool // MissingCell rather than LiveCell
	Response WireRuntimeResponse
}
