package breaker

import (
	"errors"
	"fmt"
	"net/http"
	"slices"

	"github.com/faultsrv/faultsrv/resilient"
)

// Client is a [resilient.Client] whose attempts are commands, after
// heimdall's hystrix client: each runs behind a circuit breaker, under a
// limit of concurrent calls and a timeout. Its methods are those of
// resilient.Client.
//
// A 5xx, or a status of [WithRetryableStatusCodes], is a failure of the
// command, yet it is returned as the response that it is, without an error.
// An open breaker ends a call: it is not asked again at once. A fallback runs
// once, after the last attempt, and never for a caller who is gone.
type Client struct {
	*resilient.Client
	breaker  *Breaker
	limiter  *Limiter
	counters *counters
}

// NewClient returns a Client. Without options: a command timeout of 30 s, 100
// concurrent requests, a breaker that opens for 500 ms when 25 % of 10 calls
// or more in 10 s fail, and no retries. All bad options are reported in one
// error.
func NewClient(opts ...ClientOption) (*Client, error) {
	cfg := clientConfig{
		timeout: DefaultCommandTimeout, concurrent: DefaultMaxConcurrentRequests,
		volume: DefaultVolumeThreshold, percent: DefaultErrorPercent, sleepWindow: DefaultSleepWindow,
		doer: &http.Client{Timeout: resilient.DefaultHTTPTimeout},
	}
	if err := cfg.apply(opts); err != nil {
		return nil, fmt.Errorf("breaker.NewClient: %w", err)
	}
	c := &Client{counters: new(counters)}
	if err := c.guarded(&cfg); err != nil {
		return nil, fmt.Errorf("breaker.NewClient: %w", err)
	}
	return c, nil
}

// guarded builds the client from its checked configuration.
func (c *Client) guarded(cfg *clientConfig) (err error) {
	if c.limiter, err = NewLimiter(cfg.concurrent, 0); err != nil {
		return err
	}
	if c.breaker = cfg.shared; c.breaker == nil {
		if c.breaker, err = New(cfg.breakerOptions()...); err != nil {
			return err
		}
	}
	statuses := cfg.statuses
	command := &command{doer: cfg.timedDoer(), guard: guard{
		selector: c.breaker, limiter: c.limiter, timeout: cfg.timeout, counters: c.counters,
		failed: func(resp *http.Response) bool { return serverError(resp) || slices.Contains(statuses, resp.StatusCode) },
	}}
	options := slices.Concat(cfg.options, []resilient.ClientOption{resilient.WithHTTPClient(command)})
	if cfg.fallback != nil {
		options = append(options, resilient.WithFallback(c.counted(cfg.fallback)))
	}
	c.Client, err = resilient.NewClient(options...)
	return err
}

// counted counts what a fallback returns.
func (c *Client) counted(fallback resilient.Fallback) resilient.Fallback {
	return func(req *http.Request, cause error) (*http.Response, error) {
		resp, err := fallback(req, cause)
		if err == nil && resp != nil {
			c.counters.fallbackSuccesses.Add(1)
		} else {
			c.counters.fallbackFailures.Add(1)
		}
		return resp, err
	}
}

// Breaker is the one in use, to look at or to share.
func (c *Client) Breaker() *Breaker { return c.breaker }

// Counters are what the commands came to so far.
func (c *Client) Counters() Counters { return c.counters.snapshot() }

// command is a Doer behind a guard.
type command struct {
	doer  resilient.Doer
	guard guard
}

func (c *command) Do(req *http.Request) (*http.Response, error) {
	return c.guard.exchange(req, c.doer.Do)
}

// BreakerState tells observers the state.
func (c *command) BreakerState(req *http.Request) string {
	return c.guard.selector.For(req).State().String()
}

// errNilOption is an option that is nil.
var errNilOption = errors.New("an option is nil: leave it out")
