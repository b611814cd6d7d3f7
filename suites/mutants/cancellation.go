package mutants

import (
	"context"
	"net/http"

	"github.com/faultsrv/faultsrv/scenarios"
)

var cancellationMutants = []Mutant{
	{
		Name:   "sleeps-through-cancellation",
		Defect: "notices the caller's cancellation only after its pause",
		Breaks: []string{"cancellation.wakes-the-sleep", "cancellation.ends-the-retries", "cancellation.ends-an-attempt-in-flight"},
		outer: func(client http.RoundTripper, _ scenarios.Policy) http.RoundTripper {
			return roundTrip(func(req *http.Request) (*http.Response, error) {
				resp, err := client.RoundTrip(req.WithContext(context.WithoutCancel(req.Context())))
				if req.Context().Err() != nil && err == nil {
					discard(resp)
					return nil, req.Context().Err()
				}
				return resp, err
			})
		},
	},
	{
		Name:   "goes-on-after-cancellation",
		Defect: "returns to its caller and goes on retrying behind its back",
		Breaks: []string{"cancellation.ends-the-retries"},
		outer: func(client http.RoundTripper, _ scenarios.Policy) http.RoundTripper {
			type result struct {
				resp *http.Response
				err  error
			}
			return roundTrip(func(req *http.Request) (*http.Response, error) {
				done := make(chan result, 1)
				go func() {
					resp, err := client.RoundTrip(req.WithContext(context.WithoutCancel(req.Context())))
					done <- result{resp, err}
				}()
				select {
				case r := <-done:
					return r.resp, r.err
				case <-req.Context().Done():
					return nil, req.Context().Err()
				}
			})
		},
	},
	{
		Name:   "cancellation-hides-the-failure",
		Defect: "returns the bare cancellation, without the failure that it was waiting to retry",
		Breaks: []string{"cancellation.keeps-the-last-failure"},
		outer: onResult(func(req *http.Request, resp *http.Response, err error) (*http.Response, error) {
			if err != nil && req.Context().Err() != nil {
				return nil, req.Context().Err()
			}
			return resp, err
		}),
	},
	{
		Name:   "a-deadline-for-each-attempt",
		Defect: "gives each attempt the caller's whole deadline",
		Breaks: []string{"cancellation.the-deadline-spans-the-retries"},
		outer: func(client http.RoundTripper, _ scenarios.Policy) http.RoundTripper {
			return roundTrip(func(req *http.Request) (*http.Response, error) {
				return client.RoundTrip(req.WithContext(context.WithoutCancel(req.Context())))
			})
		},
	},
	{
		Name:   "an-attempt-timeout-ends-the-call",
		Defect: "takes the timeout of an attempt for the caller's own",
		Breaks: []string{"cancellation.an-attempt-timeout-is-not-the-callers"},
		outer: func(client http.RoundTripper, policy scenarios.Policy) http.RoundTripper {
			return roundTrip(func(req *http.Request) (*http.Response, error) {
				if policy.Timeouts == nil || policy.Timeouts.Attempt == 0 {
					return client.RoundTrip(req)
				}
				ctx, cancel := context.WithTimeout(req.Context(), policy.Timeouts.Attempt)
				resp, err := client.RoundTrip(req.WithContext(ctx))
				if err != nil {
					cancel()
					return nil, err
				}
				resp.Body = closeWith(resp.Body, cancel)
				return resp, nil
			})
		},
	},
}
