package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"strconv"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/rogpeppe/go-internal/testscript"
)

// scriptPatience bounds each of the commands below.
const scriptPatience = 60 * time.Second

// scriptCommands are what the scripts can do beside starting programs.
func scriptCommands() map[string]func(*testscript.TestScript, bool, []string) {
	return map[string]func(*testscript.TestScript, bool, []string){
		"exec-code": execCode,
		"mcp-call":  mcpCall,
	}
}

// execCode is the script command
//
//	exec-code N PROGRAM [ARGUMENT…]
//
// which wants the program to end with exit code N.
func execCode(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exec-code N PROGRAM [ARGUMENT…]")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	got := 0
	if err := ts.Exec(args[1], args[2:]...); err != nil {
		var exit *exec.ExitError
		if !errors.As(err, &exit) {
			ts.Fatalf("%v", err)
		}
		got = exit.ExitCode()
	}
	if got != want {
		ts.Fatalf("exit code %d, want %d", got, want)
	}
}

// mcpCall is the script command
//
//	mcp-call TOOL ARGUMENTS PROGRAM [ARGUMENT…]
//
// which starts an MCP server, calls one of its tools and prints the result.
func mcpCall(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 3 {
		ts.Fatalf("usage: mcp-call TOOL ARGUMENTS PROGRAM [ARGUMENT…]")
	}
	ctx, cancel := context.WithTimeout(context.Background(), scriptPatience)
	defer cancel()
	result, err := callTool(ctx, scriptProgram(ts, args[2:]), args[0], args[1])
	ts.Check(err)
	_, err = fmt.Fprintf(ts.Stdout(), "%s\n", result)
	ts.Check(err)
}

// scriptProgram is a program in the script's folder and environment.
func scriptProgram(ts *testscript.TestScript, args []string) *exec.Cmd {
	path := args[0]
	for _, dir := range filepath.SplitList(ts.Getenv("PATH")) {
		if found, err := exec.LookPath(filepath.Join(dir, args[0])); err == nil {
			path = found
			break
		}
	}
	cmd := exec.Command(path, args[1:]...)
	cmd.Dir = ts.Getenv("WORK")
	cmd.Env = append(cmd.Environ(), "PATH="+ts.Getenv("PATH"), "HOME="+ts.Getenv("HOME"))
	return cmd
}

// callTool returns the result of one call as JSON.
func callTool(ctx context.Context, server *exec.Cmd, tool, arguments string) (result []byte, err error) {
	client := mcp.NewClient(&mcp.Implementation{Name: "script", Version: "1"}, nil)
	session, err := client.Connect(ctx, &mcp.CommandTransport{Command: server}, nil)
	if err != nil {
		return nil, fmt.Errorf("connect: %w", err)
	}
	defer func() { err = errors.Join(err, session.Close()) }()
	called, err := session.CallTool(ctx, &mcp.CallToolParams{Name: tool, Arguments: json.RawMessage(arguments)})
	if err != nil {
		return nil, fmt.Errorf("call %s: %w", tool, err)
	}
	return json.Marshal(called)
}
