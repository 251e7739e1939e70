//go:build !unix

package cellhost

import "os"

// Stdio takes standard input and output for Run.
func Stdio() (in, out *os.File, err error) { return os.Stdin, os.Stdout, nil }
