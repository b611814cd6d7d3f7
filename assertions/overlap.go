package assertions

import (
	"cmp"
	"slices"
	"time"

	"github.com/faultsrv/faultsrv/faultserver"
	"github.com/faultsrv/faultsrv/scenarios"
)

// overlap judges how many attempts are in progress at once, at most: from
// Arrived to End, on the server's clock. For a most, an attempt ends at its
// end's earliest stamp: from then on the client may have seen the answer and
// gone on. For a least, it ends at the latest one.
//
// Where the client itself ended an attempt, the server notices after the fact;
// too many that are explained by the machine's lateness there are noise.
func overlap(s subject, want scenarios.Range) Check {
	all := s.attempts()
	surely := peak(all, func(a faultserver.Attempt) time.Duration { return a.End.Earliest })
	maybe := peak(all, func(a faultserver.Attempt) time.Duration { return a.End.Latest })
	t := tally{judged: 1}
	t.saw(rangeText(scenarios.Range{Min: &surely, Max: &maybe}))
	const did = "in progress at once"
	if why := outsideRange(maybe, scenarios.Range{Min: want.Min}, "attempt", did); why != "" {
		t.fail(why)
	}
	if why := outsideRange(surely, scenarios.Range{Max: want.Max}, "attempt", did); why != "" {
		noticed := peak(all, func(a faultserver.Attempt) time.Duration {
			if endedByClient(a) {
				return a.End.Earliest - s.evidence.Lateness
			}
			return a.End.Earliest
		})
		if noticed <= *want.Max {
			t.failLate(lateness{measured: s.evidence.Lateness}, why)
		} else {
			t.fail(why)
		}
	}
	return t.check("overlap", rangeText(want)+" at once")
}

// peak is the largest number of attempts in progress at one moment. An attempt
// that ends at the moment another arrives is not in progress with it.
func peak(attempts []faultserver.Attempt, end func(faultserver.Attempt) time.Duration) int {
	type change struct {
		at   time.Duration
		step int
	}
	var changes []change
	for _, attempt := range attempts {
		changes = append(changes, change{attempt.Arrived, +1})
		if !attempt.Open {
			changes = append(changes, change{max(end(attempt), attempt.Arrived), -1})
		}
	}
	slices.SortFunc(changes, func(a, b change) int {
		return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.step, b.step))
	})
	now, most := 0, 0
	for _, c := range changes {
		now += c.step
		most = max(most, now)
	}
	return most
}
