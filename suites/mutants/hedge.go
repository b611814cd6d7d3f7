package mutants

import (
	"context"
	"net/http"
	"time"

	"github.com/faultsrv/faultsrv/scenarios"
)

var hedgeMutants = []Mutant{
	{
		Name:   "never-hedges",
		Defect: "waits for the first answer, however late",
		Breaks: []string{"hedge.overtakes-a-slow-answer"},
		policy: func(policy *scenarios.Policy) { policy.Hedge = nil },
	},
	{
		Name:   "hedges-at-once",
		Defect: "sends the second request long before its delay has passed",
		Breaks: []string{"hedge.waits-its-delay"},
		policy: func(policy *scenarios.Policy) {
			if policy.Hedge != nil {
				policy.Hedge.Delay = time.Millisecond
			}
		},
	},
	{
		Name:   "hedges-any-method",
		Defect: "hedges a POST like a GET",
		Breaks: []string{"hedge.only-what-may-be-repeated"},
		policy: func(policy *scenarios.Policy) {
			if policy.Hedge != nil {
				policy.Methods = append(policy.Methods, http.MethodPost)
			}
		},
	},
	{
		Name:   "losers-go-on",
		Defect: "lets the requests that lost run to their end",
		Breaks: []string{"hedge.ends-the-losers"},
		outer: func(client http.RoundTripper, policy scenarios.Policy) http.RoundTripper {
			return roundTrip(func(req *http.Request) (*http.Response, error) {
				return client.RoundTrip(req.WithContext(context.WithValue(req.Context(), hedgedKey{}, policy.Hedge != nil)))
			})
		},
		inner: func(wire http.RoundTripper) http.RoundTripper {
			return roundTrip(func(req *http.Request) (*http.Response, error) {
				if hedged, _ := req.Context().Value(hedgedKey{}).(bool); hedged {
					req = req.WithContext(context.WithoutCancel(req.Context()))
				}
				return wire.RoundTrip(req)
			})
		},
	},
}

// hedgedKey is the context key that tells whether a call may be hedged.
type hedgedKey struct{}
