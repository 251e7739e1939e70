package intl_test

import (
	"strings"
	"sync"
	"testing"

	"github.com/berth-dev/berth/cell/js/internal/intl"
)

// Nothing is loaded before a program touches Intl or a method that needs it.
func TestLazy(t *testing.T) {
	for touch, want := range map[string]string{
		`[1, "a"].join()`:                     "1,a",
		`typeof Intl`:                         "object",
		`(1234.5).toLocaleString()`:           "1,234.5",
		`"a".localeCompare("b")`:              "-1",
		`"İ".toLocaleLowerCase("tr")`:         "i",
		`[1, 2].toLocaleString()`:             "1,2",
		`new Date(0).toLocaleDateString()`:    "1/1/1970",
		`Intl = 5; Intl`:                      "5",
		`delete globalThis.Intl; typeof Intl`: "undefined",
		`123456789n.toLocaleString("de")`:     "123.456.789",
	} {
		r := newRealm(t, intl.Env{})
		if got := r.eval(t, "loads"); got != "0" || r.calls != 0 {
			t.Fatalf("loaded before %s", touch)
		}
		if got := r.eval(t, touch); got != want {
			t.Errorf("%s = %s, want %s", touch, got, want)
		}
		if got := r.eval(t, touch+"; loads"); got > "1" {
			t.Errorf("%s: loaded %s times", touch, got)
		}
	}
}

func TestProperty(t *testing.T) {
	const plain = `{"writable":true,"enumerable":false,"configurable":true}`
	const descriptor = `JSON.stringify((({writable, enumerable, configurable}) => ({writable, enumerable, configurable}))(Object.getOwnPropertyDescriptor(globalThis, "Intl")))`
	r := newRealm(t, intl.Env{})
	if got := r.eval(t, "Intl;"+descriptor); got != plain {
		t.Errorf("after the first touch: %s", got)
	}
	r = newRealm(t, intl.Env{})
	if got := r.eval(t, "installIntl();"+descriptor); got != plain {
		t.Errorf("installed at once: %s", got)
	}
}

// A program that changes built-ins changes nothing for Intl.
func TestTampering(t *testing.T) {
	r := newRealm(t, intl.Env{})
	got := r.eval(t, `
		const bad = () => { throw new Error("reached"); };
		const keep = [Object, Reflect.ownKeys, Reflect.defineProperty, Reflect.getOwnPropertyDescriptor];
		const [O, ownKeys, define, describe] = keep;
		const holders = [String.prototype, Array.prototype, Map.prototype, WeakMap.prototype, Number.prototype, RegExp.prototype, Object, Reflect, JSON, Math, Date];
		for (let i = 0; i < holders.length; i++) {
			const keys = ownKeys(holders[i]);
			for (let n = 0; n < keys.length; n++) {
				const d = describe(holders[i], keys[n]);
				const kept = ["constructor", "toLocaleString", "localeCompare"];
				if (typeof d.value === "function" && d.configurable && kept[0] !== keys[n] && kept[1] !== keys[n] && kept[2] !== keys[n]) define(holders[i], keys[n], { value: bad });
			}
		}
		define(O.prototype, "toJSON", { value: bad });
		define(O.prototype, "style", { get: bad });
		define(O.prototype, "get", { __proto__: null, value: bad, writable: true });
		define(O.prototype, "0", { get: () => "de", set: bad });
		define(Array.prototype, "1", { get: bad, set: bad });
		let out = new Intl.NumberFormat("en").format(1234.5) + "|" + new Intl.DateTimeFormat("en", { timeZone: "UTC" }).format(0);
		out += "|" + new Intl.ListFormat("en").resolvedOptions().type + "|" + (5).toLocaleString() + "|" + "a".localeCompare("b", "de");
		out += "|" + new Intl.NumberFormat("en").formatToParts(5)[0].value + "|" + new Intl.PluralRules("en").select(1);
		out`)
	if want := "1,234.5|1/1/1970|conjunction|5|-1|5|one"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestEnvironment(t *testing.T) {
	environ := func(vars ...string) func(string) string {
		return func(name string) string {
			for _, v := range vars {
				if k, value, _ := strings.Cut(v, "="); k == name {
					return value
				}
			}
			return ""
		}
	}
	const both = `new Intl.NumberFormat().resolvedOptions().locale + " " + new Intl.DateTimeFormat().resolvedOptions().timeZone + " " + new Date(0).toLocaleTimeString()`
	for _, test := range []struct {
		name string
		vars []string
		want string
	}{
		{"local time", []string{"link=/usr/share/zoneinfo/Asia/Tokyo"}, "en-US Asia/Tokyo 9:00:00 AM"},
		{"a file for TZ", []string{"TZ=/usr/share/zoneinfo/Asia/Tokyo", "link=x"}, "en-US Asia/Tokyo 9:00:00 AM"},
		{"nothing", nil, "en-US UTC 12:00:00 AM"},
		{"C", []string{"LANG=C.UTF-8"}, "en-US UTC 12:00:00 AM"},
		{"German", []string{"LANG=de_DE.UTF-8", "TZ=Europe/Berlin"}, "de-DE Europe/Berlin 01:00:00"},
		{"a region without data of its own", []string{"LANG=de_CH"}, "de UTC 00:00:00"},
		{"LC_ALL first", []string{"LANG=de_DE", "LC_ALL=en_GB.UTF-8"}, "en-GB UTC 00:00:00"},
		{"unsupported", []string{"LANG=sv_SE.UTF-8", "TZ=:America/New_York"}, "en-US America/New_York 7:00:00 PM"},
		{"no such zone", []string{"TZ=Nope/Nowhere"}, "en-US UTC 12:00:00 AM"},
		{"old name", []string{"TZ=us/pacific"}, "en-US America/Los_Angeles 4:00:00 PM"},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := newRealm(t, intl.FromEnviron(environ(test.vars...), func(string) (string, error) {
				return environ(test.vars...)("link"), nil
			}))
			if got := r.eval(t, both); strings.ReplaceAll(got, "\u202f", " ") != test.want {
				t.Errorf("got %s, want %s", got, test.want)
			}
		})
	}
}

// Other locales resolve to the default one and say so.
func TestUnsupported(t *testing.T) {
	r := newRealm(t, intl.Env{})
	for expression, want := range map[string]string{
		`new Intl.NumberFormat("sv").resolvedOptions().locale`:                                         "en-US",
		`new Intl.Collator("ja").resolvedOptions().locale`:                                             "en-US",
		`new Intl.DateTimeFormat(["xx", "fr-CA"]).resolvedOptions().locale`:                            "fr",
		`new Intl.DateTimeFormat("en", { calendar: "buddhist" }).resolvedOptions().calendar`:           "gregory",
		`JSON.stringify(Intl.NumberFormat.supportedLocalesOf(["sv", "de-CH", "zh-Hant-TW", "en-US"]))`: `["de-CH","zh-Hant-TW","en-US"]`,
		`JSON.stringify(Intl.Collator.supportedLocalesOf(["sv", "ja", "es"]))`:                         `["es"]`,
		`"a\0b".localeCompare("ab") + " " + "b\0".localeCompare("\0a")`:                                "0 1",
		`new Intl.NumberFormat("sv").format(1234.5)`:                                                   "1,234.5",
		`Intl.supportedValuesOf("calendar").join()`:                                                    "gregory",
	} {
		if got := r.eval(t, expression); got != want {
			t.Errorf("%s = %s, want %s", expression, got, want)
		}
	}
}

// Long texts are handled piece by piece.
func TestLong(t *testing.T) {
	r := newRealm(t, intl.Env{})
	for expression, want := range map[string]string{
		`const t = "aé".repeat(100000); t.localeCompare(t + "b") + "," + (t + "e").localeCompare(t + "É") + "," + (t + "z" + t).localeCompare(t + "y" + t)`:                                                                 "-1,-1,1",
		`const u = "ab 👩‍🚀. ".repeat(20000), w = [...new Intl.Segmenter("en", { granularity: "word" }).segment(u)]; w.length + " " + w.filter((x) => x.isWordLike).length + " " + (w.map((x) => x.segment).join("") === u)`: "100000 20000 true",
		`const g = new Intl.Segmenter().segment("👩‍🚀".repeat(30000)); [...g].length + " " + g.containing(149999).index + " " + g.containing(150000)`:                                                                        "30000 149995 undefined",
		`const s = "x".repeat(70000); [...new Intl.Segmenter("en", { granularity: "sentence" }).segment(s)].map((x) => x.segment.length).join()`:                                                                            "65536,4464",
		`new Intl.NumberFormat().format(10n ** 3000n).length`:      "4001",
		`new Intl.NumberFormat().format("0." + "0".repeat(20000))`: "0",
	} {
		if got := r.eval(t, "{"+expression+"}"); got != want {
			t.Errorf("%s = %s, want %s", expression, got, want)
		}
	}
}

// One Instance serves many goroutines.
func TestShared(t *testing.T) {
	in := intl.New(intl.Env{})
	var wg sync.WaitGroup
	for _, locale := range []string{"en", "de", "fr", "ja"} {
		wg.Go(func() {
			for range 50 {
				key, err := in.Call("df.new", []byte(`{"locales":"`+locale+`","dateStyle":"full","timeStyle":"full","timeZone":"Europe/Paris"}`))
				if err != nil || key[0] != '=' {
					t.Errorf("df.new: %s %v", key, err)
					return
				}
				if out, err := in.Call("df.format", append(key[1:], "\n0"...)); err != nil || out[0] != '=' {
					t.Errorf("df.format: %s %v", out, err)
				}
			}
		})
	}
	wg.Wait()
}

// What does not come from the script is refused without harm.
func TestMalformed(t *testing.T) {
	in := intl.New(intl.Env{})
	for _, call := range [][2]string{
		{"nope", ""}, {"nf.format", ""}, {"nf.format", "{}\n1"}, {"nf.new", "["}, {"nf.format", `{"minimumFractionDigits":-1,"maximumFractionDigits":999}` + "\n1"},
		{"df.new", `{"locales":"en","year":"x"}`}, {"df.format", `{"timeZone":"UTC"}` + "\n"}, {"df.format", `{"timeZone":"UTC"}` + "\nx"}, {"rf.format", "{}\nday\n1"}, {"lf.format", "{}\n[1]"},
		{"co.compare", "{}\nab"}, {"sg.breaks", "x\ny"}, {"values", "x"}, {"pr.select", "{}\n1"}, {"dn.of", "x\ny"}, {"supported", "x"},
	} {
		if out, err := in.Call(call[0], []byte(call[1])); err == nil {
			t.Errorf("%s(%q) = %s", call[0], call[1], out)
		}
	}
}

func FuzzCall(f *testing.F) {
	in := intl.New(intl.Env{})
	for _, seed := range [][2]string{
		{"nf.new", `{"locales":"de","style":"currency","currency":"EUR","notation":"compact","compactDisplay":"short","minimumIntegerDigits":1,"roundingIncrement":1,"roundingMode":"halfExpand","roundingPriority":"auto","trailingZeroDisplay":"auto","signDisplay":"auto"}`},
		{"df.new", `{"locales":"ja-u-hc-h12","weekday":"long","hour":"numeric","timeZone":"Asia/Tokyo","timeZoneName":"long"}`},
		{"canon", "en-US-u-nu-latn-x-a"}, {"sg.breaks", "word\na b."}, {"supported", "nf\nen,de"}, {"dn.new", `{"locales":"en","type":"region"}`},
	} {
		f.Add(seed[0], []byte(seed[1]), "1709251199999")
	}
	// Each format operation works on what its new operation answers, and on anything.
	next := map[string][]string{"nf.new": {"nf.format", "nf.parts"}, "df.new": {"df.format", "df.parts"}, "pr.new": {"pr.select"}, "lf.new": {"lf.format"}, "co.new": {"co.compare"}, "dn.new": {"dn.of"}}
	f.Fuzz(func(t *testing.T, op string, args []byte, value string) {
		if len(args) > 1<<10 || len(value) > 1<<10 {
			return
		}
		out, err := in.Call(op, args)
		if err != nil {
			return
		}
		if len(out) == 0 || out[0] != '=' && out[0] != '!' {
			t.Fatalf("%s answered %q", op, out)
		}
		for _, op := range next[op] {
			if out, err := in.Call(op, append(out[1:len(out):len(out)], "\n"+value...)); err == nil && out[0] != '=' && out[0] != '!' {
				t.Fatalf("%s answered %q", op, out)
			}
		}
	})
}

func BenchmarkFirstTouch(b *testing.B) {
	for b.Loop() {
		in := intl.New(intl.Env{})
		key, err := in.Call("nf.new", []byte(`{"locales":"","style":"decimal","notation":"standard","minimumIntegerDigits":1,"roundingIncrement":1,"roundingMode":"halfExpand","roundingPriority":"auto","trailingZeroDisplay":"auto","signDisplay":"auto"}`))
		if err != nil {
			b.Fatal(err)
		}
		if _, err := in.Call("nf.format", append(key[1:], "\n1234.5"...)); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkFirstDate(b *testing.B) {
	for b.Loop() {
		in := intl.New(intl.Env{})
		if _, err := in.Call("df.new", []byte(`{"locales":"","year":"numeric","month":"long","day":"numeric"}`)); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkFormat(b *testing.B) {
	in := intl.New(intl.Env{})
	for name, call := range map[string][3]string{
		"number": {"nf.new", `{"locales":"","style":"decimal","notation":"standard","minimumIntegerDigits":1,"roundingIncrement":1,"roundingMode":"halfExpand","roundingPriority":"auto","trailingZeroDisplay":"auto","signDisplay":"auto","useGrouping":"auto"}`, "nf.format\n1234567.891"},
		"date":   {"df.new", `{"locales":"","dateStyle":"full","timeStyle":"long","timeZone":"America/New_York"}`, "df.format\n1709251199999"},
		"order":  {"co.new", `{"locales":"","usage":"sort","sensitivity":"variant"}`, "co.compare\nresume\x00r\u00e9sum\u00e9"},
	} {
		key, err := in.Call(call[0], []byte(call[1]))
		if err != nil {
			b.Fatal(err)
		}
		op, value, _ := strings.Cut(call[2], "\n")
		args := []byte(string(key[1:]) + "\n" + value)
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if _, err := in.Call(op, args); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkRealm is what a program pays that formats one number.
func BenchmarkRealm(b *testing.B) {
	in := newRealm(b, intl.Env{}).in
	for b.Loop() {
		b.StopTimer()
		r := newRealm(b, intl.Env{})
		r.in = in
		b.StartTimer()
		r.eval(b, `(1234.5).toLocaleString()`)
	}
}
