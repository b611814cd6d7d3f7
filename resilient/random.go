package resilient

import (
	"math"
	"math/rand/v2"
	"sync"
	"time"
)

// BackoffOption configures the randomness of a backoff.
type BackoffOption interface {
	applyToRandom(*random)
}

type seedOption uint64

func (seed seedOption) applyToRandom(r *random) {
	// The second word only has to be fixed: PCG takes 128 bits of seed.
	r.seeded = rand.New(rand.NewPCG(uint64(seed), 0x9e3779b97f4a7c15))
}

// WithSeed makes a backoff draw the same pauses again for the same seed and
// the same order of calls. Without it every process draws others. It is for
// tests and simulations: clients that share a seed come back together.
func WithSeed(seed uint64) BackoffOption { return seedOption(seed) }

// random draws jitter: from the runtime's source, which takes no lock, or
// from a seeded source of its own behind one.
type random struct {
	mu     sync.Mutex
	seeded *rand.Rand
}

func newRandom(opts []BackoffOption) *random {
	r := new(random)
	for _, opt := range opts {
		if opt != nil {
			opt.applyToRandom(r)
		}
	}
	return r
}

// upTo draws uniformly from [0, limit], both ends included; 0 where the
// limit is not positive.
func (r *random) upTo(limit time.Duration) time.Duration {
	if limit <= 0 {
		return 0
	}
	if limit == math.MaxInt64 {
		limit-- // limit+1 would overflow, and nobody waits 292 years
	}
	if r.seeded == nil {
		return rand.N(limit + 1)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return time.Duration(r.seeded.Int64N(int64(limit) + 1))
}

// wholeMilliseconds draws a whole number of milliseconds in [0, limit].
func (r *random) wholeMilliseconds(limit time.Duration) time.Duration {
	count := r.upTo(limit / time.Millisecond).Nanoseconds()
	return time.Duration(count) * time.Millisecond
}
