// Package attempt makes one attempt with net/http, for the drivers of libraries
// that call a function again and do not know of HTTP. It is what a program would
// write between the two: when to try again, nothing of how often and how soon.
package attempt

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"

	"github.com/faultsrv/faultsrv/suites/clients/go/kit"
)

// Client makes attempts.
type Client struct {
	http   *http.Client
	policy kit.Policy
}

// New makes a client with connections of its own.
func New(setup kit.Setup) (Client, error) {
	if setup.Policy.RetryAfterCap.Duration != 0 {
		return Client{}, kit.Unsupported("a cap on Retry-After")
	}
	transport, err := setup.Transport()
	if err != nil {
		return Client{}, err
	}
	return Client{&http.Client{Transport: transport, Timeout: setup.Policy.Timeouts.Attempt.Duration}, setup.Policy}, nil
}

// Close ends the client's connections.
func (c Client) Close() { c.http.CloseIdleConnections() }

// StatusError is an answer with a status that the policy has retried.
type StatusError struct {
	Status     int
	RetryAfter string // the header, as it came
}

// Error implements error.
func (e *StatusError) Error() string {
	return fmt.Sprintf("the server answered with status %d", e.Status)
}

// StatusOf is the status of the StatusError that a caller can find in an error; 0
// where there is none.
func StatusOf(err error) int {
	if status := (*StatusError)(nil); errors.As(err, &status) {
		return status.Status
	}
	return 0
}

// Repeatable tells whether the policy lets the call be tried again.
func (c Client) Repeatable(call kit.Call) bool { return slices.Contains(c.policy.Methods, call.Method) }

// Do sends the request and reads the answer. Where the policy lets the call be
// tried again, an answer with one of its statuses is a *StatusError instead, and is
// closed unread, as in the examples of both libraries.
func (c Client) Do(ctx context.Context, call kit.Call) (kit.Answer, error) {
	request, err := call.Request(ctx)
	if err != nil {
		return kit.Answer{}, err
	}
	response, err := c.http.Do(request)
	if err != nil {
		return kit.Answer{}, err
	}
	defer response.Body.Close()
	if c.Repeatable(call) && slices.Contains(c.policy.Statuses, response.StatusCode) {
		return kit.Answer{}, &StatusError{response.StatusCode, response.Header.Get("Retry-After")}
	}
	body, err := io.ReadAll(response.Body)
	if err != nil {
		return kit.Answer{}, err
	}
	answer := kit.Answer{Status: response.StatusCode, Header: response.Header}
	answer.Body = io.NopCloser(bytes.NewReader(body))
	return answer, nil
}
