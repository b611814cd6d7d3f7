package mutants

import (
	"net/http"
	"time"

	"github.com/faultsrv/faultsrv/resilient"
	"github.com/faultsrv/faultsrv/scenarios"
)

var backoffMutants = []Mutant{
	{
		Name:   "no-pause",
		Defect: "retries at once",
		Breaks: []string{
			"attempts.outlive-an-outage",
			"backoff.waits-the-configured-pause", "backoff.pauses-after-a-lost-connection", "backoff.grows",
			"backoff.never-overflows", "jitter.equal-keeps-half-the-pause",
			"retry-after.junk-keeps-the-ordinary-pause", "retry-after.a-negative-one-keeps-the-ordinary-pause",
			"retry-after.an-empty-one-keeps-the-ordinary-pause",
		},
		options: pauses(func(int, scenarios.Backoff) time.Duration { return 0 }),
	},
	{
		Name:   "no-pause-after-a-lost-connection",
		Defect: "pauses after a status, and not after a reset",
		Breaks: []string{"backoff.pauses-after-a-lost-connection"},
		inner: func(wire http.RoundTripper) http.RoundTripper {
			return roundTrip(func(req *http.Request) (*http.Response, error) {
				resp, err := wire.RoundTrip(req)
				if err != nil && req.Method == http.MethodGet && req.Context().Err() == nil {
					return wire.RoundTrip(req)
				}
				return resp, err
			})
		},
	},
	{
		Name:   "backoff-never-grows",
		Defect: "computes each pause as if it were the first",
		Breaks: []string{"backoff.grows"},
		options: pauses(func(_ int, backoff scenarios.Backoff) time.Duration {
			return base(backoff)
		}),
	},
	{
		Name:   "ignores-the-cap",
		Defect: "lets exponential pauses grow past their maximum",
		Breaks: []string{"backoff.stays-below-its-cap"},
		policy: func(policy *scenarios.Policy) { policy.Backoff.Max = 0 },
	},
	{
		Name:   "jitter-on-top-of-the-cap",
		Defect: "adds its jitter, as much as the pause again, after the cap was applied",
		Breaks: []string{"jitter.stays-below-the-cap"},
		options: pauses(func(_ int, backoff scenarios.Backoff) time.Duration {
			return 2 * base(backoff)
		}),
	},
	{
		Name:   "a-pause-of-its-own",
		Defect: "waits three and a half seconds whatever it is told, which keeps many a Retry-After by chance",
		Breaks: []string{"backoff.stays-below-its-cap"},
		options: func(policy scenarios.Policy) []resilient.Option {
			if policy.Budget != nil {
				return nil // hundreds of calls one after another would take half an hour
			}
			return pauses(func(int, scenarios.Backoff) time.Duration { return 3500 * time.Millisecond })(policy)
		},
		inner: onRetryAfter(func(resp *http.Response, _ string) { resp.Header.Del("Retry-After") }),
	},
	{
		Name:   "backoff-overflows",
		Defect: "doubles its pause until it overflows to zero",
		Breaks: []string{"backoff.never-overflows"},
		options: pauses(func(retry int, backoff scenarios.Backoff) time.Duration {
			pause := base(backoff) << min(retry, 63)
			if limit := backoff.Max; limit > 0 && pause > limit {
				return limit
			}
			return max(pause, 0)
		}),
	},
	{
		Name:   "no-jitter",
		Defect: "waits the same pause in every client",
		Breaks: []string{"jitter.full-is-spread"},
		policy: func(policy *scenarios.Policy) { policy.Backoff.Jitter = scenarios.NoJitter },
	},
	{
		Name:   "full-jitter-for-equal",
		Defect: "draws equal jitter from zero on",
		Breaks: []string{"jitter.equal-keeps-half-the-pause"},
		policy: func(policy *scenarios.Policy) {
			if policy.Backoff.Jitter == scenarios.EqualJitter {
				policy.Backoff.Jitter = scenarios.FullJitter
			}
		},
	},
}

// pauses replaces the backoff by a function of the retry's index, from 0.
func pauses(pause func(retry int, backoff scenarios.Backoff) time.Duration) func(scenarios.Policy) []resilient.Option {
	return func(policy scenarios.Policy) []resilient.Option {
		return []resilient.Option{resilient.WithBackoff(backoffFunc(func(retry int) time.Duration {
			return pause(retry, *policy.Backoff)
		}))}
	}
}

// backoffFunc is a function as a resilient.Backoff.
type backoffFunc func(retry int) time.Duration

func (f backoffFunc) Next(retry int) time.Duration { return f(retry) }

// base is the first pause of a backoff.
func base(backoff scenarios.Backoff) time.Duration {
	for _, pause := range []*time.Duration{backoff.Constant, backoff.Linear, backoff.Exponential} {
		if pause != nil {
			return *pause
		}
	}
	return 0
}
