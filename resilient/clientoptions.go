package resilient

import (
	"errors"
	"fmt"
	"math"
	"net/http"
	"slices"
	"time"
)

// ClientOption configures a [Client]. Every [Option] is one too.
type ClientOption interface {
	applyToClient(*clientConfig) error
}

type clientConfig struct {
	policy  *policy
	doer    Doer           // nil: an http.Client of its own
	timeout *time.Duration // nil: not set

	fallback Fallback // nil: none
}

type clientOptionFunc func(*clientConfig) error

func (f clientOptionFunc) applyToClient(cfg *clientConfig) error { return f(cfg) }

func (f optionFunc) applyToClient(cfg *clientConfig) error { return f(cfg.policy) }

func (cfg *clientConfig) apply(opts []ClientOption) error {
	var wrong []error
	for i, opt := range opts {
		if opt == nil {
			wrong = append(wrong, fmt.Errorf("option %d is nil: leave it out", i+1))
			continue
		}
		if err := opt.applyToClient(cfg); err != nil {
			wrong = append(wrong, err)
		}
	}
	return errors.Join(wrong...)
}

// sender is the Doer under the engine, with the timeout where one is set. An
// http.Client that was given is copied, never modified; another Doer has each
// attempt bounded by the engine.
func (cfg *clientConfig) sender() Doer {
	client, isClient := cfg.doer.(*http.Client)
	switch {
	case cfg.doer == nil:
		client = &http.Client{Timeout: DefaultHTTPTimeout}
	case cfg.timeout == nil:
		return cfg.doer
	case !isClient:
		cfg.policy.attemptTimeout = *cfg.timeout
		return cfg.doer
	}
	if cfg.timeout == nil {
		return client
	}
	timed := *client
	timed.Timeout = *cfg.timeout
	return &timed
}

// WithHTTPTimeout bounds each attempt, the reading of its response's body
// included; 0 sets no bound. The default is [DefaultHTTPTimeout], or what the
// client of [WithHTTPClient] has. The order of the two does not matter.
func WithHTTPTimeout(timeout time.Duration) ClientOption {
	return clientOptionFunc(func(cfg *clientConfig) error {
		if timeout < 0 {
			return fmt.Errorf("WithHTTPTimeout(%v): a timeout cannot be negative; 0 sets none", timeout)
		}
		cfg.timeout = &timeout
		return nil
	})
}

// WithHTTPClient sends through this Doer, such as an *http.Client.
func WithHTTPClient(client Doer) ClientOption {
	return clientOptionFunc(func(cfg *clientConfig) error {
		if client == nil {
			return errors.New("WithHTTPClient: the client is nil: leave the option out for one of the Client's own")
		}
		cfg.doer = client
		return nil
	})
}

// WithRetryCount sets how many retries follow the first attempt: 3 retries
// are 4 attempts. The default is 0. WithAttempts sets the same number, the
// first attempt included.
func WithRetryCount(retries int) ClientOption {
	return clientOptionFunc(func(cfg *clientConfig) error {
		if retries < 0 || retries == math.MaxInt {
			return fmt.Errorf("WithRetryCount(%d): use 0 (a single attempt) or more", retries)
		}
		cfg.policy.attempts = retries + 1
		return nil
	})
}

// WithRetrier sets the pauses: the first retry waits for NextInterval(0). The
// default is no pause. WithBackoff does the same.
func WithRetrier(retrier Retriable) ClientOption {
	return clientOptionFunc(func(cfg *clientConfig) error {
		if retrier == nil {
			return errors.New("WithRetrier: the retrier is nil; for no pauses use NewNoRetrier()")
		}
		cfg.policy.backoff = retriableBackoff{retrier}
		return nil
	})
}

// retriableBackoff lets the engine, which knows only backoffs, wait as a
// Retriable says.
type retriableBackoff struct{ Retriable }

func (b retriableBackoff) Next(retry int) time.Duration { return b.NextInterval(retry) }

// WithRetryableStatusCodes adds statuses that are retried besides the 5xx. It
// adds to those of earlier calls.
func WithRetryableStatusCodes(statuses ...int) ClientOption {
	return clientOptionFunc(func(cfg *clientConfig) error {
		all := append(slices.Clone(cfg.policy.statuses), statuses...)
		return cfg.policy.apply([]Option{WithStatuses(all...)})
	})
}

// WithRetryErrorBudgetToken bounds the retries by a [NewTokenBudget] of the
// Client's own.
func WithRetryErrorBudgetToken(maxToken int, ratio float64) ClientOption {
	return withNewBudget("WithRetryErrorBudgetToken", func() (*TokenBudget, error) { return NewTokenBudget(maxToken, ratio) })
}

// WithRetryErrorBudgetPercent bounds the retries by a [NewPercentBudget] of
// the Client's own.
func WithRetryErrorBudgetPercent(minFailureVolume int, percent float64) ClientOption {
	return withNewBudget("WithRetryErrorBudgetPercent", func() (*TokenBudget, error) { return NewPercentBudget(minFailureVolume, percent) })
}

func withNewBudget(name string, create func() (*TokenBudget, error)) ClientOption {
	return clientOptionFunc(func(cfg *clientConfig) error {
		budget, err := create()
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		cfg.policy.budget = budget
		return nil
	})
}
