package matchers

import (
	"github.com/onsi/gomega/types"

	"github.com/faultsrv/faultsrv/scenarios"
)

// HaveAttempts matches where each call was tried n times, the first attempt
// included: two retries are HaveAttempts(3). A journal without calls is one call.
func HaveAttempts(n int) types.GomegaMatcher {
	return expect(written("HaveAttempts", n), scenarios.Expectation{Attempts: &scenarios.Attempts{Each: &n}})
}

// HaveAttemptsBetween matches where each call was tried low to high times, both
// included.
func HaveAttemptsBetween(low, high int) types.GomegaMatcher {
	return expect(written("HaveAttemptsBetween", low, high), scenarios.Expectation{Attempts: &scenarios.Attempts{Min: &low, Max: &high}})
}

// HaveTotalAttempts matches where all calls together were tried n times.
func HaveTotalAttempts(n int) types.GomegaMatcher {
	return expect(written("HaveTotalAttempts", n), scenarios.Expectation{Attempts: &scenarios.Attempts{Total: &n}})
}
