package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"syscall"
	"testing"
)

func TestReport(t *testing.T) {
	interrupted, cancel := context.WithCancelCause(t.Context())
	cancel(interruption{syscall.SIGINT})
	terminated, cancel := context.WithCancelCause(t.Context())
	cancel(interruption{syscall.SIGTERM})
	hungUp, cancel := context.WithCancelCause(t.Context())
	cancel(interruption{syscall.SIGHUP})
	for _, tt := range []struct {
		name string
		ctx  context.Context
		err  error
		code int
		want string
	}{
		{"done", t.Context(), nil, exitDone, ""},
		{"failed", t.Context(), errors.New("open x: no such file"), exitFailed, "error: open x: no such file\n"},
		{"with a hint", t.Context(), hinted(errors.New("no"), "first\nsecond"), exitFailed,
			"error: no\nhint: first\nhint: second\n"},
		{"with a hint, wrapped", t.Context(), fmt.Errorf("run: %w", usage("see help", "bad %d", 1)), exitUsage,
			"error: run: bad 1\nhint: see help\n"},
		{"said already", t.Context(), &failure{code: exitUnreachable}, exitUnreachable, ""},
		{"interrupted", interrupted, fmt.Errorf("wait: %w", context.Canceled), exitInterrupted, ""},
		{"interrupted, by its cause", interrupted, fmt.Errorf("wait: %w", context.Cause(interrupted)), exitInterrupted, ""},
		{"failed while interrupted", interrupted, errors.New("save: disk full"), exitInterrupted, "error: save: disk full\n"},
		{"terminated", terminated, fmt.Errorf("wait: %w", context.Canceled), exitTerminated, ""},
		{"hung up", hungUp, context.Canceled, exitHungUp, ""},
		{"done while interrupted", interrupted, nil, exitDone, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var stderr strings.Builder
			if code := report(tt.ctx, &stderr, tt.err); code != tt.code {
				t.Errorf("exit code %d, want %d", code, tt.code)
			}
			if stderr.String() != tt.want {
				t.Errorf("printed %q, want %q", stderr.String(), tt.want)
			}
		})
	}
}
