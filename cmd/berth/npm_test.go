//go:build npm

package main

import (
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// TestNPMScripts runs berth with what npm brings; `make test` installs it.
func TestNPMScripts(t *testing.T) {
	tools, err := filepath.Abs("../../.tools")
	if err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/npm",
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Cmds:                scriptCommands(),
		Setup:               func(env *testscript.Env) error { env.Setenv("TOOLS", tools); return nil },
	})
}
