package resilient

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// Cause says why a call made no further attempt. The zero value means that
// the last response was accepted.
type Cause string

// The causes. Each has a sentinel error that errors.Is finds in an [Error], but
// CauseRetryAfter, which comes with a response alone.
const (
	CauseExhausted     Cause = "exhausted"      // all attempts were made
	CauseNotReplayable Cause = "not-replayable" // the body cannot be sent again
	CauseNotIdempotent Cause = "not-idempotent" // the request may not be sent twice
	CausePermanent     Cause = "permanent"      // another attempt would fail the same way
	CauseCanceled      Cause = "canceled"       // the caller's context was canceled
	CauseDeadline      Cause = "deadline"       // the caller's deadline passed, or comes before the next attempt
	CauseRetryAfter    Cause = "retry-after"    // the server asks for a longer wait than the cap
	CauseBudget        Cause = "budget"         // the retry budget is spent
	CauseCircuitOpen   Cause = "circuit-open"   // a circuit breaker let nothing through
	CauseInvalid       Cause = "invalid"        // the request or its policy is not valid; nothing was sent
)

// The sentinels of the causes, for errors.Is.
var (
	// ErrExhausted: every attempt that the policy allows was made.
	ErrExhausted = errors.New("every attempt was made")
	// ErrBodyNotReplayable: the request's body was consumed and cannot be
	// had again: there is no GetBody, GetBody failed, or the body is larger
	// than the buffer of [WithBodyBuffer].
	ErrBodyNotReplayable = errors.New("the request body cannot be sent again (set GetBody, or see WithBodyBuffer)")
	// ErrNotIdempotent: the server may have acted on the request, and nobody
	// said that it may be sent twice.
	ErrNotIdempotent = errors.New("the request may not be sent twice (see WithMethods, WithIdempotent and Idempotency-Key)")
	// ErrPermanent: another attempt would fail the same way.
	ErrPermanent = errors.New("another attempt would fail the same way")
	// ErrDeadline: the caller's deadline passed, or comes before the next
	// attempt could start. Such an error also matches context.DeadlineExceeded.
	ErrDeadline = errors.New("the caller's deadline leaves no time for another attempt")
	// ErrCanceled: the caller canceled the call. Such an error also matches
	// context.Canceled and, where there is one, the context's cause.
	ErrCanceled = errors.New("the caller canceled the call")
	// ErrBudgetExhausted: the retry budget allows no retry now.
	ErrBudgetExhausted = errors.New("the retry budget is spent")
	// ErrCircuitOpen: a circuit breaker rejected the attempt.
	ErrCircuitOpen = errors.New("the circuit breaker is open")
	// ErrInvalid: the request, or the policy its context carries, is not valid.
	ErrInvalid = errors.New("nothing was sent")
	// ErrAttemptTimeout: an attempt took longer than [WithAttemptTimeout]
	// allows. Such an error also matches context.DeadlineExceeded.
	ErrAttemptTimeout = errors.New("the attempt took longer than its timeout")
)

var sentinels = map[Cause]error{
	CauseExhausted:     ErrExhausted,
	CauseNotReplayable: ErrBodyNotReplayable,
	CauseNotIdempotent: ErrNotIdempotent,
	CausePermanent:     ErrPermanent,
	CauseCanceled:      ErrCanceled,
	CauseDeadline:      ErrDeadline,
	CauseBudget:        ErrBudgetExhausted,
	CauseCircuitOpen:   ErrCircuitOpen,
	CauseInvalid:       ErrInvalid,
}

// Error is the only error type that a Transport returns. errors.Is and
// errors.As reach the sentinel of its cause, what ended the call (such as
// the context's error) and the last failure.
type Error struct {
	// Attempts is how many attempts were made, the first included. It is 0
	// where nothing was sent.
	Attempts int
	// Cause says why there was no further attempt. It is never empty.
	Cause Cause
	// Last is the last attempt's failure: a transport error, or a
	// *StatusError for a response that was given up for a retry. It is nil
	// where nothing was sent.
	Last error
	// Method of the request, as sent.
	Method string
	// URL of the request, a password in it redacted.
	URL string

	// stop is what ended the call where that was not the last failure: the
	// context's error, a failing GetBody, a bad policy. It may be nil.
	stop error
}

// Error tells the request, the attempts, the cause and the last failure.
func (e *Error) Error() string {
	var text strings.Builder
	fmt.Fprintf(&text, "%s %s: gave up after %s (%s)", e.Method, e.URL, countAttempts(e.Attempts), e.Cause)
	if sentinel := sentinels[e.Cause]; sentinel != nil {
		fmt.Fprintf(&text, ": %v", sentinel)
	}
	if e.stop != nil {
		fmt.Fprintf(&text, ": %v", e.stop)
	}
	if e.Last != nil {
		fmt.Fprintf(&text, "; last failure: %v", e.Last)
	}
	return text.String()
}

// Unwrap returns the cause's sentinel, what ended the call, and the last
// failure, without those that do not exist.
func (e *Error) Unwrap() []error {
	chain := make([]error, 0, 3)
	for _, err := range []error{sentinels[e.Cause], e.stop, e.Last} {
		if err != nil {
			chain = append(chain, err)
		}
	}
	return chain
}

// Timeout reports whether a deadline ended the call, or the last attempt. It
// makes http.Client's errors say so too.
func (e *Error) Timeout() bool {
	if e.Cause == CauseDeadline {
		return true
	}
	var timeout interface{ Timeout() bool }
	return errors.As(e.Last, &timeout) && timeout.Timeout()
}

// StatusError stands in an error's chain for a response that was given up for
// a retry which then did not happen.
type StatusError struct {
	StatusCode int         // such as 503
	Status     string      // such as "503 Service Unavailable"
	Header     http.Header // the response's, not to be modified
}

// Error names the status.
func (e *StatusError) Error() string {
	return "the server answered " + e.Status
}

func newStatusError(resp *http.Response) *StatusError {
	status := resp.Status
	if status == "" { // a response made in memory need not have one
		status = strings.TrimSpace(fmt.Sprintf("%d %s", resp.StatusCode, http.StatusText(resp.StatusCode)))
	}
	return &StatusError{StatusCode: resp.StatusCode, Status: status, Header: resp.Header}
}

// attemptTimeoutError is the end of an attempt by WithAttemptTimeout. It is
// the cause of the attempt's context, so that a read of the response's body
// fails with it too.
type attemptTimeoutError struct {
	after time.Duration
	err   error // what the base returned; nil as a context's cause
}

func (e *attemptTimeoutError) Error() string {
	return fmt.Sprintf("%v of %v", ErrAttemptTimeout, e.after)
}

func (e *attemptTimeoutError) Unwrap() []error {
	chain := []error{ErrAttemptTimeout, context.DeadlineExceeded}
	if e.err != nil {
		chain = append(chain, e.err)
	}
	return chain
}

func (e *attemptTimeoutError) Timeout() bool { return true }

// contextCause gives the cause of a context that is done, and its error
// joined with the caller's own cause where there is one.
func contextCause(ctx context.Context) (Cause, error) {
	err := ctx.Err()
	cause := CauseCanceled
	if errors.Is(err, context.DeadlineExceeded) {
		cause = CauseDeadline
	}
	if own := context.Cause(ctx); !errors.Is(own, err) {
		err = fmt.Errorf("%w: %w", err, own)
	}
	return cause, err
}

// redactedURL is the URL as errors and observers may show it.
func redactedURL(u *url.URL) string {
	if u == nil {
		return "<no URL>"
	}
	return u.Redacted()
}

func countAttempts(n int) string {
	if n == 1 {
		return "1 attempt"
	}
	return fmt.Sprintf("%d attempts", n)
}
