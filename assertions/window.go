package assertions

import (
	"fmt"

	"github.com/faultsrv/faultsrv/scenarios"
)

// window judges how many attempts arrive between a moment and a time after it,
// on the server's clock: from ≤ Arrived < from + for. A moment without a call
// is one of the calls that the word is about.
//
// For a most, the window is as narrow as the moment's two stamps allow, for a
// least as wide. A least is an upper bound in time, so that the machine's
// lateness may explain that too few came; a most is one only where the moment
// has a `plus`, which is then the slack it leaves. A moment that never came
// makes it not observed.
func window(s subject, want scenarios.WindowRule) Check {
	expected := fmt.Sprintf("%s within %v of %s", rangeText(want.Attempts), want.For, momentText(want.From))
	from, came := momentOf(s.of(want.From.Call).calls, want.From)
	if !came {
		return unobserved("window", expected, fmt.Sprintf("the moment it begins at (%s) never came", momentText(want.From)))
	}
	surely, maybe, lateToo := 0, 0, 0
	var inside []int
	for _, attempt := range s.attempts() {
		if attempt.Arrived >= from.Latest && attempt.Arrived < from.Earliest+want.For {
			surely++
			inside = append(inside, attempt.Index)
		}
		if attempt.Arrived >= from.Earliest && attempt.Arrived < from.Latest+want.For {
			maybe++
		}
		if attempt.Arrived >= from.Earliest && attempt.Arrived < from.Latest+want.For+s.evidence.Lateness {
			lateToo++
		}
	}
	t := tally{judged: 1}
	t.saw(count(surely))
	did := fmt.Sprintf("came within %v of %s", want.For, momentText(want.From))
	measured := s.evidence.Lateness
	if why := outsideRange(maybe, scenarios.Range{Min: want.Attempts.Min}, "attempt", did); why != "" {
		late := lateness{measured: measured, slack: want.For, excess: measured + 1}
		if lateToo >= *want.Attempts.Min {
			late.excess = measured
		}
		t.failLate(late, why)
	}
	if why := outsideRange(surely, scenarios.Range{Max: want.Attempts.Max}, "attempt", did); why != "" {
		if slack := want.From.Plus; slack > 0 && measured > slack {
			t.failLate(lateness{measured: measured, slack: slack, excess: measured + 1}, why, inside...)
		} else {
			t.fail(why, inside...)
		}
	}
	return t.check("window", expected)
}
