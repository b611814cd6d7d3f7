// Command resty-v3 has go-resty/resty v3 judged, with its default retry
// conditions and its own Retry-After.
//
//	attempts              SetRetryCount: attempts - 1, as retries do not count the first
//	methods               SetRetryAllowNonIdempotent, where a method is among them that is not
//	statuses              AddRetryConditions; the default conditions are for errors
//	backoff               SetRetryDelayStrategy, or its own, which has equal jitter
//	timeouts.attempt_ms   SetTimeout
//
// A Retry-After has no cap.
package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"slices"
	"time"

	"resty.dev/v3"

	"github.com/faultsrv/faultsrv/suites/clients/go/kit"
)

func main() {
	kit.Main(kit.Library{
		Name:         "resty-v3",
		Module:       "resty.dev/v3",
		Capabilities: kit.Capabilities("retry", "attempts", "backoff", "attempt-timeout", "streamed-body"),
		Open:         open,
		Kinds:        kinds,
	})
}

// kinds are those of resty's own errors.
func kinds(err error) []string {
	if errors.Is(err, resty.ErrReaderNotSeekable) {
		return []string{"not-replayable"}
	}
	return nil
}

// client is a resty.Client with a policy.
type client struct{ *resty.Client }

func open(setup kit.Setup) (kit.Client, error) {
	policy := setup.Policy
	if policy.RetryAfterCap.Duration != 0 {
		return nil, kit.Unsupported("a cap on Retry-After")
	}
	c := client{resty.New()}
	if setup.CAFile != "" {
		c.SetRootCertificates(setup.CAFile)
	}
	c.SetRetryCount(policy.Retries())
	c.SetTimeout(policy.Timeouts.Attempt.Duration)
	c.SetRetryAllowNonIdempotent(slices.Contains(policy.Methods, "POST") || slices.Contains(policy.Methods, "PATCH"))
	c.AddRetryConditions(func(response *resty.Response, _ error) bool {
		return slices.Contains(policy.Statuses, response.StatusCode())
	})
	return c, c.pause(policy.Backoff)
}

// pause sets the backoff.
func (c client) pause(backoff kit.Backoff) error {
	switch {
	case backoff.Jitter == "none":
		c.SetRetryDelayStrategy(func(response *resty.Response, _ error) (time.Duration, error) {
			return backoff.Pause(response.Request.Attempt), nil
		})
	case backoff.Jitter == "equal" && backoff.Kind == "constant":
		c.SetRetryWaitTime(backoff.Base.Duration / 2) // the least pause
		c.SetRetryMaxWaitTime(backoff.Base.Duration)
	case backoff.Jitter == "equal" && backoff.Factor == 2:
		c.SetRetryWaitTime(backoff.Base.Duration / 2)
		c.SetRetryMaxWaitTime(backoff.Longest())
	default:
		return backoff.Unsupported()
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
		Body: io.NopCloser(bytes.NewReader(response.Bytes())),
	}, err
}

// Close implements kit.Client.
func (c client) Close() { c.Client.Client().CloseIdleConnections() }
