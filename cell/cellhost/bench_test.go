package cellhost_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/berth-dev/berth/cell/cellhost"
)

// With 8 busy cells a trivial one takes at most 5 ms, by the median.
func TestBusyCellsDoNotStarveATrivialOne(t *testing.T) {
	c := start(t, cellhost.Options{})
	c.open("s")
	for range 8 {
		c.exec("s", `for(;;);`, `,"yield_time_ms":0`)
		c.await("Yielded")
	}
	var took []time.Duration
	for range 51 {
		begun := time.Now()
		c.run("s", `text("x")`)
		took = append(took, time.Since(begun))
	}
	slices.Sort(took)
	t.Logf("median %v, worst %v", took[25], took[50])
	if took[25] > 5*time.Millisecond {
		t.Errorf("median %v, want at most 5ms", took[25])
	}
	for i := range 8 {
		begun := time.Now()
		c.terminate("s", fmt.Sprint(i+1))
		c.await("Terminated")
		if d := time.Since(begun); d > 100*time.Millisecond {
			t.Errorf("terminate took %v", d)
		}
	}
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
