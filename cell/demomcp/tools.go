package demomcp

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

type clockOut struct {
	Time string `json:"time" jsonschema:"the time in UTC, RFC 3339"`
	Unix int64  `json:"unix" jsonschema:"seconds since 1970"`
}

func addClock(s *mcp.Server, now func() time.Time) {
	mcp.AddTool(s, &mcp.Tool{Name: "clock", Description: "Tells the time.", Annotations: readOnly("Clock")},
		func(context.Context, *mcp.CallToolRequest, struct{}) (*mcp.CallToolResult, clockOut, error) {
			t := now().UTC()
			return nil, clockOut{t.Format(time.RFC3339), t.Unix()}, nil
		})
}

const (
	maxSteps  = 1000
	maxStepMS = 60_000
)

type slowArgs struct {
	Steps  int `json:"steps" jsonschema:"how many steps to take, 1 to 1000"`
	StepMS int `json:"step_ms,omitempty" jsonschema:"milliseconds a step takes, up to 60000; default 100"`
}

type slowOut struct {
	Steps int `json:"steps"`
}

func addSlow(s *mcp.Server) {
	mcp.AddTool(s, &mcp.Tool{Name: "slow", Description: "Takes its time, and reports progress after each step.", Annotations: readOnly("Slow")},
		func(ctx context.Context, req *mcp.CallToolRequest, in slowArgs) (*mcp.CallToolResult, slowOut, error) {
			if in.StepMS == 0 {
				in.StepMS = 100
			}
			if in.Steps < 1 || in.Steps > maxSteps || in.StepMS < 0 || in.StepMS > maxStepMS {
				return nil, slowOut{}, fmt.Errorf("slow: %d steps of %d ms, want 1 to %d of up to %d", in.Steps, in.StepMS, maxSteps, maxStepMS)
			}
			return nil, slowOut{in.Steps}, slow(ctx, req, in)
		})
}

func slow(ctx context.Context, req *mcp.CallToolRequest, in slowArgs) error {
	tick := time.NewTicker(time.Duration(in.StepMS) * time.Millisecond)
	defer tick.Stop()
	token := req.Params.GetProgressToken()
	for i := 1; i <= in.Steps; i++ {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-tick.C:
		}
		if token == nil {
			continue
		}
		err := req.Session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{ProgressToken: token,
			Progress: float64(i), Total: float64(in.Steps), Message: fmt.Sprintf("step %d of %d", i, in.Steps)})
		if err != nil {
			return fmt.Errorf("report progress: %w", err)
		}
	}
	return nil
}

const imageSide = 32 // pixels

func addImage(s *mcp.Server) {
	mcp.AddTool(s, &mcp.Tool{Name: "image", Description: "Draws a small picture of the sea at dawn, as PNG.", Annotations: readOnly("Image")},
		func(context.Context, *mcp.CallToolRequest, struct{}) (*mcp.CallToolResult, any, error) {
			data, err := drawing()
			if err != nil {
				return nil, nil, err
			}
			return &mcp.CallToolResult{Content: []mcp.Content{
				&mcp.ImageContent{Data: data, MIMEType: "image/png"},
				&mcp.TextContent{Text: fmt.Sprintf("%d×%d pixels, %d bytes", imageSide, imageSide, len(data))},
			}}, nil, nil
		})
}

// drawing is the same bytes every time.
func drawing() ([]byte, error) {
	m := image.NewRGBA(image.Rect(0, 0, imageSide, imageSide))
	for y := range imageSide {
		for x := range imageSide {
			c := color.RGBA{255, uint8(120 + 3*y), uint8(60 + 2*x), 255} // sky
			if y > imageSide/2 {
				c = color.RGBA{10, uint8(40 + 2*y), uint8(100 + (x^y)%32), 255} // water
			}
			m.SetRGBA(x, y, c)
		}
	}
	var b bytes.Buffer
	if err := png.Encode(&b, m); err != nil {
		return nil, fmt.Errorf("encode image: %w", err)
	}
	return b.Bytes(), nil
}

type failArgs struct {
	Message string `json:"message,omitempty" jsonschema:"what to say; default: this tool always fails"`
}

func addFail(s *mcp.Server) {
	mcp.AddTool(s, &mcp.Tool{Name: "fail", Description: "Always fails.", Annotations: readOnly("Fail")},
		func(_ context.Context, _ *mcp.CallToolRequest, in failArgs) (*mcp.CallToolResult, any, error) {
			if in.Message == "" {
				in.Message = "this tool always fails"
			}
			return nil, nil, errors.New(in.Message)
		})
}
