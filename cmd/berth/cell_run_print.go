package main

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"unicode"

	"github.com/berth-dev/berth/cell/toolset"
)

// eventPrinter prints what a program puts out, in one of two ways. It is used
// by one goroutine at a time.
type eventPrinter struct {
	out      io.Writer
	err      io.Writer
	terminal bool // out is one, and must be kept safe from what it would obey
}

// text prints an event for people: texts on standard output, a line each at
// least, and what happens beside them on standard error.
func (p *eventPrinter) text(e toolset.Event) (err error) {
	switch {
	case e.Kind == toolset.EventText:
		text := e.Text
		if p.terminal {
			text = visible(text)
		}
		if !strings.HasSuffix(text, "\n") {
			text += "\n"
		}
		_, err = io.WriteString(p.out, text)
	case e.Kind == toolset.EventNotification:
		_, err = fmt.Fprintf(p.err, "notify: %s\n", visible(e.Text))
	case e.Path != "":
		_, err = fmt.Fprintf(p.err, "%s: %s\n", e.Kind, e.Path)
	default:
		_, err = fmt.Fprintf(p.err, "%s: %s\n", e.Kind, visible(e.URL))
	}
	return err
}

// eventLine is a line of `berth cell run --json`: an event of the program.
type eventLine struct {
	Schema int `json:"schema"` // 1
	toolset.Event
}

// json prints an event for scripts.
func (p *eventPrinter) json(e toolset.Event) error {
	return p.line(eventLine{1, e})
}

// endLine is the last line of `berth cell run --json`.
type endLine struct {
	Schema int    `json:"schema"` // 1
	Event  string `json:"event"`  // end
	Status string `json:"status"` // completed, failed, terminated; or error: it could not be run
	Error  string `json:"error,omitempty"`
	WallMS int64  `json:"wall_ms"`
}

// end prints how the program ended, or why it could not be run.
func (p *eventPrinter) end(o toolset.Outcome, err error) error {
	line := endLine{1, "end", string(o.Status), o.Error, o.Wall.Milliseconds()}
	if err != nil {
		line.Status, line.Error = "error", err.Error()
	}
	return p.line(line)
}

// line writes a value and a newline in one call.
func (p *eventPrinter) line(v any) error {
	encoder := json.NewEncoder(p.out)
	encoder.SetEscapeHTML(false)
	return encoder.Encode(v)
}

// visible shows control characters, by which a program could make a terminal do
// things, as the symbols that stand for them.
func visible(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t':
			return r
		case r < 0x20:
			return '\u2400' + r
		case unicode.IsControl(r):
			return unicode.ReplacementChar
		}
		return r
	}, text)
}
