package main

import (
	"encoding/json"
	"fmt"
	"io"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"
)

// stamped and stampedCommit are set by the linker and never written again:
// -ldflags "-X main.stamped=v1.2.3 -X main.stampedCommit=…".
var stamped, stampedCommit string

// versionInfo is what `berth version --json` prints.
type versionInfo struct {
	Schema   int    `json:"schema"` // 1
	Version  string `json:"version"`
	Commit   string `json:"commit"` // "unknown" outside a checkout
	Go       string `json:"go"`
	Platform string `json:"platform"` // GOOS/GOARCH
}

// thisVersion describes the running program: as the linker stamped it, else as
// the go command recorded it.
func thisVersion() versionInfo {
	v := versionInfo{
		Schema:   1,
		Version:  stamped,
		Commit:   stampedCommit,
		Go:       runtime.Version(),
		Platform: runtime.GOOS + "/" + runtime.GOARCH,
	}
	if info, ok := debug.ReadBuildInfo(); ok {
		if v.Version == "" {
			v.Version = info.Main.Version
		}
		for _, s := range info.Settings {
			if s.Key == "vcs.revision" && v.Commit == "" {
				v.Commit = s.Value
			}
		}
	}
	if v.Version == "" {
		v.Version = "(devel)"
	}
	if v.Commit == "" {
		v.Commit = "unknown"
	}
	return v
}

func versionCommand(env *Env) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:     "version",
		Short:   "Print the version of this program",
		Args:    cobra.NoArgs,
		Example: "  berth version --json",
		RunE: func(*cobra.Command, []string) error {
			return printVersion(env.Stdout, thisVersion(), asJSON)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	return cmd
}

func printVersion(w io.Writer, v versionInfo, asJSON bool) error {
	if asJSON {
		return json.NewEncoder(w).Encode(v)
	}
	_, err := fmt.Fprintf(w, "berth %s\ncommit %s\n%s %s\n", v.Version, v.Commit, v.Go, v.Platform)
	return err
}
