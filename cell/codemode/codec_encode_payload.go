package codemode

import "slices"

func (e *encoder) hostRequest(r HostRequest) {
	switch r := r.(type) {
	case *SessionOpen:
		e.session(`{"method":"session/open","sessionId":`, r.SessionID)
		e.openOptions(r)
	case *SessionExecute:
		e.session(`{"method":"session/execute","sessionId":`, r.SessionID)
		e.raw(`,"request":`)
		e.execute(&r.Request)
	case *SessionWait:
		e.session(`{"method":"session/wait","sessionId":`, r.SessionID)
		e.field(`,"request":{"cell_id":`, string(r.Request.CellID))
		e.raw(`,"yield_time_ms":`)
		e.uint(r.Request.YieldTimeMs)
		e.raw("}")
		e.outputBudget(r.MaxOutputTokens)
	case *SessionTerminate:
		e.session(`{"method":"session/terminate","sessionId":`, r.SessionID)
		e.field(`,"cellId":`, string(r.CellID))
		e.outputBudget(r.MaxOutputTokens)
	case *SessionShutdown:
		e.session(`{"method":"session/shutdown","sessionId":`, r.SessionID)
	default:
		e.failf("request %T", r)
	}
	e.raw("}")
}

// openOptions appends the later fields of session/open that are set.
// Spec: codemode §15.
func (e *encoder) openOptions(r *SessionOpen) {
	if !e.dialect.LaterRequests() {
		return
	}
	if l := r.CellExecutionLimits; l != nil {
		e.raw(`,"cellExecutionLimits":{"maxYieldTimeMs":`)
		e.optionalUint(l.MaxYieldTimeMs)
		e.raw(`,"maxHeapSizeBytes":`)
		e.optionalUint(l.MaxHeapSizeBytes)
		e.raw("}")
	}
	switch r.OutputTruncation {
	case 0:
	case TruncateByClient:
		e.raw(`,"outputTruncation":"client"`)
	case TruncateByServer:
		e.raw(`,"outputTruncation":"server"`)
	default:
		e.failf("output truncation %d", r.OutputTruncation)
	}
}

// outputBudget appends the later field of waits and terminates, if it is set.
func (e *encoder) outputBudget(n *uint64) {
	if n != nil && e.dialect.LaterRequests() {
		e.raw(`,"maxOutputTokens":`)
		e.uint(*n)
	}
}

func (e *encoder) execute(r *WireExecuteRequest) {
	e.field(`{"tool_call_id":`, r.ToolCallID)
	e.raw(`,"enabled_tools":[`)
	for i := range r.EnabledTools {
		if i > 0 {
			e.raw(",")
		}
		e.toolDefinition(&r.EnabledTools[i])
	}
	e.field(`],"source":`, r.Source)
	e.raw(`,"yield_time_ms":`)
	e.optionalUint(r.YieldTimeMs)
	e.raw(`,"max_output_tokens":`)
	e.optionalInt(r.MaxOutputTokens)
	if r.CatalogRevision != nil && e.dialect.LaterRequests() {
		e.raw(`,"catalog_revision":`)
		e.uint(*r.CatalogRevision)
	}
	e.raw("}")
}

func (e *encoder) toolDefinition(t *WireToolDefinition) {
	e.field(`{"name":`, t.Name)
	e.raw(`,"tool_name":`)
	e.toolName(&t.ToolName)
	e.field(`,"description":`, t.Description)
	e.raw(`,"kind":`)
	e.toolKind(t.Kind)
	e.raw(`,"input_schema":`)
	e.json(t.InputSchema, 5)
	e.raw(`,"output_schema":`)
	e.json(t.OutputSchema, 5)
	e.raw("}")
}

func (e *encoder) toolName(n *WireToolName) {
	e.field(`{"name":`, n.Name)
	e.raw(`,"namespace":`)
	e.optionalString(n.Namespace)
	e.raw("}")
}

func (e *encoder) toolKind(k WireToolKind) {
	switch k {
	case FunctionTool:
		e.raw(`"function"`)
	case FreeformTool:
		e.raw(`"freeform"`)
	default:
		e.failf("tool kind %d", k)
	}
}

func (e *encoder) hostResponse(r HostResponse) {
	switch r := r.(type) {
	case *SessionReady:
		e.session(`{"type":"session/ready","sessionId":`, r.SessionID)
	case *ExecutionStarted:
		e.field(`{"type":"execution/started","cellId":`, string(r.CellID))
	case *WaitCompleted:
		e.raw(`{"type":"wait/completed","outcome":`)
		e.waitOutcome(&r.Outcome)
	case *SessionClosed:
		e.session(`{"type":"session/closed","sessionId":`, r.SessionID)
	default:
		e.failf("response %T", r)
	}
	e.raw("}")
}

func (e *encoder) waitOutcome(o *WireWaitOutcome) {
	if o.Missing {
		e.raw(`{"MissingCell":`)
	} else {
		e.raw(`{"LiveCell":`)
	}
	e.runtimeResponse(&o.Response)
	e.raw("}")
}

func (e *encoder) runtimeResponse(r *WireRuntimeResponse) {
	switch r.State {
	case Yielded:
		e.field(`{"Yielded":{"cell_id":`, string(r.CellID))
	case Terminated:
		e.field(`{"Terminated":{"cell_id":`, string(r.CellID))
	case Result:
		e.field(`{"Result":{"cell_id":`, string(r.CellID))
	default:
		e.failf("runtime state %d", r.State)
	}
	size := 0
	for i := range r.ContentItems {
		size += len(r.ContentItems[i].Text) + len(r.ContentItems[i].URL)
	}
	e.buf = slices.Grow(e.buf, size+size/16)
	e.raw(`,"content_items":[`)
	for i := range r.ContentItems {
		if i > 0 {
			e.raw(",")
		}
		e.contentItem(&r.ContentItems[i])
	}
	e.raw("]")
	if r.State == Result {
		e.raw(`,"error_text":`)
		e.optionalString(r.ErrorText)
	} else if r.ErrorText != nil {
		e.failf("error text in runtime state %d", r.State)
	}
	e.timing(r)
	e.raw("}}")
}

// timing appends the fields that came with 0.152. Spec: codemode §15.
func (e *encoder) timing(r *WireRuntimeResponse) {
	if !e.dialect.timing() {
		return
	}
	if r.HostDurationNS != nil {
		e.raw(`,"code_mode_host_duration_ns":`)
		e.uint(*r.HostDurationNS)
	} else if e.dialect.timingRequired() {
		e.failf("no host duration in dialect %s", e.dialect)
	}
	if r.BufferedNS != nil && r.State == Result {
		e.raw(`,"result_buffered_for_ns":`)
		e.uint(*r.BufferedNS)
	}
}

func (e *encoder) contentItem(c *WireContentItem) {
	switch c.Type {
	case InputText:
		e.field(`{"type":"input_text","text":`, c.Text)
	case InputImage:
		e.field(`{"type":"input_image","image_url":`, c.URL)
		e.imageDetail(c.Detail)
	case InputAudio:
		if !e.dialect.Audio() {
			e.failf("input_audio in dialect %s", e.dialect)
		}
		e.field(`{"type":"input_audio","audio_url":`, c.URL)
	default:
		e.failf("content type %d", c.Type)
	}
	e.raw("}")
}

func (e *encoder) imageDetail(d WireImageDetail) {
	switch d {
	case 0:
	case DetailAuto:
		e.raw(`,"detail":"auto"`)
	case DetailLow:
		e.raw(`,"detail":"low"`)
	case DetailHigh:
		e.raw(`,"detail":"high"`)
	case DetailOriginal:
		e.raw(`,"detail":"original"`)
	default:
		e.failf("image detail %d", d)
	}
}

func (e *encoder) delegateRequest(r DelegateRequest) {
	switch r := r.(type) {
	case *ToolInvoke:
		e.raw(`{"type":"tool/invoke","invocation":`)
		e.nestedToolCall(&r.Invocation)
	case *NotificationSend:
		e.field(`{"type":"notification/send","callId":`, r.CallID)
		e.field(`,"cellId":`, string(r.CellID))
		e.field(`,"text":`, r.Text)
	default:
		e.failf("reverse call %T", r)
	}
	e.raw("}")
}

func (e *encoder) nestedToolCall(c *WireNestedToolCall) {
	e.field(`{"cell_id":`, string(c.CellID))
	e.field(`,"runtime_tool_call_id":`, c.RuntimeToolCallID)
	e.raw(`,"tool_name":`)
	e.toolName(&c.ToolName)
	e.raw(`,"tool_kind":`)
	e.toolKind(c.ToolKind)
	e.raw(`,"input":`)
	e.json(c.Input, 3)
	e.raw("}")
}

func (e *encoder) delegateResponse(r DelegateResponse) {
	switch r := r.(type) {
	case *ToolResult:
		e.raw(`{"type":"tool/result","result":`)
		e.json(r.Result, 3)
		e.raw("}")
	case *NotificationDelivered:
		e.raw(`{"type":"notification/delivered"}`)
	default:
		e.failf("answer %T to a reverse call", r)
	}
}
