package reports

import (
	"slices"

	"github.com/faultsrv/faultsrv/assertions"
	"github.com/faultsrv/faultsrv/scenarios"
)

// The exit statuses of a run.
const (
	// Conforming: every contract that was judged holds, or is known to fail.
	Conforming = 0
	// Broken: a contract failed, or one that is known to fail passed.
	Broken = 1
	// NothingJudged: no contract was judged, which proves nothing.
	NothingJudged = 2
	// NotCompleted: the client or the harness could not do its part, the run was
	// cut short, or a result has no verdict. It wins over Broken.
	NotCompleted = 3
)

// ExitStatus is the status that the process of a run ends with.
//
// A contract fails the run by the verdict fail (of a must) or unexpected-pass,
// and by weak (of a should) where Selection.FailOn is should. A run in which
// nothing but contracts of level observe was selected is not meant to judge:
// it is Conforming when at least one of them could be observed.
func ExitStatus(run Run) int {
	switch {
	case run.Meta.Partial || run.count(impossible...) > 0 || run.count(known...) < len(run.Results):
		return NotCompleted
	case failures(run) > 0:
		return Broken
	case run.count(judged...) > 0 || onlyObserved(run):
		return Conforming
	default:
		return NothingJudged
	}
}

// failures is how many results fail the run.
func failures(run Run) int {
	count := 0
	for _, result := range run.Results {
		if breaks(result, run.Selection.FailOn) {
			count++
		}
	}
	return count
}

// Fails tells whether a result alone keeps its run from being Conforming: a
// contract failed (see ExitStatus), or it could not be run. An empty failOn is
// must.
func Fails(result Result, failOn scenarios.Level) bool {
	return breaks(result, failOn) || slices.Contains(impossible, result.Verdict)
}

func breaks(result Result, failOn scenarios.Level) bool {
	switch result.Verdict {
	case assertions.Fail, assertions.UnexpectedPass:
		return true
	case assertions.Weak:
		return failOn == scenarios.Should
	default:
		return false
	}
}

func onlyObserved(run Run) bool {
	for _, result := range run.Results {
		if result.Level != scenarios.Observe {
			return false
		}
	}
	return run.count(assertions.Observed) > 0
}
