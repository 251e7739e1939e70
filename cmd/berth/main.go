// Command berth is a host for AI agents: one program that keeps agents, the
// code they write, the graphs that coordinate them and the terminals they work
// in alive, and speaks the wire protocols of each.
//
// Each verb has a file of its own here that holds its flags, its help and its
// printing; the work is done by the packages of the wing it belongs to.
package main

import (
	"context"
	"os"
)

func main() {
	ctx, settle, stop := interruptible(context.Background())
	env := osEnv()
	env.Settle = settle
	code := run(ctx, env)
	stop()
	os.Exit(code)
}
