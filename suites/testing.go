package suites

import (
	"testing"

	"github.com/faultsrv/faultsrv/assertions"
	"github.com/faultsrv/faultsrv/reports"
)

// Run judges a client in a Go test: each contract is a subtest, named by its
// id. A contract that is broken fails its subtest, with the attempt table; one
// that the client cannot be judged by is skipped, with the reason.
//
//	func TestRetries(t *testing.T) {
//		suites.Run(t, suites.FromRoundTripper("my client", open))
//	}
//
// The contracts run side by side, and the subtests await them one by one.
func Run(t *testing.T, subject Subject, choices ...Choice) {
	t.Helper()
	plan, err := NewPlan(subject, choices...)
	if err != nil {
		t.Fatal(err)
	}
	running, err := Start(t.Context(), plan.Subject, plan.Contracts, plan.Options)
	if err != nil {
		t.Fatal(err)
	}
	for _, contract := range plan.Contracts {
		t.Run(contract.ID, func(t *testing.T) {
			result, ran := running.Result(contract.ID)
			if !ran {
				t.Fatal("the run ended before this contract was judged")
			}
			tell(t, plan, result)
		})
	}
	if run := running.Wait(); reports.ExitStatus(run) == reports.NothingJudged {
		t.Error("no contract was judged: expected at least one that this client can be judged by")
	}
}

// tell tells the test what became of a contract.
func tell(t *testing.T, plan Plan, result reports.Result) {
	t.Helper()
	switch {
	case plan.Fails(result):
		t.Error(reports.Explain(result))
	case result.Verdict == assertions.Unsupported, result.Verdict == assertions.NotExercised:
		t.Skipf("%s: %s", result.Verdict, result.Reason)
	default:
		t.Log(reports.Explain(result))
	}
}
