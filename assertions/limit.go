package assertions

import (
	"math"
	"time"
)

// A Limit is a moment that a check judged something by: the arrival of a retry
// (gaps), or the return of a call (returns). It is what a drawing needs, which
// Expected says in words.
type Limit struct {
	// Call is the call's token.
	Call string `json:"call"`
	// Attempt is the journal index of the attempt whose arrival is limited; 0
	// means the call's return.
	Attempt int `json:"attempt,omitempty"`
	// NotBefore and NotAfter are on the journal's clock, in nanoseconds; nil
	// means that the check sets no such limit.
	NotBefore *time.Duration `json:"not_before_ns,omitempty"`
	NotAfter  *time.Duration `json:"not_after_ns,omitempty"`
	// Kept tells that what is limited happened within the limit. Where it is
	// false, the check failed, or it says that the machine's timers were too late
	// to tell (Check.Noise).
	Kept bool `json:"kept"`
}

// notBefore is a limit's earliest moment: an interval after a beginning.
func (l Limit) notBefore(begin, interval, happened time.Duration) Limit {
	at := saturate(begin, interval)
	l.NotBefore, l.Kept = &at, happened >= at
	return l
}

// notAfter is a limit's latest moment: an interval after a beginning.
func (l Limit) notAfter(begin, interval, happened time.Duration) Limit {
	at := saturate(begin, interval)
	l.NotAfter, l.Kept = &at, happened <= at
	return l
}

// saturate adds what is not negative, and saturates.
func saturate(d, more time.Duration) time.Duration {
	if d > math.MaxInt64-more {
		return math.MaxInt64
	}
	return d + more
}
