// Command resty-v2 has go-resty/resty v2 judged.
//
//	attempts              SetRetryCount: attempts - 1, as retries do not count the first
//	methods, statuses     AddRetryCondition, which its errors are told of, too
//	backoff               SetRetryWaitTime and SetRetryMaxWaitTime, of which a constant one can be
//	                      made; for one that grows SetRetryAfter, since its own has a jitter
//	                      that begins at the second retry, which is none of the protocol's
//	timeouts.attempt_ms   SetTimeout, which is that of its http.Client
//
// Retry-After it does not read. A body that comes from a reader is read into memory
// before the first attempt, and yet a retry goes out without it.
package main

import (
	"bytes"
	"context"
	"io"
	"slices"
	"time"

	"github.com/go-resty/resty/v2"

	"github.com/faultsrv/faultsrv/suites/clients/go/kit"
)

func main() {
	kit.Main(kit.Library{
		Name:         "resty-v2",
		Module:       "github.com/go-resty/resty/v2",
		Capabilities: kit.Capabilities("retry", "attempts", "backoff", "attempt-timeout", "streamed-body"),
		Open:         open,
	})
}

// client is a resty.Client with a policy.
type client struct{ *resty.Client }

func open(setup kit.Setup) (kit.Client, error) {
	policy := setup.Policy
	if policy.RetryAfterCap.Duration != 0 {
		return nil, kit.Unsupported("Retry-After")
	}
	c := client{resty.New()}
	if setup.CAFile != "" {
		c.SetRootCertificate(setup.CAFile)
	}
	c.SetRetryCount(policy.Retries())
	c.SetTimeout(policy.Timeouts.Attempt.Duration)
	c.AddRetryCondition(func(response *resty.Response, err error) bool {
		if response == nil { // the request could not be made
			return false
		}
		return slices.Contains(policy.Methods, response.Request.Method) &&
			(err != nil || slices.Contains(policy.Statuses, response.StatusCode()))
	})
	return c, c.pause(policy.Backoff)
}

// pause sets the backoff. Its own is at least the wait time, and at most the
// longest one.
func (c client) pause(backoff kit.Backoff) error {
	c.SetRetryWaitTime(backoff.Base.Duration)
	c.SetRetryMaxWaitTime(backoff.Longest())
	switch {
	case backoff.Jitter != "none":
		return backoff.Unsupported()
	case backoff.Kind == "constant":
		c.SetRetryMaxWaitTime(backoff.Base.Duration)
	default:
		c.SetRetryAfter(func(_ *resty.Client, response *resty.Response) (time.Duration, error) {
			return backoff.Pause(response.Request.Attempt), nil
		})
	}
	return nil
}

// Do implements kit.Client.
func (c client) Do(ctx context.Context, call kit.Call) (kit.Answer, error) {
	request := c.R().SetContext(ctx).SetHeaderMultiValues(call.Header)
	if call.Stream != nil {
		request.SetBody(call.Stream)
	} else if call.Body != nil {
		request.SetBody(call.Body)
	}
	response, err := request.Execute(call.Method, call.URL)
	if response == nil {
		return kit.Answer{}, err
	}
	return kit.Answer{
		Status: response.StatusCode(), Header: response.Header(), Attempts: response.Request.Attempt,
		Body: io.NopCloser(bytes.NewReader(response.Body())),
	}, err
}

// Close implements kit.Client.
func (c client) Close() { c.GetClient().CloseIdleConnections() }
