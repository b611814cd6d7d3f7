package reports

import (
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/faultsrv/faultsrv/assertions"
	"github.com/faultsrv/faultsrv/scenarios"
)

// runOf is a run with one must for each verdict (a should for weak, an observe
// for observed).
func runOf(failOn scenarios.Level, verdicts ...assertions.Verdict) Run {
	var results []Result
	for i, verdict := range verdicts {
		level := scenarios.Must
		switch verdict {
		case assertions.Weak:
			level = scenarios.Should
		case assertions.Observed:
			level = scenarios.Observe
		default:
		}
		results = append(results, Result{ID: string(rune('a' + i)), Level: level, Verdict: verdict})
	}
	return Assemble(Run{Selection: Selection{FailOn: failOn}}, results, sampleRedactor())
}

var _ = DescribeTable("the exit status of a run",
	func(want int, failOn scenarios.Level, verdicts ...assertions.Verdict) {
		Expect(ExitStatus(runOf(failOn, verdicts...))).To(Equal(want))
	},
	Entry("all pass", 0, scenarios.Must, assertions.Pass, assertions.Pass),
	Entry("some cannot be judged", 0, scenarios.Must, assertions.Pass, assertions.Unsupported, assertions.NotExercised),
	Entry("a should is broken", 0, scenarios.Must, assertions.Pass, assertions.Weak),
	Entry("a should is broken, and nothing is said of what fails", 0, scenarios.Level(""), assertions.Weak),
	Entry("a should is broken, and shoulds fail the run", 1, scenarios.Should, assertions.Pass, assertions.Weak),
	Entry("a must is broken", 1, scenarios.Must, assertions.Pass, assertions.Fail),
	Entry("a known failure fails", 0, scenarios.Should, assertions.KnownFail),
	Entry("a known failure passes", 1, scenarios.Must, assertions.Pass, assertions.UnexpectedPass),
	Entry("no contract ran", 2, scenarios.Must),
	Entry("no contract could be judged", 2, scenarios.Must, assertions.Unsupported, assertions.NotExercised),
	Entry("none could be judged beside an observation", 2, scenarios.Must, assertions.Observed, assertions.Unsupported),
	Entry("nothing but observations was asked for", 0, scenarios.Must, assertions.Observed),
	Entry("the client could not be run", 3, scenarios.Must, assertions.Pass, assertions.ClientError),
	Entry("the harness failed, which wins over a failure", 3, scenarios.Must, assertions.Fail, assertions.HarnessError),
	Entry("a result without a verdict", 3, scenarios.Must, assertions.Pass, assertions.Verdict("")),
)

var _ = Describe("a run that was cut short", func() {
	It("ends with 3, whatever was judged before", func() {
		run := runOf(scenarios.Must, assertions.Pass, assertions.Fail)
		run.Meta.Partial = true
		Expect(ExitStatus(run)).To(Equal(NotCompleted))
	})
})

var _ = DescribeTable("whether a result alone keeps its run from conforming",
	func(want bool, verdict assertions.Verdict, failOn scenarios.Level) {
		Expect(Fails(Result{Verdict: verdict}, failOn)).To(Equal(want))
	},
	Entry("pass", false, assertions.Pass, scenarios.Should),
	Entry("fail", true, assertions.Fail, scenarios.Must),
	Entry("weak", false, assertions.Weak, scenarios.Must),
	Entry("weak, where that fails the run", true, assertions.Weak, scenarios.Should),
	Entry("unexpected pass", true, assertions.UnexpectedPass, scenarios.Must),
	Entry("known failure", false, assertions.KnownFail, scenarios.Should),
	Entry("unsupported", false, assertions.Unsupported, scenarios.Should),
	Entry("client error", true, assertions.ClientError, scenarios.Must),
	Entry("harness error", true, assertions.HarnessError, scenarios.Must),
)
