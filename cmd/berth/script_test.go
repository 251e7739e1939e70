package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"strconv"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/rogpeppe/go-internal/testscript"

	"github.com/berth-dev/berth/cell/codemode"
)

// scriptPatience bounds each of the commands below.
const scriptPatience = 60 * time.Second

// scriptCommands are what the scripts can do beside starting programs.
func scriptCommands() map[string]func(*testscript.TestScript, bool, []string) {
	return map[string]func(*testscript.TestScript, bool, []string){
		"exec-code": execCode,
		"mcp-call":  mcpCall,
		"run-cell":  runCell,
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

// runCell is the script command
//
//	run-cell FILE PROGRAM [ARGUMENT…]
//
// which starts a code-mode host, runs the file as a cell in it, prints the text
// that it put out and the error that it ended with, and wants the host to end
// well, without a word.
func runCell(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: run-cell FILE PROGRAM [ARGUMENT…]")
	}
	ctx, cancel := context.WithTimeout(context.Background(), scriptPatience)
	defer cancel()
	host := scriptProgram(ts, args[1:])
	var said bytes.Buffer
	host.Stderr = &said
	r, err := runSource(ctx, host, ts.ReadFile(args[0]))
	if err != nil {
		ts.Fatalf("%v\n%s", err, said.Bytes())
	}
	if said.Len() > 0 {
		ts.Fatalf("the host said: %s", said.Bytes())
	}
	for _, item := range r.ContentItems {
		fmt.Fprintln(ts.Stdout(), item.Text)
	}
	if r.ErrorText != nil {
		fmt.Fprintln(ts.Stdout(), *r.ErrorText)
	}
}

// runSource has a new host run one cell.
func runSource(ctx context.Context, host *exec.Cmd, source string) (r *codemode.WireRuntimeResponse, err error) {
	stdin, err := host.StdinPipe()
	if err != nil {
		return nil, err
	}
	stdout, err := host.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := host.Start(); err != nil {
		return nil, err
	}
	client, err := codemode.Dial(ctx, pipes{stdin, stdout}, codemode.ClientOptions{})
	if err != nil {
		return nil, errors.Join(err, stdin.Close(), host.Wait())
	}
	defer func() { err = errors.Join(err, client.Close(), host.Wait()) }()
	session, err := client.OpenSession(ctx, &codemode.SessionOpen{SessionID: "script"}, echo{})
	if err != nil {
		return nil, err
	}
	cell, err := session.Execute(ctx, &codemode.WireExecuteRequest{Source: source})
	if err != nil {
		return nil, err
	}
	return cell.Initial(ctx)
}

// pipes joins the ends of a child's standard input and output.
type pipes struct {
	io.WriteCloser
	io.Reader
}

// echo answers each tool call with its input.
type echo struct{}

func (echo) InvokeTool(_ context.Context, call *codemode.WireNestedToolCall) (codemode.RawJSON, error) {
	return call.Input, nil
}
func (echo) Notify(context.Context, *codemode.NotificationSend) error { return nil }
