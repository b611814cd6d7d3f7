// Package resilient is the reference client as a client under test:
// resilient.Transport over net/http, told every field of a contract's policy
// that it has an option for.
package resilient

import (
	"errors"
	"fmt"
	"math"
	"net/http"
	"slices"
	"time"

	"github.com/faultsrv/faultsrv/resilient"
	"github.com/faultsrv/faultsrv/resilient/breaker"
	"github.com/faultsrv/faultsrv/scenarios"
	"github.com/faultsrv/faultsrv/suites"
)

// Client is the subject "resilient".
func Client() *suites.RoundTripper {
	subject := suites.FromRoundTripper("resilient", func(policy scenarios.Policy) (http.RoundTripper, error) {
		base, err := suites.NewTransport()
		if err != nil {
			return nil, err
		}
		return Transport(policy, base)
	})
	subject.About.Capabilities = append(subject.About.Capabilities, scenarios.CanIdempotencyKey,
		scenarios.CanBreaker, scenarios.CanBudget, scenarios.CanHedge, scenarios.CanTLS)
	subject.About.Rerun = []string{"faultsrv", "test", "--client", "resilient"}
	subject.Explain = Explain
	subject.Attempts = Attempts
	return subject
}

// Transport is a resilient.Transport over base that follows a policy, with
// further options after those of the policy.
func Transport(policy scenarios.Policy, base http.RoundTripper, further ...resilient.Option) (http.RoundTripper, error) {
	options, err := Options(policy)
	if err != nil {
		return nil, err
	}
	if policy.Breaker != nil {
		if base, err = guarded(base, *policy.Breaker); err != nil {
			return nil, err
		}
	}
	transport, err := resilient.New(base, append(options, further...)...)
	if err != nil {
		return nil, fmt.Errorf("the policy does not fit resilient: %w", err)
	}
	return transport, nil
}

// Options are those of a policy's fields that resilient has one for. A field
// that is nil, as the breaker, gives none.
func Options(policy scenarios.Policy) ([]resilient.Option, error) {
	var options []resilient.Option
	if policy.Attempts != nil {
		options = append(options, resilient.WithAttempts(*policy.Attempts))
	}
	if policy.Backoff != nil {
		backoff, err := Backoff(*policy.Backoff)
		if err != nil {
			return nil, err
		}
		options = append(options, resilient.WithBackoff(backoff))
	}
	if policy.Methods != nil {
		options = append(options, resilient.WithMethods(policy.Methods...))
	}
	if policy.Statuses != nil {
		options = append(options, resilient.WithStatuses(policy.Statuses...))
	}
	if policy.Timeouts != nil && policy.Timeouts.Attempt > 0 {
		options = append(options, resilient.WithAttemptTimeout(policy.Timeouts.Attempt))
	}
	if policy.RetryAfterCap != nil {
		options = append(options, resilient.WithRetryAfterCap(*policy.RetryAfterCap))
	}
	if policy.Budget != nil {
		budget, err := resilient.NewRateBudget(policy.Budget.Ratio, policy.Budget.Reserve, budgetWindow)
		if err != nil {
			return nil, fmt.Errorf("budget: %w", err)
		}
		options = append(options, resilient.WithBudget(budget))
	}
	if policy.Hedge != nil {
		options = append(options, resilient.WithHedge(policy.Hedge.Delay))
	}
	if slices.ContainsFunc(policy.Methods, NeedsKey) {
		options = append(options, resilient.WithIdempotencyKey(nil))
	}
	return options, nil
}

// budgetWindow is longer than any contract takes, so that a contract is one
// window.
const budgetWindow = 30 * time.Second

// NeedsKey tells a method that a caller lets be sent twice only with a key.
func NeedsKey(method string) bool {
	return method == http.MethodPost || method == http.MethodPatch
}

// guarded puts a circuit breaker below the retry layer: each attempt asks it.
func guarded(base http.RoundTripper, policy scenarios.Breaker) (http.RoundTripper, error) {
	hosts, err := breaker.NewGroup(breaker.ByHost, breaker.WithFailures(policy.Failures),
		breaker.WithOpenFor(policy.Open), breaker.WithProbes(max(policy.Probes, 1)))
	if err != nil {
		return nil, fmt.Errorf("breaker: %w", err)
	}
	transport, err := breaker.NewTransport(base, hosts)
	if err != nil {
		return nil, fmt.Errorf("breaker: %w", err)
	}
	return transport, nil
}

// Backoff is the policy's pause. The jitters of resilient grow by two, so a
// jittered exponential with another factor cannot be told.
func Backoff(policy scenarios.Backoff) (resilient.Backoff, error) {
	limit := policy.Max
	if limit == 0 {
		limit = math.MaxInt64
	}
	jittered := policy.Jitter != "" && policy.Jitter != scenarios.NoJitter
	switch {
	case policy.Constant != nil && jittered:
		return jitter(policy.Jitter, *policy.Constant, *policy.Constant)
	case policy.Constant != nil:
		return resilient.NewConstantBackoff(*policy.Constant, 0), nil
	case policy.Exponential != nil && jittered:
		if policy.Factor != 0 && policy.Factor != 2 {
			return nil, fmt.Errorf("backoff: %s jitter with factor %v: resilient's jitters grow by 2", policy.Jitter, policy.Factor)
		}
		return jitter(policy.Jitter, *policy.Exponential, limit)
	case policy.Exponential != nil:
		factor := policy.Factor
		if factor == 0 {
			factor = 2
		}
		return resilient.NewExponentialBackoff(*policy.Exponential, limit, factor, 0), nil
	case policy.Linear != nil && jittered:
		return nil, errors.New("backoff: resilient has no linear backoff with jitter")
	case policy.Linear != nil:
		return resilient.NewLinearBackoff(*policy.Linear, limit), nil
	}
	return nil, errors.New("backoff: expected constant, linear or exponential, got none")
}

func jitter(kind scenarios.Jitter, base, limit time.Duration) (resilient.Backoff, error) {
	switch kind {
	case scenarios.FullJitter:
		return resilient.NewFullJitter(base, limit), nil
	case scenarios.EqualJitter:
		return resilient.NewEqualJitter(base, limit), nil
	case scenarios.DecorrelatedJitter:
		return resilient.NewDecorrelatedJitter(base, limit), nil
	default:
		return nil, fmt.Errorf("backoff: jitter %q: expected full, equal or decorrelated", kind)
	}
}

// Kinds are the error kinds of resilient's causes.
var Kinds = map[resilient.Cause]scenarios.ErrorKind{
	resilient.CauseExhausted:     scenarios.ErrExhausted,
	resilient.CauseNotReplayable: scenarios.ErrNotReplayable,
	resilient.CausePermanent:     scenarios.ErrPermanent,
	resilient.CauseCanceled:      scenarios.ErrCanceled,
	resilient.CauseDeadline:      scenarios.ErrTimeout,
	resilient.CauseBudget:        scenarios.ErrBudget,
	resilient.CauseCircuitOpen:   scenarios.ErrCircuitOpen,
}

// Explain tells resilient's cause, and every kind that a caller can match
// beside it.
func Explain(err error) scenarios.OutcomeError {
	explained := suites.ClassifyError(err)
	var failure *resilient.Error
	if errors.As(err, &failure) {
		if kind, known := Kinds[failure.Cause]; known {
			explained.Chain = append([]scenarios.ErrorKind{explained.Kind}, explained.Chain...)
			explained.Kind = kind
		}
	}
	var status *resilient.StatusError
	if errors.As(err, &status) {
		explained.LastStatus = status.StatusCode
	}
	return explained
}

// Attempts is how many attempts resilient says it made.
func Attempts(response *http.Response, err error) int {
	var failure *resilient.Error
	if errors.As(err, &failure) {
		return failure.Attempts
	}
	return resilient.Info(response).Attempts
}
