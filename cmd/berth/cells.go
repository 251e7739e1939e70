package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/berth-dev/berth/cell"
	"github.com/berth-dev/berth/cell/cellhost"
	"github.com/berth-dev/berth/cell/js/quickjs"
	"github.com/berth-dev/berth/cell/sandbox"
)

// serveCells is the code-mode host on this process's standard input and output.
func serveCells(ctx context.Context, config hostConfig) error {
	// A client that reads neither output nor log gets an end, not a killed host.
	signal.Ignore(syscall.SIGPIPE)
	in, out, err := cellhost.Stdio()
	if err != nil {
		return err
	}
	if config.Workers > 0 {
		return serveByWorkers(ctx, in, out, config)
	}
	engine := quickjs.New(quickjs.Options{})
	defer engine.Close()
	if err := engine.Prepare(); err != nil {
		return fmt.Errorf("prepare engine: %w", err)
	}
	config.Engine = engine
	if config.HostMemory == 0 {
		config.HostMemory = cell.DefaultHostMemory() / int64(max(config.Share, 1))
	}
	if config.Sandbox {
		report, err := sandbox.Apply(sandbox.Options{})
		if err != nil {
			return hinted(fmt.Errorf("give up what cells must not reach: %w", err),
				"run 'berth cell host --check' to see what this system lacks\nuse --no-sandbox where something else confines this process")
		}
		for _, missing := range report.Missing {
			config.Log.Warn("sandbox is not complete", "missing", missing)
		}
	}
	return cellhost.Run(ctx, in, out, config.Options)
}

// serveByWorkers runs no JavaScript in this process, and so gives up nothing.
func serveByWorkers(ctx context.Context, in io.ReadCloser, out io.WriteCloser, config hostConfig) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	return cellhost.RunWorkers(ctx, in, out, config.Options, cellhost.WorkerOptions{
		Count: config.Workers, Command: append([]string{self}, config.WorkerArgs...), Stderr: os.Stderr,
	})
}

// checkCells applies the sandbox of a code-mode host and tries its walls.
func checkCells() (sandbox.Report, []sandbox.Result, error) {
	engine := quickjs.New(quickjs.Options{})
	defer engine.Close()
	if err := engine.Prepare(); err != nil {
		return sandbox.Report{}, nil, fmt.Errorf("prepare engine: %w", err)
	}
	report, err := sandbox.Apply(sandbox.Options{})
	if err != nil {
		return report, nil, err
	}
	return report, sandbox.Check(), nil
}
