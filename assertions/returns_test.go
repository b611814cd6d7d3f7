package assertions

import (
	"time"

	"github.com/faultsrv/faultsrv/faultserver"
	"github.com/faultsrv/faultsrv/scenarios"
)

func returnsCases() []wordCase {
	within := func(most time.Duration, after scenarios.ReturnsAfter) scenarios.Expectation {
		return scenarios.Expectation{Returns: &scenarios.Returns{After: after, Max: most}}
	}
	cancel := scenarios.ReturnsAfter{Cancel: true}
	moment := func(m faultserver.Moment) scenarios.ReturnsAfter { return scenarios.ReturnsAfter{Moment: &m} }
	returned := func(at time.Duration, edits ...edit[Evidence]) Evidence {
		return edited(evidenceOf(failed(1, 0, ms)), append([]edit[Evidence]{func(e *Evidence) { e.Calls[0].Returned = at }}, edits...))
	}
	cancelled := func(e *Evidence) { e.Calls[0].Cancelled = 101 * ms }
	late := func(d time.Duration) edit[Evidence] { return func(e *Evidence) { e.Lateness = d } }
	unknown := func(e *Evidence) { e.Policy.Backoff = nil }
	timed := func(e *Evidence) { e.Contract.Calls[0].Timeout = 400 * ms }
	total := func(e *Evidence) { e.Policy.Timeouts = &scenarios.Timeouts{Total: 400 * ms} }
	promised := func(e *Evidence) {
		pause := 300 * ms
		e.Policy.Backoff = &scenarios.Backoff{Constant: &pause}
	}
	unasked := func(e *Evidence) { e.Journal.Attempts = nil }
	stall := evidenceOf(stalled(1, 10*ms, 300*ms))
	stall.Calls[0].Returned = 301 * ms
	return []wordCase{
		{"at once after its cancellation", returned(102*ms, cancelled), "", within(500*ms, cancel), []state{isOK}},
		{"after sleeping through its cancellation", returned(1001*ms, cancelled), "", within(500*ms, cancel), []state{isRed}},
		{"late after its cancellation, on a late machine", returned(1001*ms, cancelled, late(501*ms)), "", within(500*ms, cancel), []state{isNoise}},
		{"late by what the machine was late", returned(621*ms, cancelled, late(20*ms)), "", within(500*ms, cancel), []state{isNoise}},
		{"not cancelled", returned(1001 * ms), "", within(500*ms, cancel), []state{isBlind}},
		{"soon enough after its start", returned(400 * ms), "", within(500*ms, scenarios.ReturnsAfter{}), []state{isOK}},
		{"too late after its start", returned(900 * ms), "", within(500*ms, scenarios.ReturnsAfter{}), []state{isRed}},
		{"too late after its start, by pauses that nobody knows", returned(900*ms, unknown), "", within(500*ms, scenarios.ReturnsAfter{}), []state{isBlind}},
		{"too late after its start in spite of its timeout, with pauses that nobody knows", returned(900*ms, unknown, timed), "", within(500*ms, scenarios.ReturnsAfter{}), []state{isRed}},
		{"too late after its start in spite of a timeout of the policy, with pauses that nobody knows", returned(900*ms, unknown, total), "", within(500*ms, scenarios.ReturnsAfter{}), []state{isRed}},
		{"too late after its start, with a longer timeout and pauses that nobody knows", returned(900*ms, unknown, total), "", within(300*ms, scenarios.ReturnsAfter{}), []state{isBlind}},
		{"too late after its start, by pauses that it promises", returned(900*ms, promised), "", within(500*ms, scenarios.ReturnsAfter{}), []state{isBlind}},
		{"soon enough, with pauses that nobody knows", returned(400*ms, unknown), "", within(500*ms, scenarios.ReturnsAfter{}), []state{isOK}},
		{"too late without an attempt, with pauses that nobody knows", returned(900*ms, unknown, unasked), "", within(500*ms, scenarios.ReturnsAfter{}), []state{isRed}},
		{"after sleeping through its cancellation, in pauses that nobody knows", returned(1001*ms, unknown, cancelled), "", within(500*ms, cancel), []state{isRed}},
		{"too soon after its start", returned(900 * ms), "", scenarios.Expectation{Returns: &scenarios.Returns{Min: time.Second}}, []state{isRed}},
		{"within a range", returned(900 * ms), "", scenarios.Expectation{Returns: &scenarios.Returns{Min: 800 * ms, Max: time.Second}}, []state{isOK}},
		{"after a trailing sleep", returned(900 * ms), "", within(500*ms, moment(faultserver.Moment{Attempt: 1})), []state{isRed}},
		{"after the stall began", stall, "", within(200*ms, moment(faultserver.Moment{Attempt: 1, Event: faultserver.Struck})), []state{isRed}},
		{"after another call's attempt", returned(900 * ms), "", within(time.Second, moment(faultserver.Moment{Call: "call-1", Attempt: 1, Event: faultserver.Arrived, Plus: 100 * ms})), []state{isOK}},
		{"after an attempt that was not made", returned(900 * ms), "", within(time.Second, moment(faultserver.Moment{Attempt: 2})), []state{isBlind}},
	}
}
