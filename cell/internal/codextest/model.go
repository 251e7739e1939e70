package codextest

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
)

// maxRequest bounds a request's body in bytes.
const maxRequest = 64 << 20

// Turn is what the model says to one request. It may look at what it was sent,
// and do something to the world, before it answers.
type Turn func(Request) []Item

// Say is a turn that says the same whatever it is sent.
func Say(items ...Item) Turn {
	return func(Request) []Item { return items }
}

// Item is one thing that a model says, in the Responses API's form.
type Item map[string]any

// Exec runs source as a cell, under the given call id.
func Exec(call, source string) Item {
	return Item{"type": "custom_tool_call", "call_id": call, "name": "exec", "input": source}
}

// Wait calls the tool wait with the given arguments.
func Wait(call string, args map[string]any) Item {
	b, err := json.Marshal(args)
	if err != nil {
		panic(fmt.Sprintf("arguments of wait: %v", err)) // a test's own literal
	}
	return Item{"type": "function_call", "call_id": call, "name": "wait", "arguments": string(b)}
}

// Message ends a conversation.
func Message(text string) Item {
	return Item{"type": "message", "role": "assistant", "content": []Item{{"type": "output_text", "text": text}}}
}

// Request is what the client sent to the model for one turn.
type Request struct {
	Input []Input `json:"input"`
	Tools []Tool  `json:"tools"`
}

// Tool is one that the model is offered. The service's own have no name.
type Tool struct {
	Type string `json:"type"`
	Name string `json:"name"`
}

// Input is one item of the conversation, as the client keeps it.
type Input struct {
	Type   string          `json:"type"`
	CallID string          `json:"call_id"`
	Output json.RawMessage `json:"output"`
}

// Content is a part of a tool's output.
type Content struct {
	Type     string `json:"type"`
	Text     string `json:"text"`
	ImageURL string `json:"image_url"`
	Detail   string `json:"detail"`
}

// Outputs returns the outputs for the given call, in order. An output that is a
// plain string is one part of text.
func (r Request) Outputs(call string) ([][]Content, error) {
	var all [][]Content
	for _, in := range r.Input {
		if in.CallID != call || !strings.HasSuffix(in.Type, "_output") {
			continue
		}
		var text string
		var parts []Content
		if err := json.Unmarshal(in.Output, &text); err == nil {
			parts = []Content{{Type: "input_text", Text: text}}
		} else if err := json.Unmarshal(in.Output, &parts); err != nil {
			return nil, fmt.Errorf("output of %q: %w", call, err)
		}
		all = append(all, parts)
	}
	return all, nil
}

// Model is a model that follows a script: an [http.Handler] that speaks the
// Responses API as server-sent events. After its last turn it says "done". It is
// safe for concurrent use; turns are taken one at a time.
type Model struct {
	mu       sync.Mutex // guards the fields below
	turns    []Turn
	requests []Request
	errs     []error
}

// NewModel returns a model that takes the given turns.
func NewModel(turns ...Turn) *Model { return &Model{turns: turns} }

// Requests returns what it was sent, a request for each turn taken, and the
// errors that it met with.
func (m *Model) Requests() ([]Request, []error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return append([]Request(nil), m.requests...), append([]error(nil), m.errs...)
}

// ServeHTTP answers POST …/responses with the next turn and GET …/models with
// an empty list.
func (m *Model) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch {
	case strings.HasSuffix(r.URL.Path, "/models"):
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"models":[]}`)
	case r.Method == http.MethodPost && strings.HasSuffix(r.URL.Path, "/responses"):
		m.respond(w, r)
	default:
		http.NotFound(w, r)
	}
}

func (m *Model) respond(w http.ResponseWriter, r *http.Request) {
	var req Request
	err := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxRequest)).Decode(&req)
	m.mu.Lock()
	defer m.mu.Unlock()
	if err != nil {
		m.errs = append(m.errs, fmt.Errorf("request %d: %w", len(m.requests), err))
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	n := len(m.requests)
	m.requests = append(m.requests, req)
	items := []Item{Message("done")}
	if n < len(m.turns) {
		items = m.turns[n](req)
	}
	if err := writeTurn(w, n, items); err != nil {
		m.errs = append(m.errs, fmt.Errorf("answer %d: %w", n, err))
	}
}

// writeTurn writes the events of a whole response.
func writeTurn(w http.ResponseWriter, n int, items []Item) error {
	id := fmt.Sprintf("resp_%d", n)
	events := []Item{{"type": "response.created", "response": Item{"id": id}}}
	for i, item := range items {
		item["id"] = fmt.Sprintf("item_%d_%d", n, i)
		events = append(events, Item{"type": "response.output_item.done", "output_index": i, "item": item})
	}
	events = append(events, Item{"type": "response.completed", "response": Item{"id": id, "usage": Item{
		"input_tokens": 1, "input_tokens_details": nil,
		"output_tokens": 1, "output_tokens_details": nil, "total_tokens": 2,
	}}})
	w.Header().Set("Content-Type", "text/event-stream")
	for _, e := range events {
		b, err := json.Marshal(e)
		if err != nil {
			return err
		}
		if _, err := fmt.Fprintf(w, "event: %s\ndata: %s\n\n", e["type"], b); err != nil {
			return err
		}
	}
	return nil
}
