package mutants

import (
	"errors"
	"net/http"

	"github.com/faultsrv/faultsrv/resilient"
	"github.com/faultsrv/faultsrv/scenarios"
)

var breakerMutants = []Mutant{
	{
		Name:   "breaker-never-opens",
		Defect: "counts failures and lets everything through",
		Breaks: []string{
			"breaker.opens-at-its-threshold", "breaker.stays-open", "breaker.single-probe", "breaker.as-many-probes-as-configured",
			"breaker.a-failed-probe-opens-again", "breaker.timeouts-do-trip-it", "breaker.lost-connections-do-trip-it",
		},
		policy: func(policy *scenarios.Policy) { policy.Breaker = nil },
	},
	{
		Name:   "breaker-opens-late",
		Defect: "opens one failure after its threshold",
		Breaks: []string{"breaker.opens-at-its-threshold"},
		policy: onBreaker(func(breaker *scenarios.Breaker) { breaker.Failures++ }),
	},
	{
		Name:   "breaker-opens-early",
		Defect: "opens one failure before its threshold",
		Breaks: []string{"breaker.closed-below-its-threshold"},
		policy: onBreaker(func(breaker *scenarios.Breaker) { breaker.Failures-- }),
	},
	{
		Name:   "breaker-forgets",
		Defect: "is open for a quarter of its window",
		Breaks: []string{"breaker.stays-open"},
		policy: onBreaker(func(breaker *scenarios.Breaker) { breaker.Open /= 4 }),
	},
	{
		Name:   "breaker-stays-open",
		Defect: "is open for a hundred windows",
		Breaks: []string{"breaker.tries-again-after-its-window"},
		policy: onBreaker(func(breaker *scenarios.Breaker) { breaker.Open *= 100 }),
	},
	{
		Name:   "everyone-probes",
		Defect: "lets everything through once its window is over",
		Breaks: []string{"breaker.single-probe", "breaker.as-many-probes-as-configured"},
		policy: onBreaker(func(breaker *scenarios.Breaker) { breaker.Probes = 1000 }),
	},
	{
		Name:   "one-probe-whatever-is-configured",
		Defect: "lets one probe through where several were asked for",
		Breaks: []string{"breaker.as-many-probes-as-configured"},
		policy: onBreaker(func(breaker *scenarios.Breaker) { breaker.Probes = 1 }),
	},
	{
		Name:   "a-failed-probe-stays-half-open",
		Defect: "lets the next probe through at once after one that failed",
		Breaks: []string{"breaker.a-failed-probe-opens-again"},
		flaw:   &breakerFlaw{staysHalfOpen: true},
	},
	{
		Name:   "breaker-never-closes",
		Defect: "goes on rationing requests after a good probe",
		Breaks: []string{"breaker.a-good-probe-closes-it"},
		flaw:   &breakerFlaw{neverCloses: true},
	},
	{
		Name:   "a-cancelled-probe-keeps-its-place",
		Defect: "waits for ever for the result of a probe that was cancelled",
		Breaks: []string{"breaker.a-cancelled-probe-gives-its-place-back"},
		flaw:   &breakerFlaw{keepsCancelledPlace: true},
	},
	{
		Name:   "a-cancelled-probe-closes-the-breaker",
		Defect: "takes a probe that its caller left for one that succeeded",
		Breaks: []string{"breaker.a-cancelled-probe-does-not-close-it"},
		flaw:   &breakerFlaw{closesWhenCancelled: true},
	},
	{
		Name:   "an-ignored-probe-keeps-its-place",
		Defect: "frees a probe's place on success and on failure, and forgets the third case",
		Breaks: []string{"breaker.a-refused-request-gives-its-place-back"},
		flaw:   &breakerFlaw{keepsRefusedPlace: true},
	},
	{
		Name:   "cancellations-trip-the-breaker",
		Defect: "takes a caller that leaves for a server that fails",
		Breaks: []string{"breaker.cancellations-do-not-trip-it"},
		flaw:   &breakerFlaw{countsCancellations: true},
	},
	{
		Name:   "client-errors-trip-the-breaker",
		Defect: "takes a bad request for a server that fails",
		Breaks: []string{"breaker.client-errors-do-not-trip-it"},
		flaw:   &breakerFlaw{countsClientErrors: true},
	},
	{
		Name:   "timeouts-do-not-count",
		Defect: "does not take an attempt that timed out for a failure",
		Breaks: []string{"breaker.timeouts-do-trip-it"},
		flaw:   &breakerFlaw{overlooksTimeouts: true},
	},
	{
		Name:   "lost-connections-do-not-count",
		Defect: "counts statuses alone",
		Breaks: []string{"breaker.lost-connections-do-trip-it"},
		flaw:   &breakerFlaw{overlooksLostConnections: true},
	},
	{
		Name:   "an-open-breaker-is-retried",
		Defect: "retries what its own breaker rejects",
		Breaks: []string{"breaker.an-open-one-is-not-retried", "breaker.an-open-one-says-so"},
		flaw:   &breakerFlaw{rejectionIsRetried: true},
	},
	{
		Name:   "an-open-breaker-hides",
		Defect: "rejects with an error that could be any other",
		Breaks: []string{"breaker.an-open-one-says-so"},
		flaw:   &breakerFlaw{rejectionIsBare: true},
		options: func(scenarios.Policy) []resilient.Option {
			return []resilient.Option{resilient.WithClassifier(
				func(_ *http.Response, err error, ordinary resilient.Decision) resilient.Decision {
					if final := (permanent{}); errors.As(err, &final) {
						return resilient.Stop
					}
					return ordinary
				})}
		},
	},
}

// onBreaker changes the breaker of a policy that has one.
func onBreaker(change func(*scenarios.Breaker)) func(*scenarios.Policy) {
	return func(policy *scenarios.Policy) {
		if policy.Breaker != nil {
			change(policy.Breaker)
		}
	}
}
