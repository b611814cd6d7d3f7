package demo

import (
	"fmt"
	"net/http"
	"slices"
	"time"

	"github.com/faultsrv/faultsrv/scenarios"
	"github.com/faultsrv/faultsrv/suites"
)

// maxAttempts is how often the loop asks at most, the first time included.
const maxAttempts = 3

// loop is the retry loop that is found in many programs: it asks again whenever
// there was no good answer, whatever was asked. That is what is wrong with it;
// it replays the body, closes what it discards, and ends with the caller.
type loop struct {
	wire  http.RoundTripper
	pause time.Duration
}

// RoundTrip implements http.RoundTripper.
func (l *loop) RoundTrip(req *http.Request) (*http.Response, error) {
	for attempt := 1; ; attempt++ {
		again, err := renewed(req)
		if err != nil {
			return nil, err
		}
		response, err := l.wire.RoundTrip(again)
		if err == nil && response.StatusCode < http.StatusInternalServerError || attempt == maxAttempts {
			return response, err
		}
		if err == nil {
			_ = response.Body.Close() // it is given up
		}
		select {
		case <-time.After(l.pause):
		case <-req.Context().Done():
			return nil, req.Context().Err()
		}
	}
}

// CloseIdleConnections is what an http.Client ends a transport by.
func (l *loop) CloseIdleConnections() {
	if wire, ok := l.wire.(interface{ CloseIdleConnections() }); ok {
		wire.CloseIdleConnections()
	}
}

// renewed is the request with its body from the first byte.
func renewed(req *http.Request) (*http.Request, error) {
	again := req.Clone(req.Context())
	if req.GetBody != nil {
		body, err := req.GetBody()
		if err != nil {
			return nil, fmt.Errorf("read the request's body again: %w", err)
		}
		again.Body = body
	}
	return again, nil
}

// NaiveClient is the loop as a client under test. It cannot be told a policy:
// its three attempts and the pause are its own.
func NaiveClient(pause time.Duration) suites.Subject {
	subject := suites.FromRoundTripper(Naive, func(scenarios.Policy) (http.RoundTripper, error) {
		return &loop{wire: newWire(), pause: pause}, nil
	})
	untold := []scenarios.Capability{
		scenarios.CanAttempts, scenarios.CanBackoff, scenarios.CanAttemptTimeout, scenarios.CanStreamedBody,
	}
	subject.About.Capabilities = slices.DeleteFunc(subject.About.Capabilities, func(c scenarios.Capability) bool {
		return slices.Contains(untold, c)
	})
	attempts := maxAttempts
	subject.About.Promises = &scenarios.Policy{Attempts: &attempts, Backoff: &scenarios.Backoff{Constant: &pause}}
	return subject
}
