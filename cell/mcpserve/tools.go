package mcpserve

import (
	"context"
	"errors"
	"time"

	"github.com/berth-dev/berth/cell/codemode"
	"github.com/berth-dev/berth/cell/internal/strict"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

const (
	defaultYield  = 10_000          // milliseconds
	maxYield      = 10 * 60_000     // milliseconds; longer ones are cut to it
	defaultTokens = 10_000          // of output
	stopGrace     = 5 * time.Second // for what is to be done after a cancel
	startRetries  = 2               // hosts tried for one exec
)

// execArgs are the arguments of exec.
type execArgs struct {
	Source *string `json:"source"`
	Yield  *int64  `json:"yield_time_ms"`
	Tokens *int64  `json:"max_output_tokens"`
}

// waitArgs are the arguments of wait.
type waitArgs struct {
	Cell      string `json:"cell_id"`
	Yield     *int64 `json:"yield_time_ms"`
	Tokens    *int64 `json:"max_output_tokens"`
	Terminate bool   `json:"terminate"`
}

func (s *session) execTool(description string) *mcp.Tool {
	open := true
	return &mcp.Tool{Name: "exec", Title: "Run a program", Description: description,
		Annotations: &mcp.ToolAnnotations{OpenWorldHint: &open},
		InputSchema: jsontext.Value(`{"type":"object","additionalProperties":false,"required":["source"],"properties":{` +
			`"source":{"type":"string","description":"the program: one ES module"},` +
			`"yield_time_ms":{"type":"integer","minimum":0,"description":"milliseconds before a running program yields; default 10000"},` +
			`"max_output_tokens":{"type":"integer","minimum":0,"description":"budget for text; default 10000"}}}`)}
}

func waitTool() *mcp.Tool {
	open := true
	return &mcp.Tool{Name: "wait", Title: "Wait for a program", Description: waitText,
		Annotations: &mcp.ToolAnnotations{OpenWorldHint: &open},
		InputSchema: jsontext.Value(`{"type":"object","additionalProperties":false,"required":["cell_id"],"properties":{` +
			`"cell_id":{"type":"string","description":"the ID that exec told"},` +
			`"yield_time_ms":{"type":"integer","minimum":0,"description":"milliseconds to wait for the end; default 10000"},` +
			`"max_output_tokens":{"type":"integer","minimum":0,"description":"budget for text; default 10000"},` +
			`"terminate":{"type":"boolean","description":"end the program now"}}}`)}
}

// bounded returns v, or def if there is none; it is no error to ask for more
// than max.
func bounded(v *int64, def, max uint64) (uint64, error) {
	switch {
	case v == nil:
		return def, nil
	case *v < 0:
		return 0, errors.New("a number is negative")
	}
	return min(uint64(*v), max), nil
}

// exec is the tool. What is wrong with its arguments or its program is a result
// that says so, for the model to read.
func (s *session) exec(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	var args execArgs
	if err := decodeStrict(req.Params.Arguments, &args); err != nil {
		return failed("exec: %v", err), nil
	}
	if args.Source == nil {
		return failed(`exec: no "source", the program to run`), nil
	}
	yield, err1 := bounded(args.Yield, defaultYield, maxYield)
	tokens, err2 := bounded(args.Tokens, defaultTokens, 1<<31-1)
	if err := errors.Join(err1, err2); err != nil {
		return failed("exec: %v", err), nil
	}
	c, err := s.roster.get(ctx, patience)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	for i, t := range c.set.Tools() {
		s.tools[c.set.Definitions()[i].ToolName.Name] = t
	}
	s.mu.Unlock()
	r := s.begin(ctx, req)
	defer s.end(r)
	budget := int32(tokens)
	return s.execute(ctx, r, &codemode.WireExecuteRequest{ToolCallID: "exec", EnabledTools: c.set.Definitions(),
		Source: *args.Source, YieldTimeMs: &yield, MaxOutputTokens: &budget}), nil
}

// execute starts a cell and returns what its first observer saw.
func (s *session) execute(ctx context.Context, r *request, program *codemode.WireExecuteRequest) *mcp.CallToolResult {
	begun := time.Now()
	b, cell, err := s.start(ctx, program)
	if err != nil {
		return failed("exec: %v", err)
	}
	name := b.cellName(cell.ID())
	s.observing(r, name)
	seen, err := cell.Initial(ctx)
	if ctx.Err() != nil && err != nil {
		// Nobody will ask for the cell: its id was not told. Spec: codemode §13.
		stop, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopGrace)
		defer cancel()
		_, _ = cell.Terminate(stop)
		b.takeNotes(cell.ID())
		return failed("exec: %v", ctx.Err())
	}
	if err != nil {
		return failed("exec: %v", b.host.Death(err))
	}
	return render(seen, name, time.Since(begun), b.takeNotes(cell.ID()))
}

// start starts a cell, at another host if the one there is can't.
func (s *session) start(ctx context.Context, program *codemode.WireExecuteRequest) (*binding, *codemode.Cell, error) {
	for try := 1; ; try++ {
		b, err := s.bind(ctx)
		if err != nil {
			return nil, nil, err
		}
		cell, err := b.session.Execute(ctx, program)
		if err == nil {
			return b, cell, nil
		}
		switch code := codemode.CodeOf(err); {
		case try == startRetries:
			return nil, nil, b.host.Death(err)
		case code == codemode.CodeOverloaded:
			b.host.Retire()
			s.unbind(b)
		case code == codemode.CodeClosed:
			// It died before the program began; bind sees that.
		default:
			return nil, nil, err
		}
	}
}

// wait is the tool.
func (s *session) wait(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	var args waitArgs
	if err := decodeStrict(req.Params.Arguments, &args); err != nil {
		return failed("wait: %v", err), nil
	}
	yield, err1 := bounded(args.Yield, defaultYield, maxYield)
	tokens, err2 := bounded(args.Tokens, defaultTokens, 1<<31-1)
	if err := errors.Join(err1, err2); err != nil {
		return failed("wait: %v", err), nil
	}
	s.mu.Lock()
	b := s.bound
	s.mu.Unlock()
	if b == nil {
		return failed("%s", codemode.CellNotFoundText(codemode.WireCellID(args.Cell))), nil
	}
	id, err := b.cellID(args.Cell)
	if err != nil {
		return failed("%v", err), nil
	}
	r := s.begin(ctx, req)
	defer s.end(r)
	s.observing(r, args.Cell)
	begun := time.Now()
	var seen *codemode.WireWaitOutcome
	if args.Terminate {
		seen, err = b.session.Terminate(ctx, &codemode.SessionTerminate{CellID: id, MaxOutputTokens: &tokens})
	} else {
		seen, err = b.session.Wait(ctx, &codemode.SessionWait{MaxOutputTokens: &tokens,
			Request: codemode.WireWaitRequest{CellID: id, YieldTimeMs: yield}})
	}
	if err != nil {
		return failed("wait: %v", b.host.Death(err)), nil
	}
	return render(&seen.Response, args.Cell, time.Since(begun), b.takeNotes(id)), nil
}

// decodeStrict decodes arguments; a name that is not known is an error that
// tells the model which one.
func decodeStrict(raw []byte, into any) error {
	if len(raw) == 0 {
		raw = []byte("{}")
	}
	return strict.Unmarshal(raw, into, "argument")
}
