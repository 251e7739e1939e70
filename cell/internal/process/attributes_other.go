//go:build !linux

package process

import "syscall"

// attributes has no parent-death signal to set here: a child notices the end of
// its parent by the end of its input.
func attributes(syscall.Signal) *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }
