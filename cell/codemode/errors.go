package codemode

import (
	"context"
	"errors"
	"fmt"
	"strings"
)

// Code tells failures apart. The protocol itself has texts only, so a code is
// inferred from the text when the peer sent it. Spec: codemode §17.
type Code string

// Codes of operations that failed; the connection lives.
const (
	CodeOther               Code = "other" // any text that is not in this list
	CodeUnknownSession      Code = "unknown-session"
	CodeSessionOpen         Code = "session-open"
	CodeSessionReused       Code = "session-reused"
	CodeHostShuttingDown    Code = "host-shutting-down"
	CodeSessionShuttingDown Code = "session-shutting-down"
	CodeInvalidExecute      Code = "invalid-execute"
	CodeTooManyRequests     Code = "too-many-requests"
	CodeTooManyCells        Code = "too-many-cells"
	CodeOverloaded          Code = "overloaded"
	CodeCancelled           Code = "cancelled"
	CodeObserved            Code = "observed"
	CodeTerminating         Code = "terminating"
	CodeCellExists          Code = "cell-exists"
	CodeCellIDsExhausted    Code = "cell-ids-exhausted"
	CodeResponseTooLarge    Code = "response-too-large"
	CodeInitialize          Code = "initialize"
	CodeUnknownCatalog      Code = "unknown-catalog"
	CodeConflictingCatalog  Code = "conflicting-catalog"
	CodeInvalidCatalog      Code = "invalid-catalog"
)

// Codes of reverse calls that failed; a cell sees them as rejections.
const (
	CodeInvalidToolResult         Code = "invalid-tool-result"
	CodeInvalidNotificationResult Code = "invalid-notification-result"
	CodeTooManyCalls              Code = "too-many-calls"
	CodeCallCancelled             Code = "call-cancelled"
	CodeFrameTooLarge             Code = "frame-too-large"
	CodeTooDeep                   Code = "too-deep"
)

// Codes of failures that end the connection.
const (
	CodeEncode    Code = "encode"    // a message of ours has no valid JSON
	CodeDecode    Code = "decode"    // a frame is not a message
	CodeTransport Code = "transport" // the stream failed or ended inside a frame
	CodeViolation Code = "violation" // a valid message at the wrong time
	CodeRejected  Code = "rejected"  // the host refused the hello
	CodeTimeout   Code = "timeout"   // the host didn't answer the hello in time
	CodeSlowPeer  Code = "slow-peer" // the peer sends but does not read
	CodeClosed    Code = "closed"    // the connection is over
)

// Error is a failure of the protocol: an answer that the peer gets to see, or
// the reason for the end of the connection.
type Error struct {
	Code    Code
	Message string // crosses the wire: the contract's text, or a tool's own
	Err     error  // cause, for logs and errors.Is; stays on this side
	Remote  bool   // the peer sent it, we did not infer it
}

// Error returns the message and the cause.
func (e *Error) Error() string {
	switch {
	case e.Err == nil:
		return e.Message
	case e.Message == "":
		return e.Err.Error()
	default:
		return e.Message + ": " + e.Err.Error()
	}
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// Retryable reports whether the same request may succeed a little later.
func (e *Error) Retryable() bool {
	switch e.Code {
	case CodeTooManyRequests, CodeTooManyCells, CodeOverloaded, CodeObserved, CodeTooManyCalls:
		return true
	}
	return false
}

// CodeOf returns the code of the first [*Error] in err's chain, [CodeCancelled]
// for a context's error, else [CodeOther].
func CodeOf(err error) Code {
	var e *Error
	switch {
	case errors.As(err, &e):
		return e.Code
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return CodeCancelled
	default:
		return CodeOther
	}
}

// asError turns any error into what the peer may see of it.
func asError(err error) *Error {
	var e *Error
	switch {
	case errors.As(err, &e):
		return e
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return Cancelled()
	default:
		return &Error{Code: CodeOther, Message: err.Error(), Err: err}
	}
}

// UnknownSession answers a request for a session that is not open.
func UnknownSession(id SessionID) *Error {
	return &Error{Code: CodeUnknownSession, Message: "unknown code-mode session " + string(id)}
}

// SessionAlreadyOpen answers the opening of a session that is open.
func SessionAlreadyOpen(id SessionID) *Error {
	return &Error{Code: CodeSessionOpen, Message: fmt.Sprintf("code-mode session ID `%s` is already open", id)}
}

// SessionReused answers the opening of a session whose id was used before.
func SessionReused(id SessionID) *Error {
	return &Error{Code: CodeSessionReused, Message: fmt.Sprintf("code-mode session ID `%s` was reused", id)}
}

// HostShuttingDown answers requests of a host that is about to end.
func HostShuttingDown() *Error {
	return &Error{Code: CodeHostShuttingDown, Message: "code-mode host is shutting down"}
}

// SessionShuttingDown answers executes of a session that is about to end.
func SessionShuttingDown() *Error {
	return &Error{Code: CodeSessionShuttingDown, Message: "code mode session is shutting down"}
}

// InvalidExecute answers an execute request that is not to be run.
func InvalidExecute(reason string) *Error {
	return &Error{Code: CodeInvalidExecute, Message: "invalid code-mode execute request: " + reason}
}

// TooManyRequests answers a request over the limit of requests in flight.
func TooManyRequests() *Error {
	return &Error{Code: CodeTooManyRequests, Message: "code-mode host has too many in-flight requests"}
}

// TooManyCells answers an execute over the limit of live cells.
func TooManyCells() *Error {
	return &Error{Code: CodeTooManyCells, Message: "code-mode host has too many active cells"}
}

// Overloaded answers an execute that the host has no engine for.
func Overloaded() *Error {
	return &Error{Code: CodeOverloaded, Message: "code-mode host is overloaded"}
}

// Cancelled answers a request that the client cancelled.
func Cancelled() *Error {
	return &Error{Code: CodeCancelled, Message: "code-mode request cancelled"}
}

// AlreadyObserved answers a wait for a cell that another observer watches.
func AlreadyObserved(cell WireCellID) *Error {
	return &Error{Code: CodeObserved, Message: fmt.Sprintf("exec cell %s already has an active observer", cell)}
}

// AlreadyTerminating answers a second terminate of a cell.
func AlreadyTerminating(cell WireCellID) *Error {
	return &Error{Code: CodeTerminating, Message: fmt.Sprintf("exec cell %s is already terminating", cell)}
}

// CellExists answers the allocation of a cell id that is in use.
func CellExists(cell WireCellID) *Error {
	return &Error{Code: CodeCellExists, Message: fmt.Sprintf("exec cell %s already exists", cell)}
}

// CellIDsExhausted answers an execute of a session that has used every cell id.
func CellIDsExhausted() *Error {
	return &Error{Code: CodeCellIDsExhausted, Message: "code mode session exhausted its cell ID space"}
}

// InitializeFailed answers an execute whose engine could not be made.
func InitializeFailed(cause error) *Error {
	return &Error{Code: CodeInitialize, Message: "failed to initialize code mode runtime", Err: cause}
}

// UnknownCatalog, ConflictingCatalog and InvalidCatalog answer executes with a
// catalog revision that is not known, known with other tools, or 0.
func UnknownCatalog() *Error {
	return &Error{Code: CodeUnknownCatalog, Message: "unknown code-mode catalog revision"}
}

// ConflictingCatalog: see [UnknownCatalog].
func ConflictingCatalog() *Error {
	return &Error{Code: CodeConflictingCatalog, Message: "conflicting code-mode catalog revision"}
}

// InvalidCatalog: see [UnknownCatalog].
func InvalidCatalog() *Error {
	return &Error{Code: CodeInvalidCatalog, Message: "invalid code-mode catalog revision"}
}

// CellNotFoundText is the error text of a MissingCell result.
func CellNotFoundText(cell WireCellID) string {
	return fmt.Sprintf("exec cell %s not found", cell)
}

// RuntimeEndedText is the error text of a cell whose runtime died.
const RuntimeEndedText = "exec runtime ended unexpectedly"

// InvalidToolResult is what a tool call rejects with when the client answered
// it with something else than a tool's result.
func InvalidToolResult() *Error {
	return &Error{Code: CodeInvalidToolResult, Message: "code-mode client returned an invalid tool result"}
}

// InvalidNotificationResult is the notification's counterpart, for logs only.
func InvalidNotificationResult() *Error {
	return &Error{Code: CodeInvalidNotificationResult, Message: "code-mode client returned an invalid notification result"}
}

// TooManyCalls is what a reverse call over the limit rejects with.
func TooManyCalls() *Error {
	return &Error{Code: CodeTooManyCalls, Message: "code-mode host has too many pending delegate calls"}
}

// CallCancelled is what a cancelled reverse call rejects with.
func CallCancelled() *Error {
	return &Error{Code: CodeCallCancelled, Message: "code mode delegate request cancelled"}
}

// frameTooLarge is the refusal of a payload of n bytes. Spec: codemode §2.
func frameTooLarge(n uint64) *Error {
	return &Error{Code: CodeFrameTooLarge,
		Message: fmt.Sprintf("code-mode IPC frame length %d exceeds %d bytes", n, MaxFrameBytes)}
}

// Prefixes of answers that stand for something too large. Spec: codemode §9, §10.3.
const (
	responseTooLargePrefix = "code-mode host response exceeds the IPC frame limit: "
	initialTooLargePrefix  = "code-mode initial response exceeds the IPC frame limit: "
	delegateTooLargePrefix = "code-mode delegate response exceeds the IPC frame limit: "
)

// replaceTooLarge is the answer sent in place of one that err refused.
func replaceTooLarge(prefix string, err error) *Error {
	e := asError(err)
	return &Error{Code: CodeResponseTooLarge, Message: prefix + e.Message, Err: err}
}

// violation is a valid message that must not come now.
func violation(format string, args ...any) *Error {
	return &Error{Code: CodeViolation, Message: fmt.Sprintf(format, args...)}
}

// errClosed is what calls get once the connection is over.
func errClosed(cause error) *Error {
	return &Error{Code: CodeClosed, Message: "code-mode connection closed", Err: cause}
}

// remoteError is the failure that the peer described with text.
func remoteError(text string) *Error {
	return &Error{Code: codeOfText(text), Message: text, Remote: true}
}

// codeOfText finds the code that a contract's text stands for.
func codeOfText(text string) Code {
	switch text {
	case "code-mode host is shutting down":
		return CodeHostShuttingDown
	case "code mode session is shutting down":
		return CodeSessionShuttingDown
	case "code-mode host has too many in-flight requests":
		return CodeTooManyRequests
	case "code-mode host has too many active cells":
		return CodeTooManyCells
	case "code-mode host is overloaded":
		return CodeOverloaded
	case "code-mode request cancelled":
		return CodeCancelled
	case "code mode session exhausted its cell ID space":
		return CodeCellIDsExhausted
	case "failed to initialize code mode runtime":
		return CodeInitialize
	case "unknown code-mode catalog revision":
		return CodeUnknownCatalog
	case "conflicting code-mode catalog revision":
		return CodeConflictingCatalog
	case "invalid code-mode catalog revision":
		return CodeInvalidCatalog
	}
	for _, p := range [...]struct {
		prefix, suffix string
		code           Code
	}{
		{"unknown code-mode session ", "", CodeUnknownSession},
		{"code-mode session ID `", "` is already open", CodeSessionOpen},
		{"code-mode session ID `", "` was reused", CodeSessionReused},
		{"invalid code-mode execute request: ", "", CodeInvalidExecute},
		{"exec cell ", " already has an active observer", CodeObserved},
		{"exec cell ", " is already terminating", CodeTerminating},
		{"exec cell ", " already exists", CodeCellExists},
		{responseTooLargePrefix, "", CodeResponseTooLarge},
		{initialTooLargePrefix, "", CodeResponseTooLarge},
	} {
		if strings.HasPrefix(text, p.prefix) && strings.HasSuffix(text, p.suffix) {
			return p.code
		}
	}
	return CodeOther
}
