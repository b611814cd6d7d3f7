// Package heimdall is what the drivers of gojek/heimdall's two clients share: the
// backoff, and a call.
package heimdall

import (
	"context"
	"net/http"
	"time"

	"github.com/gojek/heimdall/v7"

	"github.com/faultsrv/faultsrv/suites/clients/go/kit"
)

// Module is the path of the library's module.
const Module = "github.com/gojek/heimdall/v7"

// Capabilities are those of both clients. Their errors are texts: a caller finds
// neither the kind of an error nor its cause in them.
var Capabilities = kit.Without(kit.Capabilities("retry", "attempts", "backoff", "attempt-timeout", "streamed-body"), "error-kind")

// defaultTimeout is that of a client of heimdall's which is given no other.
const defaultTimeout = 30 * time.Second

// Open makes a client by one of the library's constructors. It has to be given
// the http.Client: heimdall would use net/http's default transport, which all
// clients share.
func Open(setup kit.Setup, construct func(*http.Client, heimdall.Retriable, int) heimdall.Client) (kit.Client, error) {
	retrier, err := retrier(setup.Policy.Backoff)
	if err != nil {
		return nil, err
	}
	if setup.Policy.RetryAfterCap.Duration != 0 {
		return nil, kit.Unsupported("Retry-After")
	}
	transport, err := setup.Transport()
	if err != nil {
		return nil, err
	}
	base := &http.Client{Transport: transport, Timeout: defaultTimeout}
	if limit := setup.Policy.Timeouts.Attempt.Duration; limit != 0 {
		base.Timeout = limit
	}
	return client{construct(base, retrier, setup.Policy.Retries()), base}, nil
}

// retrier has the library's backoffs: they count in whole milliseconds, and come
// with a jitter on top of the pause. For others it takes a function.
func retrier(backoff kit.Backoff) (heimdall.Retriable, error) {
	base := backoff.Base.Duration
	switch {
	case backoff.Kind == "constant" && backoff.Jitter == "none":
		return heimdall.NewRetrier(heimdall.NewConstantBackoff(base, 0)), nil
	case backoff.Kind == "constant" && backoff.Jitter == "full":
		return heimdall.NewRetrier(heimdall.NewConstantBackoff(0, base)), nil
	case backoff.Kind == "constant" && backoff.Jitter == "equal":
		return heimdall.NewRetrier(heimdall.NewConstantBackoff(base/2, base/2)), nil
	case backoff.Kind == "exponential" && backoff.Jitter == "none":
		return heimdall.NewRetrier(heimdall.NewExponentialBackoff(base, backoff.Longest(), backoff.Factor, 0)), nil
	case backoff.Jitter == "none":
		return heimdall.NewRetrierFunc(func(retry int) time.Duration {
			return backoff.Pause(retry + 1) // it counts from 0
		}), nil
	}
	return nil, backoff.Unsupported()
}

// client is either of the library's clients, and the http.Client that it was given.
type client struct {
	heimdall.Client
	base *http.Client
}

// Do implements kit.Client. The library may give an answer beside an error.
func (c client) Do(ctx context.Context, call kit.Call) (kit.Answer, error) {
	request, err := call.Request(ctx)
	if err != nil {
		return kit.Answer{}, err
	}
	return kit.FromResponse(c.Client.Do(request))
}

// Close implements kit.Client.
func (c client) Close() { c.base.CloseIdleConnections() }
