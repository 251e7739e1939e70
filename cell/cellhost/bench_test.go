package cellhost_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/berth-dev/berth/cell/cellhost"
)

// crowd starts 8 cells that compute for ever.
func crowd(c *client) {
	c.open("s")
	for range 8 {
		c.exec("s", `for(;;);`, `,"yield_time_ms":0`)
		c.await("Yielded")
	}
}

// Busy cells hold up neither others nor their own end. How long that takes is
// for the benchmark below to say.
func TestBusyCellsDoNotStarveOthers(t *testing.T) {
	c := start(t, cellhost.Options{})
	crowd(c)
	for range 11 {
		if got := c.run("s", `text("x")`); !strings.Contains(got, text("x")) {
			t.Error(got)
		}
	}
	for i := range 8 {
		id := c.terminate("s", fmt.Sprint(i+1))
		c.await(fmt.Sprintf(`"id":%d,`, id), "Terminated")
	}
}

func BenchmarkTrivialCellBesideBusyOnes(b *testing.B) {
	c := start(b, cellhost.Options{})
	crowd(c)
	var took []time.Duration
	for b.Loop() {
		begun := time.Now()
		c.run("s", `text("x")`)
		took = append(took, time.Since(begun))
	}
	slices.Sort(took)
	b.ReportMetric(took[len(took)/2].Seconds()*1e3, "ms/median")
}

func BenchmarkTrivialCell(b *testing.B) {
	c := start(b, cellhost.Options{})
	c.open("s")
	for b.Loop() {
		c.run("s", `text("x")`)
	}
}

func BenchmarkToolCalls(b *testing.B) {
	c := start(b, cellhost.Options{})
	c.open("s")
	c.exec("s", `for (;;) await tools.a({q: 1})`, `,"yield_time_ms":0`)
	c.await("Yielded")
	id := 0
	for b.Loop() {
		id++
		c.await("tool/invoke")
		c.answer(id, `{"a":1}`)
	}
}
