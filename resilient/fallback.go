package resilient

import (
	"errors"
	"net/http"
)

// Fallback answers for a call that failed. It is told the cause, in which
// errors.As finds a *StatusError where the last response asked for a retry
// that it did not get.
type Fallback func(req *http.Request, cause error) (*http.Response, error)

// ErrNoFallback means that a fallback returned neither a response nor an error.
var ErrNoFallback = errors.New("the fallback returned neither a response nor an error")

// WithFallback has a function answer for the calls of a [Client] that failed
// in the end: that got no response, or whose last response asked for a retry.
// That response is closed first. A fallback never runs for a caller whose
// context is done. An error of its own is joined to the cause.
func WithFallback(fallback Fallback) ClientOption {
	return clientOptionFunc(func(cfg *clientConfig) error {
		if fallback == nil {
			return errors.New("WithFallback: the function is nil: leave the option out")
		}
		cfg.fallback = fallback
		return nil
	})
}

// result hands an outcome over, through the fallback where there is one and
// it may run.
func (c *Client) result(req *http.Request, out outcome) (*http.Response, error) {
	failed := out.resp == nil || out.info.Cause != ""
	if c.fallback == nil || !failed || req.Context().Err() != nil {
		return out.asResult()
	}
	_, cause := out.asResult()
	if out.resp != nil {
		cause = joinErrors(append(out.errs, newStatusError(out.resp)))
		p := c.policy.Load()
		drain(out.resp, p.drainBytes, p.drainTime)
	}
	resp, err := c.fallback(req, cause)
	if err == nil && resp == nil {
		err = ErrNoFallback
	}
	if err != nil {
		return nil, joinErrors([]error{cause, err})
	}
	if resp.Request == nil {
		resp.Request = req
	}
	if resp.Body == nil {
		resp.Body = http.NoBody
	}
	out.info.attach(resp)
	return resp, nil
}
