// Package faultsrv holds no code: it is the map of the rooms.
//
// faultsrv tells whether an HTTP client retries correctly. It scripts a
// server's faults attempt by attempt, records every attempt as it arrived on
// the wire, and judges any client against contracts that read as a
// specification. The data takes one path, and nothing flows back:
//
//	contract ─▶ session ─▶ wire ─▶ journal ─▶ checks and verdict ─▶ results
//	scenarios   faultserver                   assertions            reports
//
// The rooms, from left to right:
//
//   - faultserver: the fault-injecting server, its steps, faults, sessions and
//     journal. Usable alone in a Go test, like net/http/httptest.
//   - scenarios: the contract format, its strict loader and lint, and the
//     embedded catalogue; scenarios/schema makes the JSON Schema.
//   - assertions: the checks over a journal and an outcome, as pure functions;
//     assertions/matchers offers them to Gomega.
//   - reports: the result model and what renders it.
//   - resilient: the reference client, which keeps the contracts. It imports
//     nothing of the others and nothing but the standard library.
//   - suites: the runner. suites/command makes a client of any command line,
//     suites/driver of one in any language that speaks its protocol,
//     suites/service of a whole application, suites/profile of a file that
//     describes any of them. suites/clients/… are real clients, suites/mutants are clients that
//     are wrong on purpose, and suites/ginkgosuite makes Ginkgo specs of the
//     catalogue.
//   - cmd/faultsrv: the command line, one file a command.
//
// A room imports only rooms that stand before it; the test beside this file
// holds the table and fails for an import that it does not allow.
package faultsrv
