package assertions

import (
	"fmt"
	"slices"

	"github.com/faultsrv/faultsrv/faultserver"
)

// scriptCheck judges what every contract asks that does not say what comes
// after its script: no attempt beyond the script. False where it does say.
func scriptCheck(e Evidence) (Check, bool) {
	switch e.Contract.AfterScript {
	case "", faultserver.FailAfterScript:
	default:
		return Check{}, false
	}
	s := subjectOf(e, "")
	t := tally{judged: 1}
	beyond := 0
	for _, call := range s.calls {
		for _, attempt := range call.attempts {
			if attempt.Step.Unscripted {
				beyond++
				t.fail(fmt.Sprintf("%sattempt %d came after the script's last step: the client tried more often than the contract has a part for",
					s.who(call), attempt.Number), attempt.Index)
			}
		}
	}
	t.saw(count(beyond))
	check := t.check("script", "no attempt beyond the script")
	check.Part = PartScript
	return check, true
}

// uncancelled says that a cancellation which the contract asks for was never
// given, since the call had returned before it was due: the stimulus did not
// happen, so that nothing it provokes can be judged. Empty where all were given.
func uncancelled(e Evidence) string {
	for _, record := range e.Calls {
		if call, ok := contractCall(e.Contract, record.Name); ok && call.Cancel != nil && record.Cancelled == 0 {
			return fmt.Sprintf("call %s returned before its cancellation was due (%s)", record.Token, momentText(*call.Cancel))
		}
	}
	return ""
}

// unmetSteps are the required steps without proof that their fault happened:
// those that no attempt met, and each attempt on which a step did not do what
// it should, such as one that the client left before the step could strike. A
// client that leaves while it stalls has met the stall.
func unmetSteps(e Evidence) []string {
	unmet := slices.Clone(e.Journal.Unmet)
	for _, attempt := range e.Journal.Attempts {
		taken := attempt.Step.Index > 0 && !attempt.Step.Unscripted && !attempt.Step.Unmatched
		if step, _ := stepOf(e, attempt); taken && !attempt.Met && !step.Optional {
			unmet = append(unmet, fmt.Sprintf("%s on attempt %d (%s)",
				attempt.Step.Text, attempt.Index, orElse(attempt.Happened.Detail, attempt.Happened.Kind+" instead")))
		}
	}
	return unmet
}
