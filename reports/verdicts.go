package reports

import (
	"slices"

	"github.com/faultsrv/faultsrv/assertions"
)

// The verdicts by what they mean for a run, each list in the order of reports.
var (
	// judged are those that say something of a rule.
	judged = []assertions.Verdict{
		assertions.Fail, assertions.UnexpectedPass, assertions.Weak, assertions.KnownFail, assertions.Pass,
	}
	// impossible are those with which nothing could be said, by a mistake of the
	// client's setup or of the harness.
	impossible = []assertions.Verdict{assertions.ClientError, assertions.HarnessError}
	// passedOver are those with which nothing was to be said of this client.
	passedOver = []assertions.Verdict{assertions.Unsupported, assertions.NotExercised}
	// known are all; a result with another one says nothing that can be relied on.
	known = slices.Concat(judged, impossible, passedOver, []assertions.Verdict{assertions.Observed})
)

// givenVerdicts are those that the run has, in the order of a table of totals.
func givenVerdicts(run Run) []assertions.Verdict {
	order := slices.Concat([]assertions.Verdict{assertions.Pass}, explained,
		[]assertions.Verdict{assertions.KnownFail, assertions.Observed}, passedOver)
	return slices.DeleteFunc(order, func(v assertions.Verdict) bool { return run.count(v) == 0 })
}
