// Command go-retryablehttp has hashicorp/go-retryablehttp judged, with the retry
// policy that it ships.
//
//	attempts              RetryMax: attempts - 1, as retries do not count the first
//	backoff               RetryWaitMin and RetryWaitMax, of its DefaultBackoff, which doubles
//	                      the pause and follows Retry-After; for another growth its Backoff
//	                      function; no jitter
//	timeouts.attempt_ms   Timeout of the HTTPClient, which makes one attempt at a time
//
// Methods and statuses it cannot be told: DefaultRetryPolicy retries every method,
// 429, and from 500 on all but 501. A Retry-After has no cap. A body that comes
// from a reader is read into memory before the first attempt.
package main

import (
	"context"
	"net/http"
	"time"

	"github.com/hashicorp/go-retryablehttp"

	"github.com/faultsrv/faultsrv/suites/clients/go/kit"
)

func main() {
	kit.Main(kit.Library{
		Name:         "go-retryablehttp",
		Module:       "github.com/hashicorp/go-retryablehttp",
		Capabilities: kit.Capabilities("retry", "attempts", "backoff", "attempt-timeout", "streamed-body"),
		Open:         open,
	})
}

// client is a retryablehttp.Client with a policy.
type client struct{ *retryablehttp.Client }

func open(setup kit.Setup) (kit.Client, error) {
	c := client{retryablehttp.NewClient()} // its transport is its own
	if transport, ok := c.HTTPClient.Transport.(*http.Transport); ok {
		if err := setup.Trust(transport); err != nil {
			return nil, err
		}
	}
	if setup.Policy.RetryAfterCap.Duration != 0 {
		return nil, kit.Unsupported("a cap on Retry-After")
	}
	c.RetryMax = setup.Policy.Retries()
	c.HTTPClient.Timeout = setup.Policy.Timeouts.Attempt.Duration
	return c, c.pause(setup.Policy.Backoff)
}

// pause sets the backoff.
func (c client) pause(backoff kit.Backoff) error {
	c.RetryWaitMin, c.RetryWaitMax = backoff.Base.Duration, backoff.Longest()
	switch {
	case backoff.Jitter != "none":
		return backoff.Unsupported()
	case backoff.Kind == "constant":
		c.RetryWaitMax = c.RetryWaitMin
	case backoff.Factor != 2:
		c.Backoff = func(_, _ time.Duration, retry int, _ *http.Response) time.Duration {
			return backoff.Pause(retry + 1) // it counts from 0
		}
	}
	return nil
}

// Do implements kit.Client.
func (c client) Do(ctx context.Context, call kit.Call) (kit.Answer, error) {
	var body any // FromRequest would not see that there is none
	if reader := call.Reader(); reader != nil {
		body = reader
	}
	request, err := retryablehttp.NewRequestWithContext(ctx, call.Method, call.URL, body)
	if err != nil {
		return kit.Answer{}, err
	}
	request.Header = call.Header
	return kit.FromResponse(c.Client.Do(request))
}

// Close implements kit.Client.
func (c client) Close() { c.HTTPClient.CloseIdleConnections() }
