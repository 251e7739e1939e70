package demomcp

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

const (
	maxNotes = 1000     // notes; a further one is refused
	maxBody  = 64 << 10 // bytes of a title and of a body
)

type note struct {
	ID    int    `json:"id"`
	Title string `json:"title"`
	Body  string `json:"body"`
}

type noteHead struct {
	ID    int    `json:"id"`
	Title string `json:"title"`
}

// notebook holds notes by id, which count from 1.
type notebook struct {
	mu    sync.Mutex
	notes []note // guarded by mu; index is id-1
}

func newNotebook() *notebook {
	return &notebook{notes: []note{
		{1, "Welcome", "This notebook lives in memory and starts with three notes."},
		{2, "Ideas", "Let one cell read every note, and print only what matters."},
		{3, "Groceries", "Bread, coffee, lemons."},
	}}
}

func (b *notebook) create(title, body string) (note, error) {
	switch {
	case strings.TrimSpace(title) == "":
		return note{}, fmt.Errorf("create note: title is blank")
	case len(title) > maxBody || len(body) > maxBody:
		return note{}, fmt.Errorf("create note: title of %d and body of %d bytes, limit %d each", len(title), len(body), maxBody)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.notes) == maxNotes {
		return note{}, fmt.Errorf("create note: the notebook is full at %d notes", maxNotes)
	}
	n := note{len(b.notes) + 1, title, body}
	b.notes = append(b.notes, n)
	return n, nil
}

func (b *notebook) read(id int) (note, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if id < 1 || id > len(b.notes) {
		return note{}, fmt.Errorf("note %d does not exist", id)
	}
	return b.notes[id-1], nil
}

// search returns the notes that hold query in any case, all for an empty one.
func (b *notebook) search(query string) []note {
	b.mu.Lock()
	defer b.mu.Unlock()
	query = strings.ToLower(query)
	found := []note{}
	for _, n := range b.notes {
		if strings.Contains(strings.ToLower(n.Title+"\n"+n.Body), query) {
			found = append(found, n)
		}
	}
	slices.SortFunc(found, func(a, b note) int { return cmp.Compare(a.ID, b.ID) })
	return found
}

type createArgs struct {
	Title string `json:"title" jsonschema:"what the note is about"`
	Body  string `json:"body,omitempty" jsonschema:"the text of the note"`
}

type readArgs struct {
	ID int `json:"id" jsonschema:"the note's number, from 1"`
}

type searchArgs struct {
	Query string `json:"query" jsonschema:"text to look for, in any case"`
}

type heads struct {
	Notes []noteHead `json:"notes"`
}

type found struct {
	Notes []note `json:"notes"`
}

func addNotes(s *mcp.Server, b *notebook) {
	additive := false
	mcp.AddTool(s, &mcp.Tool{Name: "note_create", Description: "Writes a new note.",
		Annotations: &mcp.ToolAnnotations{Title: "Create a note", DestructiveHint: &additive, OpenWorldHint: &additive}},
		func(_ context.Context, _ *mcp.CallToolRequest, in createArgs) (*mcp.CallToolResult, note, error) {
			n, err := b.create(in.Title, in.Body)
			return nil, n, err
		})
	mcp.AddTool(s, &mcp.Tool{Name: "note_read", Description: "Reads one note.", Annotations: readOnly("Read a note")},
		func(_ context.Context, _ *mcp.CallToolRequest, in readArgs) (*mcp.CallToolResult, note, error) {
			n, err := b.read(in.ID)
			return nil, n, err
		})
	mcp.AddTool(s, &mcp.Tool{Name: "note_list", Description: "Lists all notes without their text.", Annotations: readOnly("List notes")},
		func(context.Context, *mcp.CallToolRequest, struct{}) (*mcp.CallToolResult, heads, error) {
			out := heads{Notes: []noteHead{}}
			for _, n := range b.search("") {
				out.Notes = append(out.Notes, noteHead{n.ID, n.Title})
			}
			return nil, out, nil
		})
	mcp.AddTool(s, &mcp.Tool{Name: "note_search", Description: "Finds notes by a text in their title or body.", Annotations: readOnly("Search notes")},
		func(_ context.Context, _ *mcp.CallToolRequest, in searchArgs) (*mcp.CallToolResult, found, error) {
			return nil, found{b.search(in.Query)}, nil
		})
}
