package resilient

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"
)

// Option configures a [Transport], or one call through [WithPolicy]. An
// option with a bad value is an error where it is used, never ignored.
type Option interface {
	ClientOption
	applyToPolicy(*policy) error
}

type optionFunc func(*policy) error

func (f optionFunc) applyToPolicy(p *policy) error { return f(p) }

// apply sets all options and reports all that are wrong.
func (p *policy) apply(opts []Option) error {
	var wrong []error
	for i, opt := range opts {
		if opt == nil {
			wrong = append(wrong, fmt.Errorf("option %d is nil: leave it out", i+1))
			continue
		}
		if err := opt.applyToPolicy(p); err != nil {
			wrong = append(wrong, err)
		}
	}
	return errors.Join(wrong...)
}

// WithAttempts sets how many times a request is sent at most, the first time
// included: 3 attempts are 2 retries, and 1 turns retries off. The default is
// [DefaultAttempts].
func WithAttempts(attempts int) Option {
	return optionFunc(func(p *policy) error {
		if attempts < 1 {
			return fmt.Errorf("WithAttempts(%d): the first attempt counts, so that the least is 1 (no retries)", attempts)
		}
		p.attempts = attempts
		return nil
	})
}

// WithMethods replaces the methods whose requests may be sent twice. The
// default is the safe ones: GET, HEAD, OPTIONS and TRACE (RFC 9110 §9.2.1).
// PUT and DELETE are idempotent by definition (§9.2.2), but whether a second
// PUT is harmless to the service is for its owner to say. With no method,
// only a request's Idempotency-Key or [WithIdempotent] allows a retry.
//
// A request that was never sent, since no connection could be made, is
// retried whatever its method.
func WithMethods(methods ...string) Option {
	return optionFunc(func(p *policy) error {
		for _, method := range methods {
			if !validToken(method) {
				return fmt.Errorf("WithMethods: %q is not a method; a method is a token such as POST", method)
			}
			if upper := strings.ToUpper(method); upper != method && slices.Contains(knownMethods, upper) {
				return fmt.Errorf("WithMethods: methods are case-sensitive (RFC 9110 §9.1): write %s instead of %s", upper, method)
			}
		}
		p.methods, p.anyMethod = slices.Clone(methods), false
		return nil
	})
}

var knownMethods = []string{
	http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch,
	http.MethodDelete, http.MethodConnect, http.MethodOptions, http.MethodTrace,
}

// WithStatuses replaces the response statuses that are retried. The default
// is 429, 502, 503 and 504. With none, only connection failures are retried.
func WithStatuses(statuses ...int) Option {
	return optionFunc(func(p *policy) error {
		for _, status := range statuses {
			if status < 200 || status > 599 {
				return fmt.Errorf("WithStatuses: %d is not the status of a final response; use 200 to 599", status)
			}
		}
		p.statuses = slices.Compact(slices.Sorted(slices.Values(statuses)))
		return nil
	})
}

// WithClassifier has a function judge each attempt. It sees the ordinary
// decision, which takes [WithStatuses] into account, and may return another.
// It cannot make a request be sent twice that may not be, unless it answers
// [RetryUnprocessed].
func WithClassifier(classify Classifier) Option {
	return optionFunc(func(p *policy) error {
		if classify == nil {
			return errors.New("WithClassifier: the function is nil: leave the option out for the ordinary decisions")
		}
		p.classifier = classify
		return nil
	})
}

// WithBackoff sets the pauses between attempts. The default is full jitter
// from [DefaultBackoffBase] up to [DefaultBackoffCap]. A longer Retry-After
// of the response goes before it.
func WithBackoff(backoff Backoff) Option {
	return optionFunc(func(p *policy) error {
		if backoff == nil {
			return errors.New("WithBackoff: the backoff is nil; for no pauses use NewConstantBackoff(0, 0)")
		}
		p.backoff = backoff
		return nil
	})
}

// WithRetryAfterCap sets the longest Retry-After that is waited for. Above
// it the response is returned at once, unread, as it came. 0 sets no cap: then
// only the caller's context bounds the wait. The default is
// [DefaultRetryAfterCap].
func WithRetryAfterCap(limit time.Duration) Option {
	return optionFunc(func(p *policy) error {
		if limit < 0 {
			return fmt.Errorf("WithRetryAfterCap(%v): a cap cannot be negative; 0 sets none", limit)
		}
		p.retryAfterCap = limit
		return nil
	})
}

// WithBodyBuffer makes a request body without GetBody replayable by reading
// up to limit bytes of it into memory before the first attempt. A longer body
// is sent once, as without the option: it is streamed, and not retried. It
// does nothing for a body with GetBody, and nothing with 1 attempt. The
// default, 0, buffers nothing.
func WithBodyBuffer(limit int64) Option {
	return optionFunc(func(p *policy) error {
		if limit < 0 {
			return fmt.Errorf("WithBodyBuffer(%d): the limit is a number of bytes and cannot be negative; 0 buffers nothing", limit)
		}
		p.bodyBuffer = min(limit, unlimited)
		return nil
	})
}

// WithDrain bounds how much of a discarded response is read, so that its
// connection can be used again, and for how long. Where either is 0, nothing
// is read and the connection is given up. The defaults are
// [DefaultDrainBytes] and [DefaultDrainTime].
func WithDrain(limit int64, patience time.Duration) Option {
	return optionFunc(func(p *policy) error {
		if limit < 0 || patience < 0 {
			return fmt.Errorf("WithDrain(%d, %v): neither can be negative; 0 reads nothing", limit, patience)
		}
		p.drainBytes, p.drainTime = min(limit, unlimited), patience
		return nil
	})
}

// WithAttemptTimeout bounds each attempt, from its start until its response's
// body is closed: reading the body counts. An attempt that runs out of time
// before its response has come is retried like a lost connection, as long as
// the caller's context lives. The default, 0, sets no bound.
func WithAttemptTimeout(timeout time.Duration) Option {
	return optionFunc(func(p *policy) error {
		if timeout < 0 {
			return fmt.Errorf("WithAttemptTimeout(%v): a timeout cannot be negative; 0 sets none", timeout)
		}
		p.attemptTimeout = timeout
		return nil
	})
}
