package cellhost_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/berth-dev/berth/cell/cellhost"
	"github.com/berth-dev/berth/cell/js/quickjs"
)

// childVariable makes the test binary a child host, with its value as the
// number of detached engines that overload it.
const childVariable = "CELLHOST_TEST_CHILD"

func TestMain(m *testing.M) {
	if detached, err := strconv.Atoi(os.Getenv(childVariable)); err == nil {
		os.Exit(child(detached))
	}
	goleak.VerifyTestMain(m)
}

// child is the process of a host.
func child(detached int) int {
	in, out, err := cellhost.Stdio()
	if err == nil {
		engine := quickjs.New(quickjs.Options{Spare: 1})
		fmt.Println("not a frame") // lands on standard error
		err = cellhost.Run(context.Background(), in, out, cellhost.Options{Engine: engine, MaxCells: -1,
			MaxDetached: detached, Share: 2, Log: slog.New(slog.NewTextHandler(os.Stderr, nil))})
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "Error:", err)
		return 1
	}
	return 0
}

// patience is how long a test waits for what must come.
const patience = time.Minute

// client speaks the wire by hand over real pipes, frame by frame.
type client struct {
	t    testing.TB
	in   *os.File // the host's standard input
	out  *os.File // the host's standard output
	done chan struct{}
	err  error // of Run, once done is closed
	log  *bytes.Buffer

	lastID int

	mu    sync.Mutex
	cond  *sync.Cond
	lines []string // frames received and not taken
	eof   error    // why no frame follows
	pause bool     // do not read
}

type serve func(ctx context.Context, in io.ReadCloser, out io.WriteCloser, o cellhost.Options) error

// start runs a host with the real engine, and says hello with the given capabilities.
func start(t testing.TB, o cellhost.Options, capabilities ...string) *client {
	t.Helper()
	c := launch(t, context.Background(), o, cellhost.Run)
	c.hello(capabilities...)
	return c
}

func (c *client) hello(capabilities ...string) {
	c.t.Helper()
	if capabilities == nil {
		capabilities = []string{}
	}
	names, err := json.Marshal(capabilities)
	if err != nil {
		c.t.Fatal(err)
	}
	c.send(`{"type":"connection/hello","supportedVersions":[1],"requiredCapabilities":[],"optionalCapabilities":` + string(names) + `}`)
	c.await(`"type":"connection/ready"`)
}

// launch runs a host over two pipes. It is over when the test is.
func launch(t testing.TB, ctx context.Context, o cellhost.Options, run serve) *client {
	t.Helper()
	hostIn, in := pipe(t)
	out, hostOut := pipe(t)
	c := &client{t: t, in: in, out: out, done: make(chan struct{}), log: &bytes.Buffer{}}
	c.cond = sync.NewCond(&c.mu)
	if o.Engine == nil && o.Share == 0 {
		engine := quickjs.New(quickjs.Options{Spare: 1})
		t.Cleanup(func() { engine.Close() })
		o.Engine = engine
	}
	o.Log = slog.New(slog.NewTextHandler(c.log, nil))
	go func() {
		defer close(c.done)
		c.err = run(ctx, hostIn, hostOut, o)
	}()
	reading := make(chan struct{})
	go func() {
		defer close(reading)
		c.read()
	}()
	t.Cleanup(func() {
		in.Close()
		c.resume()
		select {
		case <-c.done:
		case <-time.After(patience):
			t.Error("host did not end")
		}
		out.Close()
		<-reading
	})
	return c
}

func pipe(t testing.TB) (r, w *os.File) {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	return r, w
}

func (c *client) read() {
	for {
		c.mu.Lock()
		for c.pause {
			c.cond.Wait()
		}
		c.mu.Unlock()
		var size [4]byte
		_, err := io.ReadFull(c.out, size[:])
		var body []byte
		if err == nil {
			n := binary.LittleEndian.Uint32(size[:])
			if n > 64<<20 {
				err = fmt.Errorf("frame of %d bytes: not a frame", n)
			} else {
				body = make([]byte, n)
				_, err = io.ReadFull(c.out, body)
			}
		}
		if err == nil && len(body) < 1<<20 && !json.Valid(body) {
			err = fmt.Errorf("frame is not JSON: %.80q", body)
		}
		c.mu.Lock()
		if err != nil {
			c.eof = err
		} else {
			c.lines = append(c.lines, string(body))
		}
		c.cond.Broadcast()
		c.mu.Unlock()
		if err != nil {
			return
		}
	}
}

func (c *client) resume() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.pause = false
	c.cond.Broadcast()
}

// stall keeps further frames from being read.
func (c *client) stall() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.pause = true
}

func (c *client) send(payload string) {
	c.t.Helper()
	b := binary.LittleEndian.AppendUint32(nil, uint32(len(payload)))
	if _, err := c.in.Write(append(b, payload...)); err != nil {
		c.t.Fatalf("send: %v", err)
	}
}

// request sends an operation and returns its id.
func (c *client) request(format string, args ...any) int {
	c.t.Helper()
	c.lastID++
	c.send(fmt.Sprintf(`{"type":"operation/request","id":%d,"request":%s}`, c.lastID, fmt.Sprintf(format, args...)))
	return c.lastID
}

func (c *client) open(session string) {
	c.t.Helper()
	id := c.request(`{"method":"session/open","sessionId":%q}`, session)
	c.await(fmt.Sprintf(`"id":%d,"result":{"status":"ok"`, id))
}

// exec starts a program with the tools a and b; extra is appended to the request.
func (c *client) exec(session, source, extra string) int {
	c.t.Helper()
	text, err := json.Marshal(source)
	if err != nil {
		c.t.Fatal(err)
	}
	tool := `{"name":"%[1]s","tool_name":{"name":"%[1]s","namespace":null},"description":"","kind":"function","input_schema":null,"output_schema":null}`
	return c.request(`{"method":"session/execute","sessionId":%q,"request":{"tool_call_id":"call","enabled_tools":[%s,%s],"source":%s%s}}`,
		session, fmt.Sprintf(tool, "a"), fmt.Sprintf(tool, "b"), text, extra)
}

// patient is an extra for exec: a yield deadline that never passes.
const patient = `,"yield_time_ms":600000`

// run executes a program to its first observation, and returns that.
func (c *client) run(session, source string) string {
	c.t.Helper()
	id := c.exec(session, source, patient)
	return c.await(fmt.Sprintf(`{"type":"execute/initialResponse","id":%d,`, id))
}

func (c *client) wait(session, cell string, ms int) int {
	c.t.Helper()
	return c.request(`{"method":"session/wait","sessionId":%q,"request":{"cell_id":%q,"yield_time_ms":%d}}`, session, cell, ms)
}

// observed waits until the cell has an observer. Requests are handled at the
// same time, so a wait that was sent may not be attached yet.
func (c *client) observed(session, cell string) {
	c.t.Helper()
	for {
		id := c.wait(session, cell, 0)
		if strings.Contains(c.await(fmt.Sprintf(`"id":%d,`, id)), "already has an active observer") {
			return
		}
	}
}

func (c *client) terminate(session, cell string) int {
	c.t.Helper()
	return c.request(`{"method":"session/terminate","sessionId":%q,"cellId":%q}`, session, cell)
}

func (c *client) shutdown(session string) int {
	c.t.Helper()
	return c.request(`{"method":"session/shutdown","sessionId":%q}`, session)
}

func (c *client) answer(id int, result string) {
	c.t.Helper()
	c.send(fmt.Sprintf(`{"type":"delegate/response","id":%d,"result":{"status":"ok","value":{"type":"tool/result","result":%s}}}`, id, result))
}

func (c *client) delivered(id int) {
	c.t.Helper()
	c.send(fmt.Sprintf(`{"type":"delegate/response","id":%d,"result":{"status":"ok","value":{"type":"notification/delivered"}}}`, id))
}

// next takes the next frame.
func (c *client) next() string {
	c.t.Helper()
	line, err := c.take()
	if err != nil {
		c.t.Fatalf("no frame: %v", err)
	}
	return line
}

var errPatience = errors.New("nothing came in time")

func (c *client) take() (string, error) {
	late := time.AfterFunc(patience, func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		if c.eof == nil {
			c.eof = errPatience
		}
		c.cond.Broadcast()
	})
	defer late.Stop()
	c.mu.Lock()
	defer c.mu.Unlock()
	for len(c.lines) == 0 {
		if c.eof != nil {
			return "", c.eof
		}
		c.cond.Wait()
	}
	line := c.lines[0]
	c.lines = c.lines[1:]
	return line, nil
}

// await drops frames until one has all the parts, and returns it.
func (c *client) await(parts ...string) string {
	c.t.Helper()
	var skipped []string
	for {
		line, err := c.take()
		if err != nil {
			c.t.Fatalf("no frame with %q: %v; there were %.2000q", parts, err, skipped)
		}
		if hasAll(line, parts) {
			return line
		}
		skipped = append(skipped, line)
	}
}

// expect takes as many frames as there are wants; each must have one's text.
func (c *client) expect(wants ...string) {
	c.t.Helper()
	for _, want := range wants {
		if got := c.next(); !strings.Contains(got, want) {
			c.t.Fatalf("got  %.1000s\nwant %s", got, want)
		}
	}
}

func hasAll(line string, parts []string) bool {
	for _, p := range parts {
		if !strings.Contains(line, p) {
			return false
		}
	}
	return true
}

// end waits for the host's end and returns what Run returned.
func (c *client) end() error {
	c.t.Helper()
	select {
	case <-c.done:
		return c.err
	case <-time.After(patience):
		c.t.Fatal("host did not end")
		return nil
	}
}
