package quickjs

import (
	"fmt"
	"hash/crc32"
	"os"
	"strings"
	"sync"
	"time"

	"golang.org/x/sys/unix"
	"modernc.org/libc"
)

// zoneLock is held while an engine sets the C library's time zone, which is the
// process's.
var zoneLock sync.Mutex

// withZone makes local time that of a zone known by name, and runs f, which is
// to ask for it: then the library reads the zone, once. Other names, and none,
// are left to the library.
func withZone(name string, f func() error) error {
	loc, err := time.LoadLocation(name)
	if name == "" || err != nil {
		return f()
	}
	fd, err := unix.MemfdCreate("zone", unix.MFD_CLOEXEC)
	if err != nil {
		return f() // the machine's files have to do
	}
	file := os.NewFile(uintptr(fd), "zone")
	defer file.Close()
	if _, err := file.Write(zoneFile(loc)); err != nil {
		return f()
	}
	zoneLock.Lock()
	defer zoneLock.Unlock()
	// The library reads no path twice, so each zone has one of its own.
	own := strings.Repeat("./", int(crc32.ChecksumIEEE([]byte(name))%1000))
	if err := setenv("TZ", fmt.Sprintf(":/proc/self/fd/%s%d", own, fd)); err != nil {
		return f()
	}
	return f()
}

// setenv changes the C library's environment, which is not Go's.
func setenv(name, text string) error {
	tls := libc.NewTLS()
	defer tls.Close()
	n, err := libc.CString(name)
	if err != nil {
		return err
	}
	defer libc.Xfree(tls, n)
	s, err := libc.CString(text)
	if err != nil {
		return err
	}
	defer libc.Xfree(tls, s)
	if libc.Xsetenv(tls, n, s, 1) != 0 {
		return unix.ENOMEM
	}
	return nil
}
