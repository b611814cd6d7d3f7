package mutants

import (
	"errors"
	"io"
	"net/http"
	"strconv"
	"time"

	"github.com/faultsrv/faultsrv/scenarios"
	"github.com/faultsrv/faultsrv/suites"
)

// hangMutants do not come back to their caller, or not in his time.
var hangMutants = []Mutant{
	{
		Name:   "junk-retry-after-means-never",
		Defect: "waits without end for a Retry-After that it cannot read",
		Breaks: []string{"retry-after.no-time-to-come-is-not-slept"},
		inner: onRetryAfter(func(resp *http.Response, value string) {
			if !isNumber(value) && !isDate(value) {
				<-resp.Request.Context().Done()
			}
		}),
	},
	{
		Name:   "retry-after-outlasts-the-deadline",
		Defect: "hears nothing of its caller in a pause that the server asked for",
		Breaks: []string{"retry-after.the-deadline-ends-its-pause", "retry-after.beyond-the-deadline-returns-now"},
		inner: onRetryAfter(func(resp *http.Response, value string) {
			if seconds, err := strconv.Atoi(value); err == nil && seconds >= 30 {
				resp.Header.Del("Retry-After")
				time.Sleep(8 * time.Second) // no less than the contract needs, and no more than a test can bear
			}
		}),
	},
	{
		Name:   "waits-for-a-connection-that-is-lost",
		Defect: "goes on waiting for its answer when the last connection has been reset",
		Breaks: []string{"errors.a-failed-call-returns", "errors.a-lost-connection-is-an-error"},
		outer: onResult(func(req *http.Request, resp *http.Response, err error) (*http.Response, error) {
			if err != nil && suites.ClassifyError(err).Kind == scenarios.ErrReset && !errors.Is(err, io.EOF) {
				<-req.Context().Done()
			}
			return resp, err
		}),
	},
}
