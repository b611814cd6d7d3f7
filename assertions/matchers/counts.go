package matchers

import (
	"github.com/onsi/gomega/types"

	"github.com/faultsrv/faultsrv/faultserver"
	"github.com/faultsrv/faultsrv/scenarios"
)

// HaveConnections matches where n connections carried the attempts.
func HaveConnections(n int) types.GomegaMatcher {
	return expect(written("HaveConnections", n), scenarios.Expectation{Connections: &scenarios.Range{Min: &n, Max: &n}})
}

// HaveEffects matches where the server performed its side effect n times (see
// faultserver.Commit).
func HaveEffects(n int) types.GomegaMatcher {
	return expect(written("HaveEffects", n), scenarios.Expectation{Effects: &scenarios.Range{Min: &n, Max: &n}})
}

// HaveOverlapAtMost matches where never more than n attempts were in progress
// at once.
func HaveOverlapAtMost(n int) types.GomegaMatcher {
	return expect(written("HaveOverlapAtMost", n), scenarios.Expectation{Overlap: &scenarios.Range{Max: &n}})
}

// HaveDrainedAtMost matches where the client took at most so many bytes of each
// answer that it discarded for another attempt, head included. What its kernel
// buffers counts, so leave room for that.
func HaveDrainedAtMost(size faultserver.Size) types.GomegaMatcher {
	return expect(written("HaveDrainedAtMost", size), scenarios.Expectation{Drained: &scenarios.Drained{Max: size}})
}
