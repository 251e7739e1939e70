package cell

import (
	"errors"
	"fmt"
)

// Errors that a caller branches on. Their text, with the id that wraps them, is
// the text that crosses the wire. Spec: codemode §17.
var (
	// ErrHostClosed is returned once Shutdown has begun.
	ErrHostClosed = errors.New("code-mode host is shutting down")
	// ErrSessionClosed is returned once Close of the session has begun.
	ErrSessionClosed = errors.New("code mode session is shutting down")
	// ErrTooManyCells is returned by Execute at Options.MaxCells live cells.
	ErrTooManyCells = errors.New("code-mode host has too many active cells")
	// ErrOverloaded is returned by Execute at Options.MaxDetached isolates that
	// could not be stopped.
	ErrOverloaded = errors.New("code-mode host is overloaded")
	// ErrCellIDs is returned by Execute when the session has used up its ids.
	ErrCellIDs = errors.New("code mode session exhausted its cell ID space")
	// ErrRuntime is what started gets if no isolate could be made.
	ErrRuntime = errors.New("failed to initialize code mode runtime")
	// ErrCancelled is what started gets after Op.Cancel.
	ErrCancelled = errors.New("code-mode request cancelled")
	// ErrUnknownSession is returned for a session that is not open.
	ErrUnknownSession = errors.New("unknown code-mode session")
	// ErrObserved is returned by Wait while another observer is attached.
	ErrObserved = errors.New("already has an active observer")
	// ErrTerminating is returned by Terminate while an earlier one is at work.
	ErrTerminating = errors.New("is already terminating")
	// ErrSessionOpen is returned by Open for an id that is open.
	ErrSessionOpen = errors.New("is already open")
	// ErrSessionReused is returned by Open for an id that was open.
	ErrSessionReused = errors.New("was reused")
)

// Texts that reach a program or its observer.
const (
	textRuntimeLost   = "exec runtime ended unexpectedly"                  // §17
	textInvalidResult = "code-mode client returned an invalid tool result" // §9
	textPanicked      = "code-mode delegate failed"                        // §18: a panicking callback rejects
	textMissing       = "exec cell %s not found"                           // §8.3
	textMemory        = "RangeError: cell memory limit of %d MiB exceeded" // n: the limit that refused
)

func cellError(id string, err error) error { return fmt.Errorf("exec cell %s %w", id, err) }

func sessionError(id string, err error) error {
	return fmt.Errorf("code-mode session ID `%s` %w", id, err)
}
