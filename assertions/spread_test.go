package assertions

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/faultsrv/faultsrv/faultserver"
	"github.com/faultsrv/faultsrv/scenarios"
)

// herd is the evidence of n calls that failed together and tried again after
// these pauses, under a jittered policy.
func herd(n int, backoff scenarios.Backoff, pause func(int) time.Duration) Evidence {
	e := evidenceOf()
	e.Policy.Backoff = &backoff
	e.Calls = nil
	for i := range n {
		token := "herd-" + count(i+1)
		e.Calls = append(e.Calls, CallRecord{Token: token, Name: "herd", Outcome: response(503)})
		back := ms + pause(i)
		e.Journal.Attempts = append(e.Journal.Attempts, failed(1, 0, ms, of(token)), failed(2, back, back+ms, of(token)))
	}
	return e
}

var (
	full         = scenarios.Backoff{Constant: ptr(2 * time.Second), Jitter: scenarios.FullJitter}
	equal        = scenarios.Backoff{Constant: ptr(2 * time.Second), Jitter: scenarios.EqualJitter}
	decorrelated = scenarios.Backoff{Exponential: ptr(500 * ms), Max: time.Second, Jitter: scenarios.DecorrelatedJitter}
	likePolicy   = scenarios.Expectation{Spread: &scenarios.Spread{}}
)

// evenly are pauses spread evenly over a range, and late by so much.
func evenly(n int, low, high, late time.Duration) func(int) time.Duration {
	return func(i int) time.Duration { return low + (high-low)*time.Duration(i)/time.Duration(n) + late }
}

func always(pause time.Duration) func(int) time.Duration {
	return func(int) time.Duration { return pause }
}

func spreadCases() []wordCase {
	late := func(e Evidence, d time.Duration) Evidence {
		e.Lateness = d
		return e
	}
	// again tries each call a third time, without a pause.
	again := func(e Evidence) Evidence {
		for _, second := range slices.Clone(e.Journal.Attempts) {
			if second.Number == 2 {
				e.Journal.Attempts = append(e.Journal.Attempts, failed(3, second.End.Earliest, second.End.Latest, of(second.Call)))
			}
		}
		return e
	}
	// told gives each first answer a Retry-After.
	told := func(e Evidence) Evidence {
		for i := range e.Journal.Attempts {
			e.Journal.Attempts[i].RetryAfter = &faultserver.SentRetryAfter{Value: "1", Wait: ptr(time.Second)}
		}
		return e
	}
	atTheCap := func(i int) time.Duration { return min(evenly(200, 500*ms, 1500*ms, 0)(i), time.Second) }
	return []wordCase{
		{"full jitter", herd(200, full, evenly(200, 0, 2*time.Second, 0)), "herd", likePolicy, []state{isOK}},
		{"full jitter on a machine that is always late", herd(200, full, evenly(200, 0, 2*time.Second, 380*ms)), "herd", likePolicy, []state{isOK}},
		{"no jitter", herd(200, full, always(2*time.Second)), "herd", likePolicy, []state{isRed}},
		{"the same draw in every client", herd(200, full, always(700*ms)), "herd", likePolicy, []state{isRed}},
		{"no pause", herd(200, full, always(0)), "herd", likePolicy, []state{isRed}},
		{"equal jitter instead of full", herd(200, full, evenly(200, time.Second, 2*time.Second, 0)), "herd", likePolicy, []state{isRed}},
		{"equal jitter", herd(200, equal, evenly(200, time.Second, 2*time.Second, 0)), "herd", likePolicy, []state{isOK}},
		{"full jitter instead of equal", herd(200, equal, evenly(200, 0, 2*time.Second, 0)), "herd", likePolicy, []state{isRed}},
		{"decorrelated jitter, capped", herd(200, decorrelated, atTheCap), "herd", likePolicy, []state{isOK}},
		{"decorrelated jitter, all at the base", herd(200, decorrelated, always(500*ms)), "herd", likePolicy, []state{isRed}},
		{"no jitter, on a machine that may have made it so", late(herd(200, full, always(2*time.Second)), time.Second), "herd", likePolicy, []state{isNoise}},
		{"second retries are not first ones", again(herd(200, full, evenly(200, 0, 2*time.Second, 0))), "herd", likePolicy, []state{isOK}},
		{"pauses that Retry-After chose", told(herd(200, full, always(time.Second))), "herd", likePolicy, []state{isBlind}},
		{"too few pauses to tell", herd(42, full, always(time.Second)), "herd", likePolicy, []state{isBlind}},
		{"just enough pauses to tell", herd(43, full, always(time.Second)), "herd", likePolicy, []state{isRed}},
		{"a policy without jitter", herd(200, scenarios.Backoff{Constant: ptr(time.Second)}, always(time.Second)), "herd", likePolicy, []state{isBlind}},
		{"a policy that is not known", func() Evidence {
			e := herd(200, full, always(time.Second))
			e.Policy.Backoff = nil
			return e
		}(), "herd", likePolicy, []state{isBlind}},
	}
}

// A client that draws as it should is never blamed, however late the machine
// makes each pause within what is allowed for.
func TestSpreadBlamesNoCorrectClient(t *testing.T) {
	t.Parallel()
	draw := rand.New(rand.NewPCG(1, 2))
	for run := range 300 {
		e := herd(200, full, func(int) time.Duration {
			lateness := time.Duration(draw.Int64N(int64(spreadLateness)))
			return time.Duration(draw.Int64N(int64(2*time.Second))) + lateness
		})
		if got := only(t, Checks(e, PartExpect, "herd", likePolicy)); stateOf(got) != isOK {
			t.Fatalf("run %d: %+v", run, got)
		}
	}
}
