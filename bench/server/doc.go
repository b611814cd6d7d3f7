// Command server measures what the fault server costs and how true its faults
// are, beside bare net/http and the fault servers of others. `make bench-server`
// builds all of them and runs it.
//
// Every server is a process of its own, driven over loopback by the same client,
// which does as little as it can. Servers that are compared take turns, round
// after round, so that what the machine does besides meets all of them alike; a
// ratio is of two spells of one round. It needs Linux: it reads the clock of
// another process's processor time, and the errors that a socket really gave.
//
// Where things go: a server that takes part is an entrant (entrants.go, peers.go);
// a table is a function that returns one, in a file of its own.
package main
