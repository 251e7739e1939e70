package intl

import (
	"bytes"
	_ "embed"
	"errors"
	"fmt"
	"strings"
	"sync"
)

//go:embed shim/stub.js
var stub string

//go:embed shim/core.js
var shimCore string

//go:embed shim/number.js
var shimNumber string

//go:embed shim/date.js
var shimDate string

//go:embed shim/text.js
var shimText string

//go:embed shim/locale.js
var shimLocale string

//go:embed shim/duration.js
var shimDuration string

//go:embed shim/finish.js
var shimFinish string

// StubSource is the script of step 1 of the package comment.
func StubSource() string { return stub }

// Source is the script of step 2 of the package comment.
func Source() string {
	return "(function (call, P) {\n" + shimCore + shimNumber + shimDate + shimText + shimLocale + shimDuration + shimFinish + "return finish();\n})"
}

// Env is what of its surroundings an Instance depends on.
type Env struct {
	Locale   string // default locale, such as "de_DE.UTF-8" or "en-GB"; "" and "C" mean en-US
	TimeZone string // IANA name or offset of the default time zone; "" means UTC
}

// FromEnviron reads LC_ALL, LC_MESSAGES, LANG and TZ with getenv. Without TZ the
// zone is the one that readlink finds behind /etc/localtime. Spec: codemode §11.
func FromEnviron(getenv func(string) string, readlink func(string) (string, error)) Env {
	e := Env{TimeZone: strings.TrimPrefix(getenv("TZ"), ":")}
	if e.TimeZone == "" {
		e.TimeZone, _ = readlink("/etc/localtime") // none: UTC
	}
	if _, name, ok := strings.Cut(e.TimeZone, "zoneinfo/"); ok {
		e.TimeZone = name
	}
	for _, name := range []string{"LC_ALL", "LC_MESSAGES", "LANG"} {
		if v := getenv(name); v != "" {
			e.Locale = v
			break
		}
	}
	return e
}

// Instance answers the script's calls. It is safe for concurrent use.
type Instance struct {
	locale string // canonical, one of the supported locales
	zone   string // canonical name

	data  store
	mu    sync.Mutex     // guards made
	made  map[string]any // formatters by kind and resolved options, at most maxMade
	zones sync.Map       // *time.Location by canonical name
}

const maxMade = 64 // formatters kept for reuse

// New returns an Instance for env. An unknown time zone is taken as UTC, an
// unsupported locale as en-US. It decodes nothing yet.
func New(env Env) *Instance {
	in := &Instance{made: map[string]any{}}
	in.locale = in.defaultLocale(env.Locale)
	in.zone = "UTC"
	if env.TimeZone != "" {
		in.zone = env.TimeZone // canonical when first asked for
	}
	return in
}

// A rangeError is reported to the script, which throws it as a RangeError.
type rangeError string

func (e rangeError) Error() string { return string(e) }

func rangef(format string, args ...any) error { return rangeError(fmt.Sprintf(format, args...)) }

// errOp is wrapped when the script and the Go side do not fit together.
var errOp = errors.New("malformed call")

// Call answers one call of the script. The answer is "=" and a text or JSON
// value, depending on op, or "!" and the message of a RangeError. An error
// means that op or args are not what the script sends. args is not kept.
func (in *Instance) Call(op string, args []byte) ([]byte, error) {
	out, err := in.dispatch(op, args)
	var re rangeError
	if errors.As(err, &re) {
		return append([]byte("!"), re...), nil
	}
	if err != nil {
		return nil, fmt.Errorf("intl %s: %w", op, err)
	}
	return append([]byte("="), out...), nil
}

func (in *Instance) dispatch(op string, args []byte) ([]byte, error) {
	switch op {
	case "canon":
		tag, err := canonicalTag(string(args))
		return []byte(tag), err
	case "locale":
		return localeOf(args)
	case "supported":
		return in.supported(args)
	case "values":
		return in.values(string(args))
	case "nf.new":
		return in.newNumber(args)
	case "nf.format", "nf.parts", "nf.range", "nf.rangeParts":
		return in.formatNumber(op, args)
	case "pr.new":
		return in.newPlural(args)
	case "pr.select", "pr.range":
		return in.selectPlural(op, args)
	case "df.new":
		return in.newDate(args)
	case "zone":
		return in.zoneAt(args)
	case "df.format", "df.parts", "df.range", "df.rangeParts":
		return in.formatDate(op, args)
	case "rf.new":
		return in.newRelative(args)
	case "rf.format", "rf.parts":
		return in.formatRelative(op, args)
	case "lf.new":
		return in.newList(args)
	case "lf.format", "lf.parts":
		return in.formatList(op, args)
	case "co.new":
		return in.newCollator(args)
	case "co.compare":
		return in.compare(args)
	case "dn.new":
		return in.newNames(args)
	case "dn.of":
		return in.displayName(args)
	case "sg.new":
		return in.newSegmenter(args)
	case "sg.breaks":
		return in.breaks(args)
	}
	return nil, fmt.Errorf("%w: unknown operation", errOp)
}

// reuse returns the formatter of a kind for resolved options, made if needed.
func reuse[T any](in *Instance, kind string, options []byte, build func([]byte) (T, error)) (T, error) {
	key := kind + string(options)
	in.mu.Lock()
	v, ok := in.made[key]
	in.mu.Unlock()
	if ok {
		return v.(T), nil
	}
	f, err := build(options)
	if err != nil {
		return f, err
	}
	in.mu.Lock()
	defer in.mu.Unlock()
	if len(in.made) >= maxMade {
		clear(in.made)
	}
	in.made[key] = f
	return f, nil
}

// split cuts args at newlines into n fields, the last of which may hold more.
func split(args []byte, n int) ([][]byte, error) {
	f := bytes.SplitN(args, []byte("\n"), n)
	if len(f) != n {
		return nil, fmt.Errorf("%w: %d of %d fields", errOp, len(f), n)
	}
	return f, nil
}
