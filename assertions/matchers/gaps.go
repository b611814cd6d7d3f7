package matchers

import (
	"errors"
	"fmt"
	"time"

	"github.com/onsi/gomega/types"

	"github.com/faultsrv/faultsrv/scenarios"
)

// A GapBound is a bound of the pause before a retry, for HaveGaps.
type GapBound struct {
	text string
	set  func(*scenarios.Gaps)
}

// String is the bound as it was written.
func (b GapBound) String() string { return b.text }

// AtLeast bounds a pause from below, but for a millisecond (assertions.TimerGrain):
// the server's clock starts before the client can see the answer, so that no correct
// pause looks too short.
func AtLeast(pause time.Duration) GapBound {
	return GapBound{fmt.Sprintf("AtLeast(%v)", pause), func(g *scenarios.Gaps) { g.Min = &scenarios.GapBound{Duration: pause} }}
}

// AtMost bounds a pause from above. Leave room for the machine: with 200 calls
// side by side on two busy cores a pause of 40 ms was 427 ms at the 99th percentile.
func AtMost(pause time.Duration) GapBound {
	return GapBound{fmt.Sprintf("AtMost(%v)", pause), func(g *scenarios.Gaps) { g.Max = &scenarios.GapBound{Duration: pause} }}
}

// AtLeastRetryAfter asks for the pause that the previous answer's Retry-After
// asked for, as it was really sent.
func AtLeastRetryAfter() GapBound {
	return GapBound{"AtLeastRetryAfter()", func(g *scenarios.Gaps) { g.Min = &scenarios.GapBound{RetryAfter: true} }}
}

// BeforeRetry limits HaveGaps to the pauses before these retries, counted from
// 1. By default it is about all.
func BeforeRetry(retries ...int) GapBound {
	return GapBound{written("BeforeRetry", retries...), func(g *scenarios.Gaps) { g.Of = append(g.Of, retries...) }}
}

// HaveGaps matches where the pause before each retry, from the end of the
// attempt before it to its arrival, is within the bounds.
func HaveGaps(bounds ...GapBound) types.GomegaMatcher {
	var gaps scenarios.Gaps
	for _, bound := range bounds {
		bound.set(&gaps)
	}
	w := expect(written("HaveGaps", bounds...), scenarios.Expectation{Gaps: &gaps})
	if gaps.Min == nil && gaps.Max == nil {
		w.wrong = errors.New("it needs a bound: AtLeast, AtMost or AtLeastRetryAfter")
	}
	return w
}
