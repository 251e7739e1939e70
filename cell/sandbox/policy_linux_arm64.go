package sandbox

import "golang.org/x/sys/unix"

// auditArch is how a filter knows the architecture.
const auditArch = unix.AUDIT_ARCH_AARCH64

// archRules are the rules of this architecture: none.
func archRules() []rule { return nil }
