package cellhost

import (
	"github.com/berth-dev/berth/cell"
	"github.com/berth-dev/berth/cell/codemode"
)

// response converts an observation; tokens is the budget that came with the
// request, nil if none did.
func (s *session) response(o cell.Observation, tokens *int32) codemode.WireRuntimeResponse {
	budget := uint64(defaultTokens)
	if tokens != nil {
		budget = uint64(max(0, *tokens))
	}
	return s.convert(o, budget)
}

func (s *session) outcome(o cell.Observation, tokens *uint64) *codemode.WireWaitOutcome {
	budget := uint64(defaultTokens)
	if tokens != nil {
		budget = *tokens
	}
	return &codemode.WireWaitOutcome{Missing: o.Kind == cell.Missing, Response: s.convert(o, budget)}
}

func (s *session) convert(o cell.Observation, tokens uint64) codemode.WireRuntimeResponse {
	r := codemode.WireRuntimeResponse{CellID: codemode.WireCellID(o.Cell)}
	switch o.Kind {
	case cell.Yielded:
		r.State = codemode.Yielded
	case cell.Terminated:
		r.State = codemode.Terminated
	case cell.Completed, cell.Missing:
		r.State = codemode.Result
		buffered := uint64(o.Buffered)
		r.BufferedNS = &buffered // written in dialects that have it
	}
	if o.Failed {
		r.ErrorText = &o.ErrorText
	}
	items := o.Items
	if s.bounded {
		if o.Failed {
			items = append(items[:len(items):len(items)],
				cell.Item{Kind: cell.Text, Value: "Script error:\n" + o.ErrorText})
		}
		items = truncate(items, tokens)
	}
	r.ContentItems = make([]codemode.WireContentItem, len(items))
	for i, item := range items {
		r.ContentItems[i] = contentItem(item)
	}
	for _, item := range o.Items {
		s.trim.gone(len(item.Value))
	}
	return r
}

func contentItem(item cell.Item) codemode.WireContentItem {
	switch item.Kind {
	case cell.Image:
		return codemode.WireContentItem{Type: codemode.InputImage, URL: item.Value, Detail: detail(item.Detail)}
	case cell.Audio:
		return codemode.WireContentItem{Type: codemode.InputAudio, URL: item.Value}
	default:
		return codemode.WireContentItem{Type: codemode.InputText, Text: item.Value}
	}
}

func detail(name string) codemode.WireImageDetail {
	switch name {
	case "auto":
		return codemode.DetailAuto
	case "low":
		return codemode.DetailLow
	case "original":
		return codemode.DetailOriginal
	default:
		return codemode.DetailHigh // the default (§11.4)
	}
}
