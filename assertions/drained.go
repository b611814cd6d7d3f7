package assertions

import (
	"fmt"

	"github.com/faultsrv/faultsrv/scenarios"
)

// drained bounds how much the client took of each answer that it discarded,
// that is of each that was followed by another attempt of the call: the answer
// bytes, head included, that its side acknowledged. No clock.
//
// What the client's kernel took into its receive buffer counts, read or not:
// a bound must leave room for that. Where the platform cannot tell, or no
// answer was discarded, it is not observed.
func drained(s subject, want scenarios.Drained) Check {
	var t tally
	t.skip("no answer was discarded: no call was answered and then tried again")
	for _, call := range s.calls {
		for _, attempt := range call.attempts[:max(len(call.attempts)-1, 0)] {
			switch {
			case attempt.Happened.Status == 0:
				continue
			case attempt.Acked < 0:
				t.cannotSee("this platform does not tell how many bytes the client's side has taken")
				continue
			}
			t.judged++
			t.saw(plural(attempt.Acked, "byte"))
			if attempt.Acked > int64(want.Max) {
				t.fail(fmt.Sprintf("%sthe client took %s of the answer to attempt %d before it tried again, %s more than it may",
					s.who(call), plural(attempt.Acked, "byte"), attempt.Number, count(attempt.Acked-int64(want.Max))), attempt.Index)
			}
		}
	}
	return t.check("drained", "at most "+plural(int64(want.Max), "byte")+" of each discarded answer")
}
