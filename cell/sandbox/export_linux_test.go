//go:build linux && (amd64 || arm64)

package sandbox

import "golang.org/x/net/bpf"

// CloseInherited closes what came through execve.
var CloseInherited = closeInherited

// InheritedByNumber finds it without /proc.
var InheritedByNumber = inheritedByNumber

// RestrictFiles applies Landlock alone.
var RestrictFiles = restrictFiles

// AuditArch is the architecture that the filter accepts.
const AuditArch = auditArch

// Program is the filter of the process pid.
func Program(pid int) []bpf.Instruction { return newPolicy(pid).program() }
