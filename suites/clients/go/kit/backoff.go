package kit

import (
	"math"
	"time"
)

// Backoff is the pause before a retry.
type Backoff struct {
	// Kind is "constant", "linear" or "exponential".
	Kind string   `json:"kind"`
	Base Duration `json:"base_ms"`
	// Factor is the growth of an exponential backoff.
	Factor float64 `json:"factor"`
	// Max is the longest pause, jitter included; none where it is zero.
	Max Duration `json:"max_ms"`
	// Jitter is "none", "full", "equal" or "decorrelated".
	Jitter string `json:"jitter"`
}

// Unsupported is the error of a backoff that the library has no setting for.
func (b Backoff) Unsupported() error {
	if b.Kind == "exponential" {
		return Unsupported("an exponential backoff with factor %v and %s jitter", b.Factor, b.Jitter)
	}
	return Unsupported("a %s backoff with %s jitter", b.Kind, b.Jitter)
}

// Longest is the longest pause: Max, or the longest duration where there is none.
func (b Backoff) Longest() time.Duration {
	if b.Max.Duration == 0 {
		return math.MaxInt64
	}
	return b.Max.Duration
}

// Pause is the pause before the n-th retry, counted from 1, without jitter. It is
// for libraries that take the pauses from a function.
func (b Backoff) Pause(n int) time.Duration {
	pause := b.Base.Duration
	switch b.Kind {
	case "linear":
		pause = saturated(float64(b.Base.Duration) * float64(n))
	case "exponential":
		pause = saturated(float64(b.Base.Duration) * math.Pow(b.Factor, float64(n-1)))
	}
	return min(pause, b.Longest())
}

// Spread is the backoff for libraries that vary a pause by a factor, either way:
// the backoff without jitter around which they do, and the factor. It is false for
// a jitter that is no such one.
func (b Backoff) Spread() (middle Backoff, factor float64, ok bool) {
	var scale float64
	switch b.Jitter {
	case "none":
		scale, factor = 1, 0
	case "full":
		scale, factor = 1.0/2, 1
	case "equal":
		scale, factor = 3.0/4, 1.0/3
	default:
		return b, 0, false
	}
	b.Jitter = "none"
	b.Base.Duration = time.Duration(float64(b.Base.Duration) * scale)
	b.Max.Duration = time.Duration(float64(b.Max.Duration) * scale)
	return b, factor, true
}
