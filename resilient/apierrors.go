package resilient

import (
	"errors"
	"fmt"
)

// The statuses that an [APIClient] names. errors.Is finds them in an
// [APIError].
var (
	ErrBadRequest         = errors.New("bad request (400)")
	ErrUnauthorized       = errors.New("unauthorized (401)")
	ErrForbidden          = errors.New("forbidden (403)")
	ErrNotFound           = errors.New("not found (404)")
	ErrMethodNotAllowed   = errors.New("method not allowed (405)")
	ErrInternalServer     = errors.New("internal server error (500)")
	ErrBadGateway         = errors.New("bad gateway (502)")
	ErrServiceUnavailable = errors.New("service unavailable (503)")
	ErrGatewayTimeout     = errors.New("gateway timeout (504)")
)

// ErrTransport is a call of an [APIClient] that got no whole answer. The
// error keeps its cause: errors.As finds the [Error] with the attempts and
// the last failure.
var ErrTransport = errors.New("the API could not be reached")

var statusErrors = map[int]error{
	400: ErrBadRequest, 401: ErrUnauthorized, 403: ErrForbidden, 404: ErrNotFound, 405: ErrMethodNotAllowed,
	500: ErrInternalServer, 502: ErrBadGateway, 503: ErrServiceUnavailable, 504: ErrGatewayTimeout,
}

// APIError is an answer of an API that is no success.
type APIError struct {
	StatusCode int    // such as 404
	Status     string // such as "404 Not Found"
	Body       []byte // what could be read of it
	Attempts   int    // the first included
	Cause      Cause  // why there was no further attempt; empty where the status asks for none
}

// Error names the status and the attempts.
func (e *APIError) Error() string {
	text := fmt.Sprintf("the API answered %s after %s", e.Status, countAttempts(e.Attempts))
	if e.Cause != "" {
		text += fmt.Sprintf(" (%s)", e.Cause)
	}
	return text
}

// Unwrap returns the status's own error, where it has one, and the cause's.
func (e *APIError) Unwrap() []error {
	var chain []error
	for _, err := range []error{statusErrors[e.StatusCode], sentinels[e.Cause]} {
		if err != nil {
			chain = append(chain, err)
		}
	}
	return chain
}

// transportError is an Error under the name ErrTransport.
type transportError struct{ failed *Error }

func (e *transportError) Error() string   { return ErrTransport.Error() + ": " + e.failed.Error() }
func (e *transportError) Unwrap() []error { return []error{ErrTransport, e.failed} }
func (e *transportError) Timeout() bool   { return e.failed.Timeout() }
