package assertions

import (
	"testing"
	"time"

	"github.com/faultsrv/faultsrv/faultserver"
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
			e.Calls[0].EndedAt = 10 * time.Second
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

// A client that was ended in the middle of its request was in no pause: what the
// contract wants of it was not done.
func TestACallThatWasEndedInItsRequest(t *testing.T) {
	asking := func(a *faultserver.Attempt) {
		a.Answered = 0
		a.Body = faultserver.BodyReceipt{Declared: 10}
		a.Client = faultserver.ClientEnd{How: "client-fin", At: 10*time.Second + ms}
	}
	for name, test := range map[string]struct {
		then func(*faultserver.Attempt)
		seen bool
	}{
		"it waits for the server":          {func(*faultserver.Attempt) {}, true},
		"the attempt is still in progress": {func(a *faultserver.Attempt) { a.Open, a.Client = true, faultserver.ClientEnd{} }, true},
		"it had left before":               {func(a *faultserver.Attempt) { a.Client.At = time.Second }, false},
		"the server had ended the attempt": {func(a *faultserver.Attempt) { a.Client = faultserver.ClientEnd{} }, false},
		"its request had been sent":        {func(a *faultserver.Attempt) { a.Body.Complete = true }, false},
		"the server had begun its answer":  {func(a *faultserver.Attempt) { a.Answered = ms }, false},
	} {
		t.Run(name, func(t *testing.T) {
			e := evidenceOf(failed(1, 0, ms, asking, test.then))
			e.Calls[0].EndedAt = 10 * time.Second
			e.Calls[0].Outcome = failure(scenarios.ErrTimeout)
			e.Policy.Backoff = nil
			check := outcome(subjectOf(e, ""), scenarios.OutcomeRule{Success: true})
			if (check.OK != nil) != test.seen || check.OK != nil && *check.OK {
				t.Errorf("got %+v, want it to be seen: %t, and to be no success", check, test.seen)
			}
		})
	}
}
