package assertions

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/faultsrv/faultsrv/faultserver"
	"github.com/faultsrv/faultsrv/scenarios"
)

func TestLimitsAreWhereTheCheckPutsThem(t *testing.T) {
	t.Parallel()
	first := failed(1, 0, ms)
	e := evidenceOf(first, failed(2, 31*ms, 32*ms))
	e.Calls[0].Returned = 40 * ms
	arrival := Limit{Call: "call-1", Attempt: 2}
	for _, test := range []struct {
		name string
		want scenarios.Expectation
		out  Limit
	}{
		{"a lower bound begins at the end's earliest stamp, but for what timers are early",
			scenarios.Expectation{Gaps: &scenarios.Gaps{Min: &scenarios.GapBound{Duration: 40 * ms}}},
			Limit{Call: arrival.Call, Attempt: 2, NotBefore: ptr(41*ms - TimerGrain)}},
		{"an upper bound begins at the end's latest stamp",
			scenarios.Expectation{Gaps: &scenarios.Gaps{Max: &scenarios.GapBound{Duration: 40 * ms}}},
			Limit{Call: arrival.Call, Attempt: 2, NotAfter: ptr(first.End.Latest + 40*ms), Kept: true}},
		{"a return is no attempt",
			scenarios.Expectation{Returns: &scenarios.Returns{Max: 100 * ms, After: scenarios.ReturnsAfter{
				Moment: &faultserver.Moment{Attempt: 1, Event: faultserver.Arrived}}}},
			Limit{Call: "call-1", NotAfter: ptr(100 * ms), Kept: true}},
	} {
		check := Checks(e, PartExpect, "", test.want)[0]
		if diff := cmp.Diff([]Limit{test.out}, check.Limits); diff != "" {
			t.Errorf("%s (- is wanted):\n%s", test.name, diff)
		}
	}
}

// A drawing of the limits must say what the check says.
func TestAMissedLimitIsAFailedCheck(t *testing.T) {
	t.Parallel()
	limits := 0
	for _, test := range wordCases() {
		for _, check := range Checks(test.e, PartExpect, test.call, test.want) {
			missed := slices.ContainsFunc(check.Limits, func(l Limit) bool { return !l.Kept })
			failed := check.OK != nil && !*check.OK
			if len(check.Limits) > 0 && missed != failed {
				t.Errorf("%s: %s failed: %v, and a limit was missed: %v", test.name, check.Name, failed, missed)
			}
			limits += len(check.Limits)
		}
	}
	if limits < 20 {
		t.Errorf("only %d limits in all cases: those of gaps and returns are expected", limits)
	}
}

func TestALimitBeyondAllTimeSaturates(t *testing.T) {
	t.Parallel()
	const forever = time.Duration(1<<63 - 1)
	if limit := (Limit{}).notAfter(time.Hour, forever, 2*time.Hour); *limit.NotAfter != forever || !limit.Kept {
		t.Errorf("got %v, kept %v", *limit.NotAfter, limit.Kept)
	}
}
