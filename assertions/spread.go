package assertions

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/faultsrv/faultsrv/scenarios"
)

// spreadDoubt is the probability below which chance is no longer believed. A
// catalogue that is run a thousand times a day then blames a correct client
// about once in three thousand years.
const spreadDoubt = 1e-9

// spreadLateness is what the machine may add to a pause without moving its
// distribution: the 99th percentile that was measured with 200 calls side by
// side and both cores busy (a pause of 40 ms was 427 ms). The 1 % beyond it
// moves the distance by 0.01 at most, far below what can fail.
const spreadLateness = 387 * time.Millisecond

// fewestPauses is how many pauses it takes to tell a constant pause in the
// middle of the range, which is half of the distribution away: ln(2/10⁻⁹) /
// (2·½²) = 43.
const fewestPauses = 43

// spread judges `spread: {like: policy}`: the pauses before the first retry of
// the calls are distributed as the policy's jitter asks. The pause is
// next.Arrived − previous.End.Earliest on the server's clock, and is what the
// client drew plus what the machine added, which is never negative.
//
// It is a Kolmogorov-Smirnov test that no lateness can fool. F is the
// distribution that the jitter asks for, Fₙ that of the n pauses seen, Λ the
// lateness allowed for:
//
//	too early   D⁺ = sup Fₙ(t) − F(t)       lateness only makes it smaller
//	too late    D⁻ = sup F(t − Λ) − Fₙ(t)   lateness up to Λ does not raise it
//
// By the Dvoretzky-Kiefer-Wolfowitz inequality with Massart's constant, a
// correct client exceeds d on either side with a probability of at most
// 2·exp(−2nd²), for every n and not only for large ones. Below 10⁻⁹ it fails.
//
// With Λ at the 387 ms measured, 200 pauses of full jitter over [0, 2 s] tell
// it from no jitter, from a shared seed and from equal jitter. It is not
// observed with fewer than 43 pauses or a policy without jitter; too late on a
// machine whose timers were later than Λ is noise.
func spread(s subject) Check {
	backoff := s.evidence.Policy.Backoff
	const name = "spread"
	if backoff == nil {
		return unobserved(name, "as the policy's jitter", "it is not known how the client's policy spaces its retries")
	}
	low, high := firstDraw(*backoff)
	expected := fmt.Sprintf("as %s jitter over %v to %v", backoff.Jitter, low, high)
	pauses, most := firstPauses(s), cmp.Or(backoff.Max, time.Duration(math.MaxInt64))
	switch {
	case low == high:
		return unobserved(name, "as the policy's jitter", "the policy has no jitter: there is no distribution to compare with")
	case len(pauses) < fewestPauses:
		return unobserved(name, expected, fmt.Sprintf("%s can be compared; %d are needed to tell even a constant pause", plural(len(pauses), "pause"), fewestPauses))
	}
	t := tally{judged: 1}
	t.saw(fmt.Sprintf("median %v of %s, from %v to %v", dur(pauses[len(pauses)/2]), count(len(pauses)), dur(pauses[0]), dur(pauses[len(pauses)-1])))
	drawn := uniform{low: low, high: high, most: most}
	if early := tooEarly(pauses, drawn); early.chance() < spreadDoubt {
		t.fail(early.sentence("at most", "at most"))
	}
	if late := tooLate(pauses, drawn, spreadLateness); late.chance() < spreadDoubt {
		t.failLate(lateness{measured: s.evidence.Lateness, excess: math.MaxInt64, slack: spreadLateness},
			late.sentence("shorter than", "at least"))
	}
	return t.check(name, expected)
}

// firstDraw is the range that the first retry's pause is drawn from, evenly,
// before a cap: of decorrelated jitter it goes beyond the cap, and what lies
// beyond becomes the cap.
func firstDraw(b scenarios.Backoff) (low, high time.Duration) {
	if b.Jitter == scenarios.DecorrelatedJitter {
		b.Max = 0
	}
	return b.Bounds(1)
}

// firstPauses are the pauses before each call's first retry that were the
// policy's to choose, sorted.
func firstPauses(s subject) []time.Duration {
	var pauses []time.Duration
	for _, g := range s.allGaps() {
		_, told := retryAfterWait(g.prev)
		if g.retry == 1 && !told && !g.prev.Open && !endedByClient(g.prev) {
			pauses = append(pauses, g.atLeast())
		}
	}
	slices.Sort(pauses)
	return pauses
}

// uniform is an even distribution over [low, high], cut at most.
type uniform struct{ low, high, most time.Duration }

// upTo is the probability of at most t.
func (u uniform) upTo(t time.Duration) float64 {
	switch {
	case t < u.low:
		return 0
	case t >= u.high || t >= u.most:
		return 1
	default:
		return float64(t-u.low) / float64(u.high-u.low)
	}
}

// below is the probability of less than t, which differs from upTo only at the cut.
func (u uniform) below(t time.Duration) float64 {
	if t <= u.most {
		return uniform{u.low, u.high, math.MaxInt64}.upTo(t)
	}
	return 1
}

// distance is the largest distance between two distributions, and where it is.
type distance struct {
	d            float64
	at           time.Duration
	wanted, seen float64
	n            int
}

// chance is an upper bound of the probability that a correct client is so far off.
func (d distance) chance() float64 {
	return min(1, 2*math.Exp(-2*float64(d.n)*d.d*d.d))
}

// leastShown keeps a chance that is too small for a float from being shown as 0.
const leastShown = 1e-300

func (d distance) sentence(than, bound string) string {
	return fmt.Sprintf("%.0f%% of the %s were %s %v, where the policy's jitter asks for %s %.0f%%: by chance that happens with p < %.0e",
		100*d.seen, plural(d.n, "pause"), than, dur(d.at), bound, 100*d.wanted, max(d.chance(), leastShown))
}

// tooEarly is D⁺: its supremum lies at one of the pauses.
func tooEarly(pauses []time.Duration, drawn uniform) distance {
	worst := distance{n: len(pauses), d: math.Inf(-1)}
	for i, pause := range pauses {
		seen, wanted := float64(i+1)/float64(len(pauses)), drawn.upTo(pause)
		if seen-wanted > worst.d {
			worst.d, worst.at, worst.seen, worst.wanted = seen-wanted, pause, seen, wanted
		}
	}
	return worst.positive()
}

// tooLate is D⁻: its supremum lies just below one of the pauses.
func tooLate(pauses []time.Duration, drawn uniform, allowed time.Duration) distance {
	worst := distance{n: len(pauses), d: math.Inf(-1)}
	for i, pause := range pauses {
		seen, wanted := float64(i)/float64(len(pauses)), drawn.below(pause-allowed)
		if wanted-seen > worst.d {
			worst.d, worst.at, worst.seen, worst.wanted = wanted-seen, pause, seen, wanted
		}
	}
	return worst.positive()
}

// positive is a distance that is none where the pauses lie on the other side.
func (d distance) positive() distance {
	d.d = max(d.d, 0)
	return d
}
