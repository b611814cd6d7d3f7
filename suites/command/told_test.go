package command

import (
	"math"
	"reflect"
	"testing"
	"time"

	"github.com/faultsrv/faultsrv/scenarios"
)

func subjectUsing(names ...placeholder) *Subject {
	subject := &Subject{options: Options{CallTimeout: DefaultCallTimeout}, used: uses{url: true}}
	for _, name := range names {
		subject.used[name] = true
	}
	return subject
}

func constant(pause time.Duration) *scenarios.Backoff { return &scenarios.Backoff{Constant: &pause} }

func TestToldIsWhatWasReallyTold(t *testing.T) {
	t.Parallel()
	const ms = time.Millisecond
	base := 20 * ms
	for name, test := range map[string]struct {
		uses   []placeholder
		policy scenarios.Policy
		want   scenarios.Policy
	}{
		"backoff, rounded up":      {[]placeholder{backoff}, scenarios.Policy{Backoff: constant(20 * ms)}, scenarios.Policy{Backoff: constant(time.Second)}},
		"backoff, whole already":   {[]placeholder{backoff}, scenarios.Policy{Backoff: constant(2 * time.Second)}, scenarios.Policy{Backoff: constant(2 * time.Second)}},
		"backoff, none":            {[]placeholder{backoff}, scenarios.Policy{Backoff: constant(0)}, scenarios.Policy{Backoff: constant(0)}},
		"backoff, exact":           {[]placeholder{backoffMS}, scenarios.Policy{Backoff: constant(20 * ms)}, scenarios.Policy{Backoff: constant(20 * ms)}},
		"backoff, microseconds":    {[]placeholder{backoffMS}, scenarios.Policy{Backoff: constant(1500 * time.Microsecond)}, scenarios.Policy{Backoff: constant(2 * ms)}},
		"backoff, capped":          {[]placeholder{backoffMS}, scenarios.Policy{Backoff: &scenarios.Backoff{Constant: &base, Max: 10 * ms}}, scenarios.Policy{Backoff: constant(10 * ms)}},
		"backoff, with jitter":     {[]placeholder{backoffMS}, scenarios.Policy{Backoff: &scenarios.Backoff{Constant: &base, Jitter: scenarios.FullJitter}}, scenarios.Policy{}},
		"backoff, no jitter":       {[]placeholder{backoffMS}, scenarios.Policy{Backoff: &scenarios.Backoff{Constant: &base, Jitter: scenarios.NoJitter}}, scenarios.Policy{Backoff: constant(base)}},
		"backoff, growing":         {[]placeholder{backoffMS}, scenarios.Policy{Backoff: &scenarios.Backoff{Exponential: &base}}, scenarios.Policy{}},
		"backoff, linear":          {[]placeholder{backoffMS}, scenarios.Policy{Backoff: &scenarios.Backoff{Linear: &base}}, scenarios.Policy{}},
		"cap of Retry-After":       {[]placeholder{backoffMS}, scenarios.Policy{Backoff: constant(base), RetryAfterCap: &base}, scenarios.Policy{Backoff: constant(base)}},
		"whole call, rounded up":   {[]placeholder{timeout}, timeouts(300*ms, 1500*ms), timeouts(0, 2*time.Second)},
		"whole call, exact":        {[]placeholder{timeoutMS}, timeouts(300*ms, 1500*ms), timeouts(0, 1500*ms)},
		"whole call, none":         {[]placeholder{timeoutMS}, scenarios.Policy{}, timeouts(0, DefaultCallTimeout)},
		"attempt, rounded up":      {[]placeholder{attemptTimeout}, timeouts(300*ms, 1500*ms), timeouts(time.Second, 0)},
		"attempt, exact":           {[]placeholder{attemptTimeoutMS}, timeouts(300*ms, 0), timeouts(300*ms, 0)},
		"both timeouts":            {[]placeholder{attemptTimeoutMS, timeout}, timeouts(300*ms, 1500*ms), timeouts(300*ms, 2*time.Second)},
		"not told, left to others": {nil, timeouts(300*ms, 0), timeouts(300*ms, 0)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := subjectUsing(test.uses...).Told(test.policy); !reflect.DeepEqual(got, test.want) {
				t.Errorf("told %+v, want %+v", got, test.want)
			}
		})
	}
}

func timeouts(attempt, total time.Duration) scenarios.Policy {
	return scenarios.Policy{Timeouts: &scenarios.Timeouts{Attempt: attempt, Total: total}}
}

func TestDurationsAreRoundedUp(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		unit, duration time.Duration
		want           string
	}{
		{time.Second, 0, "0"},
		{time.Second, 1, "1"},
		{time.Second, 999 * time.Millisecond, "1"},
		{time.Second, time.Second, "1"},
		{time.Second, time.Second + 1, "2"},
		{time.Millisecond, 20 * time.Millisecond, "20"},
		{time.Millisecond, 20*time.Millisecond + 1, "21"},
		{time.Second, math.MaxInt64, "9223372036"},
	} {
		if got := grain(test.unit).count(test.duration); got != test.want {
			t.Errorf("%s in units of %s is %s, want %s", test.duration, test.unit, got, test.want)
		}
	}
}
