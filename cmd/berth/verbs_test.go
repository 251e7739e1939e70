package main

import (
	"io"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// testEnv is an environment with nothing in it.
func testEnv(args ...string) *Env {
	return &Env{
		Args:   append([]string{"berth"}, args...),
		Stdin:  io.NopCloser(strings.NewReader("")),
		Stdout: discard{io.Discard},
		Stderr: io.Discard,
		Now:    time.Now,

		LookupEnv: func(string) (string, bool) { return "", false },
	}
}

type discard struct{ io.Writer }

func (discard) Close() error { return nil }

// walk calls f for every command of the tree.
func walk(c *cobra.Command, f func(*cobra.Command)) {
	f(c)
	for _, child := range c.Commands() {
		walk(child, f)
	}
}

var (
	verbName = regexp.MustCompile(`^[a-z]+(-[a-z]+)*$`)
	flagName = regexp.MustCompile(`^[a-z]+(-[a-z]+)*$`)
	verbUse  = regexp.MustCompile(`^[a-z-]+( [A-Z\[\]|.a-z…]+)*$`)
)

// TestVerbs holds every verb to the same manners: STYLE's help, example and names.
func TestVerbs(t *testing.T) {
	verbs := 0
	walk(newRoot(testEnv()), func(c *cobra.Command) {
		verbs++
		t.Run(strings.ReplaceAll(c.CommandPath(), " ", "_"), func(t *testing.T) {
			if !verbName.MatchString(c.Name()) {
				t.Errorf("name %q is not lower-case words joined by hyphens", c.Name())
			}
			if use, _, _ := strings.Cut(c.Use, " [command]"); !verbUse.MatchString(use) {
				t.Errorf("usage %q: want the name, then ARGUMENTS in capitals or a choice of words", c.Use)
			}
			if !c.Runnable() {
				t.Error("does nothing")
			}
			checkShort(t, c.Short)
			checkExample(t, c)
			c.LocalFlags().VisitAll(func(f *pflag.Flag) { checkFlag(t, f) })
		})
	})
	if verbs < 4 {
		t.Errorf("walked %d commands only", verbs)
	}
}

func checkShort(t *testing.T, short string) {
	switch {
	case short == "":
		t.Error("has no short help")
	case strings.HasSuffix(short, "."), strings.Contains(short, "\n"):
		t.Errorf("short help %q: want one line without a full stop", short)
	case short[:1] != strings.ToUpper(short[:1]):
		t.Errorf("short help %q: want a capital first", short)
	case len(short) > 60:
		t.Errorf("short help %q: %d bytes, limit 60", short, len(short))
	}
}

// checkExample wants every line of an example to be a command that parses.
func checkExample(t *testing.T, c *cobra.Command) {
	if c.Example == "" {
		t.Error("has no example")
	}
	shown := false
	for line := range strings.Lines(c.Example) {
		line = strings.TrimSuffix(line, "\n")
		if !strings.HasPrefix(line, "  ") || strings.TrimSpace(line) == "" {
			t.Errorf("example line %q: want two spaces and a command", line)
		}
		shown = shown || strings.Contains(line, c.CommandPath())
	}
	if c.HasParent() && !shown {
		t.Errorf("example %q does not show %q", c.Example, c.CommandPath())
	}
}

func checkFlag(t *testing.T, f *pflag.Flag) {
	if !flagName.MatchString(f.Name) {
		t.Errorf("flag %q is not lower-case words joined by hyphens", f.Name)
	}
	usage := strings.ReplaceAll(f.Usage, "`", "")
	switch {
	case usage == "":
		t.Errorf("flag --%s has no help", f.Name)
	case strings.HasSuffix(usage, "."):
		t.Errorf("flag --%s: help %q ends with a full stop", f.Name, f.Usage)
	}
	if f.Name == "json" && f.Value.Type() != "bool" {
		t.Errorf("flag --json is a %s, want a bool", f.Value.Type())
	}
}

func TestDispatch(t *testing.T) {
	for _, tt := range []struct {
		args []string
		want []string
	}{
		{nil, nil},
		{[]string{"berth"}, []string{}},
		{[]string{"/usr/bin/berth", "version"}, []string{"version"}},
		{[]string{"/opt/codex/codex-code-mode-host"}, []string{"cell", "host"}},
		{[]string{"codex-code-mode-host", "--listen", "stdio"}, []string{"cell", "host", "--listen", "stdio"}},
		{[]string{"codex-code-mode-host", "cell", "host", "--memory", "1GiB"}, []string{"cell", "host", "--memory", "1GiB"}},
		{[]string{"codex-code-mode-host", "cell"}, []string{"cell", "host", "cell"}},
		{[]string{"./something-else", "version"}, []string{"version"}},
	} {
		if diff := cmp.Diff(tt.want, dispatch(tt.args)); diff != "" {
			t.Errorf("dispatch(%q) (-want +got):\n%s", tt.args, diff)
		}
	}
}
