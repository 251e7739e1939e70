//go:build linux && (amd64 || arm64)

package sandbox_test

import (
	"fmt"
	"runtime/debug"
	"strings"
	"testing"
	"time"

	"github.com/berth-dev/berth/cell/js"
	"github.com/berth-dev/berth/cell/js/quickjs"
	"github.com/berth-dev/berth/cell/sandbox"
)

// TestEngineKeepsRunning gives an engine what it will do as a host's: isolates
// made before and after, the clock, lowered syntax, memory that is refused, a
// loop that is stopped.
func TestEngineKeepsRunning(t *testing.T) {
	for name, user := range users() {
		t.Run(name, func(t *testing.T) {
			a := run(t, command(t, "engine", user))
			want := []string{
				"sum 499500",
				"offset -540",
				"regexp b",
				"json 3",
				"berlin 1.1.1970, 01:00:00",
				"zone Asia/Tokyo",
				"number 1.234,5",
				"using disposed",
				"error RangeError: cell memory limit of 64 MiB exceeded",
				"interrupted",
				"sum 499500",
			}
			if got := strings.Join(a.Lines, "\n"); got != strings.Join(want, "\n") {
				t.Errorf("got:\n%s\nwant:\n%s", got, strings.Join(want, "\n"))
			}
		})
	}
}

// programs are run one after another, each in an isolate of its own.
func programs() []string {
	const sum = "let n = 0; for (let i = 0; i < 1000; i++) n += i; text('sum ' + n);"
	return []string{
		sum,
		"text('offset ' + new Date(1.7e12).getTimezoneOffset());", // TZ is Asia/Tokyo
		"text('regexp ' + /a(b)c/.exec('xxabc')[1]);",
		"text('json ' + JSON.parse('[1,2,3]').length);",
		"text('berlin ' + new Date(0).toLocaleString('de', {timeZone: 'Europe/Berlin'}));",
		"text('zone ' + new Intl.DateTimeFormat().resolvedOptions().timeZone);",
		"text('number ' + new Intl.NumberFormat('de').format(1234.5));",
		"{ using x = {[Symbol.dispose]() { text('using disposed'); }}; }",
		"const a = []; for (;;) a.push(new Uint8Array(1 << 20));",
		"for (;;);",
		sum,
	}
}

// engine makes an engine, applies the sandbox, and runs the programs.
func engine() (sandbox.Report, []string, error) {
	debug.SetPanicOnFault(true)
	e := quickjs.New(quickjs.Options{Spare: 1})
	if err := e.Prepare(); err != nil {
		return sandbox.Report{}, nil, err
	}
	report, err := sandbox.Apply(sandbox.Options{})
	if err != nil {
		return report, nil, err
	}
	var lines []string
	for _, source := range programs() {
		iso, err := e.New(&printer{&lines}, &account{limit: 64 << 20})
		if err != nil {
			return report, lines, err
		}
		stop := time.AfterFunc(20*time.Second, iso.Interrupt)
		if source == "for (;;);" {
			stop.Reset(20 * time.Millisecond)
		}
		err = iso.Start(js.Program{Source: source, Dialect: js.Later})
		for more := true; more && err == nil; {
			more, err = iso.Drain(1000)
		}
		stop.Stop()
		out, _ := iso.Done()
		iso.Close()
		if err != nil {
			lines = append(lines, err.Error())
		} else if out.Failed {
			lines = append(lines, "error "+out.ErrorText)
		}
	}
	return report, lines, e.Close()
}

// account refuses what passes its limit.
type account struct{ used, limit int64 }

func (a *account) Reserve(delta int64) error {
	if delta > 0 && a.used+delta > a.limit {
		return js.ErrMemory
	}
	a.used += delta
	return nil
}

func (a *account) LimitError() string {
	return fmt.Sprintf("RangeError: cell memory limit of %d MiB exceeded", a.limit>>20)
}

// printer is a js.Host that keeps text and has nothing else to give.
type printer struct{ lines *[]string }

func (p *printer) Text(s string) error {
	*p.lines = append(*p.lines, s)
	return nil
}
func (*printer) Image(string, string) error           { return nil }
func (*printer) Audio(string) error                   { return nil }
func (*printer) Notify(string) error                  { return nil }
func (*printer) CallTool(int, []byte) (uint64, error) { return 0, nil }
func (*printer) Store(string, []byte) error           { return nil }
func (*printer) Load(string) ([]byte, bool)           { return nil, false }
func (*printer) SetTimer(uint64, uint64) error        { return nil }
func (*printer) ClearTimer(uint64)                    {}
func (*printer) Yield()                               {}
