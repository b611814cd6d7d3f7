package driver

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/faultsrv/faultsrv/scenarios"
)

// wirePolicy is a policy as messages have it: snake_case, durations in
// milliseconds. A missing field was not said.
type wirePolicy struct {
	Attempts        *int          `json:"attempts,omitempty"`
	Backoff         *wireBackoff  `json:"backoff,omitempty"`
	Timeouts        *wireTimeouts `json:"timeouts,omitempty"`
	Methods         []string      `json:"methods,omitempty"`
	Statuses        []int         `json:"statuses,omitempty"`
	RetryAfterCapMS *milliseconds `json:"retry_after_cap_ms,omitempty"`
	Breaker         *wireBreaker  `json:"breaker,omitempty"`
	Budget          *wireBudget   `json:"budget,omitempty"`
	Hedge           *wireHedge    `json:"hedge,omitempty"`
}

// wireBackoff is the pause before a retry. One field says which kind it is, so
// that a driver need not find out which of several is there.
type wireBackoff struct {
	Kind   backoffKind  `json:"kind"`
	BaseMS milliseconds `json:"base_ms"`
	// Factor is the growth of an exponential backoff.
	Factor float64 `json:"factor,omitempty"`
	// MaxMS is the longest pause, jitter included; none where it is missing.
	MaxMS milliseconds `json:"max_ms,omitempty"`
	// Jitter is "none" where there is none.
	Jitter scenarios.Jitter `json:"jitter"`
}

type backoffKind string

const (
	constantBackoff    backoffKind = "constant"
	linearBackoff      backoffKind = "linear"
	exponentialBackoff backoffKind = "exponential"
)

// defaultFactor is the growth of an exponential backoff that names none.
const defaultFactor = 2

type wireTimeouts struct {
	AttemptMS milliseconds `json:"attempt_ms,omitempty"`
	TotalMS   milliseconds `json:"total_ms,omitempty"`
}

type wireBreaker struct {
	Failures int          `json:"failures"`
	OpenMS   milliseconds `json:"open_ms"`
	Probes   int          `json:"probes"`
}

type wireBudget struct {
	Ratio   float64 `json:"ratio"`
	Reserve int     `json:"reserve"`
}

type wireHedge struct {
	DelayMS milliseconds `json:"delay_ms"`
	Max     int          `json:"max"`
}

// toWire is a policy for a message. Whatever has a default is said.
func toWire(policy scenarios.Policy) wirePolicy {
	wire := wirePolicy{Attempts: policy.Attempts, Methods: policy.Methods, Statuses: policy.Statuses}
	if policy.Backoff != nil {
		wire.Backoff = backoffToWire(*policy.Backoff)
	}
	if t := policy.Timeouts; t != nil {
		wire.Timeouts = &wireTimeouts{AttemptMS: inMilliseconds(t.Attempt), TotalMS: inMilliseconds(t.Total)}
	}
	if policy.RetryAfterCap != nil {
		wire.RetryAfterCapMS = new(milliseconds)
		*wire.RetryAfterCapMS = inMilliseconds(*policy.RetryAfterCap)
	}
	if b := policy.Breaker; b != nil {
		wire.Breaker = &wireBreaker{Failures: b.Failures, OpenMS: inMilliseconds(b.Open), Probes: b.Probes}
	}
	if b := policy.Budget; b != nil {
		wire.Budget = &wireBudget{Ratio: b.Ratio, Reserve: b.Reserve}
	}
	if h := policy.Hedge; h != nil {
		wire.Hedge = &wireHedge{DelayMS: inMilliseconds(h.Delay), Max: max(h.Max, 1)}
	}
	return wire
}

func backoffToWire(backoff scenarios.Backoff) *wireBackoff {
	wire := &wireBackoff{Kind: constantBackoff, MaxMS: inMilliseconds(backoff.Max), Jitter: backoff.Jitter}
	if wire.Jitter == "" {
		wire.Jitter = scenarios.NoJitter
	}
	switch {
	case backoff.Constant != nil:
		wire.BaseMS = inMilliseconds(*backoff.Constant)
	case backoff.Linear != nil:
		wire.Kind, wire.BaseMS = linearBackoff, inMilliseconds(*backoff.Linear)
	case backoff.Exponential != nil:
		wire.Kind, wire.BaseMS, wire.Factor = exponentialBackoff, inMilliseconds(*backoff.Exponential), backoff.Factor
		if wire.Factor == 0 {
			wire.Factor = defaultFactor
		}
	}
	return wire
}

// policy is what a driver promises, checked: it is judged by it.
func (w wirePolicy) policy() (scenarios.Policy, error) {
	policy := scenarios.Policy{Attempts: w.Attempts, Methods: w.Methods, Statuses: w.Statuses}
	var wrong []error
	if w.Attempts != nil && *w.Attempts < 1 {
		wrong = append(wrong, fmt.Errorf("attempts: expected at least 1, as the first one counts; got %d", *w.Attempts))
	}
	if w.Backoff != nil {
		backoff, err := w.Backoff.backoff()
		policy.Backoff = &backoff
		wrong = append(wrong, err)
	}
	if t := w.Timeouts; t != nil {
		policy.Timeouts = &scenarios.Timeouts{Attempt: t.AttemptMS.duration(), Total: t.TotalMS.duration()}
		wrong = append(wrong, notNegative("timeouts.attempt_ms", t.AttemptMS), notNegative("timeouts.total_ms", t.TotalMS))
	}
	if w.RetryAfterCapMS != nil {
		limit := w.RetryAfterCapMS.duration()
		policy.RetryAfterCap = &limit
		wrong = append(wrong, notNegative("retry_after_cap_ms", *w.RetryAfterCapMS))
	}
	if b := w.Breaker; b != nil {
		policy.Breaker = &scenarios.Breaker{Failures: b.Failures, Open: b.OpenMS.duration(), Probes: b.Probes}
		wrong = append(wrong, notNegative("breaker.open_ms", b.OpenMS))
	}
	if b := w.Budget; b != nil {
		policy.Budget = &scenarios.Budget{Ratio: b.Ratio, Reserve: b.Reserve}
	}
	if h := w.Hedge; h != nil {
		policy.Hedge = &scenarios.Hedge{Delay: h.DelayMS.duration(), Max: h.Max}
		wrong = append(wrong, notNegative("hedge.delay_ms", h.DelayMS))
	}
	return policy, errors.Join(wrong...)
}

func (w wireBackoff) backoff() (scenarios.Backoff, error) {
	base := w.BaseMS.duration()
	backoff := scenarios.Backoff{Max: w.MaxMS.duration(), Jitter: w.Jitter}
	wrong := []error{notNegative("backoff.base_ms", w.BaseMS), notNegative("backoff.max_ms", w.MaxMS)}
	switch w.Kind {
	case constantBackoff:
		backoff.Constant = &base
	case linearBackoff:
		backoff.Linear = &base
	case exponentialBackoff:
		backoff.Exponential, backoff.Factor = &base, w.Factor
		if w.Factor != 0 && w.Factor < 1 {
			wrong = append(wrong, fmt.Errorf("backoff.factor: expected at least 1; got %v", w.Factor))
		}
	default:
		wrong = append(wrong, fmt.Errorf("backoff.kind: expected %s, %s or %s; got %q", constantBackoff, linearBackoff, exponentialBackoff, w.Kind))
	}
	jitters := []scenarios.Jitter{"", scenarios.NoJitter, scenarios.FullJitter, scenarios.EqualJitter, scenarios.DecorrelatedJitter}
	if !slices.Contains(jitters, w.Jitter) {
		wrong = append(wrong, fmt.Errorf("backoff.jitter: expected none, full, equal or decorrelated; got %q", w.Jitter))
	}
	return backoff, errors.Join(wrong...)
}

func notNegative(field string, value milliseconds) error {
	if value < 0 {
		return fmt.Errorf("%s: expected 0 or more milliseconds; got %v", field, float64(value))
	}
	return nil
}

// shorter is the shorter of two durations of which 0 means none.
func shorter(a, b time.Duration) time.Duration {
	if a <= 0 || b > 0 && b < a {
		return b
	}
	return a
}
