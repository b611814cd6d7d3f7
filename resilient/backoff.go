package resilient

import (
	"math"
	"time"
)

// Backoff computes how long to wait before a retry.
//
// The index counts retries from 0: Next(0) is the pause between the first and
// the second attempt. A negative index counts as 0. An implementation must be
// safe for concurrent use, must not panic for any index, and must not return
// a negative duration (a Transport takes one as no wait).
type Backoff interface {
	Next(retry int) time.Duration
}

// StatefulBackoff is a Backoff whose pauses depend on the earlier pauses of
// the same call, such as decorrelated jitter. A Transport calls ForCall once
// a call, before its first retry, and asks the result for each of its pauses;
// the result is used by one goroutine only.
type StatefulBackoff interface {
	Backoff
	ForCall() Backoff
}

// Retriable answers how long to pause before a retry, counted from 0 like
// the index of a [Backoff].
type Retriable interface {
	NextInterval(retry int) time.Duration
}

// RetriableFunc is a function that is itself a [Retriable].
type RetriableFunc func(retry int) time.Duration

// NextInterval calls the function.
func (f RetriableFunc) NextInterval(retry int) time.Duration { return f(retry) }

// NewRetrier returns a Retriable that pauses as the backoff says. A nil
// backoff pauses for no time.
func NewRetrier(backoff Backoff) Retriable {
	if backoff == nil {
		return NewNoRetrier()
	}
	return RetriableFunc(backoff.Next)
}

// NewRetrierFunc returns a Retriable that pauses as the function says. A nil
// function pauses for no time.
func NewRetrierFunc(next func(retry int) time.Duration) Retriable {
	if next == nil {
		return NewNoRetrier()
	}
	return RetriableFunc(next)
}

// NewNoRetrier returns a Retriable that never pauses. It does not turn
// retries off: the number of attempts does.
func NewNoRetrier() Retriable {
	return RetriableFunc(func(int) time.Duration { return 0 })
}

type constantBackoff struct {
	interval, jitter time.Duration
	random           *random
}

// NewConstantBackoff waits interval plus a random whole number of
// milliseconds in [0, maximumJitter], whatever the index. Negative arguments
// count as 0.
func NewConstantBackoff(interval, maximumJitter time.Duration, opts ...BackoffOption) Backoff {
	return &constantBackoff{interval: max(interval, 0), jitter: maximumJitter, random: newRandom(opts)}
}

func (b *constantBackoff) Next(int) time.Duration {
	return saturatingAdd(b.interval, b.random.wholeMilliseconds(b.jitter))
}

type exponentialBackoff struct {
	initial, limit, jitter time.Duration
	factor                 float64
	random                 *random
}

// NewExponentialBackoff waits min(initial·factorⁿ, maximum) plus a random
// whole number of milliseconds in [0, maximumJitter], where n is the index.
//
// With 100 ms, 1 s, 2.0 and no jitter: 100, 200, 400, 800, then 1,000 ms.
// The jitter comes on top of the maximum; [NewFullJitter], [NewEqualJitter]
// and [NewDecorrelatedJitter] stay within theirs. Negative durations count
// as 0, and a factor that is not a positive number counts as 1.
func NewExponentialBackoff(initial, maximum time.Duration, factor float64, maximumJitter time.Duration, opts ...BackoffOption) Backoff {
	if !(factor > 0) { // also true of NaN
		factor = 1
	}
	return &exponentialBackoff{
		initial: max(initial, 0), limit: max(maximum, 0), jitter: maximumJitter,
		factor: factor, random: newRandom(opts),
	}
}

func (b *exponentialBackoff) Next(retry int) time.Duration {
	return saturatingAdd(grow(b.initial, b.limit, b.factor, retry), b.random.wholeMilliseconds(b.jitter))
}

type linearBackoff struct {
	base, limit time.Duration
}

// NewLinearBackoff waits min(base·n, maximum) before the n-th retry: base
// at index 0, twice base at index 1. Negative durations count as 0.
func NewLinearBackoff(base, maximum time.Duration) Backoff {
	return linearBackoff{base: max(base, 0), limit: max(maximum, 0)}
}

func (b linearBackoff) Next(retry int) time.Duration {
	product := float64(b.base) * (float64(max(retry, 0)) + 1)
	if product >= float64(b.limit) {
		return b.limit
	}
	return time.Duration(product)
}

// grow is min(limit, initial·factorⁿ). It computes in floating point and
// compares before it converts, so that no index and no duration overflows
// (a shift or an integer product turns negative after about forty retries).
func grow(initial, limit time.Duration, factor float64, n int) time.Duration {
	if initial <= 0 {
		return 0
	}
	value := float64(initial) * math.Pow(factor, float64(max(n, 0)))
	if !(value < float64(limit)) { // also true of an infinite or undefined value
		return limit
	}
	return time.Duration(value)
}

func saturatingAdd(a, b time.Duration) time.Duration {
	if a > math.MaxInt64-b {
		return math.MaxInt64
	}
	return a + b
}
