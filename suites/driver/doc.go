// Package driver is the client kind "driver": it judges any client in any
// language. A small program around the client, the driver, speaks JSON lines on
// its standard input and output; one process serves a whole run. The protocol
// is described, with a transcript, in docs/protocol.md.
//
// A driver says hello, with what its client can do; then it is told to open
// clients with a policy, to make calls with them, to cancel calls, and to close
// clients. Its capabilities are its own word. [Check] holds it to them: it
// tells a driver's author what is wrong, and what to do.
//
// # When a driver breaks
//
// A driver that breaks the protocol, ends in the middle, or hangs with every
// call that it can make, is ended. What was open then is a client-error; for
// what comes next it is started anew, a few times a run. No process and no file
// is left when the Subject is closed.
//
// # Where things are
//
// protocol.go and policy.go have the messages, hear.go takes those of the
// driver, conversation.go is the running process. driver.go is the subject,
// client.go a client and its calls, outcome.go what a result says. check.go
// runs the probes of [Check], which stand in the files probe_*.go.
package driver
