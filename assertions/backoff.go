package assertions

import (
	"math"
	"time"

	"github.com/faultsrv/faultsrv/scenarios"
)

// backoffRange is the shortest and the longest pause that a backoff allows
// before the n-th retry (from 1). With v the pause without jitter (constant d:
// d; linear d: d·n; exponential d with factor f: d·f^(n-1); never above max):
//
//	no jitter      [v, v]
//	full           [0, v]
//	equal          [v/2, v]
//	decorrelated   [base, base·3^n], never above max: each pause is drawn from
//	               [base, 3 × the previous one], and the first from [base, 3·base]
//
// It saturates at the longest duration instead of overflowing.
func backoffRange(b scenarios.Backoff, retry int) (shortest, longest time.Duration) {
	base, v := plainPause(b, retry)
	v = capped(v, b.Max)
	switch b.Jitter {
	case scenarios.FullJitter:
		return 0, v
	case scenarios.EqualJitter:
		return v / 2, v
	case scenarios.DecorrelatedJitter:
		return capped(base, b.Max), capped(times(base, math.Pow(3, float64(retry))), b.Max)
	default:
		return v, v
	}
}

// plainPause is a backoff's base, and the pause before a retry without jitter
// and without a cap.
func plainPause(b scenarios.Backoff, retry int) (base, pause time.Duration) {
	const defaultFactor = 2
	switch {
	case b.Constant != nil:
		return *b.Constant, *b.Constant
	case b.Linear != nil:
		return *b.Linear, times(*b.Linear, float64(retry))
	case b.Exponential != nil:
		factor := b.Factor
		if factor == 0 {
			factor = defaultFactor
		}
		return *b.Exponential, times(*b.Exponential, math.Pow(factor, float64(retry-1)))
	default:
		return 0, 0
	}
}

// capped is a pause that is never above max; a max of 0 is none.
func capped(pause, longest time.Duration) time.Duration {
	if longest > 0 {
		return min(pause, longest)
	}
	return pause
}

// times multiplies and saturates. Nothing times anything is nothing, also where
// the factor has grown beyond all numbers.
func times(d time.Duration, factor float64) time.Duration {
	if d == 0 {
		return 0
	}
	product := float64(d) * factor
	if product >= math.MaxInt64 {
		return math.MaxInt64
	}
	return time.Duration(product)
}

// saturate adds what is not negative, and saturates.
func saturate(d, more time.Duration) time.Duration {
	if d > math.MaxInt64-more {
		return math.MaxInt64
	}
	return d + more
}
