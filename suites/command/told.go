package command

import (
	"strconv"
	"time"

	"github.com/faultsrv/faultsrv/scenarios"
)

// Told is the policy as the command is really told it, which is what it can be
// judged by: {backoff} makes a whole second of 20 ms. A backoff that one number
// does not tell (one that grows, or has jitter) is not told, though its base is
// handed over; nor is a timeout that no placeholder carries.
func (s *Subject) Told(policy scenarios.Policy) scenarios.Policy {
	told := policy
	if s.used.any(backoff, backoffMS) {
		told.Backoff = nil
		if pause, plain := base(policy.Backoff); plain {
			pause = s.grain(backoff).up(pause)
			told.Backoff = &scenarios.Backoff{Constant: &pause}
		}
		// One number says nothing of how long a Retry-After is heeded.
		told.RetryAfterCap = nil
	}
	if s.used.any(timeout, timeoutMS, attemptTimeout, attemptTimeoutMS) {
		told.Timeouts = &scenarios.Timeouts{}
		if s.used.any(timeout, timeoutMS) {
			told.Timeouts.Total = s.ToldTimeout(total(policy))
		}
		if s.used.any(attemptTimeout, attemptTimeoutMS) {
			told.Timeouts.Attempt = s.toldAttemptTimeout(policy)
		}
	}
	return told
}

// ToldTimeout is the deadline of a whole call as the command is really told it;
// for 0, no deadline, the one by which it is ended.
func (s *Subject) ToldTimeout(deadline time.Duration) time.Duration {
	if deadline <= 0 {
		deadline = s.options.CallTimeout
	}
	return s.grain(timeout).up(deadline)
}

func (s *Subject) toldAttemptTimeout(policy scenarios.Policy) time.Duration {
	deadline := s.options.CallTimeout
	if policy.Timeouts != nil && policy.Timeouts.Attempt > 0 {
		deadline = policy.Timeouts.Attempt
	}
	return s.grain(attemptTimeout).up(deadline)
}

// grain is a unit of time in which a value is told.
type grain time.Duration

// grain is the unit in which the command is told a value: seconds where it uses
// the placeholder, else milliseconds.
func (s *Subject) grain(rounded placeholder) grain {
	if s.used[rounded] {
		return grain(time.Second)
	}
	return grain(time.Millisecond)
}

// up rounds a duration up, since a lower bound must not shrink. The longest
// durations are rounded down, to stay durations.
func (g grain) up(d time.Duration) time.Duration {
	unit := time.Duration(g)
	whole := d.Truncate(unit)
	if whole < d && whole+unit > 0 {
		whole += unit
	}
	return whole
}

// count is a duration as a whole number of units, rounded up.
func (g grain) count(d time.Duration) string {
	return strconv.FormatInt(int64(g.up(d)/time.Duration(g)), 10)
}

// base is the first pause of a backoff; plain tells that it is every pause.
func base(backoff *scenarios.Backoff) (pause time.Duration, plain bool) {
	switch {
	case backoff == nil:
		return 0, false
	case backoff.Constant != nil:
		pause, plain = *backoff.Constant, backoff.Jitter == "" || backoff.Jitter == scenarios.NoJitter
	case backoff.Linear != nil:
		pause = *backoff.Linear
	case backoff.Exponential != nil:
		pause = *backoff.Exponential
	}
	if backoff.Max > 0 {
		pause = min(pause, backoff.Max)
	}
	return pause, plain
}

// total is the policy's deadline for a whole call; 0 for none.
func total(policy scenarios.Policy) time.Duration {
	if policy.Timeouts == nil {
		return 0
	}
	return policy.Timeouts.Total
}

// policyValues are the values that a policy fixes for all calls.
func (s *Subject) policyValues(policy scenarios.Policy) map[placeholder]string {
	second, millisecond := grain(time.Second), grain(time.Millisecond)
	values := map[placeholder]string{}
	if policy.Attempts != nil {
		values[attempts] = strconv.Itoa(*policy.Attempts)
		values[retries] = strconv.Itoa(*policy.Attempts - 1)
	}
	if policy.Backoff != nil {
		pause, _ := base(policy.Backoff)
		values[backoff] = second.count(pause)
		values[backoffMS] = millisecond.count(pause)
	}
	bound := s.toldAttemptTimeout(policy)
	values[attemptTimeout] = second.count(bound)
	values[attemptTimeoutMS] = millisecond.count(bound)
	return values
}
