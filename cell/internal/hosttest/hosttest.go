// Package hosttest lets a test binary be its own code-mode host and its own MCP
// server: tests of what drives child processes need no other program.
//
//	func TestMain(m *testing.M) {
//		hosttest.Main(nil) // does not return in a child
//		goleak.VerifyTestMain(m)
//	}
package hosttest

import (
	"context"
	"flag"
	"fmt"
	"os"

	"github.com/berth-dev/berth/cell/cellhost"
	"github.com/berth-dev/berth/cell/demomcp"
	"github.com/berth-dev/berth/cell/js/quickjs"
)

// The first argument that makes a test binary something else.
const (
	HostRole = "hosttest-host" // `berth cell host`, as far as its parents care
	DemoRole = "hosttest-demo" // `berth demo-mcp`
)

// Main runs the role that the arguments ask for, and exits; without one it
// returns. Other roles may be given as functions that return an exit status.
func Main(roles map[string]func(args []string) int) {
	if len(os.Args) < 2 {
		return
	}
	switch role := os.Args[1]; role {
	case HostRole:
		os.Exit(host(os.Args[2:]))
	case DemoRole:
		os.Exit(status(demomcp.Run(context.Background(), os.Stdin, os.Stdout, demomcp.Options{})))
	default:
		if run, ok := roles[role]; ok {
			os.Exit(run(os.Args[2:]))
		}
	}
}

func host(args []string) int {
	flags := flag.NewFlagSet(HostRole, flag.ContinueOnError)
	keyList := flags.String("key-list", "", "")
	if err := flags.Parse(args); err != nil {
		return 2
	}
	in, out, err := cellhost.Stdio()
	if err != nil {
		return status(err)
	}
	engine := quickjs.New(quickjs.Options{Spare: 1})
	return status(cellhost.Run(context.Background(), in, out, cellhost.Options{Engine: engine, KeyList: *keyList}))
}

func status(err error) int {
	if err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		return 1
	}
	return 0
}
