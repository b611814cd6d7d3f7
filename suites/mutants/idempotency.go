package mutants

import (
	"net/http"
	"slices"
	"strconv"

	"github.com/faultsrv/faultsrv/resilient"
	"github.com/faultsrv/faultsrv/scenarios"
)

var idempotencyMutants = []Mutant{
	{
		Name:   "retries-any-method",
		Defect: "retries a POST like a GET",
		Breaks: []string{
			"idempotency.a-post-is-not-retried-on-a-status", "idempotency.a-post-is-not-retried-on-a-reset",
			"idempotency.a-post-is-not-retried-on-a-timeout", "connection.a-stale-post-is-not-replayed",
		},
		// Not by the policy: the reference client gives a key to what that names.
		options: func(scenarios.Policy) []resilient.Option {
			return []resilient.Option{resilient.WithMethods(http.MethodGet, http.MethodPut, http.MethodPost)}
		},
	},
	{
		Name:   "a-key-for-each-attempt",
		Defect: "replaces the Idempotency-Key at each attempt",
		Breaks: []string{
			"idempotency.the-callers-key-is-kept", "idempotency.one-effect-after-a-lost-answer",
			"idempotency.a-generated-key-is-one-a-call",
		},
		inner: func(wire http.RoundTripper) http.RoundTripper {
			return roundTrip(func(req *http.Request) (*http.Response, error) {
				number := attempt(req)
				if req.Header.Get("Idempotency-Key") != "" {
					req = req.Clone(req.Context())
					req.Header.Set("Idempotency-Key", `"key-`+strconv.Itoa(number)+`"`)
				}
				return wire.RoundTrip(req)
			})
		},
	},
	{
		Name:   "a-key-of-its-own",
		Defect: "replaces the caller's Idempotency-Key by one that it generates a call",
		Breaks: []string{"idempotency.the-callers-key-is-kept"},
		outer: func(client http.RoundTripper, _ scenarios.Policy) http.RoundTripper {
			return roundTrip(func(req *http.Request) (*http.Response, error) {
				if req.Header.Get("Idempotency-Key") != "" {
					req = req.Clone(req.Context())
					req.Header.Set("Idempotency-Key", `"generated"`)
				}
				return client.RoundTrip(req)
			})
		},
	},
	{
		Name:   "one-key-for-every-call",
		Defect: "makes its Idempotency-Key once and uses it for every call",
		Breaks: []string{"idempotency.a-generated-key-is-one-a-call"},
		options: func(policy scenarios.Policy) []resilient.Option {
			if !slices.Contains(policy.Methods, http.MethodPost) {
				return nil
			}
			return []resilient.Option{resilient.WithIdempotencyKey(func() string { return "constant" })}
		},
	},
	{
		Name:   "drops-headers-on-retry",
		Defect: "builds the retry anew and forgets the conditions of the request",
		Breaks: []string{"idempotency.every-attempt-is-the-same-request"},
		inner:  onRetry(func(req *http.Request) { req.Header.Del("If-Match") }),
	},
}
