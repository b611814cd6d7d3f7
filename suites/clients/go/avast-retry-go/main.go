// Command avast-retry-go has avast/retry-go judged, around net/http as its README
// shows it.
//
//	attempts              Attempts
//	backoff               Delay, MaxDelay and MaxJitter with its delay types FixedDelay,
//	                      BackOffDelay, RandomDelay and FullJitterBackoffDelay; for another
//	                      growth a DelayTypeFunc
//	methods               Unrecoverable, for what they do not name
//	statuses              errors of the function
//	timeouts.attempt_ms   Timeout of the http.Client
//
// Retry-After it does not read.
package main

import (
	"context"
	"slices"
	"time"

	"github.com/avast/retry-go/v5"

	"github.com/faultsrv/faultsrv/suites/clients/go/attempt"
	"github.com/faultsrv/faultsrv/suites/clients/go/kit"
)

func main() {
	kit.Main(kit.Library{
		Name:         "avast-retry-go",
		Module:       "github.com/avast/retry-go/v5",
		Capabilities: kit.Capabilities("retry", "attempts", "backoff", "attempt-timeout"),
		Open:         open,
	})
}

// client makes its attempts in a function that is tried again.
type client struct {
	attempt.Client
	options []retry.Option
}

func open(setup kit.Setup) (kit.Client, error) {
	options, err := pauses(setup.Policy.Backoff)
	if err != nil {
		return nil, err
	}
	attempts, err := attempt.New(setup)
	options = append(options, retry.Attempts(uint(max(setup.Policy.Attempts, 1))))
	return client{attempts, options}, err
}

// pauses are the options for the backoff.
func pauses(backoff kit.Backoff) ([]retry.Option, error) {
	base := backoff.Base.Duration
	delays := func(delay, longest, jitter time.Duration, of retry.DelayTypeFunc) []retry.Option {
		return []retry.Option{retry.Delay(delay), retry.MaxDelay(longest), retry.MaxJitter(jitter), retry.DelayType(of)}
	}
	switch doubles := backoff.Kind == "exponential" && backoff.Factor == 2; {
	case backoff.Kind == "constant" && backoff.Jitter == "none":
		return delays(base, base, 0, retry.FixedDelay), nil
	case backoff.Kind == "constant" && backoff.Jitter == "full":
		return delays(0, base, base, retry.RandomDelay), nil
	case backoff.Kind == "constant" && backoff.Jitter == "equal":
		return delays(base/2, base, base/2, retry.CombineDelay(retry.FixedDelay, retry.RandomDelay)), nil
	case doubles && backoff.Jitter == "none":
		return delays(base, backoff.Longest(), 0, retry.BackOffDelay), nil
	case doubles && backoff.Jitter == "full":
		// Its first pause is up to twice the delay.
		return delays(base/2, backoff.Longest(), 0, retry.FullJitterBackoffDelay), nil
	case backoff.Jitter == "none":
		return delays(base, backoff.Longest(), 0, func(retries uint, _ error, _ retry.DelayContext) time.Duration {
			return backoff.Pause(int(retries))
		}), nil
	}
	return nil, backoff.Unsupported()
}

// Do implements kit.Client.
func (c client) Do(ctx context.Context, call kit.Call) (kit.Answer, error) {
	tries := 0
	retrier := retry.NewWithData[kit.Answer](slices.Concat(c.options, []retry.Option{retry.Context(ctx)})...)
	answer, err := retrier.Do(func() (kit.Answer, error) {
		tries++
		answer, err := c.Client.Do(ctx, call)
		if err != nil && !c.Repeatable(call) {
			return answer, retry.Unrecoverable(err)
		}
		return answer, err
	})
	answer.Attempts = tries
	if err != nil {
		answer.Status = attempt.StatusOf(err)
	}
	return answer, err
}
