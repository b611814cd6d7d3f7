// Package service is the client kind "service": it judges a whole application by
// what it asks of its upstreams, which faultsrv plays.
//
// A profile ([Profile]) names the upstreams and their addresses, how to know that
// the service is ready, what triggers it to do one call (a request to it, or a
// command), which of its requests are that call, what the others get, how it says
// that it retries, and what its own answers mean. [Start] opens the upstreams,
// starts the service, and rehearses one call in which everything succeeds: what the
// service asks then is what it asks in each contract.
//
// A service cannot be told a method, a body or a policy. So contracts are cut to it
// (fit.go): its own request takes the place of the contract's calls and its declared
// policy that of the contract's, and a contract that would not mean what it says with
// them is unsupported, with the reasons. Its answers are success, or an error of the
// kind that its profile gives a status; they are never compared with an upstream's
// bytes. The source of a body is what a call's first whole attempt carried.
//
// The upstreams have fixed addresses. One contract after another has the judged one
// (turns.go): between two its connections are closed, and for a while no attempt may
// come; one that does makes the next contract a harness-error, since it would have
// disturbed it. A service that passes the baggage header on is judged by many
// contracts side by side (sidebyside.go).
package service
