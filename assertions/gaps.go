package assertions

import (
	"fmt"
	"slices"
	"time"

	"github.com/faultsrv/faultsrv/faultserver"
	"github.com/faultsrv/faultsrv/scenarios"
)

// gapSlack is what an upper bound taken from the policy leaves for the machine.
// Measured: with 200 calls side by side and both cores busy, a pause of 40 ms
// was 427 ms at the 99th percentile, so 387 ms late; 1 s is over twice that.
const gapSlack = time.Second

// TimerGrain is what a lower bound leaves for runtimes whose timers count whole
// milliseconds, from the one that has begun. Measured: of 4,000 timers of 5 ms
// of Node.js 20, 26 fired up to 0.92 ms early; of 1,200 waits of its clients for
// Retry-After: 1, 50 ended up to 0.65 ms early. Nobody asks for less than a
// millisecond.
const TimerGrain = time.Millisecond

// gap is the pause before a retry: from the end of an attempt to the arrival of
// the call's next one, on the server's clock.
type gap struct {
	call       madeCall
	retry      int // from 1
	prev, next faultserver.Attempt
}

// atLeast is the pause that a lower bound is judged by: it begins before the
// previous answer could be seen, so that no correct pause can look too short.
func (g gap) atLeast() time.Duration { return g.next.Arrived - g.prev.End.Earliest }

// atMost is the pause that an upper bound is judged by: it begins when the
// previous answer was surely out.
func (g gap) atMost() time.Duration { return g.next.Arrived - g.prev.End.Latest }

// arrival is what a bound of the pause limits.
func (g gap) arrival() Limit { return Limit{Call: g.next.Call, Attempt: g.next.Index} }

// allGaps are the pauses before all retries, of the subject's calls.
func (s subject) allGaps() []gap {
	var list []gap
	for _, call := range s.calls {
		for i := 1; i < len(call.attempts); i++ {
			list = append(list, gap{call: call, retry: i, prev: call.attempts[i-1], next: call.attempts[i]})
		}
	}
	return list
}

// gaps judges the pause before each retry (`of`: before some). The pause is
// next.Arrived − previous.End, where for a lower bound the end's earliest stamp
// is taken and for an upper bound its latest.
//
// A pause whose beginning is not known (the client ended the attempt by itself,
// or the attempt was still open) is not judged. A bound that judges no pause
// at all is not observed.
func gaps(s subject, want scenarios.Gaps) []Check {
	var checks []Check
	if want.Min != nil {
		checks = append(checks, gapCheck(s, lowerBound, *want.Min, want.Of))
	}
	if want.Max != nil {
		checks = append(checks, gapCheck(s, upperBound, *want.Max, want.Of))
	}
	return checks
}

// bound is a limit of one pause.
type bound struct {
	limit time.Duration
	// nominal is what a correct client on a perfect machine would do at most.
	nominal time.Duration
	// asks is who asks for it, and what for.
	asks string
	// none says why this pause has no limit; empty where it has one.
	none string
}

// boundKind is a lower or an upper bound: how it measures a pause and judges it.
type boundKind struct {
	name, how string
	bound     func(subject, gap, scenarios.GapBound) bound
	measure   func(gap) time.Duration
	limit     func(gap, bound) Limit
	judge     func(subject, *tally, gap, bound, time.Duration)
}

var lowerBound = boundKind{
	name: "gaps.min", how: "at least", bound: minBound, measure: gap.atLeast,
	limit: func(g gap, b bound) Limit {
		return g.arrival().notBefore(g.prev.End.Earliest, b.limit-TimerGrain, g.next.Arrived)
	},
	judge: func(s subject, t *tally, g gap, b bound, pause time.Duration) {
		if pause < b.limit-TimerGrain {
			t.fail(gapSentence(s, g, pause, b, "too early"), g.prev.Index, g.next.Index)
		}
	},
}

var upperBound = boundKind{
	name: "gaps.max", how: "at most", bound: maxBound, measure: gap.atMost,
	limit: func(g gap, b bound) Limit { return g.arrival().notAfter(g.prev.End.Latest, b.limit, g.next.Arrived) },
	judge: func(s subject, t *tally, g gap, b bound, pause time.Duration) {
		if pause > b.limit {
			t.failLate(s.late(pause, b.limit, b.nominal), gapSentence(s, g, pause, b, "too late"), g.prev.Index, g.next.Index)
		}
	},
}

func gapCheck(s subject, kind boundKind, asked scenarios.GapBound, of []int) Check {
	if asked.Policy && s.evidence.Policy.Backoff == nil {
		return unobserved(kind.name, kind.text(asked, nil), "it is not known how the client's policy spaces its retries")
	}
	var t tally
	var limits []string
	none := "no retry that it is about was made: there is no pause to judge"
	for _, g := range s.allGaps() {
		if len(of) > 0 && !slices.Contains(of, g.retry) {
			continue
		}
		if why := unmeasured(g); why != "" {
			none = s.who(g.call) + why
			continue
		}
		b := kind.bound(s, g, asked)
		if b.none != "" {
			none = s.who(g.call) + b.none
			continue
		}
		t.judged++
		pause := max(kind.measure(g), 0)
		t.saw(dur(pause).String())
		limits = append(limits, dur(b.limit).String())
		t.limits = append(t.limits, kind.limit(g, b))
		kind.judge(s, &t, g, b, kind.measure(g))
	}
	t.skip(none)
	return t.check(kind.name, kind.text(asked, limits))
}

// unmeasured says why a pause has no known beginning; empty where it has one.
func unmeasured(g gap) string {
	switch {
	case g.prev.Open:
		return fmt.Sprintf("attempt %d had not ended when attempt %d came", g.prev.Number, g.next.Number)
	case endedByClient(g.prev):
		return fmt.Sprintf("the client itself ended attempt %d, so that the pause after it cannot be measured", g.prev.Number)
	default:
		return ""
	}
}

func gapSentence(s subject, g gap, pause time.Duration, b bound, missed string) string {
	return fmt.Sprintf("%sattempt %d came %v after attempt %d ended, %v %s: %s",
		s.who(g.call), g.next.Number, beside(pause, b.limit), g.prev.Number, dur((b.limit - pause).Abs()), missed, b.asks)
}

// text is what a bound expects; the limits are those of the pauses it judged.
func (k boundKind) text(asked scenarios.GapBound, limits []string) string {
	var source string
	switch {
	case asked.RetryAfter:
		source = "what Retry-After asks for"
	case asked.Policy:
		source = "what the policy says"
	default:
		return k.how + " " + asked.Duration.String()
	}
	if len(limits) == 0 {
		return k.how + " " + source
	}
	return fmt.Sprintf("%s %s (%s)", k.how, list(slices.Compact(limits)), source)
}

// minBound is the least that a pause may be. One that every pause keeps is
// none: it could not fail.
func minBound(s subject, g gap, asked scenarios.GapBound) bound {
	b := leastPause(s, g, asked)
	if b.none == "" && b.limit <= TimerGrain {
		b.none = fmt.Sprintf("a pause of %v is asked for, which timers cannot tell from none", dur(b.limit))
	}
	return b
}

func leastPause(s subject, g gap, asked scenarios.GapBound) bound {
	switch {
	case asked.RetryAfter:
		return retryAfterBound(s, g)
	case asked.Policy:
		low, _ := s.evidence.Policy.Backoff.Bounds(g.retry)
		if low == 0 {
			return bound{none: "the policy allows any pause, however short"}
		}
		return bound{limit: low, asks: fmt.Sprintf("the policy asks for at least %v before retry %d", dur(low), g.retry)}
	default:
		return bound{limit: asked.Duration, asks: fmt.Sprintf("at least %v is asked for", asked.Duration)}
	}
}

// retryAfterBound is the pause that the previous answer's Retry-After asks for;
// a client that declares a cap need not wait longer than that.
func retryAfterBound(s subject, g gap) bound {
	wait, asks := retryAfterWait(g.prev)
	if !asks {
		return noRetryAfter(g)
	}
	if longest := s.evidence.Policy.RetryAfterCap; longest != nil && *longest < wait {
		return bound{limit: *longest, asks: fmt.Sprintf("Retry-After: %s asks for %v, and the policy for as much of it as %v", g.prev.RetryAfter.Value, dur(wait), dur(*longest))}
	}
	return bound{limit: wait, asks: fmt.Sprintf("Retry-After: %s asks for at least %v", g.prev.RetryAfter.Value, dur(wait))}
}

func noRetryAfter(g gap) bound {
	return bound{none: fmt.Sprintf("attempt %d was not answered with a Retry-After that asks for a pause", g.prev.Number)}
}

// retryAfterWait is how long after an answer's earliest moment its Retry-After
// forbids a retry; false where it asks for no pause. A date is judged by the
// moment that was really sent.
func retryAfterWait(answered faultserver.Attempt) (time.Duration, bool) {
	sent := answered.RetryAfter
	switch {
	case sent == nil:
		return 0, false
	case sent.Until != nil:
		wait := *sent.Until - answered.End.Earliest
		return wait, wait > 0
	case sent.Wait != nil:
		return *sent.Wait, *sent.Wait > 0
	default:
		return 0, false
	}
}

// maxBound is the most that a pause may be. A Retry-After in force lengthens
// what the policy allows.
func maxBound(s subject, g gap, asked scenarios.GapBound) bound {
	nominal := time.Duration(0)
	if backoff := s.evidence.Policy.Backoff; backoff != nil {
		_, nominal = backoff.Bounds(g.retry)
	}
	wait, waits := retryAfterWait(g.prev)
	granted := fmt.Sprintf(", and %v is granted to the machine", gapSlack)
	switch {
	case asked.RetryAfter && !waits:
		return noRetryAfter(g)
	case asked.RetryAfter:
		return bound{limit: saturate(wait, gapSlack), nominal: wait,
			asks: fmt.Sprintf("Retry-After: %s asks for %v%s", g.prev.RetryAfter.Value, dur(wait), granted)}
	case asked.Policy:
		nominal = max(nominal, wait)
		return bound{limit: saturate(nominal, gapSlack), nominal: nominal,
			asks: fmt.Sprintf("the policy asks for at most %v before retry %d%s", dur(nominal), g.retry, granted)}
	}
	if nominal > asked.Duration {
		nominal = 0
	}
	return bound{limit: asked.Duration, nominal: nominal, asks: fmt.Sprintf("at most %v is asked for", asked.Duration)}
}
