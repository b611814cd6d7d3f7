package assertions

import (
	"time"

	"github.com/faultsrv/faultsrv/faultserver"
	"github.com/faultsrv/faultsrv/scenarios"
)

func connectionCases() []wordCase {
	reused := evidenceOf(failed(1, 0, ms, on(1, 1)), failed(2, 50*ms, 51*ms, on(1, 2)))
	fresh := evidenceOf(failed(1, 0, ms, on(1, 1)), failed(2, 50*ms, 51*ms, on(3, 1)))
	took := func(acked int64) Evidence {
		return evidenceOf(failed(1, 0, ms, func(a *faultserver.Attempt) { a.Acked = acked }), served(2, 50*ms, 51*ms))
	}
	limit := scenarios.Expectation{Drained: &scenarios.Drained{Max: 64 * faultserver.KiB}}
	// held has one connection that was closed, one that the client left, and
	// as many open ones.
	held := func(open int, edits ...edit[Evidence]) Evidence {
		e := evidenceOf(failed(1, 0, ms))
		e.Journal.Connections = []faultserver.Connection{
			{ID: 1, Closed: 3 * ms},
			{ID: 2, Client: faultserver.ClientEnd{How: "client-fin", At: 50 * ms}},
		}
		for i := range open {
			e.Journal.Connections = append(e.Journal.Connections, faultserver.Connection{ID: 3 + i})
		}
		return edited(e, edits)
	}
	closesAfterTheWatch := func(e *Evidence) {
		e.Journal.Connections[2].Client = faultserver.ClientEnd{How: "client-fin", At: time.Minute}
	}
	closedAfterTheWatch := func(e *Evidence) { e.Journal.Connections[0].Closed = time.Minute }
	return []wordCase{
		{"one connection, used again", reused, "", scenarios.Expectation{Connections: exactly(1)}, []state{isOK}},
		{"another connection for the retry", fresh, "", scenarios.Expectation{Connections: exactly(2)}, []state{isOK}},
		{"one connection too many", fresh, "", scenarios.Expectation{Connections: atMost(1)}, []state{isRed}},
		{"a retry on the connection that failed", reused, "", scenarios.Expectation{Connections: atLeast(2)}, []state{isRed}},

		{"a discarded answer, drained a little", took(4096), "", limit, []state{isOK}},
		{"a discarded answer, drained without end", took(1 << 20), "", limit, []state{isRed}},
		{"a platform that cannot tell", took(-1), "", limit, []state{isBlind}},
		{"a failure without an answer", evidenceOf(struck(1, 0), served(2, 50*ms, 51*ms)), "", limit, []state{isBlind}},
		{"no discarded answer", evidenceOf(served(1, 0, ms)), "", limit, []state{isBlind}},

		{"none held open", held(0), "", scenarios.Expectation{OpenAfter: atMost(1)}, []state{isOK}},
		{"discarded answers left open", held(3), "", scenarios.Expectation{OpenAfter: atMost(1)}, []state{isRed}},
		{"one closed only after the watch", held(1, closesAfterTheWatch), "", scenarios.Expectation{OpenAfter: exactly(0)}, []state{isRed}},
		{"one that the server closed only after the watch", held(0, closedAfterTheWatch), "", scenarios.Expectation{OpenAfter: exactly(1)}, []state{isOK}},
	}
}

func effectsCases() []wordCase {
	committed := func(a *faultserver.Attempt) { a.Committed = true }
	performed := func(n int, edits ...edit[faultserver.Attempt]) Evidence {
		e := evidenceOf(failed(1, 0, ms, edits...), served(2, 50*ms, 51*ms, edits...))
		e.Journal.Effects = n
		return e
	}
	return []wordCase{
		{"charged once", performed(1), "", scenarios.Expectation{Effects: exactly(1)}, []state{isOK}},
		{"charged twice", performed(2), "", scenarios.Expectation{Effects: exactly(1)}, []state{isRed}},
		{"charged twice by this call", performed(7, committed), "call-1", scenarios.Expectation{Effects: exactly(2)}, []state{isOK}},
		{"not charged by this call", performed(7), "call-1", scenarios.Expectation{Effects: atLeast(1)}, []state{isRed}},
	}
}

func windowCases() []wordCase {
	within := func(span time.Duration, attempts scenarios.Range, from faultserver.Moment) scenarios.Expectation {
		return scenarios.Expectation{Window: &scenarios.WindowRule{From: from, For: span, Attempts: attempts}}
	}
	firstAnswer := faultserver.Moment{Attempt: 1}
	// second is two attempts, the second of which arrives then.
	second := func(at time.Duration, edits ...edit[Evidence]) Evidence {
		return edited(evidenceOf(failed(1, 0, ms), failed(2, at, at+ms)), edits)
	}
	late := func(d time.Duration) edit[Evidence] { return func(e *Evidence) { e.Lateness = d } }
	twoRepeats := in2Calls([]faultserver.Attempt{failed(1, 5*ms, 6*ms)}, []faultserver.Attempt{failed(1, 150*ms, 151*ms)})
	twoRepeats.Calls[1].Started = 90 * ms
	return []wordCase{
		{"none while it is open", second(500 * ms), "", within(400*ms, *exactly(0), firstAnswer), []state{isOK}},
		{"one while it is open", second(300 * ms), "", within(400*ms, *exactly(0), firstAnswer), []state{isRed}},
		{"one between the answer's two stamps, which was perhaps before", second(ms + ms/20), "", within(400*ms, *exactly(0), firstAnswer), []state{isOK}},
		{"one in time", second(300 * ms), "", within(400*ms, *atLeast(1), firstAnswer), []state{isOK}},
		{"none in time", second(900 * ms), "", within(400*ms, *atLeast(1), firstAnswer), []state{isRed}},
		{"none in time by what the machine was late", second(410*ms, late(20*ms)), "", within(400*ms, *atLeast(1), firstAnswer), []state{isNoise}},
		{"none in time on a machine later than that", second(2*time.Second, late(500*ms)), "", within(400*ms, *atLeast(1), firstAnswer), []state{isNoise}},
		{"one too late, on a machine that was later", second(150*ms, late(101*ms)), "", within(400*ms, *exactly(0), faultserver.Moment{Attempt: 1, Plus: 100 * ms}), []state{isNoise}},
		{"one too late, on a machine that was not", second(150*ms, late(99*ms)), "", within(400*ms, *exactly(0), faultserver.Moment{Attempt: 1, Plus: 100 * ms}), []state{isRed}},
		{"from the call's return", second(50 * ms), "", within(time.Second, *exactly(0), faultserver.Moment{}), []state{isOK}},
		{"from its start", second(50 * ms), "", within(time.Second, *exactly(2), faultserver.Moment{Event: faultserver.Started}), []state{isOK}},
		{"from the start of the first repeat", twoRepeats, "pay", within(50*ms, *exactly(1), faultserver.Moment{Event: faultserver.Started}), []state{isOK}},
		{"from the return of the last repeat", twoRepeats, "pay", within(time.Second, *exactly(0), faultserver.Moment{Event: faultserver.Returned}), []state{isOK}},
		{"from a moment that never came", second(50 * ms), "", within(time.Second, *exactly(0), faultserver.Moment{Attempt: 3}), []state{isBlind}},
		{"from the return of all others, where there are none", second(50 * ms), "", within(time.Second, *exactly(0), faultserver.Moment{Event: faultserver.AllOthersReturned}), []state{isBlind}},
		{"from the return of all others", in2Calls([]faultserver.Attempt{failed(1, 0, ms)}, []faultserver.Attempt{failed(1, 100*ms, 101*ms)}), "",
			within(time.Second, *exactly(1), faultserver.Moment{Event: faultserver.AllOthersReturned}), []state{isOK}},
	}
}

func overlapCases() []wordCase {
	beside := in2Calls([]faultserver.Attempt{failed(1, 0, 50*ms)}, []faultserver.Attempt{failed(1, 20*ms, 80*ms)})
	// A client that goes on as soon as it sees the answer, while the server has
	// not stamped the end of its writing.
	quick := evidenceOf(failed(1, 0, 50*ms), failed(2, 50*ms+ms/20, 60*ms))
	open := evidenceOf(failed(1, 0, 0, func(a *faultserver.Attempt) { a.Open = true }), failed(2, time.Second, time.Second+ms))
	hurried := evidenceOf(stalled(1, 0, 50*ms), failed(2, 49*ms+ms/2, 60*ms))
	early := evidenceOf(stalled(1, 0, 50*ms), failed(2, 20*ms, 60*ms))
	return []wordCase{
		{"two side by side", beside, "", scenarios.Expectation{Overlap: exactly(2)}, []state{isOK}},
		{"two where one is the limit", beside, "", scenarios.Expectation{Overlap: atMost(1)}, []state{isRed}},
		{"one after another, between the answer's two stamps", quick, "", scenarios.Expectation{Overlap: atMost(1)}, []state{isOK}},
		{"one at the moment that another ends", evidenceOf(failed(1, 0, 50*ms), failed(2, 50*ms, 60*ms)), "", scenarios.Expectation{Overlap: atMost(1)}, []state{isOK}},
		{"beside one that never ended", open, "", scenarios.Expectation{Overlap: atMost(1)}, []state{isRed}},
		{"never beside another", quick, "", scenarios.Expectation{Overlap: atLeast(3)}, []state{isRed}},
		{"after leaving one, which the server notices late", hurried, "", scenarios.Expectation{Overlap: atMost(1)}, []state{isNoise}},
		{"before leaving one", early, "", scenarios.Expectation{Overlap: atMost(1)}, []state{isRed}},
	}
}

func amplificationCases() []wordCase {
	want := scenarios.Expectation{Amplification: &scenarios.PolicyRef{}}
	// 30 calls with 3 attempts more than they are allow for ratio 0.1 and no reserve.
	tried := func(retries int, budget *scenarios.Budget) Evidence {
		e := evidenceOf()
		e.Policy.Budget = budget
		e.Calls = nil
		for i := range 30 {
			token := "all-" + count(i+1)
			e.Calls = append(e.Calls, CallRecord{Token: token, Name: "all", Outcome: response(503)})
			e.Journal.Attempts = append(e.Journal.Attempts, failed(1, 0, ms, of(token)))
			if i < retries {
				e.Journal.Attempts = append(e.Journal.Attempts, failed(2, 50*ms, 51*ms, of(token)))
			}
		}
		return e
	}
	return []wordCase{
		{"all that the budget allows", tried(3, &scenarios.Budget{Ratio: 0.1}), "all", want, []state{isOK}},
		{"one more than the budget allows", tried(4, &scenarios.Budget{Ratio: 0.1}), "all", want, []state{isRed}},
		{"out of the reserve", tried(4, &scenarios.Budget{Ratio: 0.1, Reserve: 1}), "all", want, []state{isOK}},
		{"a budget that is not known", tried(4, nil), "all", want, []state{isBlind}},
	}
}
