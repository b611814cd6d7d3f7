package reports

import (
	"slices"

	"github.com/faultsrv/faultsrv/scenarios"
)

// Explain is a result as plain text, in the order in which a failure is read:
// the contract and its source, what was expected, the attempts, what it means
// for a user, and the command that runs it again.
func Explain(result Result) string { return explain(result) }

// Fails tells whether a result fails a test: a contract broken, an unexpected
// pass, or one with which nothing could be said by a mistake of the client's
// setup or of the harness. A weak verdict does where failOn is should.
func Fails(result Result, failOn scenarios.Level) bool {
	return fails(result.Verdict, failOn) || slices.Contains(impossible, result.Verdict)
}
