// Package codextest runs real Codex clients against a scripted model, with
// berth as their code-mode host, the way docs/codex.md tells people to.
//
// A [Model] stands in for the model: a server of the Responses API that says
// what a test's script says. The tests proper have the build tag codex and need
// the clients, which `make test-codex` installs. They run in a network namespace
// of their own that has nothing but loopback.
package codextest

// Versions returns the releases of Codex that the tests run.
func Versions() []string { return []string{"0.144.0", "0.171.0"} }
