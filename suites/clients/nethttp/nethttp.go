// Package nethttp is Go's net/http as a client under test: an http.Client
// without any retry layer, which is what most Go programs use.
package nethttp

import (
	"net/http"
	"slices"

	"github.com/faultsrv/faultsrv/scenarios"
	"github.com/faultsrv/faultsrv/suites"
)

// Client is the subject "nethttp". It promises one attempt a call: the only
// requests that net/http sends again by itself are those that find their
// reused connection dead.
func Client() *suites.RoundTripper {
	one := 1
	cannot := []scenarios.Capability{
		scenarios.CanRetry, scenarios.CanAttempts, scenarios.CanBackoff, scenarios.CanAttemptTimeout,
	}
	subject := suites.FromRoundTripper("nethttp", func(scenarios.Policy) (http.RoundTripper, error) {
		return suites.NewTransport()
	})
	subject.About.Capabilities = slices.DeleteFunc(subject.About.Capabilities, func(capability scenarios.Capability) bool {
		return slices.Contains(cannot, capability)
	})
	subject.About.Capabilities = append(subject.About.Capabilities, scenarios.CanTLS)
	subject.About.Promises = &scenarios.Policy{Attempts: &one}
	subject.About.Rerun = []string{"faultsrv", "test", "--client", "nethttp"}
	return subject
}
