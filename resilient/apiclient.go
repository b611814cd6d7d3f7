package resilient

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"
)

// The defaults of an [APIClient], which a negative value stands for.
const (
	DefaultAPITimeout    = 5 * time.Second // of each attempt, reading the answer included
	DefaultAPIRetryLimit = 3               // retries after the first attempt
	DefaultAPIDelayBase  = time.Second     // the n-th retry waits n times this
	DefaultAPIMaxBody    = 10 << 20        // bytes of an answer
)

// APIConfig configures an [APIClient].
type APIConfig struct {
	// BaseURL that paths are joined to, such as "https://api.test/v1". Empty
	// stands for http:// with the host and port of the environment variables
	// API_HOST and API_PORT; the port may be missing.
	BaseURL string
	// Timeout of each attempt. Negative: DefaultAPITimeout. 0: none.
	Timeout time.Duration
	// RetryLimit is how many retries follow the first attempt: 3 retries are
	// 4 attempts. Negative: DefaultAPIRetryLimit. 0: none.
	RetryLimit int
	// DelayBase: the n-th retry waits n times this. Negative:
	// DefaultAPIDelayBase. 0: no pauses.
	DelayBase time.Duration
	// MaxBody is the largest answer in bytes that is read; a larger one is an
	// error. 0 or negative: DefaultAPIMaxBody.
	MaxBody int64
	// Doer sends the requests. Nil: an http.Client of its own.
	Doer Doer
	// Options have the last word: they change what the fields above say.
	Options []Option
}

// APIClient asks an API under one base URL and returns bodies, or errors with
// names. It retries 502, 503, 504 and transport failures, an answer that
// breaks off included, and waits longer by the same amount each time. A 429 is
// not retried, unless [WithStatuses] lists it. It is safe for concurrent use.
//
// Like its model it retries a POST as it does a GET, which is a trap where
// the API does not recognize a repeated one. The safe way is
// Options: []Option{WithMethods("GET", "DELETE")}, which leaves POSTs to
// [WithIdempotent] and [WithIdempotencyKey].
type APIClient struct {
	base    *url.URL
	doer    apiDoer
	policy  *policy
	maxBody int64
}

// NewAPIClient returns an APIClient. The zero APIConfig makes neither retries
// nor pauses, and has no timeout; a field of -1 takes its default.
func NewAPIClient(cfg APIConfig) (*APIClient, error) {
	base, err := cfg.baseURL()
	if err != nil {
		return nil, fmt.Errorf("resilient.NewAPIClient: %w", err)
	}
	if cfg.RetryLimit == math.MaxInt {
		return nil, fmt.Errorf("resilient.NewAPIClient: a RetryLimit of %d cannot be counted; use a smaller one", cfg.RetryLimit)
	}
	p := newPolicy()
	p.anyMethod = true
	p.statuses = []int{http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout}
	p.attempts = orDefault(cfg.RetryLimit, DefaultAPIRetryLimit) + 1
	p.backoff = NewLinearBackoff(orDefault(cfg.DelayBase, DefaultAPIDelayBase), math.MaxInt64)
	p.attemptTimeout = orDefault(cfg.Timeout, DefaultAPITimeout)
	if err := p.apply(cfg.Options); err != nil {
		return nil, fmt.Errorf("resilient.NewAPIClient: %w", err)
	}
	c := &APIClient{base: base, policy: p, maxBody: min(cfg.MaxBody, unlimited)}
	if c.maxBody <= 0 {
		c.maxBody = DefaultAPIMaxBody
	}
	sender := cfg.Doer
	if sender == nil {
		sender = new(http.Client)
	}
	c.doer = apiDoer{doer: sender, maxBody: c.maxBody}
	return c, nil
}

func orDefault[T int | time.Duration](value, byDefault T) T {
	if value < 0 {
		return byDefault
	}
	return value
}

func (cfg APIConfig) baseURL() (*url.URL, error) {
	text := cfg.BaseURL
	if text == "" {
		host, port := os.Getenv("API_HOST"), os.Getenv("API_PORT")
		if host == "" {
			return nil, errors.New("there is no BaseURL and API_HOST is not set; set either")
		}
		if port != "" {
			host = net.JoinHostPort(host, port)
		}
		text = "http://" + host
	}
	base, err := url.Parse(text)
	if err != nil {
		return nil, &buildError{method: "base URL", url: text, cause: err}
	}
	if base.Host == "" || base.Scheme != "http" && base.Scheme != "https" {
		return nil, fmt.Errorf("the base URL is %q; expected something like https://api.test/v1", redactedURL(base))
	}
	return base, nil
}

// Get asks for a path under the base URL and returns the answer's body.
func (c *APIClient) Get(ctx context.Context, path string, params map[string]any) ([]byte, error) {
	return c.call(ctx, http.MethodGet, path, params, "", nil)
}

// Post sends a body of this content type to a path under the base URL and
// returns the answer's body. A nil body sends none.
func (c *APIClient) Post(ctx context.Context, path string, params map[string]any, contentType string, body []byte) ([]byte, error) {
	return c.call(ctx, http.MethodPost, path, params, contentType, body)
}

// Delete deletes a path under the base URL and returns the answer's body.
func (c *APIClient) Delete(ctx context.Context, path string, params map[string]any) ([]byte, error) {
	return c.call(ctx, http.MethodDelete, path, params, "", nil)
}

func (c *APIClient) call(ctx context.Context, method, path string, params map[string]any, contentType string, body []byte) ([]byte, error) {
	req, err := c.request(ctx, method, path, params, body)
	if err != nil {
		return nil, err
	}
	if contentType != "" {
		req.Header.Set("Content-Type", contentType)
	}
	out := c.policy.run(req, c.doer)
	if out.resp == nil {
		failed := out.asError(req)
		var answer *StatusError
		if errors.As(failed.Last, &answer) || failed.Cause == CauseInvalid || ctx.Err() != nil {
			return nil, failed // not the transport's failure
		}
		return nil, &transportError{failed}
	}
	return c.read(out)
}

func (c *APIClient) request(ctx context.Context, method, path string, params map[string]any, body []byte) (*http.Request, error) {
	query, err := withParams(c.base.Query(), params)
	if err != nil {
		return nil, fmt.Errorf("%s %s: %w", method, path, err)
	}
	target := *c.base
	target.Path = strings.TrimSuffix(target.Path, "/") + "/" + strings.TrimPrefix(path, "/")
	target.RawPath = "" // the path is given unescaped
	target.RawQuery = query
	var source io.Reader // a nil *bytes.Reader would be a body
	if body != nil {
		source = bytes.NewReader(body)
	}
	req, err := http.NewRequestWithContext(ctx, method, target.String(), source)
	if err != nil {
		return nil, &buildError{method: method, url: redactedURL(&target), cause: err}
	}
	return req, nil
}

// read takes the answer that ended a call.
func (c *APIClient) read(out outcome) ([]byte, error) {
	defer out.resp.Body.Close()
	body, err := readUpTo(out.resp.Body, c.maxBody)
	if out.resp.StatusCode >= 200 && out.resp.StatusCode <= 299 {
		return body, err
	}
	// What could be read of an error's body is better than nothing.
	return nil, &APIError{
		StatusCode: out.resp.StatusCode, Status: newStatusError(out.resp).Status, Body: body,
		Attempts: out.info.Attempts, Cause: out.info.Cause,
	}
}

// apiDoer makes the body of a success a part of the attempt: one that breaks
// off has reached nobody yet, and can be asked for again.
type apiDoer struct {
	doer    Doer
	maxBody int64
}

func (d apiDoer) RoundTrip(req *http.Request) (*http.Response, error) {
	resp, err := d.doer.Do(req)
	if err != nil || resp == nil || resp.Body == nil || resp.StatusCode < 200 || resp.StatusCode > 299 {
		return resp, err
	}
	defer resp.Body.Close()
	body, err := readUpTo(resp.Body, d.maxBody)
	if err != nil && !errors.Is(err, errTooLarge) {
		return nil, fmt.Errorf("the answer broke off: %w", err)
	}
	resp.Body = io.NopCloser(io.MultiReader(bytes.NewReader(body), failing{err}))
	return resp, nil
}

// failing is the rest of an answer that is not read: its end, or the reason.
type failing struct{ err error }

func (f failing) Read([]byte) (int, error) {
	if f.err != nil {
		return 0, f.err
	}
	return 0, io.EOF
}

var errTooLarge = errors.New("the answer is larger than MaxBody")

func readUpTo(body io.Reader, limit int64) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(body, limit+1))
	if err == nil && int64(len(data)) > limit {
		return nil, fmt.Errorf("%w, %d bytes", errTooLarge, limit)
	}
	return data, err
}
