package main

import (
	"github.com/spf13/cobra"
)

func completionCommand(env *Env) *cobra.Command {
	return &cobra.Command{
		Use:   "completion bash|zsh|fish|powershell",
		Short: "Print the completion script of a shell",
		Long: `Print a script that makes a shell complete berth's commands and flags.

Load it once with 'source', or write it to where your shell looks for such scripts.`,
		Args:      cobra.MatchAll(cobra.ExactArgs(1), cobra.OnlyValidArgs),
		ValidArgs: []string{"bash", "zsh", "fish", "powershell"},
		Example:   "  source <(berth completion bash)",
		RunE: func(cmd *cobra.Command, args []string) error {
			root := cmd.Root()
			switch args[0] {
			case "bash":
				return root.GenBashCompletionV2(env.Stdout, true)
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
