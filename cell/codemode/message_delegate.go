package codemode

// DelegateCall is delegate/request, a reverse call. Spec: codemode §6.2, §9.
type DelegateCall struct {
	ID        DelegateRequestID
	SessionID SessionID
	Request   DelegateRequest
}

// DelegateCancel is delegate/cancel: the host no longer wants that answer.
type DelegateCancel struct{ ID DelegateRequestID }

// DelegateAnswer is delegate/response. Spec: codemode §6.1, §9.
type DelegateAnswer struct {
	ID     DelegateRequestID
	Result WireResult[DelegateResponse]
}

// DelegateRequest is what a reverse call asks for: [ToolInvoke] or
// [NotificationSend]. Spec: codemode §6.5.
type DelegateRequest interface{ delegateRequest() }

// ToolInvoke is tool/invoke.
type ToolInvoke struct{ Invocation WireNestedToolCall }

// WireNestedToolCall is a tool call made by a cell. Spec: codemode §7.
type WireNestedToolCall struct {
	CellID            WireCellID
	RuntimeToolCallID string // "tool-1", "tool-2", … counted per cell
	ToolName          WireToolName
	ToolKind          WireToolKind
	Input             RawJSON // nil means null
}

// NotificationSend is notification/send.
type NotificationSend struct {
	CallID string // ToolCallID of the cell's execute request
	CellID WireCellID
	Text   string
}

// DelegateResponse is what a reverse call is answered: [ToolResult] or
// [NotificationDelivered]. Spec: codemode §6.6.
type DelegateResponse interface{ delegateResponse() }

// ToolResult is tool/result.
type ToolResult struct{ Result RawJSON } // nil means null

// NotificationDelivered is notification/delivered.
type NotificationDelivered struct{}

func (*ToolInvoke) delegateRequest()       {}
func (*NotificationSend) delegateRequest() {}

func (*ToolResult) delegateResponse()            {}
func (*NotificationDelivered) delegateResponse() {}
