package assertions

import (
	"math"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/faultsrv/faultsrv/faultserver"
	"github.com/faultsrv/faultsrv/scenarios"
)

func gapsCases() []wordCase {
	atLeast := func(d time.Duration, of ...int) scenarios.Expectation {
		return scenarios.Expectation{Gaps: &scenarios.Gaps{Min: &scenarios.GapBound{Duration: d}, Of: of}}
	}
	atMost := func(d time.Duration) scenarios.Expectation {
		return scenarios.Expectation{Gaps: &scenarios.Gaps{Max: &scenarios.GapBound{Duration: d}}}
	}
	policy := scenarios.Expectation{Gaps: &scenarios.Gaps{Min: &scenarios.GapBound{Policy: true}, Max: &scenarios.GapBound{Policy: true}}}
	asked := scenarios.Expectation{Gaps: &scenarios.Gaps{Min: &scenarios.GapBound{RetryAfter: true}}}
	// paused is two attempts with this pause between them.
	paused := func(pause time.Duration, edits ...edit[Evidence]) Evidence {
		return edited(evidenceOf(failed(1, 0, ms), failed(2, ms+pause, 2*ms+pause)), edits)
	}
	backoff := func(b scenarios.Backoff) edit[Evidence] { return func(e *Evidence) { e.Policy.Backoff = &b } }
	sentRetryAfter := func(sent faultserver.SentRetryAfter) edit[Evidence] {
		return func(e *Evidence) { e.Journal.Attempts[0].RetryAfter = &sent }
	}
	late := func(d time.Duration) edit[Evidence] { return func(e *Evidence) { e.Lateness = d } }
	seconds := faultserver.SentRetryAfter{Value: "1", Wait: ptr(time.Second)}
	date := faultserver.SentRetryAfter{Value: "Mon, 30 Nov 2026 08:00:02 GMT", Wait: ptr(1500 * ms), Until: ptr(1501 * ms)}
	hung := stalled(1, 0, 100*ms, func(a *faultserver.Attempt) { a.Happened.Kind = "accept-hang" })
	halfSent := stalled(1, 0, 100*ms, func(a *faultserver.Attempt) { a.Happened.Kind, a.Happened.End = "truncate", "stall" })
	leftLater := func(a *faultserver.Attempt) { a.Client.At = time.Second }
	return []wordCase{
		{"a pause that is long enough", paused(40 * ms), "", atLeast(40 * ms), []state{isOK}},
		{"a pause that is short by what timers are", paused(39 * ms), "", atLeast(40 * ms), []state{isOK}},
		{"a pause that is a hair shorter", paused(39*ms - 1), "", atLeast(40 * ms), []state{isRed}},
		{"a pause that timers cannot tell from none", paused(0), "", atLeast(ms), []state{isBlind}},
		{"a machine that is late excuses no short pause", paused(20*ms, late(time.Second)), "", atLeast(40 * ms), []state{isRed}},
		{"only the second pause is asked about", evidenceOf(failed(1, 0, ms), failed(2, 2*ms, 3*ms), failed(3, 103*ms, 104*ms)), "", atLeast(100*ms, 2), []state{isOK}},
		{"the second pause, which never was", paused(40 * ms), "", atLeast(40*ms, 2), []state{isBlind}},
		{"no retry", evidenceOf(failed(1, 0, ms)), "", atLeast(40 * ms), []state{isBlind}},
		{"an attempt that the client ended", evidenceOf(stalled(1, 0, 100*ms), failed(2, 101*ms, 102*ms)), "", atLeast(40 * ms), []state{isBlind}},
		{"a hanging connection that the client ended", evidenceOf(hung, failed(2, 101*ms, 102*ms)), "", atLeast(40 * ms), []state{isBlind}},
		{"a body that stalled, and that the client ended", evidenceOf(halfSent, failed(2, 101*ms, 102*ms)), "", atLeast(40 * ms), []state{isBlind}},
		{"a stall that the server ended", evidenceOf(stalled(1, 0, 100*ms, leftLater), failed(2, 110*ms, 111*ms)), "", atLeast(40 * ms), []state{isRed}},
		{"an attempt that was still open", evidenceOf(failed(1, 0, 0, func(a *faultserver.Attempt) { a.Open = true }), failed(2, 101*ms, 102*ms)), "", atLeast(40 * ms), []state{isBlind}},
		{"after a struck connection", evidenceOf(struck(1, 0), failed(2, 10*ms, 11*ms)), "", atLeast(40 * ms), []state{isRed}},

		{"a pause that is short enough", paused(100 * ms), "", atMost(100 * ms), []state{isOK}},
		{"a pause that is as long as it may be", paused(100*ms + ms/10), "", atMost(100 * ms), []state{isOK}},
		{"a pause that is too long", paused(300 * ms), "", atMost(100 * ms), []state{isRed}},
		{"a pause that is too long by what the machine was late", paused(110*ms, late(10*ms)), "", atMost(100 * ms), []state{isNoise}},
		{"a pause that is too long on a machine later than the bound leaves room for", paused(time.Second, late(61*ms)), "", atMost(100 * ms), []state{isNoise}},
		{"a pause that is too long on a machine that was hardly late", paused(time.Second, late(59*ms)), "", atMost(100 * ms), []state{isRed}},

		{"as the policy says", paused(41 * ms), "", policy, []state{isOK, isOK}},
		{"without the policy's pause", paused(0), "", policy, []state{isRed, isOK}},
		{"far beyond the policy's pause", paused(1200 * ms), "", policy, []state{isOK, isRed}},
		{"a policy that grows", edited(evidenceOf(failed(1, 0, ms), failed(2, 21*ms, 22*ms), failed(3, 52*ms, 53*ms)),
			[]edit[Evidence]{backoff(scenarios.Backoff{Exponential: ptr(20 * ms)})}), "", policy, []state{isRed, isOK}},
		{"a policy that allows any pause", paused(0, backoff(scenarios.Backoff{Exponential: ptr(20 * ms), Jitter: scenarios.FullJitter})), "", policy, []state{isBlind, isOK}},
		{"a policy that is not known", paused(40*ms, func(e *Evidence) { e.Policy.Backoff = nil }), "", policy, []state{isBlind, isBlind}},
		{"a Retry-After lengthens what the policy allows", paused(1900*ms, sentRetryAfter(seconds)), "", policy, []state{isOK, isOK}},

		{"Retry-After kept", paused(time.Second, sentRetryAfter(seconds)), "", asked, []state{isOK}},
		{"Retry-After undercut", paused(40*ms, sentRetryAfter(seconds)), "", asked, []state{isRed}},
		{"a date kept", paused(1500*ms, sentRetryAfter(date)), "", asked, []state{isOK}},
		{"a date undercut", paused(1498*ms, sentRetryAfter(date)), "", asked, []state{isRed}},
		{"Retry-After above the policy's cap", paused(500*ms, sentRetryAfter(seconds), func(e *Evidence) { e.Policy.RetryAfterCap = ptr(500 * ms) }), "", asked, []state{isOK}},
		{"Retry-After, and less than the policy's cap", paused(400*ms, sentRetryAfter(seconds), func(e *Evidence) { e.Policy.RetryAfterCap = ptr(500 * ms) }), "", asked, []state{isRed}},
		{"a Retry-After that asks for nothing", paused(0, sentRetryAfter(faultserver.SentRetryAfter{Value: "soon"})), "", asked, []state{isBlind}},
		{"no Retry-After", paused(0), "", asked, []state{isBlind}},
		{"Retry-After kept, and no longer than that", paused(1100*ms, sentRetryAfter(seconds)), "", scenarios.Expectation{Gaps: &scenarios.Gaps{Max: &scenarios.GapBound{RetryAfter: true}}}, []state{isOK}},
		{"far longer than Retry-After asks", paused(3*time.Second, sentRetryAfter(seconds)), "", scenarios.Expectation{Gaps: &scenarios.Gaps{Max: &scenarios.GapBound{RetryAfter: true}}}, []state{isRed}},
	}
}

// A client that waits as long as its policy says, or longer by what the machine
// is late, is never blamed for too short a pause, nor one whose timer was early
// by as much as timers are; one that waits a nanosecond less always is.
func TestALowerBoundIsExact(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		pause := time.Duration(rapid.Int64Range(int64(TimerGrain)+1, int64(10*time.Second)).Draw(t, "pause"))
		late := time.Duration(rapid.Int64Range(0, int64(time.Second)).Draw(t, "late"))
		stamped := time.Duration(rapid.Int64Range(0, int64(50*ms)).Draw(t, "latest stamp after earliest"))
		arrive := func(at time.Duration) Check {
			e := evidenceOf(failed(1, 0, ms), failed(2, at, at+ms))
			e.Journal.Attempts[0].End.Latest = ms + stamped
			e.Policy.Backoff.Constant = &pause
			return Checks(e, PartExpect, "", scenarios.Expectation{Gaps: &scenarios.Gaps{Min: &scenarios.GapBound{Policy: true}}})[0]
		}
		if got := arrive(ms + pause + late); stateOf(got) != isOK {
			t.Fatalf("kept, %v late: %+v", late, got)
		}
		if got := arrive(ms + pause - TimerGrain); stateOf(got) != isOK {
			t.Fatalf("kept by an early timer: %+v", got)
		}
		if got := arrive(ms + pause - TimerGrain - 1); stateOf(got) != isRed {
			t.Fatalf("a nanosecond short of that: %+v", got)
		}
	})
}

// The shortest pause is never above the longest, no pause is negative, and none
// is above the cap, whatever the policy and the retry.
func TestBackoffRangeIsARange(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		base := time.Duration(rapid.Int64Range(0, math.MaxInt64).Draw(t, "base"))
		b := scenarios.Backoff{
			Factor: rapid.Float64Range(0, 100).Draw(t, "factor"),
			Max:    time.Duration(rapid.Int64Range(0, math.MaxInt64).Draw(t, "max")),
			Jitter: rapid.SampledFrom([]scenarios.Jitter{"", scenarios.NoJitter, scenarios.FullJitter, scenarios.EqualJitter, scenarios.DecorrelatedJitter}).Draw(t, "jitter"),
		}
		switch rapid.IntRange(0, 2).Draw(t, "kind") {
		case 0:
			b.Constant = &base
		case 1:
			b.Linear = &base
		default:
			b.Exponential = &base
		}
		shortest, longest := b.Bounds(rapid.IntRange(1, 2000).Draw(t, "retry"))
		if shortest < 0 || shortest > longest || b.Max > 0 && longest > b.Max {
			t.Fatalf("[%v, %v] of %+v", shortest, longest, b)
		}
	})
}
