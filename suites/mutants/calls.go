package mutants

import (
	"context"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/faultsrv/faultsrv/resilient"
	"github.com/faultsrv/faultsrv/scenarios"
	reference "github.com/faultsrv/faultsrv/suites/clients/resilient"
)

// callMutants let one call have a part in what is another's own.
var callMutants = []Mutant{
	{
		Name:   "one-count-for-all-calls",
		Defect: "counts the retries of its whole life, and has none left when one call would have used them up",
		Breaks: []string{"attempts.each-call-has-its-own"},
		outer: func(client http.RoundTripper, policy scenarios.Policy) http.RoundTripper {
			var retries atomic.Int64
			return roundTrip(func(req *http.Request) (*http.Response, error) {
				left := max(*policy.Attempts-int(retries.Load()), 1)
				ctx, err := resilient.WithPolicy(req.Context(), resilient.WithAttempts(left))
				if err != nil {
					return nil, err
				}
				resp, err := client.RoundTrip(req.WithContext(ctx))
				retries.Add(int64(max(reference.Attempts(resp, err)-1, 0)))
				return resp, err
			})
		},
	},
	{
		Name:   "one-count-for-calls-side-by-side",
		Defect: "has one count of attempts, which each call begins anew and all of them add to",
		Breaks: []string{"attempts.calls-side-by-side-do-not-share"},
		outer: func(client http.RoundTripper, policy scenarios.Policy) http.RoundTripper {
			count := &commonCount{limit: int64(*policy.Attempts)}
			return roundTrip(func(req *http.Request) (*http.Response, error) {
				count.made.Store(0)
				return client.RoundTrip(req.WithContext(context.WithValue(req.Context(), commonCountKey{}, count)))
			})
		},
		inner: func(wire http.RoundTripper) http.RoundTripper {
			return roundTrip(func(req *http.Request) (*http.Response, error) {
				own := attempt(req)
				count, _ := req.Context().Value(commonCountKey{}).(*commonCount)
				made := count.made.Add(1)
				resp, err := wire.RoundTrip(req)
				if err == nil && resp.StatusCode >= 500 && made >= count.limit && int64(own) < count.limit {
					resp.StatusCode = http.StatusInternalServerError // which is not retried
				}
				return resp, err
			})
		},
	},
	{
		Name:   "backoff-goes-on-from-call-to-call",
		Defect: "goes on with its pauses where the call before has left off",
		Breaks: []string{"backoff.begins-anew-with-each-call"},
		options: func(policy scenarios.Policy) []resilient.Option {
			backoff, err := reference.Backoff(*policy.Backoff)
			if err != nil || policy.Backoff.Exponential == nil || policy.Backoff.Jitter != "" {
				return nil
			}
			var retries atomic.Int64
			return []resilient.Option{resilient.WithBackoff(backoffFunc(func(int) time.Duration {
				return backoff.Next(int(retries.Add(1)) - 1)
			}))}
		},
	},
}

// commonCount is a client's one count of attempts.
type commonCount struct {
	made  atomic.Int64
	limit int64
}

// commonCountKey is its context key.
type commonCountKey struct{}
