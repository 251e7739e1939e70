package codemode

// OperationRequest is operation/request. Spec: codemode §6.1.
type OperationRequest struct {
	ID      RequestID
	Request HostRequest
}

// OperationCancel is operation/cancel: best effort, never answered itself.
// Spec: codemode §8.4.
type OperationCancel struct{ ID RequestID }

// OperationYield is operation/yield: the active execute or wait with that id
// yields now. Needs [CapabilityYieldObservation]. Spec: codemode §15.
type OperationYield struct{ ID RequestID }

// OperationResponse is operation/response, exactly one per request.
// Spec: codemode §6.2.
type OperationResponse struct {
	ID     RequestID
	Result WireResult[HostResponse]
}

// ExecuteInitialResponse is execute/initialResponse: what the execute, as the
// first observer of its cell, saw. Spec: codemode §6.2, §8.2.
type ExecuteInitialResponse struct {
	ID     RequestID
	Result WireResult[WireRuntimeResponse]
}

// CellClosed is cell/closed, the last message about a cell. Spec: codemode §6.2.
type CellClosed struct {
	SessionID SessionID
	CellID    WireCellID
}

// HostRequest is an operation: [SessionOpen], [SessionExecute], [SessionWait],
// [SessionTerminate] or [SessionShutdown]. Spec: codemode §6.3.
type HostRequest interface{ hostRequest() }

// SessionOpen is session/open.
type SessionOpen struct {
	SessionID           SessionID
	CellExecutionLimits *CellExecutionLimits // later dialects; nil means none
	OutputTruncation    OutputTruncation     // later dialects; 0 means absent
}

// CellExecutionLimits bound the cells of a session. Spec: codemode §15.
type CellExecutionLimits struct {
	MaxYieldTimeMs   *uint64 // caps the yield time of executes and waits
	MaxHeapSizeBytes *uint64
}

// OutputTruncation says who truncates text output. Spec: codemode §15.
type OutputTruncation uint8

// The truncations.
const (
	TruncateByClient OutputTruncation = iota + 1 // "client", the default
	TruncateByServer                             // "server"
)

// SessionExecute is session/execute.
type SessionExecute struct {
	SessionID SessionID
	Request   WireExecuteRequest
}

// WireExecuteRequest is a program with its tools. Spec: codemode §7.
type WireExecuteRequest struct {
	ToolCallID   string // echoed as callId in the cell's notifications
	EnabledTools []WireToolDefinition
	Source       string  // one ECMAScript module
	YieldTimeMs  *uint64 // milliseconds; nil means 10 000
	// MaxOutputTokens is a budget of output tokens. Base hosts ignore it; a
	// negative one is an operation error. Nil means none.
	MaxOutputTokens *int32
	// CatalogRevision numbers EnabledTools in later dialects; nil means none.
	// Spec: codemode §15.
	CatalogRevision *uint64
}

// WireToolKind tells how a tool takes its input. Spec: codemode §7.
type WireToolKind uint8

// The kinds of tools.
const (
	FunctionTool WireToolKind = iota + 1 // "function": a JSON object, or nothing
	FreeformTool                         // "freeform": a string
)

// WireToolName is what a tool is called by its owner. Spec: codemode §7.
type WireToolName struct {
	Name      string
	Namespace *string
}

// WireToolDefinition is an entry of a cell's catalogue. Spec: codemode §7.
type WireToolDefinition struct {
	Name         string // public name, the JavaScript property before normalisation
	ToolName     WireToolName
	Description  string
	Kind         WireToolKind
	InputSchema  RawJSON // nil means null
	OutputSchema RawJSON // nil means null
}

// SessionWait is session/wait.
type SessionWait struct {
	SessionID       SessionID
	Request         WireWaitRequest
	MaxOutputTokens *uint64 // later dialects: maxOutputTokens; nil means none
}

// WireWaitRequest asks for the next observation of a cell. Spec: codemode §7.
type WireWaitRequest struct {
	CellID      WireCellID
	YieldTimeMs uint64 // milliseconds, without an upper bound
}

// SessionTerminate is session/terminate, answered with [WaitCompleted].
type SessionTerminate struct {
	SessionID       SessionID
	CellID          WireCellID
	MaxOutputTokens *uint64 // later dialects: maxOutputTokens; nil means none
}

// SessionShutdown is session/shutdown.
type SessionShutdown struct{ SessionID SessionID }

// HostResponse answers a [HostRequest]: [SessionReady], [ExecutionStarted],
// [WaitCompleted] or [SessionClosed]. Spec: codemode §6.4.
type HostResponse interface{ hostResponse() }

// SessionReady answers [SessionOpen].
type SessionReady struct{ SessionID SessionID }

// ExecutionStarted answers [SessionExecute].
type ExecutionStarted struct{ CellID WireCellID }

// WaitCompleted answers [SessionWait] and [SessionTerminate].
type WaitCompleted struct{ Outcome WireWaitOutcome }

// SessionClosed answers [SessionShutdown].
type SessionClosed struct{ SessionID SessionID }

func (*SessionOpen) hostRequest()      {}
func (*SessionExecute) hostRequest()   {}
func (*SessionWait) hostRequest()      {}
func (*SessionTerminate) hostRequest() {}
func (*SessionShutdown) hostRequest()  {}

func (*SessionReady) hostResponse()     {}
func (*ExecutionStarted) hostResponse() {}
func (*WaitCompleted) hostResponse()    {}
func (*SessionClosed) hostResponse()    {}
