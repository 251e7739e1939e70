package cell_test

import (
	"context"
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"github.com/berth-dev/berth/cell"
)

func TestSpread(t *testing.T) {
	base := runtime.GOMAXPROCS(0)
	for _, spread := range []bool{false, true} {
		play(t, map[bool]string{false: "off", true: "on"}[spread], cell.Options{Spread: spread}, programs{"spin": spin},
			func(r *room, s *cell.Session) {
				for range 2 * base {
					r.exec(s, "spin", -1)
				}
				time.Sleep(10 * time.Millisecond)
				synctest.Wait()
				procs := runtime.GOMAXPROCS(0)
				if more := procs > 2*base; more != spread {
					t.Errorf("%d Ps for %d busy cells, %d before", procs, 2*base, base)
				}
				if err := s.Close(context.Background()); err != nil {
					t.Error(err)
				}
				time.Sleep(time.Second)
				synctest.Wait()
				if procs := runtime.GOMAXPROCS(0); procs != base {
					t.Errorf("%d Ps afterwards, %d before", procs, base)
				}
			})
	}
	if procs := runtime.GOMAXPROCS(0); procs != base {
		t.Errorf("%d Ps in the end, %d before", procs, base)
	}
}
