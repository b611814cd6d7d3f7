// Package resilient is an HTTP client that retries what may be retried, and
// nothing else. It uses the standard library only.
//
//	transport, err := resilient.New(nil) // over http.DefaultTransport
//	client := &http.Client{Transport: transport}
//	resp, err := client.Get(url)
//
// # What is retried
//
// A call is one RoundTrip, an attempt is one request sent for it. Attempts
// count the first one, retries do not: 3 attempts, the default, are 2 retries.
//
// A result asks for another attempt where it is
//   - a response with status 429, 502, 503 or 504 ([WithStatuses]), or
//   - a transport error that another attempt may not meet: a lost connection,
//     a timeout of the attempt ([WithAttemptTimeout]), a resolver in trouble.
//
// Certificates that are not trusted, names that do not exist, schemes that
// nobody speaks, requests that are not valid, and an open circuit breaker
// would fail again, and are never retried. Nor is anything after the caller's
// context is done, or after a response was returned: a body that breaks off
// is the reader's to handle, who may have used a part of it.
//
// The request gets another attempt only if it may be sent twice (RFC 9110
// §9.2.2). Any of these says so:
//   - its method is safe, GET, HEAD, OPTIONS or TRACE, or is listed by
//     [WithMethods], which replaces these;
//   - it carries an Idempotency-Key header with a value;
//   - its context comes from [WithIdempotent].
//
// One kind of failure needs none of them: a request that was certainly never
// processed, since no connection could be made, an HTTP/2 server refused the
// stream, or its Expect: 100-continue was refused by 417, is retried whatever its
// method; the last without the expectation.
//
// [WithClassifier] puts a function of one's own before these rules, and
// [WithPolicy] changes options for the calls of one context.
//
// # When
//
// The n-th retry, counted from 0, waits for Next(n) of the [Backoff]. The
// default is full jitter, a random time in [0, min(5 s, 100 ms·2ⁿ)]: at most
// 100 ms before the second attempt, and 200 ms before the third.
//
//	constructor              with base 100 ms, cap 1 s: pauses before attempts 2, 3, 4, 5, 6
//	NewConstantBackoff       100, 100, 100, 100, 100 ms
//	NewLinearBackoff         100, 200, 300, 400, 500 ms
//	NewExponentialBackoff    100, 200, 400, 800, 1000 ms (factor 2)
//	NewFullJitter            0–100, 0–200, 0–400, 0–800, 0–1000 ms
//	NewEqualJitter           50–100, 100–200, 200–400, 400–800, 500–1000 ms
//	NewDecorrelatedJitter    100 ms to three times the pause before, at most 1 s
//
// A Retry-After of the response goes before a shorter backoff. It may be a
// number of seconds or any of the three HTTP-date forms, in UTC. Up to a
// tenth of it, at most a second, is added at random, so that the clients of
// one overload do not come back in the same instant; nothing is ever taken
// away. A value of 0, a past date, and a value that cannot be read leave the
// backoff as it is. A value above the cap ([WithRetryAfterCap], a minute)
// ends the call with that response.
//
// # How long
//
// Nothing bounds a call but its context: give it a deadline, or the http.Client
// a Timeout, which is one. Either spans all attempts and pauses. A server that
// hangs would use it up at the first attempt; [WithAttemptTimeout] gives each
// attempt a bound of its own, so that there is time for the next.
//
// A pause ends with the caller's context. One that could not end before the
// context's deadline is not begun: the call returns at once.
//
// # How much in all
//
// Retries multiply the load of a server that is in trouble. A [Budget] bounds
// them over all calls: a Transport of [New] makes, over ten seconds, at most
// one retry for every fifth call and a hundred more. 1,000 calls that all fail
// are then 1,300 requests instead of 3,000. [NewRateBudget] changes the
// figures, [NewTokenBudget] and [NewPercentBudget] count failures against
// successes instead, and [WithBudget] installs any of them. A call whose retry
// is denied returns its failure at once; the first attempt is always sent.
//
// # Idempotency keys
//
// [WithIdempotencyKey] gives each POST, and each other call that is not
// idempotent, a key of its own, which stays the same over its attempts.
// [WithAttemptHeader] sends the number of each attempt.
//
// # Bodies
//
// A request body is sent again through its GetBody, which http.NewRequest
// sets for the readers of strings and bytes. Without GetBody it is sent once,
// unless [WithBodyBuffer] may hold it. Every attempt carries the same bytes
// and the same declared length. The caller's request is never modified, and
// its body is always closed.
//
// A response that is given up for a retry is read up to 64 KiB and 200 ms
// ([WithDrain]), so that its connection can be used again, and closed.
//
// # What comes back
//
// Either a response or an [*Error], never both and never neither.
//
// A response is returned for every status. One that asked for a retry and got
// none, such as the third 503, comes as it came, its body unread; [Info]
// tells the number of attempts and the [Cause].
//
// An Error names the attempts, the cause and the last failure, and errors.Is
// and errors.As reach all of these:
//
//	errors.Is(err, resilient.ErrExhausted)           // every attempt was made
//	errors.Is(err, resilient.ErrBodyNotReplayable)   // the body could not be sent again
//	errors.Is(err, context.Canceled)                 // the caller's end, also during a pause
//	errors.Is(err, syscall.ECONNRESET)               // what the last attempt met
//	errors.As(err, &status)                          // *StatusError: the 503 before a pause that was cut short
//
// # Hedging
//
// [WithHedge] sends a further attempt when no answer has come within a delay,
// and takes the first good one. The number of attempts stays the bound of all
// that is sent, and each one but the first costs the budget a retry. With 3
// attempts and 50 ms, a server that takes 200 ms gets requests at 0, 50 and
// 100 ms, and the caller has the fastest of their answers.
//
// # Other forms
//
// [Client] has helper methods and takes plugins, after heimdall's httpclient;
// [APIClient] asks one API and returns bodies, or errors with the names of
// statuses. Both are policies over the same engine. Package breaker puts a
// circuit breaker before a Transport, and has a Client with one inside. What
// these forms keep of their models, and how programs written for others look
// with this package, stands in COMING-FROM.md beside it.
//
// # Watching it
//
// An [Observer] sees each attempt, result and pause, with its number, delay
// and reason, and the state of budget and breaker; [NewLogObserver] logs them
// with log/slog. Without an observer, events cost nothing: a call that succeeds
// at once allocates nothing. Passwords in URLs are redacted in errors and logs.
//
// # Under net/http
//
// [http.Transport] sends some requests again by itself: one without a body,
// or with GetBody, whose method is safe or that has an Idempotency-Key, when
// a reused connection dies before the first byte of an answer; and HTTP/2
// streams that the server refused. Such a repetition is part of one attempt
// here, so that the server may see more requests than attempts. The package
// leaves this alone: it only happens where a repetition is allowed. Who needs
// the exact number sets DisableKeepAlives on the base.
package resilient
