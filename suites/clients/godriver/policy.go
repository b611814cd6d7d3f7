package main

import (
	"fmt"
	"math"
	"time"

	"github.com/faultsrv/faultsrv/resilient"
)

// policy is what a client is to be opened with, as far as it can be told.
type policy struct {
	Attempts *int `json:"attempts"`
	Backoff  *struct {
		Kind   string  `json:"kind"`
		BaseMS float64 `json:"base_ms"`
		Factor float64 `json:"factor"`
		MaxMS  float64 `json:"max_ms"`
		Jitter string  `json:"jitter"`
	} `json:"backoff"`
	Timeouts struct {
		AttemptMS float64 `json:"attempt_ms"`
	} `json:"timeouts"`
	Methods         []string `json:"methods"`
	Statuses        []int    `json:"statuses"`
	RetryAfterCapMS *float64 `json:"retry_after_cap_ms"`
}

// options are the policy in the client's own settings. The error says what it
// has no setting for.
func (p policy) options() ([]resilient.Option, error) {
	var options []resilient.Option
	if p.Attempts != nil {
		options = append(options, resilient.WithAttempts(*p.Attempts))
	}
	if p.Backoff != nil {
		backoff, err := p.backoff()
		if err != nil {
			return nil, err
		}
		options = append(options, resilient.WithBackoff(backoff))
	}
	if p.Timeouts.AttemptMS > 0 {
		options = append(options, resilient.WithAttemptTimeout(milliseconds(p.Timeouts.AttemptMS)))
	}
	if p.Methods != nil {
		options = append(options, resilient.WithMethods(p.Methods...))
	}
	if p.Statuses != nil {
		options = append(options, resilient.WithStatuses(p.Statuses...))
	}
	if p.RetryAfterCapMS != nil {
		options = append(options, resilient.WithRetryAfterCap(milliseconds(*p.RetryAfterCapMS)))
	}
	return options, nil
}

func (p policy) backoff() (resilient.Backoff, error) {
	b := *p.Backoff
	base, limit := milliseconds(b.BaseMS), time.Duration(math.MaxInt64)
	if b.MaxMS > 0 {
		limit = milliseconds(b.MaxMS)
	}
	if b.Kind == "constant" {
		limit = base // so that jitter does not grow
	}
	switch plain := b.Jitter == "none"; {
	case plain && b.Kind == "constant":
		return resilient.NewConstantBackoff(base, 0), nil
	case plain && b.Kind == "linear":
		return resilient.NewLinearBackoff(base, limit), nil
	case plain && b.Kind == "exponential":
		return resilient.NewExponentialBackoff(base, limit, b.Factor, 0), nil
	case b.Kind == "linear", b.Kind == "exponential" && b.Factor != 2:
		return nil, fmt.Errorf("%s jitter on a %s backoff with factor %v: resilient's grow by 2", b.Jitter, b.Kind, b.Factor)
	case b.Jitter == "full":
		return resilient.NewFullJitter(base, limit), nil
	case b.Jitter == "equal":
		return resilient.NewEqualJitter(base, limit), nil
	case b.Jitter == "decorrelated":
		return resilient.NewDecorrelatedJitter(base, limit), nil
	}
	return nil, fmt.Errorf("a %s backoff with %s jitter is not known to resilient", b.Kind, b.Jitter)
}

// milliseconds saturates, so that the longest durations stay positive.
func milliseconds(ms float64) time.Duration {
	if ms >= math.MaxInt64/float64(time.Millisecond) {
		return math.MaxInt64
	}
	return time.Duration(ms * float64(time.Millisecond))
}
