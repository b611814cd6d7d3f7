// Package breaker keeps calls from a server that is down: a circuit breaker
// for HTTP, a limit of concurrent calls, and a client that combines them with
// the retries of package resilient.
//
// # The state machine
//
//	closed ──(threshold reached)──▶ open ──(sleep window over, next call)──▶ half-open
//	   ▲                              ▲                                        │
//	   │                              └───────────(a probe fails)──────────────┤
//	   └──────────────────────────────────(K probes succeeded)─────────────────┘
//
// Closed, calls pass and their results are counted. By default the breaker
// opens when, of at least 10 calls that ended within 10 seconds, 25 % or more
// failed; [WithErrorRate] changes the figures, and [WithFailures] counts
// failures in a row instead. 2 failures of 9 calls do not open it, since there
// are too few; 2 of 10 do not, since that is 20 %; 3 of 10 do.
//
// Open, no call passes: each gets an [*OpenError] at once, which tells the
// time left. It stays so for the sleep window, 500 ms by default.
//
// Half-open, exactly K calls pass ([WithProbes], 1 by default), however many
// ask. When K have succeeded the breaker closes, with a clean slate; when one
// fails it opens for another full window. A probe that takes longer than
// [WithProbeTimeout] makes room for another.
//
// A call that is canceled says nothing about the server: it gives its permit
// back and changes nothing. So does a call that panics. The result of a call
// that began in an earlier state is not counted.
//
// # Ways to use it
//
// [Breaker.Run] wraps a function, [Breaker.Allow] anything else:
//
//	permit, err := b.Allow()
//	if err != nil {
//		return err
//	}
//	// … then exactly one of permit.Success, permit.Failure, permit.Cancel
//
// [Transport] puts a breaker before an http.RoundTripper, and a [Group] one
// for each host. A resilient.Transport over it asks for each attempt, and does
// not retry what the breaker rejects.
//
// [Client] is a resilient.Client whose attempts run behind a breaker, under a
// limit of concurrent calls and a timeout, with a fallback. State belongs to
// the value: two clients share a breaker where [WithBreaker] says so, and
// never by a name.
package breaker
