package quickjs_test

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// TestDateHasTheLinkedZones holds Date's local time to Go's in zones of every
// kind, through the centuries. No file of the machine is read for it.
func TestDateHasTheLinkedZones(t *testing.T) {
	for _, zone := range []string{"America/New_York", "Europe/Berlin", "Europe/Dublin", "Asia/Kolkata", "Australia/Lord_Howe", "America/St_Johns",
		"Pacific/Apia", "Africa/Casablanca", "Antarctica/Troll", "America/Sao_Paulo", "Asia/Gaza", "Etc/GMT+5", "EST5EDT", "UTC"} {
		t.Run(zone, func(t *testing.T) {
			loc, err := time.LoadLocation(zone)
			if err != nil {
				t.Fatal(err)
			}
			var want, at []string
			for when := time.Date(1875, 1, 1, 0, 30, 0, 0, time.UTC); when.Year() < 2120; when = when.Add(1201 * time.Hour) {
				_, offset := when.In(loc).Zone()
				at = append(at, fmt.Sprint(when.UnixMilli()))
				want = append(want, fmt.Sprint(-offset/60))
			}
			got := eval(t, newEngineIn(t, zone), "text(["+strings.Join(at, ",")+"].map((t) => String(new Date(t).getTimezoneOffset()).replace('-0', '0')).join())")
			for k, g := range strings.Split(got, ",") {
				if g != want[k] {
					t.Fatalf("at %s: offset %s, want %s", at[k], g, want[k])
				}
			}
		})
	}
}
