package resilientforms

import (
	"fmt"
	"math"
	"net/http"

	"github.com/faultsrv/faultsrv/resilient"
	"github.com/faultsrv/faultsrv/resilient/breaker"
	"github.com/faultsrv/faultsrv/scenarios"
)

// Breaker is the subject "resilient-breaker": breaker.Client over net/http.
func Breaker() Form {
	form := newForm("resilient-breaker", "breaker.Client, whose attempts run behind a circuit breaker as those of heimdall's hystrix client do",
		[]scenarios.Capability{scenarios.CanIdempotencyKey, scenarios.CanBreaker, scenarios.CanBudget, scenarios.CanHedge}, nil, breakerFailures)
	form.open = func(policy scenarios.Policy, base *http.Transport) (caller, error) {
		options, err := breakerOptions(policy)
		if err != nil {
			return nil, err
		}
		client, err := breaker.NewClient(append(options, breaker.WithHTTPClient(&http.Client{Transport: base}))...)
		if err != nil {
			return nil, fmt.Errorf("the policy does not fit breaker.Client: %w", err)
		}
		return sending(client), nil
	}
	return form
}

func breakerOptions(policy scenarios.Policy) ([]breaker.ClientOption, error) {
	var options []breaker.ClientOption
	if policy.Attempts != nil {
		options = append(options, breaker.WithRetryCount(*policy.Attempts-1))
	}
	backoff, err := pause(policy)
	if err != nil {
		return nil, err
	}
	if backoff != nil {
		options = append(options, breaker.WithRetrier(resilient.NewRetrier(backoff)))
	}
	options = append(options, breaker.WithRetryableStatusCodes(policy.Statuses...))
	if timeout := attemptTimeout(policy); timeout > 0 {
		// The command ends with the answer's head, the HTTP client's timeout with its body.
		options = append(options, breaker.WithCommandTimeout(timeout), breaker.WithHTTPTimeout(timeout))
	}
	state, err := circuit(policy.Breaker)
	if err != nil {
		return nil, err
	}
	further, err := shared(policy)
	for _, option := range further {
		options = append(options, breaker.WithClientOptions(option))
	}
	return append(options, state), err
}

// circuit is the policy's breaker. A policy without one gets one that never has
// seen enough to open, since this form cannot be without.
func circuit(policy *scenarios.Breaker) (breaker.ClientOption, error) {
	if policy == nil {
		return breaker.WithRequestVolumeThreshold(math.MaxInt), nil
	}
	state, err := breaker.New(breaker.WithFailures(policy.Failures),
		breaker.WithOpenFor(policy.Open), breaker.WithProbes(max(policy.Probes, 1)))
	if err != nil {
		return nil, fmt.Errorf("breaker: %w", err)
	}
	return breaker.WithBreaker(state), nil
}
