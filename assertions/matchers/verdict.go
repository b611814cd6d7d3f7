package matchers

import (
	"github.com/onsi/gomega/types"

	"github.com/faultsrv/faultsrv/assertions"
	"github.com/faultsrv/faultsrv/scenarios"
)

// Meet matches where every word of an expectation holds of all calls: for what
// has no matcher of its own.
func Meet(want scenarios.Expectation) types.GomegaMatcher { return expect("Meet", want) }

// HaveVerdict matches where the evidence, which is the actual value, is judged so.
func HaveVerdict(want assertions.Verdict) types.GomegaMatcher {
	return &word{
		call: written("HaveVerdict", want),
		evidence: func(matcher string, actual any) (assertions.Evidence, error) {
			switch actual.(type) {
			case assertions.Evidence, *assertions.Evidence:
				return evidenceOf(matcher, actual)
			}
			return assertions.Evidence{}, wrongType(matcher, "an assertions.Evidence", actual)
		},
		checks: func(e assertions.Evidence) []assertions.Check {
			judged := assertions.Judge(e)
			same := judged.Verdict == want
			return []assertions.Check{{
				Name: "the verdict", OK: &same, Expected: string(want), Observed: string(judged.Verdict), Explanation: judged.Reason,
			}}
		},
	}
}
