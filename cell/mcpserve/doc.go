// Package mcpserve is an MCP server that wraps any number of MCP servers into
// two tools, exec and wait: code mode for every MCP client.
//
//	MCP client ── exec, wait ──> session ── codemode ──> child host
//	     <── elicitation, … ──     │  tools.<server>__<tool>(…)
//	                               └──> upstream servers, as configured
//
// [ServeStdio] serves one client, [ServeHTTP] many. Each client has its own
// upstream servers, its own code-mode session and its own consents; all share
// one child host, in which the JavaScript runs without files and network.
//
// A tool that does not say of itself that it only reads is run when the
// configuration allows it or the user, asked once, does. A server that is
// broken costs its own tools and nothing else. Output is cut to a budget of
// tokens, descriptions to [MaxDescription] bytes.
// Marks such as §15 mean docs/contracts/codemode.md.
package mcpserve
