// Package doctor tells what a path between a client and the fault server (a proxy,
// a mesh, a NAT, a port forward) makes of faults: whether a RST arrives as a RST, a
// cut body cut, a request as one attempt, a pause as long as it was.
//
// [Examine] plays each fault in sessions of its own on a [Server], makes raw
// exchanges through the path, and compares what arrived with what the server's
// journal says. A fault is played several times. Times are judged by lower bounds
// only: what noise can make look worse (parts that arrive together, a client's end
// that is not noticed) counts as kept when it was seen right once, and where an
// answer does not come at all, the patience is far above what any machine needs.
//
// A new check is a function in a file of its kind (ends.go, contents.go,
// attempts.go, times.go, connections.go, requests.go) and an entry in the list of checks.go. The
// package imports faultserver and the client of its control API.
package doctor
