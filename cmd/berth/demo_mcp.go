package main

import (
	"cmp"

	"github.com/spf13/cobra"

	"github.com/berth-dev/berth/cell/demomcp"
)

func demoMCPCommand(env *Env) *cobra.Command {
	return &cobra.Command{
		Use:   "demo-mcp",
		Short: "Serve a small MCP server to try things with",
		Long: `Serve a small MCP server on standard input and output: notes, a clock, a slow
tool that reports progress, an image, and a tool that always fails.

It is meant to be started by an MCP client. It keeps everything in memory.`,
		Args:    cobra.NoArgs,
		Example: `  npx @modelcontextprotocol/inspector berth demo-mcp`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			opts := demomcp.Options{Version: thisVersion().Version, Now: env.Now}
			err := demomcp.Run(cmd.Context(), env.Stdin, env.Stdout, opts)
			return cmp.Or(err, env.interrupted(cmd.Context()))
		},
	}
}
