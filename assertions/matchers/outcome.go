package matchers

import (
	"github.com/onsi/gomega/types"

	"github.com/faultsrv/faultsrv/assertions"
	"github.com/faultsrv/faultsrv/scenarios"
)

// Success is the success answer, complete. Of an outcome alone it is the one
// that a server gives by default: a 200 with faultserver.DefaultSuccessBody.
func Success() scenarios.OutcomeRule { return scenarios.OutcomeRule{Success: true} }

// Status is an answer with this status.
func Status(code int) scenarios.OutcomeRule { return scenarios.OutcomeRule{Status: code} }

// Error is an error of one of the kinds, or with one of them in its chain;
// without a kind, any error.
func Error(kinds ...scenarios.ErrorKind) scenarios.OutcomeRule {
	if len(kinds) == 0 {
		kinds = []scenarios.ErrorKind{scenarios.AnyError}
	}
	return scenarios.OutcomeRule{Error: kinds}
}

// AnyOf is an outcome that is as one of the rules asks.
func AnyOf(rules ...scenarios.OutcomeRule) scenarios.OutcomeRule {
	return scenarios.OutcomeRule{AnyOf: rules}
}

// HaveOutcome matches where every call ended as the rule asks. The actual value
// is a scenarios.Outcome, an assertions.CallRecord or an assertions.Evidence:
// a journal alone does not know what the caller got.
func HaveOutcome(rule scenarios.OutcomeRule) types.GomegaMatcher {
	w := expect("HaveOutcome", scenarios.Expectation{Outcome: &rule})
	w.evidence = outcomeEvidence
	return w
}

func outcomeEvidence(matcher string, actual any) (assertions.Evidence, error) {
	record := assertions.CallRecord{}
	switch value := actual.(type) {
	case assertions.Evidence:
		return value, nil
	case *assertions.Evidence:
		if value != nil {
			return *value, nil
		}
	case assertions.CallRecord:
		record = value
	case scenarios.Outcome:
		record.Outcome = value
	}
	if record.Outcome.Kind == "" {
		return assertions.Evidence{}, wrongType(matcher, "a scenarios.Outcome, an assertions.CallRecord or an assertions.Evidence", actual)
	}
	return assertions.Evidence{Calls: []assertions.CallRecord{record}, Capabilities: scenarios.AllCapabilities()}, nil
}
