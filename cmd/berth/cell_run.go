package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/net/http/httpguts"

	"github.com/berth-dev/berth/cell/toolset"
)

// maxSource is the most bytes a program may have: one frame of the wire less
// room for its tools.
const maxSource = 32 << 20

// runFlags are the flags of `berth cell run` as they were typed.
type runFlags struct {
	mcp, mcpURL, mcpHeader     []string
	tools, store, out          string
	cellMemory                 size
	timeout                    time.Duration
	noSandbox, verbose, asJSON bool
}

func cellRunCommand(env *Env) *cobra.Command {
	var f runFlags
	cmd := &cobra.Command{
		Use:   "run FILE",
		Short: "Run a JavaScript program with tools",
		Long: `Run a JavaScript program with tools, in a sandboxed process of its own. FILE is an
ECMAScript module, or - for standard input; docs/cells.md says what it may do.

What the program passes to text() is printed as it comes. Its tools are those of
MCP servers (--mcp, --mcp-url) and commands (--tools). Each tool is an async
function: await tools.NAME({...}). Give a server a name, as in
--mcp 'files: COMMAND', and its tools are called tools.files__NAME. A server on
this machine that is given by URL gets the token in $BERTH_MCP_TOKEN.

The file for --tools is a JSON object of commands by tool name. A command gets
the call's argument as JSON on standard input and prints its result as JSON.`,
		Args: oneProgram,
		Example: `  echo 'text((await tools.clock({})).structuredContent.time)' | berth cell run - --mcp 'berth demo-mcp'
  berth cell run report.js --tools tools.json --store report.store`,
		RunE: func(cmd *cobra.Command, args []string) error {
			opts, err := f.options(cmd.Context(), env, args[0])
			if err != nil {
				return f.notRun(env, err)
			}
			return runProgram(cmd.Context(), env, opts, f)
		},
	}
	flags := cmd.Flags()
	flags.StringArrayVar(&f.mcp, "mcp", nil, "start this MCP `command` and use its tools; may be repeated")
	flags.StringArrayVar(&f.mcpURL, "mcp-url", nil, "use the tools of the MCP server at this `url`; may be repeated")
	flags.StringArrayVar(&f.mcpHeader, "mcp-header", nil, "send this `header`, as in 'Name: value', to each --mcp-url; may be repeated")
	flags.StringVar(&f.tools, "tools", "", "use the commands in this JSON `file` as tools")
	flags.StringVar(&f.store, "store", "", "keep what the program stores in this `file`")
	flags.StringVar(&f.out, "out", "", "write images to this `folder` (default the current one)")
	flags.DurationVar(&f.timeout, "timeout", 0, "terminate the program after this `time`, such as 30s; 0 is never")
	flags.Lookup("timeout").DefValue = ""
	flags.Var(&f.cellMemory, "cell-memory", "memory of the program (default 1GiB)")
	flags.Lookup("cell-memory").DefValue = ""
	flags.BoolVar(&f.noSandbox, "no-sandbox", false, "run the program without the sandbox of its process")
	flags.BoolVarP(&f.verbose, "verbose", "v", false, "show what MCP servers print on standard error")
	flags.BoolVar(&f.asJSON, "json", false, "print one JSON object per line")
	return cmd
}

// options checks the flags, reads the files and makes of both what the cell
// wing wants.
func (f *runFlags) options(ctx context.Context, env *Env, file string) (toolset.Options, error) {
	opts := toolset.Options{Store: f.store, Images: f.out, Version: thisVersion().Version, HostArgs: f.hostArgs()}
	opts.Waiting = func() { fmt.Fprintf(env.Stderr, "waiting for another run that holds %s\n", f.store) }
	if f.verbose {
		opts.Stderr = env.Stderr
	}
	opts.Slow = func(server string) { fmt.Fprintf(env.Stderr, "waiting for MCP server %q to start\n", server) }
	if err := enough("cell-memory", f.cellMemory, 1); err != nil {
		return opts, err
	}
	if f.timeout < 0 {
		return opts, usage("", "--timeout %v: want 0 or more", f.timeout)
	}
	for _, value := range f.mcp {
		server, err := toolset.ParseServer(value, false)
		if err != nil {
			return opts, usage("want a command line, such as --mcp 'berth demo-mcp'", "--mcp: %v", err)
		}
		opts.Servers = append(opts.Servers, server)
	}
	headers, err := f.headers()
	if err != nil {
		return opts, err
	}
	for _, value := range f.mcpURL {
		server, err := toolset.ParseServer(value, true)
		if err != nil {
			return opts, usage("want a URL, such as --mcp-url http://127.0.0.1:3001/mcp", "--mcp-url: %v", err)
		}
		server.Headers = withToken(env, server.URL, headers)
		opts.Servers = append(opts.Servers, server)
	}
	if f.tools != "" {
		if opts.Tools, err = toolset.LoadCommands(f.tools); err != nil {
			return opts, err
		}
	}
	opts.Source, err = readProgram(ctx, env, file)
	return opts, err
}

// oneProgram wants one argument.
func oneProgram(_ *cobra.Command, args []string) error {
	switch len(args) {
	case 0:
		return errors.New("FILE is missing: want a program's file, or - for standard input")
	case 1:
		return nil
	}
	return fmt.Errorf("want one FILE, got %d: %q; quote a value that has blanks", len(args), args)
}

// notRun says that there is no program to run. It prints the last line of --json,
// unless the command line itself is wrong.
func (f *runFlags) notRun(env *Env, err error) error {
	known, ok := errors.AsType[*failure](err)
	if !f.asJSON || ok && known.code == exitUsage {
		return err
	}
	printer := eventPrinter{out: env.Stdout}
	if _, ok := errors.AsType[interruption](err); ok {
		return errors.Join(err, printer.end(toolset.Outcome{Status: toolset.Terminated}, nil))
	}
	return errors.Join(err, printer.end(toolset.Outcome{}, err))
}

// headers reads --mcp-header. What is wrong is said without the value, which is
// often secret.
func (f *runFlags) headers() (map[string]string, error) {
	const hint = "want --mcp-header 'Authorization: Bearer …' beside --mcp-url"
	if len(f.mcpHeader) > 0 && len(f.mcpURL) == 0 {
		return nil, usage(hint, "--mcp-header is for --mcp-url")
	}
	headers := map[string]string{}
	for i, h := range f.mcpHeader {
		name, value, ok := strings.Cut(h, ":")
		name, value = strings.TrimSpace(name), strings.TrimSpace(value)
		if !ok || !httpguts.ValidHeaderFieldName(name) || !httpguts.ValidHeaderFieldValue(value) {
			return nil, usage(hint, "--mcp-header %d of %d: not a header", i+1, len(f.mcpHeader))
		}
		headers[http.CanonicalHeaderKey(name)] = value
	}
	return headers, nil
}

// withToken adds the token of $BERTH_MCP_TOKEN, by which `berth mcp --http` knows
// its clients, for a server on this machine that no other header is given for.
func withToken(env *Env, endpoint string, headers map[string]string) map[string]string {
	token, ok := env.LookupEnv(mcpTokenVariable)
	u, err := url.Parse(endpoint)
	if _, given := headers["Authorization"]; given || !ok || token == "" || err != nil || u.User != nil {
		return headers
	}
	if ip := net.ParseIP(u.Hostname()); u.Hostname() != "localhost" && (ip == nil || !ip.IsLoopback()) {
		return headers
	}
	headers = maps.Clone(headers)
	headers["Authorization"] = "Bearer " + token
	return headers
}

func (f *runFlags) hostArgs() []string {
	args := []string{"cell", "host", "--log-level", "warn"}
	if f.noSandbox {
		args = append(args, "--no-sandbox")
	}
	if f.cellMemory != 0 {
		args = append(args, "--cell-memory", f.cellMemory.String())
	}
	return args
}

// readProgram reads a file, or standard input if its name is a hyphen, until
// ctx ends. Of an input that an interruption cut off, nothing is run.
func readProgram(ctx context.Context, env *Env, file string) (string, error) {
	if file != "-" {
		opened, err := os.Open(file)
		if err != nil {
			if e, ok := errors.AsType[*os.PathError](err); ok {
				err = e.Err
			}
			return "", fmt.Errorf("program %q: %w", file, err)
		}
		defer func() { _ = opened.Close() }()
		return readBounded(opened)
	}
	type input struct {
		source string
		err    error
	}
	read := make(chan input, 1)
	go func() { // ends with the input, or with the process, which an interruption ends
		source, err := readBounded(env.Stdin)
		read <- input{source, err}
	}()
	select {
	case <-ctx.Done():
		return "", context.Cause(ctx)
	case in := <-read:
		return in.source, cmp.Or(env.interrupted(ctx), in.err)
	}
}

func readBounded(in io.Reader) (string, error) {
	source, err := io.ReadAll(io.LimitReader(in, maxSource+1))
	if err != nil {
		return "", fmt.Errorf("read program: %w", err)
	}
	if len(source) > maxSource {
		return "", fmt.Errorf("read program: more than %d bytes", maxSource)
	}
	return string(source), nil
}

// runProgram runs a program, prints what it puts out and says how it ended.
func runProgram(ctx context.Context, env *Env, opts toolset.Options, f runFlags) error {
	printer := eventPrinter{out: env.Stdout, err: env.Stderr, terminal: env.Terminal}
	emit := printer.text
	if f.asJSON {
		emit = printer.json
	}
	run := ctx
	if f.timeout > 0 {
		timed, cancel := context.WithTimeout(ctx, f.timeout)
		defer cancel()
		run = timed
	}
	outcome, err := env.CellRun(run, opts, emit)
	if run.Err() != nil && errors.Is(err, run.Err()) { // before it had begun
		outcome, err = toolset.Outcome{Status: toolset.Terminated}, nil
	}
	if err == nil && outcome.Status == toolset.Terminated && ctx.Err() == nil {
		outcome.Error = fmt.Sprintf("the program took more than %v", f.timeout)
	}
	if f.asJSON {
		err = errors.Join(err, printer.end(outcome, err))
	}
	if _, ok := errors.AsType[*toolset.CollisionError](err); ok {
		err = hinted(err, "name a server, as in --mcp 'NAME: COMMAND', and its tools are called tools.NAME__TOOL")
	}
	switch {
	case err != nil:
		return err
	case outcome.Status == toolset.Terminated && ctx.Err() != nil:
		return context.Cause(ctx)
	case outcome.Status == toolset.Terminated:
		return errors.New(outcome.Error)
	case outcome.Status == toolset.Failed:
		return errors.New(visible(outcome.Error))
	}
	return nil
}
