package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/berth-dev/berth/cell/cellhost"
	"github.com/berth-dev/berth/cell/codemode"
	"github.com/berth-dev/berth/cell/sandbox"
)

// maxWorkers is the most child hosts of a host.
const maxWorkers = 64

// hostConfig is what `berth cell host` asks of the cell wing.
type hostConfig struct {
	cellhost.Options
	Sandbox bool

	// Workers is the number of child hosts that share the sessions, each
	// started with WorkerArgs; 0 means that this process runs the cells itself.
	Workers    int
	WorkerArgs []string
}

// hostFlags are the flags of `berth cell host` as they were typed.
type hostFlags struct {
	listen, dialect, ambiguous, logLevel string

	window, cells, workers, share       int
	cellMemory, storeMemory, hostMemory size
	keyList                             string

	noSandbox, check, asJSON bool
}

func cellHostCommand(env *Env) *cobra.Command {
	var f hostFlags
	cmd := &cobra.Command{
		Use:   "host",
		Short: "Serve the code-mode protocol on standard input and output",
		Long: `Serve the code-mode protocol on standard input and output, for one client, until
it closes its end. Codex starts this program as its code-mode host when it finds
it under the name codex-code-mode-host.

Before its first cell the host gives up files, network and other processes.`,
		Args: cobra.NoArgs,
		Example: `  ln -s "$(command -v berth)" codex-code-mode-host
  berth cell host --check`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			config, err := f.config(env.Stderr)
			switch {
			case err != nil:
				return err
			case f.check:
				return checkSandbox(env, f.asJSON)
			case f.asJSON:
				return usage("run 'berth cell host --check --json'", "--json is for --check")
			}
			err = env.CellHost(cmd.Context(), config)
			if codemode.CodeOf(err) == codemode.CodeFrameTooLarge {
				err = hinted(err, "code-mode frames are spoken here; to run a program, say 'berth cell run FILE'")
			}
			return cmp.Or(err, env.interrupted(cmd.Context()))
		},
	}
	f.define(cmd)
	return cmd
}

func (f *hostFlags) define(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&f.listen, "listen", "stdio", "`transport`: stdio or stdio://")
	choiceVar(cmd, &f.dialect, "dialect", "the client's generation; auto tells it by its hello", "auto", "base", "timed")
	choiceVar(cmd, &f.ambiguous, "ambiguous", "which generation auto means when a client's hello fits both", "timed", "base")
	flags.IntVar(&f.window, "delegate-window", 0, "tool calls on the wire and unanswered, `n` at most (default 100, or 4096 if negotiated)")
	flags.IntVar(&f.cells, "max-cells", 0, "live cells, `n` at most; negative is no limit (default 128, or no limit if timed)")
	flags.Var(&f.cellMemory, "cell-memory", "memory of one cell (default 1GiB)")
	flags.Var(&f.storeMemory, "store-memory", "stored values of one session (default 256MiB)")
	flags.Var(&f.hostMemory, "memory", "memory of all cells (default 60 % of the machine's or cgroup's)")
	flags.StringVar(&f.keyList, "key-list", "", "`key` under which a cell can load the list of stored keys")
	flags.IntVar(&f.workers, "workers", 0, "pin sessions to `n` child hosts, so that cells that compute use n cores")
	flags.IntVar(&f.share, "share", 1, "serve together with n-1 other hosts: have an `n`th of the window and of the memory")
	flags.BoolVar(&f.noSandbox, "no-sandbox", false, "keep files, network and processes within reach")
	flags.BoolVar(&f.check, "check", false, "try what the sandbox must refuse, print the result and exit")
	flags.BoolVar(&f.asJSON, "json", false, "with --check, print one JSON object")
	choiceVar(cmd, &f.logLevel, "log-level", "least level of what is logged on standard error", "info", "debug", "warn", "error")
	flags.String("otel-trace-listen", "", "accepted for Codex, ignored: `URL`")
	flags.String("otel-trace-exporter", "", "accepted for Codex, ignored: `URL`")
	_ = flags.MarkHidden("share") // it exists
	// Zero means the default, which depends on the client or the machine.
	for _, name := range []string{"cell-memory", "store-memory", "memory"} {
		flags.Lookup(name).DefValue = ""
	}
}

// config checks the flags and makes them what the cell wing wants.
func (f *hostFlags) config(log io.Writer) (hostConfig, error) {
	if f.listen != "stdio" && f.listen != "stdio://" {
		hint := "set features.code_mode_host_grpc=false in Codex's config.toml"
		if !strings.HasPrefix(f.listen, "grpc") {
			hint = "leave --listen out; if Codex says it, " + hint
		}
		return hostConfig{}, hinted(fmt.Errorf("listen on %q: only stdio is spoken here", f.listen), hint)
	}
	if err := cmp.Or(enough("cell-memory", f.cellMemory, 1), enough("memory", f.hostMemory, max(f.workers, 1))); err != nil {
		return hostConfig{}, err
	}
	switch {
	case f.window < 0:
		return hostConfig{}, usage("", "--delegate-window %d: want at least 1", f.window)
	case f.workers < 0 || f.workers > maxWorkers:
		return hostConfig{}, usage("", "--workers %d: want 1 to %d", f.workers, maxWorkers)
	case f.share < 1:
		return hostConfig{}, usage("", "--share %d: want at least 1", f.share)
	}
	config := hostConfig{Sandbox: !f.noSandbox, Workers: f.workers, Options: cellhost.Options{
		MaxCells: f.cells, Window: f.window,
		CellMemory: int64(f.cellMemory), StoreMemory: int64(f.storeMemory), HostMemory: int64(f.hostMemory),
		KeyList: f.keyList, Share: f.share,
	}}
	if f.workers > 0 {
		config.WorkerArgs = f.workerArgs()
	}
	var level slog.Level
	var errs [3]error
	config.Dialect, errs[0] = cellhost.ParseDialect(f.dialect)
	config.Ambiguous, errs[1] = cellhost.ParseDialect(f.ambiguous)
	errs[2] = level.UnmarshalText([]byte(f.logLevel))
	config.Log = slog.New(slog.NewTextHandler(log, &slog.HandlerOptions{Level: level}))
	return config, errors.Join(errs[:]...)
}

// minMemory is what an engine needs to be of any use.
const minMemory = 16 << 20

// enough refuses a limit under which no cell could run; shares of hosts divide
// it, and 0 is the default.
func enough(flag string, limit size, shares int) error {
	if limit == 0 || int64(limit)/int64(shares) >= minMemory {
		return nil
	}
	least := size(minMemory * shares)
	return usage("", "--%s %s: want %s at least", flag, &limit, &least)
}

// workerArgs are the arguments of a child host: what was asked of this one, less
// what this one does itself, and an equal share of the rest.
func (f *hostFlags) workerArgs() []string {
	args := []string{"cell", "host", "--dialect", f.dialect, "--ambiguous", f.ambiguous, "--log-level", f.logLevel,
		"--max-cells", "-1", "--share", strconv.Itoa(f.workers)}
	if f.window != 0 {
		args = append(args, "--delegate-window", strconv.Itoa(f.window))
	}
	for _, m := range []struct {
		flag  string
		bytes size
	}{{"--cell-memory", f.cellMemory}, {"--store-memory", f.storeMemory}, {"--memory", f.hostMemory / size(f.workers)}} {
		if m.bytes != 0 {
			args = append(args, m.flag, m.bytes.String())
		}
	}
	if f.keyList != "" {
		args = append(args, "--key-list", f.keyList)
	}
	if f.noSandbox {
		args = append(args, "--no-sandbox")
	}
	return args
}

// sandboxCheck is what `berth cell host --check --json` prints.
type sandboxCheck struct {
	Schema  int              `json:"schema"` // 1
	OK      bool             `json:"ok"`
	Sandbox sandbox.Report   `json:"sandbox"`
	Checks  []sandbox.Result `json:"checks"`
}

// checkSandbox applies the sandbox to this process and tries its walls.
func checkSandbox(env *Env, asJSON bool) error {
	report, results, err := env.CellCheck()
	if err != nil {
		return err
	}
	c := sandboxCheck{Schema: 1, OK: true, Sandbox: report, Checks: results}
	for _, r := range results {
		c.OK = c.OK && r.OK
	}
	if asJSON {
		err = json.NewEncoder(env.Stdout).Encode(c)
	} else {
		err = c.print(env.Stdout)
	}
	if err == nil && !c.OK {
		err = errors.New("the sandbox does not hold")
	}
	return err
}

func (c sandboxCheck) print(w io.Writer) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, r := range c.Checks {
		verdict := "ok"
		if !r.OK {
			verdict = "NOT OK"
		}
		fmt.Fprintf(table, "%s\t%s\t%s\n", verdict, r.Name, r.Actual)
	}
	if err := table.Flush(); err != nil {
		return err
	}
	for _, missing := range c.Sandbox.Missing {
		if _, err := fmt.Fprintf(w, "note: %s\n", missing); err != nil {
			return err
		}
	}
	return nil
}
