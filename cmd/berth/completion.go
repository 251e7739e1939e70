package main

import (
	"bytes"
	"errors"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

func completionCommand(env *Env) *cobra.Command {
	return &cobra.Command{
		Use:   "completion bash|zsh|fish|powershell",
		Short: "Print the completion script of a shell",
		Long: `Print a script that makes a shell complete berth's commands and flags.

Load it once with 'source', or write it to where your shell looks for such scripts.
The one for bash wants nothing else; with the bash-completion package it also
completes after quoted blanks.`,
		Args:      oneShell,
		ValidArgs: []string{"bash", "zsh", "fish", "powershell"},
		Example:   "  source <(berth completion bash)",
		RunE: func(cmd *cobra.Command, args []string) error {
			root := cmd.Root()
			switch args[0] {
			case "bash":
				return bashCompletion(root, env.Stdout)
			case "zsh":
				return root.GenZshCompletion(env.Stdout)
			case "fish":
				return root.GenFishCompletion(env.Stdout, true)
			default:
				return root.GenPowerShellCompletionWithDesc(env.Stdout)
			}
		},
	}
}

// oneShell wants one of the shells that there are scripts for.
func oneShell(cmd *cobra.Command, args []string) error {
	const want = "want a shell: bash, zsh, fish or powershell"
	switch {
	case len(args) != 1:
		return errors.New(want)
	case !slices.Contains(cmd.ValidArgs, args[0]):
		return usage("run 'berth completion --help'", "unknown shell %q: %s", args[0], want)
	}
	return nil
}

const (
	// bashWords is the one line of cobra's script that needs the package
	// bash-completion, which many machines lack.
	bashWords = `    _get_comp_words_by_ref "$@" cur prev words cword` + "\n"
	// bashOwnWords takes for words what blanks separate if the package is missing.
	bashOwnWords = `    if declare -F _get_comp_words_by_ref >/dev/null 2>&1; then
        _get_comp_words_by_ref "$@" cur prev words cword
        return
    fi
    local line=${COMP_LINE:0:COMP_POINT}
    read -ra words <<<"$line"
    if [[ $line == *[[:space:]] ]]; then words+=(""); fi
    cword=$((${#words[@]} - 1))
    cur=${words[cword]}
    prev=${words[cword > 0 ? cword - 1 : 0]}
`
)

// bashCompletion prints cobra's script, made to work in a bash without packages.
func bashCompletion(root *cobra.Command, w io.Writer) error {
	var script bytes.Buffer
	if err := root.GenBashCompletionV2(&script, true); err != nil {
		return err
	}
	_, err := io.WriteString(w, strings.Replace(script.String(), bashWords, bashOwnWords, 1))
	return err
}
