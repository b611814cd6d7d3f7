// Command failsafe-go has failsafe-go judged: the RoundTripper of its
// failsafehttp, with the retry policy that failsafehttp ships.
//
//	attempts              WithMaxAttempts
//	backoff               WithDelay or WithBackoffFactor, and WithJitterFactor
//	timeouts.attempt_ms   a timeout policy within the retry policy
//	breaker               a circuit breaker within the retry policy
//	hedge                 a hedge policy within the retry policy
//
// Methods and statuses it cannot be told: the policy retries every method, 429, and
// from 500 on all but 501. A Retry-After has no cap. A body that comes from a reader
// is read into memory before the first attempt.
package main

import (
	"context"
	"errors"
	"net/http"

	"github.com/failsafe-go/failsafe-go"
	"github.com/failsafe-go/failsafe-go/circuitbreaker"
	"github.com/failsafe-go/failsafe-go/failsafehttp"
	"github.com/failsafe-go/failsafe-go/hedgepolicy"
	"github.com/failsafe-go/failsafe-go/retrypolicy"
	"github.com/failsafe-go/failsafe-go/timeout"

	"github.com/faultsrv/faultsrv/suites/clients/go/kit"
)

func main() {
	kit.Main(kit.Library{
		Name:         "failsafe-go",
		Module:       "github.com/failsafe-go/failsafe-go",
		Capabilities: kit.Capabilities("retry", "attempts", "backoff", "attempt-timeout", "breaker", "hedge", "streamed-body"),
		Open:         open,
		Kinds:        kinds,
	})
}

// client is an http.Client over failsafehttp's RoundTripper.
type client struct{ *http.Client }

func open(setup kit.Setup) (kit.Client, error) {
	transport, err := setup.Transport()
	if err != nil {
		return nil, err
	}
	policies, err := policies(setup.Policy)
	if err != nil {
		return nil, err
	}
	return client{&http.Client{Transport: failsafehttp.NewRoundTripper(transport, policies...)}}, nil
}

// policies are those of the policy, the outermost first.
func policies(policy kit.Policy) ([]failsafe.Policy[*http.Response], error) {
	retry, err := retryPolicy(policy)
	if err != nil {
		return nil, err
	}
	all := []failsafe.Policy[*http.Response]{retry}
	if breaker := policy.Breaker; breaker != nil {
		all = append(all, circuitbreaker.NewBuilder[*http.Response]().
			HandleIf(func(response *http.Response, err error) bool {
				return err != nil || response.StatusCode >= http.StatusInternalServerError
			}).
			WithFailureThreshold(uint(breaker.Failures)).
			WithDelay(breaker.Open.Duration).
			WithSuccessThreshold(uint(breaker.Probes)).Build())
	}
	if hedge := policy.Hedge; hedge != nil {
		all = append(all, hedgepolicy.NewBuilderWithDelay[*http.Response](hedge.Delay.Duration).
			WithMaxHedges(hedge.Max).Build())
	}
	if limit := policy.Timeouts.Attempt.Duration; limit != 0 {
		all = append(all, timeout.New[*http.Response](limit))
	}
	return all, nil
}

func retryPolicy(policy kit.Policy) (failsafe.Policy[*http.Response], error) {
	backoff, factor, ok := policy.Backoff.Spread()
	if !ok || backoff.Kind == "linear" {
		return nil, policy.Backoff.Unsupported()
	}
	if policy.RetryAfterCap.Duration != 0 {
		return nil, kit.Unsupported("a cap on Retry-After")
	}
	builder := failsafehttp.NewRetryPolicyBuilder().WithMaxAttempts(policy.Attempts).WithJitterFactor(factor)
	if backoff.Kind == "exponential" {
		return builder.WithBackoffFactor(backoff.Base.Duration, backoff.Longest(), backoff.Factor).Build(), nil
	}
	return builder.WithDelay(backoff.Base.Duration).Build(), nil
}

// kinds are those of failsafe-go's own errors.
func kinds(err error) []string {
	var found []string
	for _, known := range []struct {
		err  error
		kind string
	}{
		{circuitbreaker.ErrOpen, "circuit-open"},
		{retrypolicy.ErrExceeded, "exhausted"},
		{timeout.ErrExceeded, "timeout"},
	} {
		if errors.Is(err, known.err) {
			found = append(found, known.kind)
		}
	}
	return found
}

// Do implements kit.Client. An error for used up attempts holds the last answer.
func (c client) Do(ctx context.Context, call kit.Call) (kit.Answer, error) {
	request, err := call.Request(ctx)
	if err != nil {
		return kit.Answer{}, err
	}
	response, err := c.Client.Do(request)
	exceeded := retrypolicy.ExceededError{}
	if errors.As(err, &exceeded) {
		response, _ = exceeded.LastResult.(*http.Response)
	}
	return kit.FromResponse(response, err)
}

// Close implements kit.Client.
func (c client) Close() { c.CloseIdleConnections() }
