// Package control is the fault server as a service: an HTTP API by which
// sessions are created, watched, changed and judged from any language.
//
// It listens on a listener of its own, so that it answers while every data
// connection stalls. The data side is a [faultserver.Host]; a session is found
// under its /s/ID, or has a listener of its own.
//
// What comes from the right of the project's one path for the data, such as
// contracts and their judging, is handed in as functions (see [Options]): this
// package knows sessions, scripts and journals, and nothing of contracts.
//
// # Where things are
//
// routes.go lists every route; openapi.json describes them, and a test holds the
// two to each other. store.go keeps the sessions and ends those that expire. Each
// resource has its handlers in a file: session.go, script.go, journal.go,
// events.go, calls.go. What refuses a request before any handler sees it is in
// guard.go; errors are made by problem.go; metrics.go counts. page.go writes the
// live page, whose text, style and script are in page/; what it shows of the wire
// is hostile, and goes into it as text. owner.go and ports.go are what several
// servers need. A new route is a
// line in routes.go, its handler, and its description in openapi.json.
//
// # Imports
//
// The standard library, gorilla/mux and Prometheus' client_golang; of this
// project faultserver alone. The client, in client/, needs the standard library
// and faultserver only.
package control
