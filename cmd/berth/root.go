package main

import (
	"context"
	"strings"

	"github.com/spf13/cobra"
)

// run is the whole program: it finds the verb, runs it and returns the exit
// code. It may be called any number of times in one process.
func run(ctx context.Context, env *Env) int {
	args := dispatch(env.Args)
	root := newRoot(env)
	root.SetArgs(args)
	started := false
	onRun(root, func() { started = true })
	cmd, err := root.ExecuteContextC(ctx)
	if err != nil && !started {
		err = wrongUsage(cmd, err)
	}
	return report(ctx, env.Stderr, err)
}

// newRoot builds the tree of verbs.
func newRoot(env *Env) *cobra.Command {
	root := group(&cobra.Command{
		Use:   "berth",
		Short: "A host for AI agents and the code they write",
		Long: `berth is a host for AI agents: it runs the code they write with the tools you
give them, and stands in for the code-mode host of Codex.`,
		Example: "  berth version",
	},
		cellCommand(env),
		mcpCommand(env),
		demoMCPCommand(env),
		versionCommand(env),
		completionCommand(env),
	)
	root.SilenceErrors = true // report prints them
	root.SilenceUsage = true
	root.CompletionOptions.DisableDefaultCmd = true // completionCommand has an example
	root.SetIn(env.Stdin)
	root.SetOut(env.Stdout)
	root.SetErr(env.Stderr)
	root.InitDefaultHelpCmd()
	for _, c := range root.Commands() {
		if c.Name() == "help" {
			c.Short = "Show the help of any command"
			c.Example = "  berth help version"
		}
	}
	return root
}

// group makes c a command that only holds verbs: alone it prints its help, and
// a verb it does not know is wrong usage.
func group(c *cobra.Command, verbs ...*cobra.Command) *cobra.Command {
	c.Args = cobra.ArbitraryArgs
	c.SuggestionsMinimumDistance = 2
	c.RunE = func(c *cobra.Command, args []string) error {
		if len(args) == 0 {
			return c.Help()
		}
		hint := "run '" + c.CommandPath() + " --help' for the commands there are"
		if near := c.SuggestionsFor(args[0]); len(near) > 0 {
			hint = "did you mean '" + c.CommandPath() + " " + near[0] + "'?"
		}
		return usage(hint, "unknown command %q for %q", args[0], c.CommandPath())
	}
	c.AddCommand(verbs...)
	return c
}

// onRun has f called before the work of any verb in the tree begins. Whatever
// fails earlier is wrong usage.
func onRun(c *cobra.Command, f func()) {
	if work := c.RunE; work != nil {
		c.RunE = func(c *cobra.Command, args []string) error {
			f()
			return work(c, args)
		}
	}
	for _, child := range c.Commands() {
		onRun(child, f)
	}
}

// wrongUsage turns what cobra says of a command line into our words.
func wrongUsage(cmd *cobra.Command, err error) error {
	text, _, _ := strings.Cut(err.Error(), "\n")
	return usage("run '"+cmd.CommandPath()+" --help'", "%s", text)
}
