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
		checks = append(checks, gapCheck(s, "gaps.min", *want.Min, want.Of, minFault))
	}
	if want.Max != nil {
		checks = append(checks, gapCheck(s, "gaps.max", *want.Max, want.Of, maxFault))
	}
	return checks
}

// bound is a limit of one pause.
type bound struct {
	limit time.Duration
	// nominal is what a correct client on a perfect machine would do at most.
	nominal time.Duration
	// why is what the limit comes from, as the end of a sentence.
	why string
	// none says why this pause has no limit; empty where it has one.
	none string
}

// judgeGap compares a pause with its bound and tallies the result.
type judgeGap func(s subject, g gap, asked scenarios.GapBound, t *tally)

func gapCheck(s subject, name string, asked scenarios.GapBound, of []int, judge judgeGap) Check {
	expected := gapText(name, asked)
	if asked.Policy && s.evidence.Policy.Backoff == nil {
		return unobserved(name, expected, "it is not known how the client's policy spaces its retries")
	}
	var t tally
	t.skip("no retry was made: there is no pause to judge")
	for _, g := range s.allGaps() {
		if len(of) > 0 && !slices.Contains(of, g.retry) {
			continue
		}
		if g.prev.Open || endedByClient(g.prev) {
			t.skipped = []string{fmt.Sprintf("%sthe client itself ended attempt %d, so that the pause after it cannot be measured", s.who(g.call), g.prev.Number)}
			continue
		}
		judge(s, g, asked, &t)
	}
	return t.check(name, expected)
}

func minFault(s subject, g gap, asked scenarios.GapBound, t *tally) {
	b := minBound(s, g, asked)
	if b.none != "" {
		t.skipped = []string{b.none}
		return
	}
	t.judged++
	pause := g.atLeast()
	t.saw(dur(pause).String())
	if pause < b.limit {
		t.fail(fmt.Sprintf("%sattempt %d came %v after attempt %d ended, %v before %s allows it",
			s.who(g.call), g.next.Number, dur(pause), g.prev.Number, dur(b.limit-pause), b.why), g.prev.Index, g.next.Index)
	}
}

func maxFault(s subject, g gap, asked scenarios.GapBound, t *tally) {
	b := maxBound(s, g, asked)
	if b.none != "" {
		t.skipped = []string{b.none}
		return
	}
	t.judged++
	pause := g.atMost()
	t.saw(dur(pause).String())
	if pause > b.limit {
		t.failLate(s.late(pause, b.limit, b.nominal), fmt.Sprintf("%sattempt %d came %v after attempt %d ended, %v later than %s allows",
			s.who(g.call), g.next.Number, dur(pause), g.prev.Number, dur(pause-b.limit), b.why), g.prev.Index, g.next.Index)
	}
}

// minBound is the least that a pause may be. One that every pause keeps is
// none: it could not fail.
func minBound(s subject, g gap, asked scenarios.GapBound) bound {
	switch {
	case asked.RetryAfter:
		return retryAfterBound(s, g)
	case asked.Policy:
		low, _ := backoffRange(*s.evidence.Policy.Backoff, g.retry)
		if low == 0 {
			return bound{none: "the policy allows any pause, however short"}
		}
		return bound{limit: low, why: fmt.Sprintf("the policy (%s before retry %d)", dur(low), g.retry)}
	default:
		return bound{limit: asked.Duration, why: fmt.Sprintf("the least pause of %v", dur(asked.Duration))}
	}
}

// retryAfterBound is the pause that the previous answer's Retry-After asks for;
// a client that declares a cap need not wait longer than that.
func retryAfterBound(s subject, g gap) bound {
	wait, asks := retryAfterWait(g.prev)
	if !asks {
		return bound{none: noRetryAfter(g)}
	}
	why := "Retry-After: " + g.prev.RetryAfter.Value
	if longest := s.evidence.Policy.RetryAfterCap; longest != nil && *longest < wait {
		return bound{limit: *longest, why: fmt.Sprintf("the policy's cap of %v on %s", dur(*longest), why)}
	}
	return bound{limit: wait, why: why}
}

func noRetryAfter(g gap) string {
	return fmt.Sprintf("attempt %d was not answered with a Retry-After that asks for a pause", g.prev.Number)
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
	nominal, known := time.Duration(0), false
	if backoff := s.evidence.Policy.Backoff; backoff != nil {
		_, nominal = backoffRange(*backoff, g.retry)
		known = true
	}
	wait, waits := retryAfterWait(g.prev)
	switch {
	case asked.RetryAfter && !waits:
		return bound{none: noRetryAfter(g)}
	case asked.RetryAfter:
		return bound{limit: saturate(wait, gapSlack), nominal: wait,
			why: fmt.Sprintf("Retry-After: %s (and %v for the machine)", g.prev.RetryAfter.Value, gapSlack)}
	case asked.Policy:
		nominal = max(nominal, wait)
		return bound{limit: saturate(nominal, gapSlack), nominal: nominal,
			why: fmt.Sprintf("the policy (%v before retry %d, and %v for the machine)", dur(nominal), g.retry, gapSlack)}
	case !known || nominal > asked.Duration:
		nominal = 0
	}
	return bound{limit: asked.Duration, nominal: nominal, why: fmt.Sprintf("the longest pause of %v", dur(asked.Duration))}
}

func gapText(name string, asked scenarios.GapBound) string {
	how := "at least "
	if name == "gaps.max" {
		how = "at most "
	}
	switch {
	case asked.RetryAfter:
		return how + "what Retry-After asks for"
	case asked.Policy:
		return how + "what the policy says"
	default:
		return how + asked.Duration.String()
	}
}
