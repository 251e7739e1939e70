// Package cell is the engine room for JavaScript cells: sessions that run
// programs written by a model, observe them while they run, and keep what they
// store. It knows no wire; a Go program can embed it.
//
//	Host      memory, live cells, the window of unanswered calls
//	└ Session stored values, cell ids
//	  └ cell  output, observer, phase (a mutex) · isolate, timers (a goroutine)
//
// A program's calls and notifications go to the [Delegate] of the Host, in call
// order for each cell and with the window shared fairly between cells. Whatever
// JavaScript does, a terminate, a yield deadline and a shutdown are answered at
// once: what an observer sees is guarded by a mutex that JavaScript never holds.
// An isolate that does not stop in time is detached: the cell is closed, the
// isolate's helpers do nothing, and its memory stays charged until it ends.
//
// Every exported type is safe for concurrent use. Callbacks (the Delegate's
// methods, started and observed) run in the Host's goroutines or inside the
// method that caused them; they must not block, and must not call Close or
// Shutdown. Errors are the sentinels in errors.go, wrapped with the cell's or
// session's id. Marks such as §8.3 mean docs/contracts/codemode.md.
package cell
