package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"strings"
	"sync"

	"github.com/spf13/cobra"
)

// run is the whole program: it finds the verb, runs it and returns the exit
// code. It may be called any number of times in one process.
func run(ctx context.Context, env *Env) int {
	args := dispatch(env.Args)
	own, out := *env, &notedWriter{WriteCloser: env.Stdout}
	own.Stdout = out
	root := newRoot(&own)
	root.SetArgs(args)
	started := false
	onRun(root, func() { started = true })
	cmd, err := root.ExecuteContextC(ctx)
	lost := out.lost()
	switch {
	case lost != nil && (err == nil || !started): // cobra drops it, of help for instance
		err = fmt.Errorf("write standard output: %w", lost)
	case err != nil && !started:
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
		Example: "  echo 'text(6 * 7)' | berth cell run -",
		Version: thisVersion().Version,
	},
		cellCommand(env),
		mcpCommand(env),
		demoMCPCommand(env),
		versionCommand(env),
		completionCommand(env),
	)
	root.SetVersionTemplate("berth {{.Version}}\n")
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
			c.Run, c.RunE = nil, showHelp
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
		return unknownVerb(c, args[0])
	}
	c.AddCommand(verbs...)
	return c
}

// unknownVerb is the error for a verb that c does not have, with the likeliest
// one that it, or a command below it, has.
func unknownVerb(c *cobra.Command, name string) error {
	hint := "run '" + c.CommandPath() + " --help' for the commands there are"
	if near := c.SuggestionsFor(name); len(near) > 0 {
		hint = "did you mean '" + c.CommandPath() + " " + near[0] + "'?"
	} else if below := below(c, name); below != nil {
		hint = "did you mean '" + below.CommandPath() + "'?"
	}
	return usage(hint, "unknown command %q for %q", name, c.CommandPath())
}

// below returns the command of that name somewhere below c, or nil.
func below(c *cobra.Command, name string) *cobra.Command {
	for _, child := range c.Commands() {
		if child.Name() == name {
			return child
		}
		if found := below(child, name); found != nil {
			return found
		}
	}
	return nil
}

// showHelp shows the help of the command that args name.
func showHelp(c *cobra.Command, args []string) error {
	found, rest, err := c.Root().Find(args)
	switch {
	case err != nil:
		return wrongUsage(c, err)
	case len(rest) > 0:
		return unknownVerb(found, rest[0])
	}
	found.InitDefaultHelpFlag()
	found.InitDefaultVersionFlag()
	return found.Help()
}

// notedWriter remembers the first error of the writer in it. It is as safe for
// concurrent use as that one.
type notedWriter struct {
	io.WriteCloser
	mu  sync.Mutex
	err error // guarded by mu
}

func (w *notedWriter) Write(p []byte) (int, error) {
	n, err := w.WriteCloser.Write(p)
	if err != nil {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.err = cmp.Or(w.err, err)
	}
	return n, err
}

func (w *notedWriter) lost() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.err
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
