// Package sandbox is what a cell host gives up before its first cell.
//
// [Apply] closes the descriptors that the process inherited, reads what the
// process will need later, and then has the kernel refuse the rest to every
// thread, for good: no-new-privs, Landlock and a seccomp filter. Standard
// input, output and error stay; what is left besides is memory, threads and
// clocks. [Check] tries what must be refused and says what came of it.
//
// The filter is a list of what the Go runtime and a JavaScript engine need.
// Any other system call, also one that a later kernel adds, is refused with
// EPERM, or ENOSYS where callers are known to fall back. Nothing is killed: an
// oversight is an error in one place and not the end of all sessions. No file
// can be opened, not even for reading, so a host reads what it wants before.
//
// Linux on amd64 and arm64 only. Elsewhere Apply changes nothing and its
// [Report] says so. Nothing here may be called concurrently.
package sandbox

// Options tune [Apply]. The zero value is ready to use.
type Options struct {
	// Keep lists inherited descriptors to leave open beside 0, 1 and 2.
	Keep []int
}

// Report is what [Apply] did.
type Report struct {
	// Closed counts the inherited descriptors that were closed.
	Closed int `json:"closed"`
	// NoNewPrivs and Seccomp tell whether these hold for all threads.
	NoNewPrivs bool `json:"noNewPrivs"`
	Seccomp    bool `json:"seccomp"`
	// Landlock is the kernel's version of it, 0 if there is none.
	Landlock int `json:"landlock"`
	// Missing says, a sentence each, what this system could not give.
	Missing []string `json:"missing,omitempty"`
}

// Result is what came of one thing that [Check] tried.
type Result struct {
	Name     string `json:"name"`     // what was tried
	Expected string `json:"expected"` // what a sandbox makes of it
	Actual   string `json:"actual"`   // what happened
	OK       bool   `json:"ok"`       // Actual is as Expected
}
