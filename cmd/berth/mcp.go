package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"net"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/berth-dev/berth/cell/mcpserve"
)

// mcpFlags are the flags of `berth mcp` as they were typed.
type mcpFlags struct {
	config, log, http string
	hosts             []string
	anywhere, asJSON  bool
}

func mcpCommand(env *Env) *cobra.Command {
	var f mcpFlags
	cmd := &cobra.Command{
		Use:   "mcp",
		Short: "Serve MCP servers as two tools, exec and wait",
		Long: `Serve any number of MCP servers as one with two tools: exec runs a JavaScript
program that calls the servers' tools, and wait goes on with one that takes long.
The client's context holds two tools instead of all of theirs.

The servers are those of a file in the familiar shape:

  {"mcpServers": {"files": {"command": "npx", "args": ["-y", "a-server"]}}}

Its default place is $BERTH_HOME/mcp.json. A tool that does not say of itself that
it only reads is run when the user, asked by the client, agrees, or when the
server's entry has it in "allow"; see docs/mcp.md.

With --http it serves many clients over streamable HTTP, for which they need the
token in $BERTH_MCP_TOKEN (16 characters at least), or the one that is made up and
printed.`,
		Args: cobra.NoArgs,
		Example: `  berth mcp --config mcp.json
  berth mcp --http 127.0.0.1:7878`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return serveMCP(cmd.Context(), env, f)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&f.config, "config", "", "`file` that lists the servers (default $BERTH_HOME/mcp.json)")
	flags.StringVar(&f.log, "log", "", "append what the servers print to this `file` (default standard error)")
	flags.StringVar(&f.http, "http", "", "serve HTTP at this `address` instead of standard input and output")
	flags.StringArrayVar(&f.hosts, "http-host", nil, "with --http, serve clients that call this one `name` too; may be repeated")
	flags.BoolVar(&f.anywhere, "http-anywhere", false, "with --http, allow an address that other machines can reach")
	flags.BoolVar(&f.asJSON, "json", false, "with --http, print the URL and the token as one JSON object")
	return cmd
}

func serveMCP(ctx context.Context, env *Env, f mcpFlags) (err error) {
	if f.http == "" && (len(f.hosts) > 0 || f.anywhere || f.asJSON) {
		return usage("run 'berth mcp --help'", "--http-host, --http-anywhere and --json are for --http")
	}
	opts := mcpserve.Options{Version: thisVersion().Version, Log: env.Stderr, HostArgs: []string{"cell", "host", "--log-level", "warn"}}
	if opts.Config, err = loadServers(env, f.config); err != nil {
		return err
	}
	if f.log != "" {
		file, err := os.OpenFile(f.log, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
		if err != nil {
			return fmt.Errorf("open log: %w", err)
		}
		defer func() { err = errors.Join(err, file.Close()) }()
		opts.Log = file
	}
	opts.Logger = slog.New(slog.NewTextHandler(opts.Log, nil))
	if f.http == "" {
		err = env.MCPStdio(ctx, env.Stdin, env.Stdout, opts)
	} else {
		err = serveMCPHTTP(ctx, env, f, opts)
	}
	return cmp.Or(err, env.interrupted(ctx))
}

// loadServers reads the configuration, from its default place if path is empty.
func loadServers(env *Env, path string) (mcpserve.Config, error) {
	hint := "say --config FILE, or write that file:\n" +
		`{"mcpServers": {"demo": {"command": "berth", "args": ["demo-mcp"]}}}`
	if path == "" {
		home, err := berthHome(env)
		if err != nil {
			return mcpserve.Config{}, err
		}
		path = filepath.Join(home, "mcp.json")
	}
	config, warnings, err := mcpserve.LoadConfig(path, env.LookupEnv)
	for _, w := range warnings {
		fmt.Fprintf(env.Stderr, "warning: %s: %s\n", path, w)
	}
	if errors.Is(err, fs.ErrNotExist) {
		err = hinted(err, hint)
	}
	return config, err
}

// berthHome is the folder of what berth keeps: $BERTH_HOME, or berth in
// $XDG_STATE_HOME, which is ~/.local/state by default.
func berthHome(env *Env) (string, error) {
	if home, ok := env.LookupEnv("BERTH_HOME"); ok && home != "" {
		return home, nil
	}
	if state, ok := env.LookupEnv("XDG_STATE_HOME"); ok && filepath.IsAbs(state) {
		return filepath.Join(state, "berth"), nil
	}
	home, ok := env.LookupEnv("HOME")
	if !ok || home == "" {
		return "", hinted(errors.New("there is no home folder"), "set BERTH_HOME")
	}
	return filepath.Join(home, ".local", "state", "berth"), nil
}

// mcpEndpoint is what `berth mcp --http --json` prints.
type mcpEndpoint struct {
	Schema int    `json:"schema"` // 1
	URL    string `json:"url"`
	Token  string `json:"token,omitempty"` // none if it was given
}

func serveMCPHTTP(ctx context.Context, env *Env, f mcpFlags, opts mcpserve.Options) error {
	token, ours := env.LookupEnv(mcpTokenVariable)
	switch {
	case token == "":
		token, ours = mcpserve.NewToken(), false
	case len(token) < minToken:
		return usage("unset it, and a token is made up and printed", "$%s: %d characters, want %d at least", mcpTokenVariable, len(token), minToken)
	}
	if err := checkAddress(f.http); err != nil {
		return err
	}
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", f.http)
	if err != nil {
		return err
	}
	if tcp, ok := listener.Addr().(*net.TCPAddr); ok && !tcp.IP.IsLoopback() && !f.anywhere {
		_ = listener.Close()
		return hinted(fmt.Errorf("%s is not a loopback address", listener.Addr()),
			"say --http 127.0.0.1:PORT, or --http-anywhere if other machines are to reach it")
	}
	endpoint := mcpEndpoint{1, "http://" + shownAddress(f.http, listener.Addr()) + mcpserve.Path, token}
	if ours {
		endpoint.Token = "" // who set it knows it, and logs need not
	}
	if f.anywhere && len(f.hosts) == 0 {
		fmt.Fprintln(env.Stderr, "note: requests must call this server by a loopback name; say --http-host NAME for each other one that clients use")
	}
	if err := printEndpoint(env.Stdout, endpoint, f.asJSON); err != nil {
		_ = listener.Close()
		return err
	}
	return env.MCPHTTP(ctx, listener, mcpserve.HTTPOptions{Token: token, Hosts: f.hosts, Anywhere: f.anywhere}, opts)
}

const (
	mcpTokenVariable = "BERTH_MCP_TOKEN"
	minToken         = 16 // characters of a token that somebody thought of
)

// checkAddress wants HOST:PORT.
func checkAddress(address string) error {
	_, port, err := net.SplitHostPort(address)
	if err == nil {
		_, err = net.LookupPort("tcp", port)
	}
	if err != nil {
		return usage("want HOST:PORT, such as --http 127.0.0.1:7878; port 0 takes a free one", "--http %q: not an address", address)
	}
	return nil
}

// shownAddress is the address as it was typed, with the port that was taken.
func shownAddress(typed string, taken net.Addr) string {
	host, _, err := net.SplitHostPort(typed)
	_, port, err2 := net.SplitHostPort(taken.String())
	if err != nil || err2 != nil || host == "" {
		return taken.String()
	}
	return net.JoinHostPort(host, port)
}

func printEndpoint(w io.Writer, e mcpEndpoint, asJSON bool) error {
	if asJSON {
		return json.NewEncoder(w).Encode(e)
	}
	if e.Token == "" {
		e.Token = "as in $" + mcpTokenVariable
	}
	_, err := fmt.Fprintf(w, "url    %s\ntoken  %s\n", e.URL, e.Token)
	return err
}
