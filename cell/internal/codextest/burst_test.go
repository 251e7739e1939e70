//go:build codex && linux

package codextest_test

import (
	"testing"

	"github.com/berth-dev/berth/cell/internal/codextest"
)

// A client that has many answers at once must not lose its host over them: its
// way out holds 128 frames. Spec: codemode §13.
func TestBurst(t *testing.T) {
	eachVersion(t, func(t *testing.T, c *client) {
		talk := c.talk(t,
			codextest.Say(codextest.Exec("fast", `// @exec: {"yield_time_ms": 80000}
const all = [];
for (let i = 0; i < 10000; i++) all.push(tools.write_stdin({session_id: 999999}).then(() => 0, (e) => typeof e === 'string' ? 1 : 0));
text((await Promise.all(all)).reduce((a, b) => a + b));`)),
			codextest.Say(codextest.Exec("alive", "text('alive');")),
		)
		talk.wantTexts(t, "fast", "Script completed", "10000")
		talk.wantTexts(t, "alive", "Script completed", "alive")
	})
}
