// Command cenkalti-backoff has cenkalti/backoff judged, around net/http as the
// example of its documentation shows it.
//
//	attempts              WithMaxTries
//	backoff               ConstantBackOff or ExponentialBackOff, with its RandomizationFactor
//	methods               Permanent, for what they do not name
//	statuses              errors of the operation; for a 429 with a Retry-After in seconds
//	                      RetryAfter, as in the example
//	timeouts.attempt_ms   Timeout of the http.Client
package main

import (
	"context"
	"errors"
	"net/http"
	"strconv"

	"github.com/cenkalti/backoff/v5"

	"github.com/faultsrv/faultsrv/suites/clients/go/attempt"
	"github.com/faultsrv/faultsrv/suites/clients/go/kit"
)

func main() {
	kit.Main(kit.Library{
		Name:         "cenkalti-backoff",
		Module:       "github.com/cenkalti/backoff/v5",
		Capabilities: kit.Capabilities("retry", "attempts", "backoff", "attempt-timeout"),
		Open:         open,
	})
}

// client makes its attempts in an operation.
type client struct {
	attempt.Client
	policy kit.Policy
}

func open(setup kit.Setup) (kit.Client, error) {
	if _, err := pauses(setup.Policy.Backoff); err != nil {
		return nil, err
	}
	attempts, err := attempt.New(setup)
	return client{attempts, setup.Policy}, err
}

// pauses is the backoff. Each call has one of its own, since it keeps count.
func pauses(told kit.Backoff) (backoff.BackOff, error) {
	middle, factor, ok := told.Spread()
	switch {
	case !ok, told.Kind == "linear":
		return nil, told.Unsupported()
	case told.Kind == "constant" && factor == 0:
		return backoff.NewConstantBackOff(told.Base.Duration), nil
	}
	exponential := backoff.NewExponentialBackOff()
	exponential.InitialInterval, exponential.MaxInterval = middle.Base.Duration, middle.Longest()
	exponential.RandomizationFactor = factor
	exponential.Multiplier = max(middle.Factor, 1)
	return exponential, nil
}

// Do implements kit.Client.
func (c client) Do(ctx context.Context, call kit.Call) (kit.Answer, error) {
	pauses, err := pauses(c.policy.Backoff)
	if err != nil {
		return kit.Answer{}, err
	}
	tries := 0
	answer, err := backoff.Retry(ctx, func() (kit.Answer, error) {
		tries++
		answer, err := c.Client.Do(ctx, call)
		if err != nil && !c.Repeatable(call) {
			return answer, backoff.Permanent(err)
		}
		status := (*attempt.StatusError)(nil)
		if errors.As(err, &status) && status.Status == http.StatusTooManyRequests {
			if seconds, err := strconv.ParseInt(status.RetryAfter, 10, 64); err == nil {
				return answer, backoff.RetryAfter(int(seconds))
			}
		}
		return answer, err
	}, backoff.WithBackOff(pauses), backoff.WithMaxTries(uint(max(c.policy.Attempts, 1))))
	if err != nil {
		answer.Status = attempt.StatusOf(err)
	}
	answer.Attempts = tries
	return answer, err
}
