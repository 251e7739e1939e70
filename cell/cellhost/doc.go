// Package cellhost serves the codemode wire with the engine room of package
// cell: it is what `berth cell host` runs, in place of codex-code-mode-host.
//
//	client ═ codemode.Server ═ service ═ cell.Host ═ js.Engine
//	client ═ codemode.Server ═ front ═╦═ child host      (Workers)
//	                                  ╚═ child host
//
// [Run] serves one connection and returns when it is over; what it returns is
// the process's exit status (nil: 0). [RunWorkers] does the same with sessions
// pinned to child hosts, which it starts, replaces and ends. Limits are those of
// §10.2 unless an option says otherwise; reverse calls are held back and shared
// fairly instead of refused. Which release a client is, is told by its hello
// (§15) and can be fixed by [Options].Dialect.
//
// Nothing is written to the connection but frames. What an operator should know
// goes to Options.Log. Marks such as §8.8 mean docs/contracts/codemode.md.
package cellhost
