package codemode_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/berth-dev/berth/cell/codemode"
)

// TestErrorTexts checks §17, and that the texts of answers lead back to codes.
func TestErrorTexts(t *testing.T) {
	for text, e := range map[string]*codemode.Error{
		"unknown code-mode session thread-9":                    codemode.UnknownSession("thread-9"),
		"code-mode session ID `thread-7` is already open":       codemode.SessionAlreadyOpen("thread-7"),
		"code-mode session ID `thread-7` was reused":            codemode.SessionReused("thread-7"),
		"code-mode host is shutting down":                       codemode.HostShuttingDown(),
		"code mode session is shutting down":                    codemode.SessionShuttingDown(),
		"invalid code-mode execute request: because":            codemode.InvalidExecute("because"),
		"code-mode host has too many in-flight requests":        codemode.TooManyRequests(),
		"code-mode host has too many active cells":              codemode.TooManyCells(),
		"code-mode host is overloaded":                          codemode.Overloaded(),
		"code-mode request cancelled":                           codemode.Cancelled(),
		"exec cell 4 already has an active observer":            codemode.AlreadyObserved("4"),
		"exec cell 4 is already terminating":                    codemode.AlreadyTerminating("4"),
		"exec cell 4 already exists":                            codemode.CellExists("4"),
		"code mode session exhausted its cell ID space":         codemode.CellIDsExhausted(),
		"failed to initialize code mode runtime":                codemode.InitializeFailed(nil),
		"unknown code-mode catalog revision":                    codemode.UnknownCatalog(),
		"conflicting code-mode catalog revision":                codemode.ConflictingCatalog(),
		"invalid code-mode catalog revision":                    codemode.InvalidCatalog(),
		"code-mode client returned an invalid tool result":      codemode.InvalidToolResult(),
		"code-mode host has too many pending delegate calls":    codemode.TooManyCalls(),
		"code mode delegate request cancelled":                  codemode.CallCancelled(),
		"code-mode host response exceeds the IPC frame limit: ": {Code: codemode.CodeResponseTooLarge, Message: "code-mode host response exceeds the IPC frame limit: "},
		"something else":                                        {Code: codemode.CodeOther, Message: "something else"},
	} {
		if e.Error() != text || e.Message != text {
			t.Errorf("got %q, want %q", e.Error(), text)
		}
		switch e.Code { // which no answer to a request carries
		case codemode.CodeInvalidToolResult, codemode.CodeTooManyCalls, codemode.CodeCallCancelled:
			continue
		}
		m, err := codemode.NewDecoder(codemode.Base).DecodeHostToClient([]byte(errorResponse(1, text)))
		if err != nil {
			t.Fatal(err)
		}
		got := m.(*codemode.OperationResponse).Result.Err
		if got.Code != e.Code || !got.Remote || got.Message != text {
			t.Errorf("%q comes back as %+v, want code %s", text, got, e.Code)
		}
	}
	if got := codemode.CellNotFoundText("99"); got != "exec cell 99 not found" {
		t.Errorf("missing cell: %q", got)
	}
	if codemode.RuntimeEndedText != "exec runtime ended unexpectedly" {
		t.Errorf("dead runtime: %q", codemode.RuntimeEndedText)
	}
}

func TestCodes(t *testing.T) {
	cause := errors.New("cause")
	wrapped := fmt.Errorf("outer: %w", codemode.InitializeFailed(cause))
	if codemode.CodeOf(wrapped) != codemode.CodeInitialize || !errors.Is(wrapped, cause) ||
		wrapped.Error() != "outer: failed to initialize code mode runtime: cause" {
		t.Errorf("wrapped: %v", wrapped)
	}
	for want, err := range map[codemode.Code]error{
		codemode.CodeCancelled: fmt.Errorf("x: %w", context.DeadlineExceeded), codemode.CodeOther: cause,
	} {
		if got := codemode.CodeOf(err); got != want {
			t.Errorf("%v: code %s, want %s", err, got, want)
		}
	}
	if !codemode.TooManyCells().Retryable() || codemode.UnknownSession("s").Retryable() {
		t.Error("what may be retried is wrong")
	}
}

// TestSets: what must not be constructed. Spec: codemode §5.
func TestSets(t *testing.T) {
	for want, construct := range map[string]func() error{
		"at least one protocol version is required": func() error { _, err := codemode.NewSupportedProtocolVersions(); return err },
		"duplicate protocol version 7":              func() error { _, err := codemode.NewSupportedProtocolVersions(7, 1, 7); return err },
		"protocol version must not be zero":         func() error { _, err := codemode.NewSupportedProtocolVersions(1, 0); return err },
		"duplicate capability `a`":                  func() error { _, err := codemode.NewCapabilitySet("a", "b", "a"); return err },
		"identifier must not be empty":              func() error { _, err := codemode.NewCapabilitySet("a", "\u3000"); return err },
		"capability `a` cannot be both required and optional": func() error {
			return (&codemode.ClientHello{SupportedVersions: codemode.SupportedProtocolVersions{1},
				RequiredCapabilities: codemode.CapabilitySet{"a"}, OptionalCapabilities: codemode.CapabilitySet{"a"}}).Validate()
		},
	} {
		if err := construct(); err == nil || err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
	}
	if s, err := codemode.NewCapabilitySet("b", "a"); err != nil || !s.Has("a") || s.Has("c") || s[0] != "a" {
		t.Errorf("set %q, %v", s, err)
	}
}

// TestGuessDialect checks the table of §15.
func TestGuessDialect(t *testing.T) {
	for capabilities, want := range map[string]codemode.Dialect{
		"":                                       codemode.Base,
		"x-lab-trace":                            codemode.Base,
		"session-cell-execution-resource-limits": codemode.Limits, // as told
		"session-cell-execution-resource-limits yield-observation": codemode.Timed,
		"bounded-output-v1":        codemode.Timed,
		"delegate-capacity-4096":   codemode.Timed,
		"tool-catalog-revision-v1": codemode.Timed,
	} {
		var set codemode.CapabilitySet
		for name := range strings.FieldsSeq(capabilities) {
			set = append(set, codemode.Capability(name))
		}
		for _, hello := range []*codemode.ClientHello{{OptionalCapabilities: set}, {RequiredCapabilities: set}} {
			if got := codemode.GuessDialect(hello, codemode.Limits); got != want {
				t.Errorf("%q: %s, want %s", capabilities, got, want)
			}
		}
	}
}
