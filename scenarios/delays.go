package scenarios

import (
	"math"
	"time"
)

// maxWatch bounds the default of Contract.Watch.
const maxWatch = 2 * time.Second

// Bounds are the shortest and the longest pause that the backoff allows before
// the n-th retry (from 1: the pause before the second attempt). With v the pause
// without jitter (constant d: d; linear d: d·n; exponential d with factor f:
// d·f^(n-1); never above max):
//
//	no jitter      [v, v]
//	full           [0, v]
//	equal          [v/2, v]
//	decorrelated   [base, base·3^n], never above max: each pause is drawn from
//	               [base, 3 × the previous one], and the first from [base, 3·base]
//
// They saturate at the longest duration instead of overflowing.
func (b Backoff) Bounds(retry int) (shortest, longest time.Duration) {
	v := b.pause(max(retry, 1))
	switch b.Jitter {
	case FullJitter:
		return 0, v
	case EqualJitter:
		return v / 2, v
	case DecorrelatedJitter:
		base := b.limit(b.base())
		return base, max(base, b.limit(scale(b.base(), math.Pow(3, float64(max(retry, 1))))))
	default:
		return v, v
	}
}

// pause is the pause before a retry, without jitter.
func (b Backoff) pause(retry int) time.Duration {
	switch {
	case b.Linear != nil:
		return b.limit(scale(*b.Linear, float64(retry)))
	case b.Exponential != nil:
		factor := b.Factor
		if factor == 0 {
			factor = 2
		}
		return b.limit(scale(*b.Exponential, math.Pow(factor, float64(retry-1))))
	default:
		return b.limit(b.base())
	}
}

func (b Backoff) base() time.Duration {
	for _, base := range []*time.Duration{b.Constant, b.Linear, b.Exponential} {
		if base != nil {
			return *base
		}
	}
	return 0
}

func (b Backoff) limit(pause time.Duration) time.Duration {
	if b.Max > 0 {
		return min(pause, b.Max)
	}
	return pause
}

// scale multiplies and saturates.
func scale(d time.Duration, factor float64) time.Duration {
	scaled := float64(d) * factor
	if math.IsNaN(scaled) || scaled >= math.MaxInt64 {
		if d == 0 {
			return 0
		}
		return math.MaxInt64
	}
	return time.Duration(scaled)
}

// LongestDelay is the longest pause that the policy's backoff allows between
// two attempts of a call: 0 with one attempt. Missing fields count with their
// defaults. A Retry-After is the server's and not counted.
func (p Policy) LongestDelay() time.Duration {
	p = p.Defaulted(nil)
	var longest time.Duration
	for _, retry := range []int{1, *p.Attempts - 1} {
		if retry >= 1 && retry < *p.Attempts {
			_, delay := p.Backoff.Bounds(retry)
			longest = max(longest, delay)
		}
	}
	return longest
}

// WatchFor is how long to look for late attempts after the last call's return:
// what the contract says, else twice the longest delay of the policy in force,
// at most 2 s.
func (c *Contract) WatchFor(inForce Policy) time.Duration {
	if c.Watch != nil {
		return *c.Watch
	}
	return 2 * min(inForce.LongestDelay(), maxWatch/2)
}
