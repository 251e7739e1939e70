// Package codemode speaks version 1 of the code-mode host protocol: the wire
// between a Codex client and the host that runs model-written JavaScript cells.
//
//	length (4 B, little-endian) | payload (length B): one JSON text, UTF-8
//
// The client says hello ([ClientHello]), the host answers [HostHello] or
// [ConnectionRejected]; from then on the client sends requests and the host
// answers, and the host sends reverse calls (tools, notifications) that the
// client answers. Everything is multiplexed by ids. A payload has at most
// [MaxFrameBytes] bytes.
//
// Messages are closed sets: [ClientToHost] and [HostToClient]. Which of the
// later releases' additions are spoken is a [Dialect]. JSON that the protocol
// only carries (inputs, results, schemas) is [RawJSON]: the spelling of its
// numbers and the order of its keys are kept, white space is not.
//
// An encoded frame ([EncodedFrame]) has passed the size check, so what is too
// large costs one answer and not the connection. Everything a decoder refuses
// ends the connection.
//
// A [Server] serves one end of a connection with a [Handler], a [Client] drives
// the other; both may be shared. A [FramedReader] or [FramedWriter] belongs to
// one goroutine. What one peer tells the other about a failure is an [*Error].
// Marks such as §8.3 mean docs/contracts/codemode.md.
package codemode
