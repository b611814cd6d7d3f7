package resilient

import (
	"fmt"
	"math"
	"sync"
	"time"
)

// The default budget of a Transport: over ten seconds, a retry for every
// fifth call and a hundred more. Few clients notice it while their server is
// well; it bites when most calls of a busy one fail. The figures are those of
// Finagle's default (20 %, 10 a second, over 10 s).
const (
	DefaultBudgetRatio   = 0.2
	DefaultBudgetReserve = 100
	DefaultBudgetWindow  = 10 * time.Second
)

// RateBudget allows no more retries than ratio × calls + reserve, counted
// over a sliding window: calls in flight and retries that still wait for
// their pause included, whether calls come one after another or at once. The
// window slides by tenths of its length: it reaches back by nine to ten of them. The
// reserve is there for clients with few calls, which a ratio alone would
// never let retry.
//
// A nil RateBudget never blocks.
type RateBudget struct {
	ratio   float64
	reserve float64
	slice   time.Duration // the time that one tally covers; 0: for ever

	mu      sync.Mutex
	start   time.Time     // of the first tally
	current int64         // the number of the slice that is counted now
	until   time.Duration // from the start: when that slice ends
	tallies [windowSlices]tally
	sum     tally
}

// windowSlices is how finely the window slides: by a tenth of its length.
const windowSlices = 10

type tally struct{ calls, retries int64 }

// NewRateBudget returns a budget that allows ratio × calls + reserve retries
// within the window, or since its creation where the window is 0. With 0.1,
// 10 and a minute: 110 retries for 1,000 calls in a minute, and 10 for a
// single one.
func NewRateBudget(ratio float64, reserve int, window time.Duration) (*RateBudget, error) {
	if !(ratio >= 0) || math.IsInf(ratio, 1) {
		return nil, fmt.Errorf("a rate budget with a ratio of %v: use a share of the calls such as 0.1", ratio)
	}
	if reserve < 0 {
		return nil, fmt.Errorf("a rate budget with a reserve of %d retries: use 0 or more", reserve)
	}
	if window < 0 || window > 0 && window < windowSlices*time.Millisecond {
		return nil, fmt.Errorf("a rate budget over a window of %v: use %v or more, or 0 to count since the creation",
			window, windowSlices*time.Millisecond)
	}
	return &RateBudget{ratio: ratio, reserve: float64(reserve), slice: window / windowSlices, start: time.Now()}, nil
}

func newDefaultBudget() *RateBudget {
	return &RateBudget{
		ratio: DefaultBudgetRatio, reserve: DefaultBudgetReserve,
		slice: DefaultBudgetWindow / windowSlices, start: time.Now(),
	}
}

// Call counts a call, which earns the ratio of a retry.
func (b *RateBudget) Call() {
	if b == nil {
		return
	}
	b.mu.Lock()
	b.tally().calls++
	b.sum.calls++
	b.mu.Unlock()
}

// Success does nothing: this kind counts calls and retries.
func (b *RateBudget) Success() {}

// Failure does nothing: this kind counts calls and retries.
func (b *RateBudget) Failure() {}

// Allow takes one retry, where there is one.
func (b *RateBudget) Allow() bool {
	if b == nil {
		return true
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	now := b.tally()
	if float64(b.sum.retries+1) > b.ratio*float64(b.sum.calls)+b.reserve {
		return false
	}
	now.retries++
	b.sum.retries++
	return true
}

// Remaining is how many retries it would allow now.
func (b *RateBudget) Remaining() float64 {
	if b == nil {
		return math.Inf(1)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.tally()
	return max(math.Floor(b.ratio*float64(b.sum.calls)+b.reserve)-float64(b.sum.retries), 0)
}

// tally is what is counted now. It forgets what the window has left behind.
func (b *RateBudget) tally() *tally {
	if b.slice == 0 {
		return &b.tallies[0]
	}
	elapsed := time.Since(b.start)
	if elapsed < b.until {
		return &b.tallies[b.current%windowSlices] // without a division, in the path of every call
	}
	slice := max(int64(elapsed/b.slice), b.current)
	for range min(slice-b.current, windowSlices) {
		b.current++
		old := &b.tallies[b.current%windowSlices]
		b.sum.calls -= old.calls
		b.sum.retries -= old.retries
		*old = tally{}
	}
	b.current, b.until = slice, time.Duration(slice+1)*b.slice
	return &b.tallies[slice%windowSlices]
}
