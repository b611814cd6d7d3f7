package mutants

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptrace"
	"time"

	"github.com/faultsrv/faultsrv/resilient"
	"github.com/faultsrv/faultsrv/scenarios"
)

var expectationMutants = []Mutant{
	{
		Name:   "waits-for-100-to-come",
		Defect: "sends no body before it has heard 100 Continue, and gives up where it hears nothing",
		Breaks: []string{"body.is-sent-where-no-100-comes"},
		wire: func(base *http.Transport) http.RoundTripper {
			base.ExpectContinueTimeout = time.Hour
			return roundTrip(func(req *http.Request) (*http.Response, error) {
				if req.Header.Get("Expect") == "" {
					return base.RoundTrip(req)
				}
				ctx, cancel := context.WithTimeoutCause(req.Context(), 2*time.Second, errors.New("nobody said 100"))
				resp, err := base.RoundTrip(req.WithContext(ctx))
				if err != nil {
					cancel()
					return nil, err
				}
				resp.Body = closeWith(resp.Body, cancel)
				return resp, nil
			})
		},
	},
	{
		Name:   "sends-twice-on-a-late-100",
		Defect: "sends the request once when its patience ends, and once more when 100 Continue comes",
		Breaks: []string{"body.is-sent-once-where-100-comes-late"},
		inner: func(wire http.RoundTripper) http.RoundTripper {
			return roundTrip(func(req *http.Request) (*http.Response, error) {
				started, late := time.Now(), false
				traced := httptrace.WithClientTrace(req.Context(), &httptrace.ClientTrace{
					Got100Continue: func() { late = time.Since(started) > time.Second },
				})
				resp, err := wire.RoundTrip(req.WithContext(traced))
				if err != nil || !late || req.GetBody == nil {
					return resp, err
				}
				discard(resp)
				again := req.Clone(req.Context())
				again.Header.Del("Expect")
				again.Body, _ = req.GetBody()
				return wire.RoundTrip(again)
			})
		},
	},
	{
		Name:   "takes-417-for-the-answer",
		Defect: "hands its caller the refusal of an expectation",
		Breaks: []string{"body.a-refused-expectation-is-dropped"},
		options: func(scenarios.Policy) []resilient.Option {
			return []resilient.Option{resilient.WithClassifier(
				func(resp *http.Response, _ error, ordinary resilient.Decision) resilient.Decision {
					if resp != nil && resp.StatusCode == http.StatusExpectationFailed {
						return resilient.Stop
					}
					return ordinary
				})}
		},
	},
}
