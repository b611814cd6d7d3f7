package breaker

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/faultsrv/faultsrv/resilient"
)

// The defaults of a [Client] besides those of its breaker.
const (
	DefaultCommandTimeout        = 30 * time.Second
	DefaultMaxConcurrentRequests = 100
)

// ClientOption configures a [Client].
type ClientOption interface {
	applyToClient(*clientConfig) error
}

type clientConfig struct {
	name        string
	timeout     time.Duration
	concurrent  int
	volume      int
	percent     float64
	sleepWindow time.Duration
	shared      *Breaker
	onChange    func(Change)
	doer        resilient.Doer
	httpTimeout *time.Duration // nil: the Doer's own
	statuses    []int
	options     []resilient.ClientOption
	fallback    resilient.Fallback
}

type clientOptionFunc func(*clientConfig) error

func (f clientOptionFunc) applyToClient(cfg *clientConfig) error { return f(cfg) }

func (cfg *clientConfig) apply(opts []ClientOption) error {
	var wrong []error
	for _, opt := range opts {
		if opt == nil {
			wrong = append(wrong, errNilOption)
			continue
		}
		if err := opt.applyToClient(cfg); err != nil {
			wrong = append(wrong, err)
		}
	}
	return errors.Join(wrong...)
}

func (cfg *clientConfig) breakerOptions() []Option {
	return []Option{
		WithName(cfg.name), WithErrorRate(cfg.volume, cfg.percent, DefaultWindow),
		WithOpenFor(cfg.sleepWindow), WithProbeTimeout(cmp.Or(cfg.timeout, DefaultProbeTimeout)), WithOnChange(cfg.onChange),
	}
}

// timedDoer is the Doer with the HTTP timeout, inside the command's. A Doer
// that is no http.Client takes none: the engine bounds its attempts instead.
func (cfg *clientConfig) timedDoer() resilient.Doer {
	if cfg.httpTimeout == nil {
		return cfg.doer
	}
	client, ok := cfg.doer.(*http.Client)
	if !ok {
		cfg.options = append(cfg.options, resilient.WithHTTPTimeout(*cfg.httpTimeout))
		return cfg.doer
	}
	timed := *client
	timed.Timeout = *cfg.httpTimeout
	return &timed
}

// WithCommandName names the breaker in its errors and changes. Two clients of
// one name share nothing; [WithBreaker] shares.
func WithCommandName(name string) ClientOption {
	return clientOptionFunc(func(cfg *clientConfig) error { cfg.name = name; return nil })
}

// WithCommandTimeout bounds each attempt until its response has come, the
// waiting for a connection included. An attempt that takes longer is
// canceled, gets no more of the request's body, and is a failure. It is
// outside of the HTTP client's timeout; either may come first. 0 sets none; the
// breaker's probes are then given up after [DefaultProbeTimeout].
func WithCommandTimeout(timeout time.Duration) ClientOption {
	return clientOptionFunc(func(cfg *clientConfig) error {
		if timeout < 0 {
			return fmt.Errorf("WithCommandTimeout(%v): a timeout cannot be negative; 0 sets none", timeout)
		}
		cfg.timeout = timeout
		return nil
	})
}

// WithMaxConcurrentRequests bounds how many attempts are under way at a time,
// from their start until their response's body is closed. One more is
// rejected at once, with [ErrConcurrencyLimit].
func WithMaxConcurrentRequests(calls int) ClientOption {
	return clientOptionFunc(func(cfg *clientConfig) error { cfg.concurrent = calls; return nil })
}

// WithRequestVolumeThreshold sets how many attempts must have ended within
// ten seconds before the breaker may open.
func WithRequestVolumeThreshold(calls int) ClientOption {
	return clientOptionFunc(func(cfg *clientConfig) error { cfg.volume = calls; return nil })
}

// WithErrorPercentThreshold sets which share of them must have failed.
func WithErrorPercentThreshold(percent int) ClientOption {
	return clientOptionFunc(func(cfg *clientConfig) error { cfg.percent = float64(percent); return nil })
}

// WithSleepWindow sets how long the breaker stays open before it lets one
// probe pass.
func WithSleepWindow(window time.Duration) ClientOption {
	return clientOptionFunc(func(cfg *clientConfig) error { cfg.sleepWindow = window; return nil })
}

// WithBreaker uses this breaker, which may be shared with others, instead of
// one of the Client's own. The options for the breaker then do nothing.
func WithBreaker(shared *Breaker) ClientOption {
	return clientOptionFunc(func(cfg *clientConfig) error {
		if shared == nil {
			return errors.New("WithBreaker: the breaker is nil: leave the option out for one of the Client's own")
		}
		cfg.shared = shared
		return nil
	})
}

// WithStateChange has a function told of each change of the breaker's state,
// as [WithOnChange] does.
func WithStateChange(told func(Change)) ClientOption {
	return clientOptionFunc(func(cfg *clientConfig) error { cfg.onChange = told; return nil })
}

// WithHTTPClient sends through this Doer, which must end a request when its
// context does, as *http.Client does. The default is an http.Client with a
// timeout of 30 s.
func WithHTTPClient(client resilient.Doer) ClientOption {
	return clientOptionFunc(func(cfg *clientConfig) error {
		if client == nil {
			return errors.New("WithHTTPClient: the client is nil: leave the option out for one of the Client's own")
		}
		cfg.doer = client
		return nil
	})
}

// WithHTTPTimeout bounds each attempt inside the command, the reading of its
// response's body included. The order of it and WithHTTPClient does not
// matter. 0 sets none.
func WithHTTPTimeout(timeout time.Duration) ClientOption {
	return clientOptionFunc(func(cfg *clientConfig) error {
		if timeout < 0 {
			return fmt.Errorf("WithHTTPTimeout(%v): a timeout cannot be negative; 0 sets none", timeout)
		}
		cfg.httpTimeout = &timeout
		return nil
	})
}

// WithRetryCount is [resilient.WithRetryCount].
func WithRetryCount(retries int) ClientOption {
	return WithClientOptions(resilient.WithRetryCount(retries))
}

// WithRetrier is [resilient.WithRetrier].
func WithRetrier(retrier resilient.Retriable) ClientOption {
	return WithClientOptions(resilient.WithRetrier(retrier))
}

// WithRetryableStatusCodes is [resilient.WithRetryableStatusCodes]; these
// statuses are failures of the command, too.
func WithRetryableStatusCodes(statuses ...int) ClientOption {
	return clientOptionFunc(func(cfg *clientConfig) error {
		cfg.statuses = append(cfg.statuses, statuses...)
		cfg.options = append(cfg.options, resilient.WithRetryableStatusCodes(statuses...))
		return nil
	})
}

// WithRetryErrorBudgetToken is [resilient.WithRetryErrorBudgetToken].
func WithRetryErrorBudgetToken(maxToken int, ratio float64) ClientOption {
	return WithClientOptions(resilient.WithRetryErrorBudgetToken(maxToken, ratio))
}

// WithRetryErrorBudgetPercent is [resilient.WithRetryErrorBudgetPercent].
func WithRetryErrorBudgetPercent(minFailureVolume int, percent float64) ClientOption {
	return WithClientOptions(resilient.WithRetryErrorBudgetPercent(minFailureVolume, percent))
}

// WithClientOptions passes options on to the resilient.Client inside, such as
// WithMethods. Its HTTP client and timeout are set by the options here.
func WithClientOptions(opts ...resilient.ClientOption) ClientOption {
	return clientOptionFunc(func(cfg *clientConfig) error {
		cfg.options = append(cfg.options, opts...)
		return nil
	})
}

// WithFallbackFunc has a function answer for a call that failed, was
// rejected or timed out, or whose last response is a failure of the command.
// It is told the cause, a *resilient.StatusError for a status, and returns a
// response or an error; neither is an error of its own,
// [resilient.ErrNoFallback].
func WithFallbackFunc(fallback func(cause error) (*http.Response, error)) ClientOption {
	if fallback == nil {
		return WithFallbackCtxFunc(nil)
	}
	return WithFallbackCtxFunc(func(_ context.Context, cause error) (*http.Response, error) { return fallback(cause) })
}

// WithFallbackCtxFunc is [WithFallbackFunc] with the call's context.
func WithFallbackCtxFunc(fallback func(ctx context.Context, cause error) (*http.Response, error)) ClientOption {
	return clientOptionFunc(func(cfg *clientConfig) error {
		if fallback == nil {
			return errors.New("the fallback is nil: leave the option out")
		}
		cfg.fallback = func(req *http.Request, cause error) (*http.Response, error) { return fallback(req.Context(), cause) }
		return nil
	})
}
