package resilient

import (
	"errors"
	"fmt"
	"net/http"
)

// Transport is an http.RoundTripper that retries. It is safe for concurrent
// use. Its zero value works over http.DefaultTransport, with the defaults but
// without a budget.
type Transport struct {
	base   http.RoundTripper
	policy *policy
}

// New returns a Transport over base, with the defaults and then the options.
// A nil base is http.DefaultTransport itself, whose connections it shares.
// All bad options are reported in one error.
func New(base http.RoundTripper, opts ...Option) (*Transport, error) {
	if _, nested := base.(*Transport); nested {
		return nil, errors.New("resilient.New: the base is a resilient.Transport itself: the attempts of the two would multiply")
	}
	p := newPolicy()
	p.budget = newDefaultBudget()
	if err := p.apply(opts); err != nil {
		return nil, fmt.Errorf("resilient.New: %w", err)
	}
	return &Transport{base: base, policy: p}, nil
}

// RoundTrip sends the request, and again where the policy says so. It returns
// either a response, whose body is unread and the caller's to close, or an
// [*Error]. The request is not modified, and its body is always closed.
//
// A response is returned for every status: also for a 503 that was answered
// to the last attempt, for which [Info] tells the cause.
func (t *Transport) RoundTrip(req *http.Request) (*http.Response, error) {
	if req == nil {
		return nil, &Error{Cause: CauseInvalid, stop: errors.New("the request is nil"), URL: redactedURL(nil)}
	}
	p := t.policy
	if p == nil {
		p = defaults
	}
	out := p.run(req, t.baseOrDefault())
	if out.resp != nil {
		return out.resp, nil
	}
	return nil, out.asError(req)
}

// CloseIdleConnections closes the base's idle connections, where it has the
// method. http.Client's method of this name calls it.
func (t *Transport) CloseIdleConnections() {
	if closer, ok := t.baseOrDefault().(interface{ CloseIdleConnections() }); ok {
		closer.CloseIdleConnections()
	}
}

func (t *Transport) baseOrDefault() http.RoundTripper {
	if t.base == nil {
		return http.DefaultTransport
	}
	return t.base
}

// asError is the failed outcome as a Transport returns it.
func (out outcome) asError(req *http.Request) *Error {
	method := req.Method
	if method == "" {
		method = http.MethodGet
	}
	return &Error{
		Attempts: out.info.Attempts, Cause: out.info.Cause, Last: out.last,
		Method: method, URL: redactedURL(req.URL), stop: out.stop,
	}
}
