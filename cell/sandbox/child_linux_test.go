//go:build linux && (amd64 || arm64)

package sandbox_test

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"os/signal"
	"runtime"
	"runtime/debug"
	"sync"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/berth-dev/berth/cell/sandbox"
)

// child is the test binary as one of the processes that the tests look at. It
// returns the exit code.
func child(mode string) int {
	var a answer
	var err error
	start := time.Now()
	switch mode {
	case "check-bare":
		a.Results = sandbox.Check()
	case "landlock":
		a.Report.Landlock, err = sandbox.RestrictFiles()
		a.Results = landlockResults(a.Report.Landlock)
	case "numbers":
		var fds []int
		fds, err = sandbox.InheritedByNumber()
		a.Report.Closed = len(fds)
	case "engine":
		a.Report, a.Lines, err = engine()
	case "keep":
		a.Report, err = sandbox.Apply(sandbox.Options{Keep: []int{3}})
		if _, werr := unix.Write(3, []byte("kept")); werr != nil {
			err = errors.Join(err, werr)
		}
	default:
		a.Report, err = sandbox.Apply(sandbox.Options{})
	}
	a.Micros = time.Since(start).Microseconds()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	switch mode {
	case "check":
		a.Results = sandbox.Check()
	case "work":
		a.Lines = work()
	case "wait":
		return wait()
	}
	if err := json.NewEncoder(os.Stdout).Encode(a); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

// wait says ready, and waits for SIGTERM.
func wait() int {
	c := make(chan os.Signal, 1)
	signal.Notify(c, unix.SIGTERM)
	fmt.Print("ready")
	<-c
	fmt.Print("terminated")
	return 7
}

// work uses what a host and its engines use, and names what works.
func work() []string {
	var good []string
	for _, part := range []struct {
		name string
		ok   func() bool
	}{
		{"goroutines", goroutines}, {"threads", threads}, {"collector", collector}, {"timers", timers},
		{"memory", memory}, {"faults", faults}, {"pipes", pipes}, {"random", random}, {"zones", zones},
		{"local zone", localZone},
	} {
		if part.ok() {
			good = append(good, part.name)
		}
	}
	return good
}

// goroutines keeps all processors busy without a call, so that only signals
// let the others run.
func goroutines() bool {
	stop := make(chan struct{})
	var wg sync.WaitGroup
	for range 2 * runtime.GOMAXPROCS(0) {
		wg.Go(func() {
			for x := 1; ; x++ {
				if x%(1<<24) == 0 {
					select {
					case <-stop:
						return
					default:
					}
				}
			}
		})
	}
	for range 5 {
		runtime.Gosched()
	}
	close(stop)
	wg.Wait()
	return true
}

// threads makes the runtime start threads, and end them.
func threads() bool {
	var wg sync.WaitGroup
	var mu sync.Mutex
	ids := make(map[int]bool)
	for range 40 {
		wg.Go(func() {
			runtime.LockOSThread() // the thread ends with the goroutine
			mu.Lock()
			ids[unix.Gettid()] = true
			mu.Unlock()
		})
	}
	wg.Wait()
	return len(ids) > 1
}

func collector() bool {
	var keep [][]byte
	for i := range 256 {
		keep = append(keep, make([]byte, 1<<20))
		if i%64 == 0 {
			keep = nil
			runtime.GC()
		}
	}
	debug.FreeOSMemory()
	return len(keep) > 0
}

func timers() bool {
	start := time.Now()
	<-time.After(5 * time.Millisecond)
	return time.Since(start) >= 5*time.Millisecond
}

// memory maps, grows, protects and unmaps as an allocator does.
func memory() bool {
	mem, err := unix.Mmap(-1, 0, 1<<20, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON)
	if err != nil {
		return false
	}
	mem[1<<20-1] = 1
	mem, err = unix.Mremap(mem, 4<<20, unix.MREMAP_MAYMOVE)
	if err != nil || mem[1<<20-1] != 1 {
		return false
	}
	return unix.Madvise(mem, unix.MADV_DONTNEED) == nil && unix.Mprotect(mem, unix.PROT_READ) == nil && unix.Munmap(mem) == nil
}

// faults recovers from a read of memory that isn't there.
func faults() (recovered bool) {
	debug.SetPanicOnFault(true)
	mem, err := unix.Mmap(-1, 0, os.Getpagesize(), unix.PROT_NONE, unix.MAP_PRIVATE|unix.MAP_ANON)
	if err != nil {
		return false
	}
	defer func() { recovered = recover() != nil }()
	return *(*byte)(unsafe.Pointer(&mem[0])) == 1
}

// pipes waits for a pipe through the runtime's poller.
func pipes() bool {
	r, w, err := os.Pipe()
	if err != nil {
		return false
	}
	go func() { _, _ = w.Write([]byte("x")) }()
	if err := r.SetReadDeadline(time.Now().Add(10 * time.Second)); err != nil {
		return false
	}
	n, err := r.Read(make([]byte, 8))
	return n == 1 && err == nil
}

func random() bool {
	_, err := rand.Read(make([]byte, 32))
	return err == nil
}

func zones() bool {
	for _, name := range []string{"America/New_York", "Europe/Berlin", "Asia/Kolkata"} {
		if _, err := time.LoadLocation(name); err != nil {
			return false
		}
	}
	return true
}

// localZone was read before, from the variable TZ.
func localZone() bool {
	_, offset := time.Now().Zone()
	return offset == 9*60*60
}

// landlockResults tries what Landlock of that version refuses, with EACCES or,
// for signals and abstract sockets, EPERM.
func landlockResults(version int) []sandbox.Result {
	tries := []struct {
		name  string
		since int
		try   func() error
	}{
		{"read a file", 1, func() error { _, err := os.ReadFile("/etc/passwd"); return err }},
		{"write a file", 1, func() error { _, err := os.OpenFile("/dev/null", os.O_WRONLY, 0); return err }},
		{"list a folder", 1, func() error { _, err := os.ReadDir("/"); return err }},
		{"execute", 1, func() error { return unix.Exec("/bin/true", []string{"true"}, nil) }},
		{"listen on TCP", 4, func() error {
			var lc net.ListenConfig
			lc.SetMultipathTCP(false) // which Landlock does not know
			_, err := lc.Listen(context.Background(), "tcp4", "127.0.0.1:0")
			return err
		}},
		{"signal the parent", 6, func() error { return unix.Kill(os.Getppid(), 0) }},
	}
	var results []sandbox.Result
	for _, t := range tries {
		if version < t.since {
			continue
		}
		err := t.try()
		results = append(results, sandbox.Result{
			Name: t.name, Expected: "refused", Actual: fmt.Sprint(err),
			OK: errors.Is(err, unix.EACCES) || errors.Is(err, unix.EPERM),
		})
	}
	return results
}
