package matchers

import (
	"fmt"

	"github.com/onsi/gomega/format"

	"github.com/faultsrv/faultsrv/assertions"
	"github.com/faultsrv/faultsrv/faultserver"
	"github.com/faultsrv/faultsrv/scenarios"
)

// journaled is a server or a session.
type journaled interface{ Journal() faultserver.Journal }

// evidenceOf is the evidence that an actual value stands for. Of a journal
// alone, the calls are those whose tokens it has (one without a token where it
// has none), the client can tell all that it tells, and the machine is taken to
// be never late.
func evidenceOf(matcher string, actual any) (assertions.Evidence, error) {
	switch value := actual.(type) {
	case assertions.Evidence:
		return value, nil
	case *assertions.Evidence:
		if value != nil {
			return *value, nil
		}
	case faultserver.Journal:
		return journalEvidence(value), nil
	case *faultserver.Journal:
		if value != nil {
			return journalEvidence(*value), nil
		}
	case journaled:
		return journalEvidence(value.Journal()), nil
	}
	return assertions.Evidence{}, wrongType(matcher, "a faultserver.Journal, a value with a method Journal() faultserver.Journal, or an assertions.Evidence", actual)
}

func journalEvidence(journal faultserver.Journal) assertions.Evidence {
	e := assertions.Evidence{Journal: journal, Capabilities: scenarios.AllCapabilities()}
	seen := make(map[string]bool)
	for _, attempt := range journal.Attempts {
		if !seen[attempt.Call] {
			seen[attempt.Call] = true
			e.Calls = append(e.Calls, assertions.CallRecord{Token: attempt.Call, Method: attempt.Method, Path: attempt.Target})
		}
	}
	if len(e.Calls) == 0 {
		e.Calls = []assertions.CallRecord{{}}
	}
	return e
}

func wrongType(matcher, wanted string, actual any) error {
	return fmt.Errorf("%s: the actual value must be %s; it is:\n%s", matcher, wanted, format.Object(actual, 1))
}
