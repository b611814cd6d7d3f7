package assertions

import (
	"slices"
	"testing"
	"time"

	"github.com/faultsrv/faultsrv/faultserver"
	"github.com/faultsrv/faultsrv/scenarios"
)

// TestEdges holds the checks to the last nanosecond, byte and call: where a
// verdict turns, a small slip in a condition turns it the wrong way.
func TestEdges(t *testing.T) {
	t.Parallel()
	for _, test := range slices.Concat(countEdges(), fieldEdges(), pauseEdges(), momentEdges(), answerEdges()) {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			checks := Checks(test.e, PartExpect, test.call, test.want)
			var states []state
			for _, check := range checks {
				states = append(states, stateOf(check))
			}
			if !slices.Equal(states, test.states) {
				t.Errorf("got %v, want %v: %+v", states, test.states, checks)
			}
		})
	}
}

func countEdges() []wordCase {
	overdue := func(e *Evidence) {
		for i := range e.Calls {
			e.Calls[i].EndedAt = e.Calls[i].Returned
		}
		e.Policy.Backoff = nil
	}
	two := edited(evidenceOf(failed(1, 0, ms), failed(2, 50*ms, 51*ms)), []edit[Evidence]{overdue})
	taken := func(acked int64) Evidence {
		return evidenceOf(failed(1, 0, ms, func(a *faultserver.Attempt) { a.Acked = acked }), served(2, 50*ms, 51*ms))
	}
	drainedTo := func(most int) scenarios.Expectation {
		return scenarios.Expectation{Drained: &scenarios.Drained{Max: faultserver.Size(most)}}
	}
	open := in2Calls([]faultserver.Attempt{failed(1, 0, ms)}, []faultserver.Attempt{failed(1, 200*ms, 201*ms)})
	open.Watched = 100 * ms
	open.Journal.Connections = []faultserver.Connection{
		{ID: 1, Accepted: 0, Client: faultserver.ClientEnd{How: "client-fin", At: open.Calls[1].Returned + open.Watched}},
		{ID: 2, Accepted: 50 * ms},
	}
	return []wordCase{
		{"as many attempts as asked of a call that was ended", two, "", scenarios.Expectation{Attempts: &scenarios.Attempts{Each: ptr(2)}}, []state{isOK}},
		{"as many attempts in all as asked of calls that were ended", two, "", scenarios.Expectation{Attempts: &scenarios.Attempts{Total: ptr(2)}}, []state{isOK}},
		{"not a byte taken of a discarded answer", taken(0), "", drainedTo(100), []state{isOK}},
		{"as many bytes taken as allowed", taken(100), "", drainedTo(100), []state{isOK}},
		{"a byte more", taken(101), "", drainedTo(100), []state{isRed}},
		{"a connection is left at the end of the watch after the last call", open, "", scenarios.Expectation{OpenAfter: exactly(1)}, []state{isOK}},
	}
}

func fieldEdges() []wordCase {
	const key = scenarios.Field("header.Idempotency-Key")
	calls := func(first, second []string) Evidence {
		attempts := func(values []string) (list []faultserver.Attempt) {
			for i, value := range values {
				at := 50 * ms * time.Duration(i)
				a := failed(i+1, at, at+ms)
				if value != "" {
					a = failed(i+1, at, at+ms, with("Idempotency-Key", value))
				}
				list = append(list, a)
			}
			return list
		}
		return in2Calls(attempts(first), attempts(second))
	}
	given := func(e Evidence) Evidence {
		e.Contract.Calls[0].Headers = faultserver.Headers{{Name: "Idempotency-Key", Value: "a"}}
		return e
	}
	same := scenarios.Expectation{Same: []scenarios.Field{key}}
	distinct := scenarios.Expectation{Distinct: []scenarios.Field{key}}
	return []wordCase{
		{"one attempt in the first call, a change in the second", calls([]string{"a"}, []string{"b", "c"}), "pay", same, []state{isRed}},
		{"no attempt in the first call, the caller's key in the second", given(calls(nil, []string{"a", "a"})), "pay", same, []state{isOK}},
		{"the caller's key in the first call, a change in the second", given(calls([]string{"a", "a"}, []string{"a", "b"})), "pay", same, []state{isRed}},
		{"the same key twice in a call, and then another call's", calls([]string{"a"}, []string{"b", "b", "a"}), "pay", distinct, []state{isRed}},
	}
}

func pauseEdges() []wordCase {
	asking := func(sent faultserver.SentRetryAfter) Evidence {
		return evidenceOf(failed(1, 0, ms, func(a *faultserver.Attempt) { a.RetryAfter = &sent }), served(2, 50*ms, 51*ms))
	}
	zero := asking(faultserver.SentRetryAfter{Value: "0", Wait: new(time.Duration)})
	now := asking(faultserver.SentRetryAfter{Value: "now", Until: ptr(ms)})
	least := scenarios.Expectation{Gaps: &scenarios.Gaps{Min: &scenarios.GapBound{RetryAfter: true}}}
	left := evidenceOf(failed(1, 0, 100*ms, func(a *faultserver.Attempt) { a.Happened.Kind = "client-left" }), served(2, 101*ms, 102*ms))
	silent := evidenceOf(failed(1, 0, 100*ms, func(a *faultserver.Attempt) {
		a.Happened.Kind, a.Client = "stall", faultserver.ClientEnd{How: "client-fin", At: a.End.Latest}
	}), served(2, 101*ms, 102*ms))
	fixed := scenarios.Expectation{Gaps: &scenarios.Gaps{Min: &scenarios.GapBound{Duration: 40 * ms}}}
	return []wordCase{
		{"a Retry-After of zero forbids nothing", zero, "", least, []state{isBlind}},
		{"a Retry-After that is over when it is sent forbids nothing", now, "", least, []state{isBlind}},
		{"a client that left has no pause that is known", left, "", fixed, []state{isBlind}},
		{"a client that left a silence at its end has no pause that is known", silent, "", fixed, []state{isBlind}},
	}
}

func momentEdges() []wordCase {
	// Two calls whose first attempts end at 1 ms and 5 ms, and return at 100 ms and 90 ms.
	e := in2Calls([]faultserver.Attempt{failed(1, 0, 5*ms)}, []faultserver.Attempt{failed(1, 0, ms)})
	e.Calls[0].Returned, e.Calls[1].Returned = 100*ms, 90*ms
	between := in2Calls([]faultserver.Attempt{failed(1, 0, ms)}, []faultserver.Attempt{failed(1, 95*ms, 96*ms)})
	between.Calls[0].Returned, between.Calls[1].Returned = 100*ms, 90*ms
	swapped := in2Calls([]faultserver.Attempt{failed(1, 0, ms)}, []faultserver.Attempt{failed(1, 0, ms)})
	swapped.Calls[0].Returned, swapped.Calls[1].Returned = 90*ms, 100*ms
	swapped.Journal.Attempts[1].Arrived = 95 * ms
	late := in2Calls(nil, []faultserver.Attempt{failed(1, 0, ms)})
	within := func(m faultserver.Moment, span time.Duration, attempts scenarios.Range) scenarios.Expectation {
		return scenarios.Expectation{Window: &scenarios.WindowRule{From: m, For: span, Attempts: attempts}}
	}
	answered := faultserver.Moment{Attempt: 1, Event: faultserver.Answered}
	// The answer to the first attempt ends between 1 ms and 1.1 ms.
	retried := func(at time.Duration) Evidence { return evidenceOf(failed(1, 0, ms), failed(2, at, at+ms)) }
	held := evidenceOf(stalled(1, 10*ms, 300*ms), failed(2, 310*ms, 311*ms))
	back := func(returned time.Duration) Evidence {
		e := evidenceOf(failed(1, 0, ms))
		e.Calls[0].Returned = returned
		return e
	}
	returns := func(least, most time.Duration) scenarios.Expectation {
		return scenarios.Expectation{Returns: &scenarios.Returns{After: scenarios.ReturnsAfter{Moment: &answered}, Min: least, Max: most}}
	}
	const tick = time.Nanosecond
	return []wordCase{
		{"an event of several calls is the earliest one's", e, "pay", within(answered, 2*ms, *exactly(0)), []state{isOK}},
		{"a call without attempts has no event, the next one has", late, "pay", within(answered, 2*ms, *exactly(0)), []state{isOK}},
		{"the return of several calls is the last one's", between, "pay", within(faultserver.Moment{Event: faultserver.Returned}, 10*ms, *exactly(0)), []state{isOK}},
		{"the return of several calls is the last one's, whichever was made first", swapped, "pay", within(faultserver.Moment{Event: faultserver.Returned}, 10*ms, *exactly(0)), []state{isOK}},
		{"a moment's plus is added", retried(3 * ms), "", within(faultserver.Moment{Attempt: 1, Event: faultserver.Answered, Plus: 2 * ms}, 5*ms, *exactly(0)), []state{isOK}},
		{"a most counts to the earliest end of the window", retried(41*ms + 50*time.Microsecond), "", within(answered, 40*ms, *atMost(0)), []state{isOK}},
		{"a least counts to its latest end", retried(41*ms + 50*time.Microsecond), "", within(answered, 40*ms, *atLeast(1)), []state{isOK}},
		{"a window ends before its end", retried(41*ms + 100*time.Microsecond), "", within(answered, 40*ms, *atLeast(1)), []state{isNoise}},
		{"a least counts from its earliest beginning", retried(ms + 50*time.Microsecond), "", within(answered, 40*ms, *atLeast(1)), []state{isOK}},
		{"a stall strikes when it begins", held, "", within(faultserver.Moment{Attempt: 1, Event: faultserver.Struck}, 200*ms, *exactly(0)), []state{isRed}},
		{"an answer strikes when it ends", retried(60 * ms), "", within(faultserver.Moment{Attempt: 1, Event: faultserver.Struck}, 50*ms, *exactly(0)), []state{isOK}},
		{"a stall is not answered", held, "", within(answered, 200*ms, *exactly(0)), []state{isBlind}},
		{"a return at the least, of the moment's earliest stamp", back(41 * ms), "", returns(40*ms, 0), []state{isOK}},
		{"a return a tick before it", back(41*ms - tick), "", returns(40*ms, 0), []state{isRed}},
		{"a return at the most, of the moment's latest stamp", back(41*ms + 100*time.Microsecond), "", returns(0, 40*ms), []state{isOK}},
		{"a return after it", back(50 * ms), "", returns(0, 40*ms), []state{isRed}},
	}
}

func answerEdges() []wordCase {
	exited0 := scenarios.Outcome{Kind: scenarios.SuccessOutcome}
	after := func(o scenarios.Outcome, edits ...edit[faultserver.Attempt]) Evidence {
		e := evidenceOf(served(1, 0, ms, edits...))
		e.Calls[0].Outcome = o
		return e
	}
	success := scenarios.Expectation{Outcome: &scenarios.OutcomeRule{Success: true}}
	body := faultserver.Body{Size: 500, Seed: 1}
	cut := func(read int64) Evidence {
		e := evidenceOf(failed(1, 0, ms, func(a *faultserver.Attempt) { a.Intended.Body = 500 }))
		e.Contract.Script[0].Act = faultserver.Truncate{Answer: faultserver.Answer{Status: 503, Body: body}}
		e.Calls[0].Outcome = scenarios.Outcome{Kind: scenarios.ResponseOutcome, Status: 503, BodySHA256: body.PrefixSHA256(read), BodyLength: read}
		return e
	}
	whole := scenarios.Expectation{Outcome: &scenarios.OutcomeRule{Status: 503, Body: scenarios.BodyComplete}}
	counted := func(kind string) scenarios.Expectation {
		return scenarios.Expectation{Outcomes: []scenarios.OutcomeCount{{Kind: kind, Count: 1}}}
	}
	return []wordCase{
		{"ended 0 with the body but no head acknowledged", after(exited0, func(a *faultserver.Attempt) { a.Acked = 3 }), "", success, []state{isBlind}},
		{"ended 0 after a silence that nothing followed", after(exited0, func(a *faultserver.Attempt) {
			a.Happened, a.Answered = faultserver.Effect{Kind: "stall"}, 0
		}), "", success, []state{isBlind}},
		{"all that a cut answer had", cut(500), "", whole, []state{isOK}},
		{"a part of what a cut answer had", cut(200), "", whole, []state{isRed}},
		{"an unknown end counts as none", after(scenarios.Outcome{Kind: scenarios.UnknownOutcome}), "", counted("success"), []state{isBlind}},
		{"an end that nobody told counts as none", after(scenarios.Outcome{}), "", counted("success"), []state{isBlind}},
		{"status 200 with a part of the body is no success", after(scenarios.Outcome{
			Kind: scenarios.ResponseOutcome, Status: 200, BodySHA256: emptySHA256,
		}), "", counted("status-200"), []state{isOK}},
		{"an error without a kind counts as none", after(scenarios.Outcome{Kind: scenarios.ErrorOutcome}), "", counted("reset"), []state{isBlind}},
		{"a kind of a client that tells none but this", edited(after(failure(scenarios.ErrReset)), []edit[Evidence]{
			func(e *Evidence) { e.Capabilities = nil },
		}), "", counted("reset"), []state{isOK}},
		{"other, of a client that tells kinds", after(failure(scenarios.ErrOther)), "", counted("other"), []state{isOK}},
	}
}

// TestReplayedBody: where nobody knows the source, the first whole body is it.
func TestReplayedBody(t *testing.T) {
	t.Parallel()
	body, other := faultserver.Body{Size: 100, Seed: 1}, faultserver.Body{Size: 100, Seed: 2}
	longer := faultserver.Body{Size: 101, Seed: 1}
	for _, test := range []struct {
		name     string
		attempts []faultserver.Attempt
		want     state
	}{
		{"the same twice", []faultserver.Attempt{failed(1, 0, ms, carrying(body)), failed(2, 50*ms, 51*ms, carrying(body))}, isOK},
		{"another the second time", []faultserver.Attempt{failed(1, 0, ms, carrying(body)), failed(2, 50*ms, 51*ms, carrying(other))}, isRed},
		{"cut the second time", []faultserver.Attempt{failed(1, 0, ms, carrying(body)), failed(2, 50*ms, 51*ms, cutAfter(body, 40))}, isOK},
		{"cut the first time", []faultserver.Attempt{failed(1, 0, ms, cutAfter(body, 40)), failed(2, 50*ms, 51*ms, carrying(body))}, isBlind},
		{"more than the first, and cut", []faultserver.Attempt{failed(1, 0, ms, carrying(body)), failed(2, 50*ms, 51*ms, cutAfter(longer, 101))}, isRed},
		{"cut, whole, and another", []faultserver.Attempt{
			failed(1, 0, ms, cutAfter(body, 40)), failed(2, 50*ms, 51*ms, carrying(body)), failed(3, 100*ms, 101*ms, carrying(other)),
		}, isRed},
	} {
		if got := ReplayedBody(evidenceOf(test.attempts...)); stateOf(got) != test.want {
			t.Errorf("%s: %s, want %s (%s)", test.name, stateOf(got), test.want, got.Explanation)
		}
	}
}

// TestNothingIsTakenOfAnotherCallsScript: a step is looked up in the script of
// the call that its attempt belongs to.
func TestNothingIsTakenOfAnotherCallsScript(t *testing.T) {
	t.Parallel()
	mine, other := faultserver.Step{Act: faultserver.Respond{}}, faultserver.Step{Act: faultserver.Succeed{}, Optional: true}
	e := evidenceOf()
	e.Contract.Calls = []scenarios.Call{{Name: "one", Script: []faultserver.Step{mine}}, {Name: "two", Script: []faultserver.Step{other}}}
	e.Calls = []CallRecord{{Token: "one", Name: "one"}, {Token: "two", Name: "two"}}
	for token, want := range map[string]bool{"one": false, "two": true} {
		step, found := stepOf(e, failed(1, 0, ms, of(token), func(a *faultserver.Attempt) { a.Step.Script = "call" }))
		if !found || step.Optional != want {
			t.Errorf("%s: found %t, optional %t, want %t", token, found, step.Optional, want)
		}
	}
}
