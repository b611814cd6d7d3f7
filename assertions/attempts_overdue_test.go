package assertions

import (
	"testing"
	"time"

	"github.com/faultsrv/faultsrv/scenarios"
)

// TestACallThatWasEndedInAPauseOfItsOwn: a client whose pauses nobody knows may
// have been waiting when the runner ended it; one that was told its pauses was
// not.
func TestACallThatWasEndedInAPauseOfItsOwn(t *testing.T) {
	pause := 20 * time.Millisecond
	three := 3
	for name, test := range map[string]struct {
		backoff *scenarios.Backoff
		seen    bool
	}{
		"pauses that nobody knows": {nil, false},
		"pauses that it was told":  {&scenarios.Backoff{Constant: &pause}, true},
	} {
		t.Run(name, func(t *testing.T) {
			e := evidenceOf(failed(1, 0, ms))
			e.Calls[0].Overdue = true
			e.Calls[0].Outcome = failure(scenarios.ErrTimeout)
			e.Policy.Backoff = test.backoff
			s := subjectOf(e, "")
			for _, check := range []Check{
				attempts(s, scenarios.Attempts{Policy: true}),
				attempts(s, scenarios.Attempts{Each: &three}),
				attempts(s, scenarios.Attempts{Total: &three}),
				attempts(s, scenarios.Attempts{Min: &three}),
				outcome(s, scenarios.OutcomeRule{Success: true}),
				outcome(s, scenarios.OutcomeRule{Error: []scenarios.ErrorKind{scenarios.AnyError}}),
				outcome(s, scenarios.OutcomeRule{Error: []scenarios.ErrorKind{scenarios.ErrTimeout}}),
				outcomes(s, []scenarios.OutcomeCount{{Kind: "success", Count: 1}}),
				outcomes(s, []scenarios.OutcomeCount{{Kind: string(scenarios.ErrTimeout), Count: 1}}),
			} {
				if (check.OK != nil) != test.seen {
					t.Errorf("%s: observed %t (%s), expected %t", check.Name, check.OK != nil, check.Explanation, test.seen)
				}
				if check.OK != nil && *check.OK {
					t.Errorf("%s: passed", check.Name)
				}
			}
			one := 1
			if check := attempts(s, scenarios.Attempts{Max: new(int)}); check.OK == nil || *check.OK {
				t.Errorf("too many attempts stay too many: %+v", check)
			}
			if check := attempts(s, scenarios.Attempts{Max: &one}); check.OK == nil || !*check.OK {
				t.Errorf("no more than allowed stays so: %+v", check)
			}
		})
	}
}
