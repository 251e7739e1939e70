package main

import (
	"context"
	"fmt"
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
	engine := quickjs.New(quickjs.Options{})
	defer engine.Close()
	if err := engine.Prepare(); err != nil {
		return fmt.Errorf("prepare engine: %w", err)
	}
	config.Engine = engine
	if config.HostMemory == 0 {
		config.HostMemory = cell.DefaultHostMemory()
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
