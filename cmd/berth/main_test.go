package main

import (
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// TestMain lets the scripts start this very program under each of its names.
func TestMain(m *testing.M) {
	commands := map[string]func(){"berth": main}
	for _, d := range dropIns() {
		commands[d.name] = main
	}
	testscript.Main(m, commands)
}

// TestScripts runs every verb as a user would.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Cmds:                scriptCommands(),
	})
}
