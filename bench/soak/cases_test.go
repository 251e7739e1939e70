//go:build soak

package soak_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/berth-dev/berth/cell/codemode"
)

// useCase is something that a user does with one cell, and what must come of it.
type useCase struct {
	source string
	yield  uint64 // milliseconds
	check  func(ctx context.Context, c *codemode.Cell) error
}

// run starts the cell, checks what comes of it and waits for its end.
func (u useCase) run(ctx context.Context, s *codemode.Session) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	cell, err := start(ctx, s, u.source, u.yield)
	if err != nil {
		return err
	}
	return errors.Join(u.check(ctx, cell), awaitClosed(ctx, cell))
}

func cases() []useCase {
	return []useCase{
		{"text(6 * 7);", 10_000, wantText("42", "")},
		{"text((await tools.echo({n: 3})).n);", 10_000, wantText("3", "")},
		{"const all = await Promise.all(Array.from({length: 100}, (_, n) => tools.echo({n}))); text(all.reduce((a, b) => a + b.n, 0));",
			10_000, wantText("4950", "")},
		{"store('k', (load('k') ?? []).slice(-50).concat(['x'.repeat(1000)])); text(load('k').at(-1).length);", 10_000, wantText("1000", "")},
		{"await new Promise((done) => setTimeout(done, 5)); text('late');", 10_000, wantText("late", "")},
		{"throw new TypeError('no');", 10_000, wantText("", "TypeError: no")},
		{"for (const hoard = [];;) hoard.push('x'.repeat(1 << 20) + hoard.length);", 10_000, wantText("", "RangeError: cell memory limit")},
		{"(function f() { f(); })();", 10_000, wantText("", "RangeError: Maximum call stack size exceeded")},
		{"text('x'.repeat(1 << 20));", 10_000, wantText(strings.Repeat("x", 1<<20), "")},
		{"text(JSON.stringify(Array.from({length: 1e5}, (_, n) => ({n}))).length);", 30_000, wantText("1188891", "")},
		{"notify('soaked'); text('notified');", 10_000, wantText("notified", "")},
		{"text('a'); yield_control(); text('b'); yield_control(); text('c');", 10_000, wantText("abc", "")},
		{"text(new Intl.NumberFormat('de').format(1234.5));", 10_000, wantText("1.234,5", "")},
		{"tools.echo({n: 1}); text('left'); exit();", 10_000, wantText("left", "")},
		{"let s = 'x'; for (;;) s += s;", 10_000, wantText("", "RangeError: Invalid string length")},
		{"for (;;) Promise.resolve().then(() => 1);", 10_000, wantText("", "RangeError: cell memory limit")},
		{"eval('['.repeat(1e5) + ']'.repeat(1e5));", 10_000, failed},
		{"for (let n = 0; n < 1e5; n++) setTimeout(() => {}, 1e6); text('timers'); exit();", 10_000, wantText("timers", "")},
		{"try { (function f() { f(); })(); } catch (e) { for (;;) try { (function f() { f(); })(); } catch {} }", 20, terminated},
		{"for (;;) await 0;", 20, terminated},
		{"/(x+x+)+y/.test('x'.repeat(64));", 20, terminated},
		{"Array.prototype.indexOf.call({length: 2 ** 53 - 1}, 1);", 20, terminated},
		{"for (;;) await tools.echo({n: 1});", 20, terminated},
		{"for (;;);", 20, terminated},
		{"await new Promise(() => {});", 20, terminated},
	}
}

// wantText wants the cell to end with one text, or none, and an error text that
// begins as given.
func wantText(text, failed string) func(context.Context, *codemode.Cell) error {
	return func(ctx context.Context, c *codemode.Cell) error {
		var got bytes.Buffer
		r, err := c.Initial(ctx)
		for ; err == nil; r, err = next(ctx, c) {
			for _, item := range r.ContentItems {
				got.WriteString(item.Text)
			}
			if r.State != codemode.Yielded {
				break
			}
		}
		if err != nil {
			return err
		}
		reason := failure(r)
		if r.State != codemode.Result || got.String() != text || !strings.HasPrefix(reason, failed) || reason != "" && failed == "" {
			return fmt.Errorf("state %v, %d bytes %.40q, error text %.80q", r.State, got.Len(), got.String(), reason)
		}
		return nil
	}
}

// next is the next observation of a cell.
func next(ctx context.Context, c *codemode.Cell) (*codemode.WireRuntimeResponse, error) {
	o, err := c.Wait(ctx, 10_000)
	switch {
	case err != nil:
		return nil, err
	case o.Missing:
		return nil, errors.New("the cell is missing")
	}
	return &o.Response, nil
}

// terminated wants the cell to yield, and to stop when told to.
func terminated(ctx context.Context, c *codemode.Cell) error {
	r, err := c.Initial(ctx)
	if err != nil {
		return err
	}
	if r.State != codemode.Yielded {
		return fmt.Errorf("state %v, want yielded", r.State)
	}
	o, err := c.Terminate(ctx)
	if err == nil && o.Response.State != codemode.Terminated {
		err = fmt.Errorf("state %v, want terminated", o.Response.State)
	}
	return err
}

// failed wants the cell to end by itself with an error.
func failed(ctx context.Context, c *codemode.Cell) error {
	r, err := c.Initial(ctx)
	if err == nil && (r.State != codemode.Result || failure(r) == "") {
		err = fmt.Errorf("state %v, error text %q, want a failure", r.State, failure(r))
	}
	return err
}

func failure(r *codemode.WireRuntimeResponse) string {
	if r.ErrorText == nil {
		return ""
	}
	return *r.ErrorText
}
