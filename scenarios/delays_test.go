package scenarios_test

import (
	"math"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/faultsrv/faultsrv/scenarios"
)

const ms = time.Millisecond

func TestBackoffBounds(t *testing.T) {
	type backoff = scenarios.Backoff
	for name, test := range map[string]struct {
		backoff           backoff
		retry             int
		shortest, longest time.Duration
	}{
		"constant":                         {backoff{Constant: ptr(40 * ms)}, 7, 40 * ms, 40 * ms},
		"linear":                           {backoff{Linear: ptr(40 * ms)}, 3, 120 * ms, 120 * ms},
		"exponential, first":               {backoff{Exponential: ptr(40 * ms)}, 1, 40 * ms, 40 * ms},
		"exponential, by two":              {backoff{Exponential: ptr(40 * ms)}, 3, 160 * ms, 160 * ms},
		"exponential, by three":            {backoff{Exponential: ptr(40 * ms), Factor: 3}, 3, 360 * ms, 360 * ms},
		"exponential, by one and a half":   {backoff{Exponential: ptr(40 * ms), Factor: 1.5}, 3, 90 * ms, 90 * ms},
		"nothing said":                     {backoff{}, 1, 0, 0},
		"exponential, capped":              {backoff{Exponential: ptr(40 * ms), Max: 100 * ms}, 3, 100 * ms, 100 * ms},
		"exponential, two thousandth":      {backoff{Exponential: ptr(40 * ms)}, 2000, math.MaxInt64, math.MaxInt64},
		"nothing, two thousandth":          {backoff{Exponential: ptr(time.Duration(0))}, 2000, 0, 0},
		"full jitter":                      {backoff{Constant: ptr(40 * ms), Jitter: scenarios.FullJitter}, 2, 0, 40 * ms},
		"equal jitter":                     {backoff{Constant: ptr(40 * ms), Jitter: scenarios.EqualJitter}, 2, 20 * ms, 40 * ms},
		"decorrelated jitter, first":       {backoff{Constant: ptr(40 * ms), Jitter: scenarios.DecorrelatedJitter}, 1, 40 * ms, 120 * ms},
		"decorrelated jitter, third":       {backoff{Exponential: ptr(40 * ms), Jitter: scenarios.DecorrelatedJitter, Max: time.Second}, 3, 40 * ms, time.Second},
		"decorrelated jitter of an hour":   {backoff{Constant: ptr(time.Hour), Jitter: scenarios.DecorrelatedJitter, Max: 2 * time.Second}, 1, 2 * time.Second, 2 * time.Second},
		"the longest duration, multiplied": {backoff{Linear: ptr(time.Duration(math.MaxInt64))}, 3, math.MaxInt64, math.MaxInt64},
	} {
		if shortest, longest := test.backoff.Bounds(test.retry); shortest != test.shortest || longest != test.longest {
			t.Errorf("%s: got [%v, %v], want [%v, %v]", name, shortest, longest, test.shortest, test.longest)
		}
	}
}

func TestBackoffBoundsHoldForAllBackoffs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		base := ptr(time.Duration(rapid.Int64Range(0, math.MaxInt64).Draw(t, "base")))
		b := scenarios.Backoff{
			Factor: rapid.Float64Range(1, 100).Draw(t, "factor"),
			Max:    time.Duration(rapid.Int64Range(0, math.MaxInt64).Draw(t, "max")),
			Jitter: rapid.SampledFrom([]scenarios.Jitter{
				"", scenarios.NoJitter, scenarios.FullJitter, scenarios.EqualJitter, scenarios.DecorrelatedJitter,
			}).Draw(t, "jitter"),
		}
		switch rapid.IntRange(0, 2).Draw(t, "growth") {
		case 0:
			b.Constant = base
		case 1:
			b.Linear = base
		default:
			b.Exponential = base
		}
		retry := rapid.IntRange(1, 5000).Draw(t, "retry")
		shortest, longest := b.Bounds(retry)
		if shortest < 0 || shortest > longest || b.Max > 0 && longest > b.Max {
			t.Fatalf("[%v, %v] of %+v", shortest, longest, b)
		}
		if _, next := b.Bounds(retry + 1); next < longest {
			t.Fatalf("the pauses shrink from %v to %v", longest, next)
		}
		attempts := retry + 1
		if got := (scenarios.Policy{Attempts: &attempts, Backoff: &b}).LongestDelay(); got != longest {
			t.Fatalf("the longest delay is %v, the last pause %v", got, longest)
		}
	})
}
