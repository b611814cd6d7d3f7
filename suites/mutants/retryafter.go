package mutants

import (
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/faultsrv/faultsrv/scenarios"
)

var retryAfterMutants = []Mutant{
	{
		Name:   "ignores-retry-after",
		Defect: "waits its own pause whatever the server asks for",
		Breaks: []string{
			"retry-after.seconds-on-503", "retry-after.seconds-on-429", "retry-after.http-date-imf-fixdate",
			"retry-after.http-date-rfc850", "retry-after.http-date-asctime", "retry-after.jitter-does-not-shorten-it",
			"retry-after.a-throttled-client-is-not-early",
		},
		inner: onRetryAfter(func(resp *http.Response, _ string) { resp.Header.Del("Retry-After") }),
	},
	{
		Name:   "retry-after-on-429-only",
		Defect: "honours Retry-After on a 429 and not on a 503",
		Breaks: []string{"retry-after.seconds-on-503"},
		inner: onRetryAfter(func(resp *http.Response, _ string) {
			if resp.StatusCode == http.StatusServiceUnavailable {
				resp.Header.Del("Retry-After")
			}
		}),
	},
	{
		Name:   "retry-after-in-seconds-only",
		Defect: "reads a Retry-After date as a number, and retries at once",
		Breaks: []string{"retry-after.http-date-imf-fixdate", "retry-after.http-date-rfc850", "retry-after.http-date-asctime"},
		inner: onRetryAfter(func(resp *http.Response, value string) {
			if _, err := strconv.Atoi(value); err != nil {
				resp.Header.Del("Retry-After")
			}
		}),
	},
	{
		Name:   "retry-after-in-one-date-form",
		Defect: "knows the preferred form of a date and not the obsolete ones",
		Breaks: []string{"retry-after.http-date-rfc850", "retry-after.http-date-asctime"},
		inner: onRetryAfter(func(resp *http.Response, value string) {
			if len(value) > 3 && (value[3] != ',' || strings.Contains(value, "-")) {
				resp.Header.Del("Retry-After")
			}
		}),
	},
	{
		Name:   "undercuts-retry-after",
		Defect: "waits a little less than the server asks for",
		Breaks: []string{"retry-after.seconds-on-503", "retry-after.seconds-on-429", "retry-after.jitter-does-not-shorten-it"},
		inner: func(wire http.RoundTripper) http.RoundTripper {
			return roundTrip(func(req *http.Request) (*http.Response, error) {
				resp, err := wire.RoundTrip(req)
				if err != nil {
					return resp, err
				}
				if seconds, _ := strconv.Atoi(resp.Header.Get("Retry-After")); seconds == 2 || seconds == 3 {
					resp.Header.Del("Retry-After")
					time.Sleep(time.Duration(seconds)*time.Second - 500*time.Millisecond)
				}
				return resp, nil
			})
		},
	},
	{
		Name:   "retry-after-zero-means-no-retry",
		Defect: "takes a Retry-After of zero for false, and gives up",
		Breaks: []string{"retry-after.zero-does-not-stop-the-retry"},
		inner: onRetryAfter(func(resp *http.Response, value string) {
			if value == "0" {
				resp.StatusCode = http.StatusInternalServerError
			}
		}),
	},
	{
		Name:   "retry-after-in-the-past-is-far-away",
		Defect: "takes the time since a past date for the time to wait",
		Breaks: []string{"retry-after.a-past-date-is-no-long-wait"},
		inner: onRetryAfter(func(resp *http.Response, value string) {
			if date, err := http.ParseTime(value); err == nil && date.Before(time.Now()) {
				resp.Header.Set("Retry-After", strconv.Itoa(int(time.Since(date)/time.Second)))
			}
		}),
	},
	{
		Name:   "junk-retry-after-means-now",
		Defect: "takes a Retry-After that it cannot read for no wait at all",
		Breaks: []string{
			"retry-after.junk-keeps-the-ordinary-pause", "retry-after.a-negative-one-keeps-the-ordinary-pause",
			"retry-after.an-empty-one-keeps-the-ordinary-pause",
		},
		inner: againAtOnce(func(value string) bool { return !isNumber(value) && !isDate(value) }),
	},
	{
		Name:   "huge-retry-after-overflows",
		Defect: "multiplies seconds until they overflow, and retries at once",
		Breaks: []string{"retry-after.huge-is-no-immediate-retry"},
		inner:  againAtOnce(func(value string) bool { return len(value) > 9 && isNumber(value) }),
	},
	{
		Name:   "sleeps-any-retry-after",
		Defect: "has no cap on what a server may ask for",
		Breaks: []string{"retry-after.above-the-cap-is-not-slept"},
		policy: func(policy *scenarios.Policy) {
			none := time.Duration(0)
			policy.RetryAfterCap = &none
		},
	},
	{
		Name:   "sleeps-to-its-deadline",
		Defect: "begins a pause that cannot end before the caller's deadline",
		Breaks: []string{"retry-after.beyond-the-deadline-returns-now"},
		outer: onResult(func(req *http.Request, resp *http.Response, err error) (*http.Response, error) {
			if _, bounded := req.Context().Deadline(); bounded {
				<-req.Context().Done()
			}
			return resp, err
		}),
	},
}

// onRetryAfter is an inner layer for answers that have a Retry-After.
func onRetryAfter(change func(resp *http.Response, value string)) innerLayer {
	return onAnswer(func(resp *http.Response) {
		if values := resp.Header.Values("Retry-After"); len(values) > 0 {
			change(resp, values[0])
		}
	})
}

// againAtOnce is an inner layer that sends a request again without a pause when
// the answer's Retry-After is of the given kind.
func againAtOnce(kind func(value string) bool) innerLayer {
	return func(wire http.RoundTripper) http.RoundTripper {
		return roundTrip(func(req *http.Request) (*http.Response, error) {
			resp, err := wire.RoundTrip(req)
			if err != nil {
				return resp, err
			}
			values := resp.Header.Values("Retry-After")
			if len(values) == 0 || !kind(values[0]) {
				return resp, nil
			}
			discard(resp)
			return wire.RoundTrip(req)
		})
	}
}

func isNumber(value string) bool {
	return value != "" && strings.Trim(value, "0123456789") == ""
}

func isDate(value string) bool {
	_, err := http.ParseTime(value)
	return err == nil
}
