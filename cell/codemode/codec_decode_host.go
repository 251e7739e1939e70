package codemode

import "errors"

func (d *Decoder) hostMessage() (HostToClient, error) {
	tag, err := d.tag("type")
	if err != nil {
		return nil, err
	}
	switch tag {
	case "connection/ready":
		return d.hostHello()
	case "connection/rejected":
		return d.connectionRejected()
	case "operation/response":
		m := new(OperationResponse)
		err := d.answer(&m.ID, func() error { return readResult(d, &m.Result, d.hostResponse) })
		return m, err
	case "execute/initialResponse":
		m := new(ExecuteInitialResponse)
		err := d.answer(&m.ID, func() error { return readResult(d, &m.Result, d.runtimeResponse) })
		return m, err
	case "delegate/request":
		return d.delegateCall()
	case "delegate/cancel":
		id, err := d.onlyID()
		return &DelegateCancel{ID: DelegateRequestID(id)}, err
	case "cell/closed":
		m := new(CellClosed)
		err := d.object(f0|f1|f2, func(name []byte) (bit fields, err error) {
			switch string(name) {
			case "type":
				return f0, d.skipTag()
			case "sessionId":
				m.SessionID, err = d.sessionID()
				return f1, err
			case "cellId":
				m.CellID, err = d.cellID()
				return f2, err
			}
			return 0, nil
		})
		return m, err
	}
	return nil, unknownVariant(tag)
}

// answer reads an object with a tag, an id and a result.
func (d *Decoder) answer(id *RequestID, result func() error) error {
	return d.object(f0|f1|f2, func(name []byte) (bit fields, err error) {
		switch string(name) {
		case "type":
			return f0, d.skipTag()
		case "id":
			*id, err = readID[RequestID](d)
			return f1, err
		case "result":
			return f2, result()
		}
		return 0, nil
	})
}

func (d *Decoder) hostHello() (*HostHello, error) {
	h := new(HostHello)
	err := d.object(f0|f1|f2, func(name []byte) (bit fields, err error) {
		switch string(name) {
		case "type":
			return f0, d.skipTag()
		case "selectedVersion":
			h.SelectedVersion, err = d.version()
			return f1, err
		case "capabilities":
			h.Capabilities, err = d.capabilities()
			return f2, err
		}
		return 0, nil
	})
	return h, err
}

func (d *Decoder) connectionRejected() (*ConnectionRejected, error) {
	m := new(ConnectionRejected)
	err := d.object(f0|f1, func(name []byte) (bit fields, err error) {
		switch string(name) {
		case "type":
			return f0, d.skipTag()
		case "reason":
			return f1, d.rejectReason(&m.Reason)
		}
		return 0, nil
	})
	return m, err
}

func (d *Decoder) rejectReason(r *HandshakeRejectReason) error {
	tag, err := d.tag("type")
	if err != nil {
		return err
	}
	switch tag {
	case "noCompatibleVersion":
		r.Kind = NoCompatibleVersion
	case "missingRequiredCapability":
		r.Kind = MissingRequiredCapability
	case "invalidHello":
		r.Kind = InvalidHello
	default:
		return unknownVariant(tag)
	}
	return d.object(f0|f1, func(name []byte) (bit fields, err error) {
		switch {
		case string(name) == "type":
			return f0, d.skipTag()
		case string(name) == "supportedVersions" && r.Kind == NoCompatibleVersion:
			r.SupportedVersions, err = d.versions()
			return f1, err
		case string(name) == "capability" && r.Kind == MissingRequiredCapability:
			s, err := d.string()
			if err == nil {
				err = Capability(s).Validate()
			}
			r.Capability = Capability(s)
			return f1, err
		case string(name) == "message" && r.Kind == InvalidHello:
			r.Message, err = d.string()
			return f1, err
		}
		return 0, nil
	})
}

func (d *Decoder) hostResponse() (HostResponse, error) {
	tag, err := d.tag("type")
	if err != nil {
		return nil, err
	}
	switch tag {
	case "session/ready":
		id, err := d.tagged("sessionId")
		return &SessionReady{SessionID: SessionID(id)}, firstError(err, SessionID(id).Validate)
	case "session/closed":
		id, err := d.tagged("sessionId")
		return &SessionClosed{SessionID: SessionID(id)}, firstError(err, SessionID(id).Validate)
	case "execution/started":
		id, err := d.tagged("cellId")
		return &ExecutionStarted{CellID: WireCellID(id)}, err
	case "wait/completed":
		r := new(WaitCompleted)
		err := d.object(f0|f1, func(name []byte) (bit fields, err error) {
			switch string(name) {
			case "type":
				return f0, d.skipTag()
			case "outcome":
				return f1, d.waitOutcome(&r.Outcome)
			}
			return 0, nil
		})
		return r, err
	}
	return nil, unknownVariant(tag)
}

func firstError(err error, next func() error) error {
	if err != nil {
		return err
	}
	return next()
}

// tagged reads an object with a tag and one string field.
func (d *Decoder) tagged(field string) (s string, err error) {
	err = d.object(f0|f1, func(name []byte) (bit fields, err error) {
		switch string(name) {
		case "type":
			return f0, d.skipTag()
		case field:
			s, err = d.string()
			return f1, err
		}
		return 0, nil
	})
	return s, err
}

// variant reads an object with one member, whose name says what it holds.
func (d *Decoder) variant(value func(name []byte) error) error {
	seen := 0
	err := d.members(func(name []byte) error {
		if seen++; seen > 1 {
			return errors.New("second variant in one object")
		}
		return value(name)
	})
	if err == nil && seen == 0 {
		err = errors.New("no variant in an object")
	}
	return err
}

func (d *Decoder) waitOutcome(o *WireWaitOutcome) error {
	return d.variant(func(name []byte) (err error) {
		switch string(name) {
		case "LiveCell":
		case "MissingCell":
			o.Missing = true
		default:
			return unknownVariant(string(name))
		}
		o.Response, err = d.runtimeResponse()
		return err
	})
}

func (d *Decoder) runtimeResponse() (r WireRuntimeResponse, err error) {
	err = d.variant(func(name []byte) error {
		switch string(name) {
		case "Yielded":
			r.State = Yielded
		case "Terminated":
			r.State = Terminated
		case "Result":
			r.State = Result
		default:
			return unknownVariant(string(name))
		}
		return d.runtimeFields(&r)
	})
	return r, err
}

func (d *Decoder) runtimeFields(r *WireRuntimeResponse) error {
	need := f0 | f1
	if d.dialect.timingRequired() {
		need |= f3
	}
	return d.object(need, func(name []byte) (bit fields, err error) {
		switch string(name) {
		case "cell_id":
			r.CellID, err = d.cellID()
			return f0, err
		case "content_items":
			return f1, d.array(func() error {
				r.ContentItems = append(r.ContentItems, WireContentItem{})
				return d.contentItem(&r.ContentItems[len(r.ContentItems)-1])
			})
		case "error_text":
			if r.State == Result {
				r.ErrorText, err = d.optionalString()
				return f2, err
			}
		case "code_mode_host_duration_ns":
			if d.dialect.timing() {
				n, err := d.uint()
				r.HostDurationNS = &n
				return f3, err
			}
		case "result_buffered_for_ns":
			if d.dialect.timing() && r.State == Result {
				r.BufferedNS, err = d.optionalUint()
				return f4, err
			}
		}
		return 0, nil
	})
}

func (d *Decoder) contentItem(c *WireContentItem) error {
	tag, err := d.tag("type")
	if err != nil {
		return err
	}
	content := ""
	switch {
	case tag == "input_text":
		c.Type, content = InputText, "text"
	case tag == "input_image":
		c.Type, content = InputImage, "image_url"
	case tag == "input_audio" && d.dialect.Audio():
		c.Type, content = InputAudio, "audio_url"
	default:
		return unknownVariant(tag)
	}
	return d.object(f0|f1, func(name []byte) (bit fields, err error) {
		switch {
		case string(name) == "type":
			return f0, d.skipTag()
		case string(name) == content && c.Type == InputText:
			c.Text, err = d.string()
			return f1, err
		case string(name) == content:
			c.URL, err = d.string()
			return f1, err
		case string(name) == "detail" && c.Type == InputImage:
			c.Detail, err = d.imageDetail()
			return f2, err
		}
		return 0, nil
	})
}

func (d *Decoder) imageDetail() (WireImageDetail, error) {
	if d.null() {
		return 0, nil
	}
	s, err := d.string()
	if err != nil {
		return 0, err
	}
	switch s {
	case "auto":
		return DetailAuto, nil
	case "low":
		return DetailLow, nil
	case "high":
		return DetailHigh, nil
	case "original":
		return DetailOriginal, nil
	}
	return 0, unknownVariant(s)
}

func (d *Decoder) delegateCall() (*DelegateCall, error) {
	m := new(DelegateCall)
	err := d.object(f0|f1|f2|f3, func(name []byte) (bit fields, err error) {
		switch string(name) {
		case "type":
			return f0, d.skipTag()
		case "id":
			m.ID, err = readID[DelegateRequestID](d)
			return f1, err
		case "sessionId":
			m.SessionID, err = d.sessionID()
			return f2, err
		case "request":
			m.Request, err = d.delegateRequest()
			return f3, err
		}
		return 0, nil
	})
	return m, err
}

func (d *Decoder) delegateRequest() (DelegateRequest, error) {
	tag, err := d.tag("type")
	if err != nil {
		return nil, err
	}
	switch tag {
	case "tool/invoke":
		r := new(ToolInvoke)
		err := d.object(f0|f1, func(name []byte) (bit fields, err error) {
			switch string(name) {
			case "type":
				return f0, d.skipTag()
			case "invocation":
				return f1, d.nestedToolCall(&r.Invocation)
			}
			return 0, nil
		})
		return r, err
	case "notification/send":
		r := new(NotificationSend)
		err := d.object(f0|f1|f2|f3, func(name []byte) (bit fields, err error) {
			switch string(name) {
			case "type":
				return f0, d.skipTag()
			case "callId":
				r.CallID, err = d.string()
				return f1, err
			case "cellId":
				r.CellID, err = d.cellID()
				return f2, err
			case "text":
				r.Text, err = d.string()
				return f3, err
			}
			return 0, nil
		})
		return r, err
	}
	return nil, unknownVariant(tag)
}

func (d *Decoder) nestedToolCall(c *WireNestedToolCall) error {
	return d.object(f0|f1|f2|f3|f4, func(name []byte) (bit fields, err error) {
		switch string(name) {
		case "cell_id":
			c.CellID, err = d.cellID()
			return f0, err
		case "runtime_tool_call_id":
			c.RuntimeToolCallID, err = d.string()
			return f1, err
		case "tool_name":
			return f2, d.toolName(&c.ToolName)
		case "tool_kind":
			c.ToolKind, err = d.toolKind()
			return f3, err
		case "input":
			c.Input, err = d.json()
			return f4, err
		}
		return 0, nil
	})
}
