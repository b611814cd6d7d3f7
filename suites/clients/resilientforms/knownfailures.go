package resilientforms

import (
	"slices"

	"github.com/faultsrv/faultsrv/suites"
)

// habits is where each known failure is explained, with the safe way.
const habits = "https://github.com/faultsrv/faultsrv/blob/main/resilient/COMING-FROM.md#what-the-forms-keep-of-their-models"

// anyMethod is what the habit of retrying every method breaks.
var anyMethod = suites.KnownFailures{
	{
		Contract: "connection.a-stale-post-is-not-replayed",
		Reason:   "like its model it retries every method after a lost connection, unless WithMethods says otherwise", Link: habits,
	},
	{
		Contract: "hedge.only-what-may-be-repeated",
		Reason:   "it takes every method for one that may be repeated, unless WithMethods says otherwise", Link: habits,
	},
	{
		Contract: "idempotency.a-post-is-not-retried-on-*",
		Reason:   "like its model it retries every method, unless WithMethods says otherwise", Link: habits,
	},
}

var clientFailures = slices.Concat(anyMethod, suites.KnownFailures{
	{
		Contract: "attempts.an-unsupported-request-is-final",
		Reason:   "like its model it retries every 5xx, 501 and 505 included, unless WithClassifier says otherwise", Link: habits,
	},
	{
		Contract: "cancellation.keeps-the-last-failure",
		Reason:   "a status is no error to it, as to its model, so that the error of a cancelled pause has none in it", Link: habits,
	},
	{
		Contract: "tls.an-untrusted-certificate-is-final",
		Reason:   "like its model it retries every error, unless WithClassifier says otherwise", Link: habits,
	},
})

// breakerFailures are the same: a breaker.Client is a resilient.Client inside.
var breakerFailures = clientFailures

var apiFailures = slices.Concat(anyMethod, suites.KnownFailures{
	{
		Contract: "attempts.retries-429",
		Reason:   "like its model it retries 502, 503 and 504 alone, unless WithStatuses says otherwise", Link: habits,
	},
})
