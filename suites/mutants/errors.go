package mutants

import (
	"errors"
	"io"
	"net/http"
	"strings"
)

var errorMutants = []Mutant{
	{
		Name:   "an-error-looks-like-an-answer",
		Defect: "returns an empty answer and no error when every connection failed",
		Breaks: []string{"errors.a-lost-connection-is-an-error", "errors.a-refused-connection-is-an-error"},
		outer: onResult(func(req *http.Request, resp *http.Response, err error) (*http.Response, error) {
			if err != nil {
				return &http.Response{StatusCode: http.StatusOK, Body: http.NoBody, Request: req}, nil
			}
			return resp, nil
		}),
	},
	{
		Name:   "gives-up-without-a-cause",
		Defect: "ends with an error of its own, from which the last one cannot be reached",
		Breaks: []string{
			"errors.a-refused-connection-says-so", "errors.a-reset-says-so", "cancellation.can-be-told-from-a-failure",
		},
		outer: onResult(func(_ *http.Request, resp *http.Response, err error) (*http.Response, error) {
			if err != nil {
				return nil, errors.New("giving up after several attempts")
			}
			return resp, nil
		}),
	},
	{
		Name:   "loses-the-last-answer",
		Defect: "turns the last status into an error that does not tell it",
		Breaks: []string{"errors.the-last-status-is-kept"},
		outer:  onFinalStatus(func(int) bool { return true }),
	},
	{
		Name:   "one-rule-for-429-another-for-503",
		Defect: "returns the last answer when it was a 429, and a bare error when it was a 503",
		Breaks: []string{"errors.every-status-ends-alike"},
		outer:  onFinalStatus(func(status int) bool { return status == http.StatusServiceUnavailable }),
	},
	{
		Name:   "replaces-error-pages",
		Defect: "puts a page of its own in the place of an error that it does not retry",
		Breaks: []string{"errors.the-body-of-a-final-error-is-kept"},
		outer: onResult(func(_ *http.Request, resp *http.Response, err error) (*http.Response, error) {
			if err == nil && resp.StatusCode == http.StatusInternalServerError {
				discard(resp)
				resp.Body = io.NopCloser(strings.NewReader("something went wrong"))
			}
			return resp, err
		}),
	},
	{
		Name:   "drains-the-last-body",
		Defect: "reads the last answer's body as if another attempt followed",
		Breaks: []string{"errors.the-last-body-is-kept"},
		outer: onResult(func(_ *http.Request, resp *http.Response, err error) (*http.Response, error) {
			if err == nil && resp.StatusCode >= 500 {
				discard(resp)
				resp.Body = http.NoBody
			}
			return resp, err
		}),
	},
}

// onFinalStatus is an outer layer that turns an answer with an error status of
// the given kind into a bare error.
func onFinalStatus(kind func(status int) bool) outerLayer {
	return onResult(func(_ *http.Request, resp *http.Response, err error) (*http.Response, error) {
		if err != nil || resp.StatusCode < 400 || !kind(resp.StatusCode) {
			return resp, err
		}
		discard(resp)
		return nil, errors.New("giving up after several attempts")
	})
}
