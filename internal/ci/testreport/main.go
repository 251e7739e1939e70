// Command testreport reads the output of `go test -json` on standard input and
// prints what `go test` would: a line for each package, and of tests only those
// that failed, with their output. It ends with a line that counts the tests
//
//	412 passed, 0 failed
//
// and exits 1 when a test or a package failed, when a test was skipped, and
// when none ran: green means tested.
package main

import (
	"os"
)

func main() {
	if !report(os.Stdin, os.Stdout) {
		os.Exit(1)
	}
}
