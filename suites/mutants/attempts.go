package mutants

import (
	"net/http"
	"time"

	"github.com/faultsrv/faultsrv/scenarios"
)

var attemptMutants = []Mutant{
	{
		Name:   "one-attempt-too-many",
		Defect: "takes the number of attempts for the number of retries",
		Breaks: []string{"attempts.exact-count", "attempts.one-means-no-retry"},
		policy: func(policy *scenarios.Policy) { *policy.Attempts++ },
	},
	{
		Name:   "one-attempt-too-few",
		Defect: "stops before its last attempt",
		Breaks: []string{"attempts.exact-count", "attempts.the-last-one-counts"},
		policy: func(policy *scenarios.Policy) { *policy.Attempts = max(*policy.Attempts-1, 1) },
	},
	{
		Name:   "never-retries",
		Defect: "sends every request once",
		Breaks: []string{
			"attempts.retries-429", "attempts.retries-502", "attempts.retries-503", "attempts.retries-504",
			"connection.a-reset-get-is-sent-again", "connection.a-closed-get-is-sent-again",
			"cancellation.an-attempt-timeout-is-not-the-callers",
		},
		policy: func(policy *scenarios.Policy) { *policy.Attempts = 1 },
	},
	{
		Name:   "does-not-count-lost-connections",
		Defect: "makes one more attempt for each lost connection, and counts the statuses",
		Breaks: []string{"attempts.all-failures-share-one-count", "attempts.one-means-no-retry"},
		inner: func(wire http.RoundTripper) http.RoundTripper {
			return roundTrip(func(req *http.Request) (*http.Response, error) {
				resp, err := wire.RoundTrip(req)
				if err == nil || req.Method != http.MethodGet || req.Context().Err() != nil {
					return resp, err
				}
				time.Sleep(500 * time.Millisecond) // its pause is not what is wrong with it
				return wire.RoundTrip(req)
			})
		},
	},
	{
		Name:   "sleeps-after-the-last-attempt",
		Defect: "pauses after an attempt whether or not another follows",
		Breaks: []string{"attempts.no-trailing-sleep"},
		outer: func(client http.RoundTripper, policy scenarios.Policy) http.RoundTripper {
			return roundTrip(func(req *http.Request) (*http.Response, error) {
				resp, err := client.RoundTrip(req)
				if pause := policy.Backoff.Constant; pause != nil && (err != nil || resp.StatusCode >= 500) {
					time.Sleep(*pause)
				}
				return resp, err
			})
		},
	},
	{
		Name:   "sends-again-after-success",
		Defect: "makes one more request after the one that succeeded",
		Breaks: []string{"attempts.success-is-final"},
		outer: func(client http.RoundTripper, _ scenarios.Policy) http.RoundTripper {
			return roundTrip(func(req *http.Request) (*http.Response, error) {
				resp, err := client.RoundTrip(req)
				if err != nil || resp.StatusCode != http.StatusOK || req.Body != nil {
					return resp, err
				}
				discard(resp)
				return client.RoundTrip(req)
			})
		},
	},
	{
		Name:   "tries-refused-credentials-again",
		Defect: "answers a challenge with the credentials that were refused",
		Breaks: []string{"attempts.refused-credentials-are-not-sent-again"},
		inner: func(wire http.RoundTripper) http.RoundTripper {
			return roundTrip(func(req *http.Request) (*http.Response, error) {
				resp, err := wire.RoundTrip(req)
				if err != nil || req.Body != nil || resp.Header.Get("WWW-Authenticate") == "" {
					return resp, err
				}
				discard(resp)
				return wire.RoundTrip(req)
			})
		},
	},
	{
		Name:   "repeats-a-408-without-end",
		Defect: "sends a request that timed out on the server once more, each time",
		Breaks: []string{"attempts.a-408-is-not-repeated-without-end"},
		inner: func(wire http.RoundTripper) http.RoundTripper {
			return roundTrip(func(req *http.Request) (*http.Response, error) {
				for {
					resp, err := wire.RoundTrip(req)
					if err != nil || req.Body != nil || resp.StatusCode != http.StatusRequestTimeout {
						return resp, err
					}
					discard(resp)
					time.Sleep(50 * time.Millisecond) // two hundred are enough to be seen
				}
			})
		},
	},
	{
		Name:   "retries-every-error-status",
		Defect: "takes every status from 400 on for a reason to retry",
		Breaks: []string{
			"attempts.a-client-error-is-final", "attempts.an-unsupported-request-is-final",
			"response.an-early-answer-reaches-the-caller",
		},
		policy: func(policy *scenarios.Policy) {
			policy.Statuses = nil
			for status := 400; status < 600; status++ {
				policy.Statuses = append(policy.Statuses, status)
			}
		},
	},
}
