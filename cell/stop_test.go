package cell_test

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/berth-dev/berth/cell"
	"github.com/berth-dev/berth/cell/internal/fakejs"
)

// deaf ignores every interrupt until gate is closed; then it tries all that a
// program can do.
func deaf(gate chan struct{}) func(*fakejs.Run) {
	return func(r *fakejs.Run) {
		r.Text("a")
		<-gate
		r.Text("late")
		_ = r.Host.Notify("late")
		_, _ = r.Host.CallTool(0, []byte("1"))
		_ = r.Host.Store("late", []byte("1"))
		r.Host.Yield()
		_ = r.Host.SetTimer(1, 0)
	}
}

func TestDetach(t *testing.T) {
	play(t, "answered and closed all the same", cell.Options{}, programs{"q": func(r *fakejs.Run) {
		_, ok := r.Host.Load("late")
		r.Text(fmt.Sprint(ok))
	}}, func(r *room, s *cell.Session) {
		gate := make(chan struct{}, 16)
		r.engine.Programs["deaf"] = deaf(gate)
		r.exec(s, "deaf", -1)
		synctest.Wait()
		begun := time.Now()
		r.terminate(s, "end", "1")
		r.terminate(s, "again", "1")
		r.wait(s, "wait", "1", 0)
		r.expect("deaf: started 1", "deaf: Yielded []", "end: Terminated [a]",
			"again: exec cell 1 is already terminating", "wait: Missing [] error exec cell 1 not found")
		if d := time.Since(begun); d != 0 {
			t.Errorf("answered after %v", d)
		}
		time.Sleep(100 * time.Millisecond)
		r.expect("detached s/1 (1)", "closed s/1")
		if got := r.host.Stats(); got.Detached != 1 || got.Cells != 0 || got.Memory == 0 {
			t.Errorf("%+v, want one detached isolate, charged", got)
		}
		gate <- struct{}{}
		r.exec(s, "q", 0)
		r.expect("q: started 2", "q: Completed [false]", "closed s/2")
		if got := r.host.Stats(); got.Detached != 0 || got.Memory != 0 {
			t.Errorf("after it stopped: %+v, want nothing", got)
		}
	})
	play(t, "four of them overload the host", cell.Options{}, programs{"q": say("a")},
		func(r *room, s *cell.Session) {
			gate := make(chan struct{}, 16)
			r.engine.Programs["deaf"] = deaf(gate)
			for i := range 4 {
				r.exec(s, "deaf", -1)
				synctest.Wait()
				r.terminate(s, "end", fmt.Sprint(i+1))
				time.Sleep(time.Second)
				synctest.Wait()
			}
			r.take()
			r.exec(s, "q", 0)
			r.expect("q: code-mode host is overloaded")
			begun := time.Now()
			r.shutdown()
			if d := time.Since(begun); d != 0 {
				t.Errorf("shutdown took %v with detached isolates, want nothing", d)
			}
			for range 4 {
				gate <- struct{}{}
			}
			synctest.Wait()
			r.take()
		})
	play(t, "session close does not wait for the isolate", cell.Options{}, programs{},
		func(r *room, s *cell.Session) {
			gate := make(chan struct{}, 16)
			r.engine.Programs["deaf"] = deaf(gate)
			r.exec(s, "deaf", time.Hour)
			synctest.Wait()
			begun := time.Now()
			if err := s.Close(context.Background()); err != nil {
				t.Error(err)
			}
			if d := time.Since(begun); d > 20*time.Millisecond {
				t.Errorf("Close took %v, want at most 20ms", d)
			}
			r.expect("deaf: started 1", "deaf: Terminated [a]", "closed s/1")
			time.Sleep(time.Second)
			r.expect("detached s/1 (1)")
			gate <- struct{}{}
			synctest.Wait()
		})
	play(t, "deadline fires whatever it does", cell.Options{}, programs{},
		func(r *room, s *cell.Session) {
			gate := make(chan struct{}, 16)
			r.engine.Programs["deaf"] = deaf(gate)
			r.exec(s, "deaf", time.Second)
			time.Sleep(time.Second)
			r.expect("deaf: started 1", "deaf: Yielded [a]")
			r.wait(s, "wait", "1", time.Second)
			time.Sleep(time.Second)
			r.expect("wait: Yielded []")
			r.terminate(s, "end", "1")
			gate <- struct{}{}
			r.expect("end: Terminated []", "closed s/1")
		})
	play(t, "shutdown gives up with its context", cell.Options{Grace: time.Minute}, programs{},
		func(r *room, s *cell.Session) {
			gate := make(chan struct{}, 16)
			r.engine.Programs["deaf"] = deaf(gate)
			r.exec(s, "deaf", -1)
			synctest.Wait()
			ctx, cancel := context.WithTimeout(context.Background(), time.Second)
			defer cancel()
			if err := r.host.Shutdown(ctx); err == nil {
				t.Error("Shutdown: no error though the isolate is at work")
			}
			gate <- struct{}{}
			synctest.Wait()
		})
}
