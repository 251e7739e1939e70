package quickjs

import _ "embed"

// The scripts of the environment as bytecode, made of prelude.js and of those of
// package intl: compiling them would take longer than all else that a host does
// before it is ready. Bytecode belongs to one version of the engine, and is the
// same on all systems that berth is built for. TestBytecodeIsCurrent makes it.
var (
	//go:embed bytecode/prelude
	preludeCode []byte
	//go:embed bytecode/intlstub
	intlStubCode []byte
	//go:embed bytecode/intl
	intlCode []byte
)
