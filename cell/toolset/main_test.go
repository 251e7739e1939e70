package toolset_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/berth-dev/berth/cell/internal/hosttest"
	"go.uber.org/goleak"
)

// The test binary is also the host, the MCP server and the commands.
func TestMain(m *testing.M) {
	hosttest.Main(map[string]func([]string) int{
		"echo": func(args []string) int { // writes its input and its words
			in, _ := io.ReadAll(os.Stdin)
			words, _ := json.Marshal(args)
			fmt.Printf("{\"input\":%s,\"args\":%s,\"x\":%q}\n", in, words, os.Getenv("X"))
			return 0
		},
		"fail": func([]string) int {
			fmt.Fprint(os.Stderr, strings.Repeat("a", 3000)+"the end\n")
			return 3
		},
		"silent": func([]string) int { return 5 },
		"none":   func([]string) int { return 0 },
		"words":  func([]string) int { fmt.Print("not JSON"); return 0 },
		"ignore": func([]string) int { fmt.Print(`1.50`); return 0 }, // never reads its input
		"sleep": func([]string) int { // until it is killed
			fmt.Print("[")
			_, _ = bufio.NewReader(os.Stdin).ReadString(0)
			<-time.After(time.Hour) // select {} would be a deadlock
			return 0
		},
		"flood": func([]string) int {
			chunk := []byte(strings.Repeat(" ", 1<<20))
			for {
				if _, err := os.Stdout.Write(chunk); err != nil {
					return 1
				}
			}
		},
	})
	goleak.VerifyTestMain(m)
}
