// Package faultserver is the fault-injecting HTTP server: it scripts a
// server's faults attempt by attempt and records every attempt as it really
// arrived on the wire.
//
// In a Go test it is used like net/http/httptest:
//
//	srv := faultserver.New(t, "503x2,reset,200")
//	resp, err := client.Get(srv.URL)
//
// A [Step] says what happens to one attempt; its [Act] is the fault (or the
// answer) and its [Point] is where on the wire it strikes. A [Session] is one
// isolated run of a script with its own [Journal]. The journal tells, for each
// attempt, what was intended and what happened, on one monotonic clock.
//
// # Where things are
//
// Each act is a file of its own (respond.go, reset.go, …): its parameters, its
// rules and how it is performed on the wire. A new act is a new file and one
// line in the list in settings.go, by which one-line scripts know it; its own
// settings there are made of those in fields.go. Acts that last share pace.go and
// lasting.go; those that decide which attempts fail (outage.go, throttle.go, …)
// share decide.go, fault.go and span.go.
//
// A connection goes through listener.go (accept, and windows without), with TLS
// through secure.go and authority.go, serve.go
// (which session, call and step), conn.go (the loop over its requests) and
// exchange.go (what acts perform with). What comes in is read by input.go,
// head.go and requestbody.go; answers are made by render.go. Many sessions share
// a listener by host.go and baggage.go; what is no attempt may be handed to a real
// server by pass.go. The journal is
// kept by record.go, moment.go waits for what happens, cursor.go goes through
// scripts. Whoever drives a server while it runs has edit.go to change a script,
// await.go to wait for attempts, choose.go for steps by the request, and limits.go
// for what clients may take. What a platform does differently is in files named after it.
//
// # Imports
//
// The standard library and golang.org/x/sys, nothing else: importing this
// package adds at most that one module to a consumer's build. It imports no
// other package of this project.
package faultserver
