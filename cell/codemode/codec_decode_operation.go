package codemode

func (d *Decoder) hostRequest() (HostRequest, error) {
	method, err := d.tag("method")
	if err != nil {
		return nil, err
	}
	switch method {
	case "session/open":
		return d.sessionOpen()
	case "session/execute":
		r := new(SessionExecute)
		err := d.object(f0|f1|f2, func(name []byte) (bit fields, err error) {
			switch string(name) {
			case "method":
				return f0, d.skipTag()
			case "sessionId":
				r.SessionID, err = d.sessionID()
				return f1, err
			case "request":
				return f2, d.execute(&r.Request)
			}
			return 0, nil
		})
		return r, err
	case "session/wait":
		return d.sessionWait()
	case "session/terminate":
		return d.sessionTerminate()
	case "session/shutdown":
		r := new(SessionShutdown)
		err := d.object(f0|f1, func(name []byte) (bit fields, err error) {
			switch string(name) {
			case "method":
				return f0, d.skipTag()
			case "sessionId":
				r.SessionID, err = d.sessionID()
				return f1, err
			}
			return 0, nil
		})
		return r, err
	}
	return nil, unknownVariant(method)
}

func (d *Decoder) sessionOpen() (*SessionOpen, error) {
	r := new(SessionOpen)
	err := d.object(f0|f1, func(name []byte) (bit fields, err error) {
		switch string(name) {
		case "method":
			return f0, d.skipTag()
		case "sessionId":
			r.SessionID, err = d.sessionID()
			return f1, err
		}
		if !d.dialect.LaterRequests() {
			return 0, nil
		}
		switch string(name) {
		case "cellExecutionLimits":
			r.CellExecutionLimits, err = d.executionLimits()
			return f2, err
		case "outputTruncation":
			r.OutputTruncation, err = d.outputTruncation()
			return f3, err
		}
		return 0, nil
	})
	return r, err
}

func (d *Decoder) executionLimits() (*CellExecutionLimits, error) {
	if d.null() {
		return nil, nil
	}
	l := new(CellExecutionLimits)
	err := d.object(0, func(name []byte) (bit fields, err error) {
		switch string(name) {
		case "maxYieldTimeMs":
			l.MaxYieldTimeMs, err = d.optionalUint()
			return f0, err
		case "maxHeapSizeBytes":
			l.MaxHeapSizeBytes, err = d.optionalUint()
			return f1, err
		}
		return 0, nil
	})
	return l, err
}

func (d *Decoder) outputTruncation() (OutputTruncation, error) {
	if d.null() {
		return 0, nil
	}
	s, err := d.string()
	switch {
	case err != nil:
		return 0, err
	case s == "client":
		return TruncateByClient, nil
	case s == "server":
		return TruncateByServer, nil
	}
	return 0, unknownVariant(s)
}

func (d *Decoder) sessionWait() (*SessionWait, error) {
	r := new(SessionWait)
	err := d.object(f0|f1|f2, func(name []byte) (bit fields, err error) {
		switch string(name) {
		case "method":
			return f0, d.skipTag()
		case "sessionId":
			r.SessionID, err = d.sessionID()
			return f1, err
		case "request":
			return f2, d.wait(&r.Request)
		case "maxOutputTokens":
			if d.dialect.LaterRequests() {
				r.MaxOutputTokens, err = d.optionalUint()
				return f3, err
			}
		}
		return 0, nil
	})
	return r, err
}

func (d *Decoder) wait(r *WireWaitRequest) error {
	return d.object(f0|f1, func(name []byte) (bit fields, err error) {
		switch string(name) {
		case "cell_id":
			r.CellID, err = d.cellID()
			return f0, err
		case "yield_time_ms":
			r.YieldTimeMs, err = d.uint()
			return f1, err
		}
		return 0, nil
	})
}

func (d *Decoder) sessionTerminate() (*SessionTerminate, error) {
	r := new(SessionTerminate)
	err := d.object(f0|f1|f2, func(name []byte) (bit fields, err error) {
		switch string(name) {
		case "method":
			return f0, d.skipTag()
		case "sessionId":
			r.SessionID, err = d.sessionID()
			return f1, err
		case "cellId":
			r.CellID, err = d.cellID()
			return f2, err
		case "maxOutputTokens":
			if d.dialect.LaterRequests() {
				r.MaxOutputTokens, err = d.optionalUint()
				return f3, err
			}
		}
		return 0, nil
	})
	return r, err
}

func (d *Decoder) execute(r *WireExecuteRequest) error {
	return d.object(f0|f1|f2, func(name []byte) (bit fields, err error) {
		switch string(name) {
		case "tool_call_id":
			r.ToolCallID, err = d.string()
			return f0, err
		case "enabled_tools":
			return f1, d.array(func() error {
				r.EnabledTools = append(r.EnabledTools, WireToolDefinition{})
				return d.toolDefinition(&r.EnabledTools[len(r.EnabledTools)-1])
			})
		case "source":
			r.Source, err = d.string()
			return f2, err
		case "yield_time_ms":
			r.YieldTimeMs, err = d.optionalUint()
			return f3, err
		case "max_output_tokens":
			r.MaxOutputTokens, err = d.optionalInt32()
			return f4, err
		case "catalog_revision":
			if d.dialect.LaterRequests() {
				r.CatalogRevision, err = d.optionalUint()
				return f5, err
			}
		}
		return 0, nil
	})
}

func (d *Decoder) toolDefinition(t *WireToolDefinition) error {
	return d.object(f0|f1|f2|f3, func(name []byte) (bit fields, err error) {
		switch string(name) {
		case "name":
			t.Name, err = d.string()
			return f0, err
		case "tool_name":
			return f1, d.toolName(&t.ToolName)
		case "description":
			t.Description, err = d.string()
			return f2, err
		case "kind":
			t.Kind, err = d.toolKind()
			return f3, err
		case "input_schema":
			t.InputSchema, err = d.optionalJSON()
			return f4, err
		case "output_schema":
			t.OutputSchema, err = d.optionalJSON()
			return f5, err
		}
		return 0, nil
	})
}

func (d *Decoder) toolName(n *WireToolName) error {
	return d.object(f0, func(name []byte) (bit fields, err error) {
		switch string(name) {
		case "name":
			n.Name, err = d.string()
			return f0, err
		case "namespace":
			n.Namespace, err = d.optionalString()
			return f1, err
		}
		return 0, nil
	})
}

func (d *Decoder) toolKind() (WireToolKind, error) {
	s, err := d.string()
	switch {
	case err != nil:
		return 0, err
	case s == "function":
		return FunctionTool, nil
	case s == "freeform":
		return FreeformTool, nil
	}
	return 0, unknownVariant(s)
}
