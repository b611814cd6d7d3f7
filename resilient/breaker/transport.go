package breaker

import (
	"errors"
	"net/http"
)

// Transport is an http.RoundTripper behind a breaker. Under a
// resilient.Transport, each attempt asks the breaker, and a rejected one is
// not retried:
//
//	guarded, err := breaker.NewTransport(nil, hosts)
//	transport, err := resilient.New(guarded)
//
// An error and a 5xx are failures; every other response is a success. The
// caller's cancellation says nothing. The end of a deadline is a failure
// here: it cannot be told from that of http.Client's Timeout, by which a
// server that hangs is noticed.
type Transport struct {
	base  http.RoundTripper
	guard guard
}

// NewTransport returns a Transport over base, behind a [Breaker] or the
// breakers of a [Group]. A nil base is http.DefaultTransport.
func NewTransport(base http.RoundTripper, selector Selector) (*Transport, error) {
	if selector == nil {
		return nil, errors.New("breaker.NewTransport: there is no breaker; give it one of New or a group of NewGroup")
	}
	if base == nil {
		base = http.DefaultTransport
	}
	return &Transport{base: base, guard: guard{
		selector: selector, failed: serverError, deadlineFails: true, counters: new(counters),
	}}, nil
}

func serverError(resp *http.Response) bool {
	return resp.StatusCode >= http.StatusInternalServerError
}

// RoundTrip sends the request if the breaker lets it pass.
func (t *Transport) RoundTrip(req *http.Request) (*http.Response, error) {
	return t.guard.exchange(req, t.base.RoundTrip)
}

// BreakerState is the state of the breaker that stands before the request.
func (t *Transport) BreakerState(req *http.Request) string {
	return t.guard.selector.For(req).State().String()
}

// Counters are what the exchanges came to so far.
func (t *Transport) Counters() Counters { return t.guard.counters.snapshot() }

// CloseIdleConnections closes the base's idle connections, where it has the
// method.
func (t *Transport) CloseIdleConnections() {
	if closer, ok := t.base.(interface{ CloseIdleConnections() }); ok {
		closer.CloseIdleConnections()
	}
}
