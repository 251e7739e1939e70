package toolset

import (
	"context"
	"errors"

	"github.com/berth-dev/berth/cell/codemode"
)

// delegate answers the calls of a run's session: the program's with the set,
// those of our own cells, one at a time, with keeper. A call's name tells which
// it is: the program's catalogue has no tool with this namespace.
type delegate struct {
	run    *run
	set    *Set
	keeper func(context.Context, codemode.RawJSON) (codemode.RawJSON, error)
}

const keeperNamespace = "berth"

func (d *delegate) InvokeTool(ctx context.Context, call *codemode.WireNestedToolCall) (codemode.RawJSON, error) {
	if ns := call.ToolName.Namespace; ns != nil && *ns == keeperNamespace {
		return d.keeper(ctx, call.Input)
	}
	return d.set.InvokeTool(ctx, call)
}

func (d *delegate) Notify(_ context.Context, n *codemode.NotificationSend) error {
	return d.run.out(Event{Kind: EventNotification, Text: n.Text})
}

// internal returns a runner of our own cells in the session. They take their
// time: there may be 256 MiB to carry.
func (d *delegate) internal(session *codemode.Session) cellRunner {
	namespace := keeperNamespace
	return func(ctx context.Context, source string, tool func(context.Context, codemode.RawJSON) (codemode.RawJSON, error)) error {
		d.keeper = tool
		yield := uint64(1 << 31)
		cell, err := session.Execute(ctx, &codemode.WireExecuteRequest{ToolCallID: "keeper", Source: source, YieldTimeMs: &yield,
			EnabledTools: []codemode.WireToolDefinition{{Name: "keeper", Kind: codemode.FunctionTool,
				ToolName: codemode.WireToolName{Name: "keeper", Namespace: &namespace}}}})
		if err != nil {
			return err
		}
		seen, err := cell.Initial(ctx)
		switch {
		case err != nil:
			return err
		case seen.State != codemode.Result:
			return errors.New("the cell did not end")
		case seen.ErrorText != nil:
			return errors.New(*seen.ErrorText)
		}
		return nil
	}
}
