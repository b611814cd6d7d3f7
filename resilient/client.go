package resilient

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// DefaultHTTPTimeout bounds each attempt of a [Client] that makes its own
// http.Client, the reading of the response's body included.
const DefaultHTTPTimeout = 30 * time.Second

// Doer sends one request, as *http.Client does.
type Doer interface {
	Do(*http.Request) (*http.Response, error)
}

// Client is the helper-method client, after heimdall's: Get, Post, Put,
// Patch and Delete build a request, and Do sends it, with the retries of this
// package's one engine. It is safe for concurrent use.
//
// Without options it makes no retries. With [WithRetryCount] it keeps four
// habits of its model, each a trap where the server is not meant for it:
//   - every method is retried, POST included. The safe way is
//     [WithMethods], which a Client takes like every [Option].
//   - every 5xx is retried, also a 501, which no repetition changes. The safe
//     way is [WithClassifier].
//   - every error of the Doer is retried, such as a certificate that is not
//     trusted. The safe way is [WithClassifier].
//   - a body without GetBody is read into memory whole. The safe way is
//     [WithBodyBuffer] with a limit.
//
// As in a Transport, a longer Retry-After goes before the retrier's pause,
// one above the cap ends the call, and no pause is begun that the deadline
// would cut short.
type Client struct {
	base     http.RoundTripper // the Doer
	closes   bool              // the Doer closes the body of each request that it is given
	fallback Fallback          // nil: none

	adding sync.Mutex // one AddPlugin at a time
	policy atomic.Pointer[policy]
}

// NewClient returns a Client. All bad options are reported in one error.
func NewClient(opts ...ClientOption) (*Client, error) {
	cfg := clientConfig{policy: newPolicy()}
	cfg.policy.attempts = 1
	cfg.policy.anyMethod = true
	cfg.policy.statuses = nil
	cfg.policy.classify = classifyServerErrors
	cfg.policy.endIsSuccess = true
	cfg.policy.bodyBuffer = unlimited
	cfg.policy.backoff = NewConstantBackoff(0, 0)
	if err := cfg.apply(opts); err != nil {
		return nil, fmt.Errorf("resilient.NewClient: %w", err)
	}
	if client, ok := cfg.doer.(*http.Client); ok {
		if _, nested := client.Transport.(*Transport); nested {
			return nil, errors.New("resilient.NewClient: the http.Client has a resilient.Transport: the attempts of the two would multiply")
		}
	}
	sender := cfg.sender()
	_, closes := sender.(*http.Client)
	c := &Client{base: doerTripper{sender}, closes: closes, fallback: cfg.fallback}
	c.policy.Store(cfg.policy)
	return c, nil
}

// classifyServerErrors asks for a retry of every error and every 5xx. An open
// circuit breaker is not asked again at once, though: the answer is known.
func classifyServerErrors(resp *http.Response, err error) Decision {
	switch {
	case err != nil && errors.Is(err, ErrCircuitOpen):
		return Stop
	case err != nil || resp.StatusCode >= http.StatusInternalServerError:
		return Retry
	}
	return Stop
}

// AddPlugin has a plugin told of the calls that begin after it. Plugins are
// told in the order in which they were added.
func (c *Client) AddPlugin(plugin Plugin) {
	if plugin == nil {
		return
	}
	c.adding.Lock()
	defer c.adding.Unlock()
	p := *c.policy.Load()
	p.observers = append(slices.Clip(p.observers), pluginObserver{plugin})
	c.policy.Store(&p)
}

// Do sends the request, at most retries + 1 times. It closes the request's
// body in the end: where it returns a response, at the latest when that one's
// body is closed.
//
// Statuses are no errors: the last response is returned, its body open and
// unread, also where every attempt got a 5xx. A response that asks for no
// retry drops the errors before it; a 5xx that ends the call does not, and is
// returned together with them. One error is returned as it is; several as one
// whose text joins theirs, and through which errors.Is and errors.As reach
// each of them.
func (c *Client) Do(req *http.Request) (*http.Response, error) {
	if req == nil {
		return nil, errors.New("resilient.Client: the request is nil")
	}
	if c.closes || !hasBody(req) {
		return c.result(req, c.policy.Load().run(req, c.base))
	}
	body := &onceCloser{ReadCloser: req.Body}
	req = req.WithContext(req.Context())
	req.Body = body
	out := c.policy.Load().run(req, c.base)
	out.closeLater(body)
	return c.result(req, out)
}

// closeLater closes a request's body that the Doer may have left open. With a
// response in hand it may still be sent, so that its end waits for the
// response's.
func (out outcome) closeLater(body io.Closer) {
	if out.resp == nil {
		body.Close()
		return
	}
	out.resp.Body = cancelOnClose(out.resp.Body, func() { body.Close() })
}

// asResult is the outcome as a Client returns it.
func (out outcome) asResult() (*http.Response, error) {
	switch {
	case out.resp != nil && out.info.Cause == "":
		return out.resp, nil // a success drops the errors before it
	case len(out.errs) == 0 && out.resp == nil:
		return nil, out.stop // no attempt was made
	}
	return out.resp, joinErrors(out.errs)
}

// doerTripper lets the engine send through a Doer.
type doerTripper struct{ Doer }

func (d doerTripper) RoundTrip(req *http.Request) (*http.Response, error) { return d.Do(req) }

// BreakerState passes on what a Doer with a circuit breaker tells.
func (d doerTripper) BreakerState(req *http.Request) string {
	if reporter, ok := d.Doer.(BreakerReporter); ok {
		return reporter.BreakerState(req)
	}
	return ""
}

// Get sends a GET request with these headers, which may be nil.
func (c *Client) Get(url string, headers http.Header) (*http.Response, error) {
	return c.GetContext(context.Background(), url, headers)
}

// Post sends a POST request with this body and these headers; both may be nil.
func (c *Client) Post(url string, body io.Reader, headers http.Header) (*http.Response, error) {
	return c.PostContext(context.Background(), url, body, headers)
}

// Put sends a PUT request with this body and these headers; both may be nil.
func (c *Client) Put(url string, body io.Reader, headers http.Header) (*http.Response, error) {
	return c.PutContext(context.Background(), url, body, headers)
}

// Patch sends a PATCH request with this body and these headers; both may be
// nil.
func (c *Client) Patch(url string, body io.Reader, headers http.Header) (*http.Response, error) {
	return c.PatchContext(context.Background(), url, body, headers)
}

// Delete sends a DELETE request with these headers, which may be nil.
func (c *Client) Delete(url string, headers http.Header) (*http.Response, error) {
	return c.DeleteContext(context.Background(), url, headers)
}

// GetContext is Get under a context.
func (c *Client) GetContext(ctx context.Context, url string, headers http.Header) (*http.Response, error) {
	return c.send(ctx, http.MethodGet, url, nil, headers)
}

// PostContext is Post under a context.
func (c *Client) PostContext(ctx context.Context, url string, body io.Reader, headers http.Header) (*http.Response, error) {
	return c.send(ctx, http.MethodPost, url, body, headers)
}

// PutContext is Put under a context.
func (c *Client) PutContext(ctx context.Context, url string, body io.Reader, headers http.Header) (*http.Response, error) {
	return c.send(ctx, http.MethodPut, url, body, headers)
}

// PatchContext is Patch under a context.
func (c *Client) PatchContext(ctx context.Context, url string, body io.Reader, headers http.Header) (*http.Response, error) {
	return c.send(ctx, http.MethodPatch, url, body, headers)
}

// DeleteContext is Delete under a context.
func (c *Client) DeleteContext(ctx context.Context, url string, headers http.Header) (*http.Response, error) {
	return c.send(ctx, http.MethodDelete, url, nil, headers)
}

func (c *Client) send(ctx context.Context, method, url string, body io.Reader, headers http.Header) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, method, url, body)
	if err != nil {
		if closer, ok := body.(io.Closer); ok {
			closer.Close()
		}
		return nil, &buildError{method: method, url: url, cause: err}
	}
	if headers != nil {
		req.Header = headers.Clone()
	}
	return c.Do(req)
}
