package deps

import (
	_ "github.com/elastic/go-seccomp-bpf"
	_ "github.com/evanw/esbuild/pkg/api"
	_ "github.com/go-json-experiment/json"
	_ "github.com/google/go-cmp/cmp"
	_ "github.com/landlock-lsm/go-landlock/landlock"
	_ "github.com/modelcontextprotocol/go-sdk/mcp"
	_ "github.com/rogpeppe/go-internal/testscript"
	_ "github.com/spf13/cobra"
	_ "go.uber.org/goleak"
	_ "golang.org/x/net/bpf"
	_ "golang.org/x/sys/unix"
	_ "golang.org/x/text/collate"
	_ "golang.org/x/sync/errgroup"
	_ "modernc.org/libc"
	_ "modernc.org/libquickjs"
	_ "pgregory.net/rapid"
)
