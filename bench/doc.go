// Command bench measures what the reference client and its breaker cost, beside
// bare net/http and those of others: time, allocations and bytes of a call that
// succeeds, of one retry with a 64 KiB body, and of three attempts in vain; and of
// asking a breaker. `make bench-client` runs it.
//
// All contenders of a table do the same exchanges with the same server in the
// same run. They take turns, a short spell each, round after round, so that what
// the machine does besides meets all of them alike. It is a module of its own, so
// that the dependencies of the others stay out of ours.
package main
