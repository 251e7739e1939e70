package sandbox

import "golang.org/x/sys/unix"

// auditArch is how a filter knows the architecture.
const auditArch = unix.AUDIT_ARCH_X86_64

// archSetFS is arch_prctl's code to set a thread's base of FS; no header of
// ours has it.
const archSetFS = 0x1002

// archRules are the rules of this architecture: the runtime tells each new
// thread where its own storage is.
func archRules() []rule {
	return []rule{{unix.SYS_ARCH_PRCTL, []condition{is(0, archSetFS)}}}
}
