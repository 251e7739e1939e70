package main

import (
	"github.com/spf13/cobra"
)

func cellCommand(env *Env) *cobra.Command {
	return group(&cobra.Command{
		Use:   "cell",
		Short: "Run JavaScript cells with tools",
		Long: `A cell is one JavaScript program, usually written by a model. It runs in an
isolate of its own and sees the tools it was given, and nothing else.`,
		Example: "  echo 'text(6 * 7)' | berth cell run -",
	},
		cellRunCommand(env),
		cellHostCommand(env),
	)
}
