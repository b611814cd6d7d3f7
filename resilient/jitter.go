package resilient

import "time"

// growthFactor is the doubling of every jittered backoff: the formulas of
// AWS's "Exponential Backoff and Jitter" are written for 2ⁿ.
const growthFactor = 2

type fullJitter struct {
	base, limit time.Duration
	random      *random
}

// NewFullJitter waits a random time in [0, min(maximum, base·2ⁿ)], where n is
// the index: two clients that failed together do not come back together.
// Negative durations count as 0.
func NewFullJitter(base, maximum time.Duration, opts ...BackoffOption) Backoff {
	return &fullJitter{base: max(base, 0), limit: max(maximum, 0), random: newRandom(opts)}
}

func (b *fullJitter) Next(retry int) time.Duration {
	return b.random.upTo(grow(b.base, b.limit, growthFactor, retry))
}

type equalJitter struct {
	base, limit time.Duration
	random      *random
}

// NewEqualJitter waits a random time in [v/2, v] with v = min(maximum,
// base·2ⁿ), where n is the index: at least half of the ordinary pause is
// kept. Negative durations count as 0.
func NewEqualJitter(base, maximum time.Duration, opts ...BackoffOption) Backoff {
	return &equalJitter{base: max(base, 0), limit: max(maximum, 0), random: newRandom(opts)}
}

func (b *equalJitter) Next(retry int) time.Duration {
	value := grow(b.base, b.limit, growthFactor, retry)
	half := value / 2
	return half + b.random.upTo(value-half)
}

type decorrelatedJitter struct {
	base, limit time.Duration
	random      *random
}

// NewDecorrelatedJitter waits min(maximum, U(base, 3·previous)): a random
// time between base and three times the previous pause of the same call; the
// first pause takes base as its previous one. Negative durations count as 0.
//
// The result is a [StatefulBackoff]. Asked for an index directly it knows no
// previous pause, and draws the chain of pauses that leads to the index.
func NewDecorrelatedJitter(base, maximum time.Duration, opts ...BackoffOption) StatefulBackoff {
	return &decorrelatedJitter{base: max(base, 0), limit: max(maximum, 0), random: newRandom(opts)}
}

// longestChain bounds the work of a direct Next. The chain forgets where it
// began within a few steps (its mean grows at most 1.5-fold a step until the
// cap holds it), so that a longer one has the same distribution.
const longestChain = 200

func (b *decorrelatedJitter) Next(retry int) time.Duration {
	chain := b.ForCall()
	var pause time.Duration
	for range min(max(retry, 0), longestChain) + 1 {
		pause = chain.Next(0)
	}
	return pause
}

// ForCall starts a chain of pauses for one call.
func (b *decorrelatedJitter) ForCall() Backoff {
	return &decorrelatedChain{decorrelatedJitter: b, previous: b.base}
}

type decorrelatedChain struct {
	*decorrelatedJitter
	previous time.Duration
}

func (c *decorrelatedChain) Next(int) time.Duration {
	triple := saturatingAdd(c.previous, saturatingAdd(c.previous, c.previous))
	c.previous = min(c.limit, c.base+c.random.upTo(triple-c.base))
	return c.previous
}
