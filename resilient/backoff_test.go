package resilient_test

import (
	"math"
	"testing"
	"time"

	"github.com/faultsrv/faultsrv/resilient"
	. "github.com/onsi/gomega"
	"pgregory.net/rapid"
)

const ms = time.Millisecond

func series(b resilient.Backoff, n int) []time.Duration {
	var all []time.Duration
	for i := range n {
		all = append(all, b.Next(i))
	}
	return all
}

func TestRetriers(t *testing.T) {
	g := NewWithT(t)
	g.Expect(resilient.NewRetrier(resilient.NewConstantBackoff(2*ms, 0)).NextInterval(7)).To(Equal(2 * ms))
	g.Expect(resilient.NewRetrierFunc(func(retry int) time.Duration { return time.Duration(retry) }).NextInterval(7)).To(BeEquivalentTo(7))
	g.Expect(resilient.NewNoRetrier().NextInterval(7)).To(BeZero())
	g.Expect(resilient.RetriableFunc(func(int) time.Duration { return ms }).NextInterval(0)).To(Equal(ms))
	g.Expect(resilient.NewRetrier(nil).NextInterval(1)).To(BeZero())
	g.Expect(resilient.NewRetrierFunc(nil).NextInterval(1)).To(BeZero())
}

func TestConstantBackoff(t *testing.T) {
	t.Run("S2: interval + a random whole number of milliseconds in [0, jitter]; the index does not matter", func(t *testing.T) {
		g := NewWithT(t)
		b := resilient.NewConstantBackoff(10*ms, 5*ms)
		seen := map[time.Duration]int{}
		for i := range 6000 {
			seen[b.Next(i-10)]++
		}
		// A value of six is missing from 6,000 draws once in 10^475.
		g.Expect(seen).To(HaveLen(6))
		for wait := range seen {
			g.Expect(wait).To(BeNumerically(">=", 10*ms))
			g.Expect(wait).To(BeNumerically("<=", 15*ms))
			g.Expect(wait % ms).To(BeZero())
		}
	})
	t.Run("S2: a negative jitter is 0, and so is a negative interval", func(t *testing.T) {
		g := NewWithT(t)
		g.Expect(resilient.NewConstantBackoff(10*ms, -5*ms).Next(0)).To(Equal(10 * ms))
		g.Expect(resilient.NewConstantBackoff(-10*ms, 0).Next(0)).To(BeZero())
	})
}

func TestExponentialBackoff(t *testing.T) {
	g := NewWithT(t)
	b := resilient.NewExponentialBackoff(100*ms, 1000*ms, 2, 0)
	g.Expect(series(b, 6)).To(Equal([]time.Duration{100 * ms, 200 * ms, 400 * ms, 800 * ms, 1000 * ms, 1000 * ms}))
	g.Expect(b.Next(-3)).To(Equal(100 * ms))
	g.Expect(resilient.NewExponentialBackoff(100*ms, 1600*ms, 2, 0).Next(4)).To(Equal(1600 * ms))
	g.Expect(resilient.NewExponentialBackoff(2*ms, 10*ms, 2, 0).Next(1)).To(BeNumerically(">=", 4*ms))
	for range 100 { // the jitter comes on top of the maximum
		g.Expect(resilient.NewExponentialBackoff(100*ms, 1000*ms, 2, 50*ms).Next(9)).To(
			And(BeNumerically(">=", 1000*ms), BeNumerically("<=", 1050*ms)))
	}
	for _, factor := range []float64{0, -2, math.NaN()} {
		g.Expect(resilient.NewExponentialBackoff(100*ms, 1000*ms, factor, 0).Next(5)).To(Equal(100 * ms))
	}
	g.Expect(resilient.NewExponentialBackoff(100*ms, 1000*ms, math.Inf(1), 0).Next(1)).To(Equal(1000 * ms))
	g.Expect(resilient.NewExponentialBackoff(-1, 1000*ms, 2, 0).Next(1)).To(BeZero())
	g.Expect(resilient.NewExponentialBackoff(100*ms, -1, 2, 0).Next(1)).To(BeZero())
}

func TestLinearBackoff(t *testing.T) {
	g := NewWithT(t)
	b := resilient.NewLinearBackoff(time.Second, 4*time.Second)
	g.Expect(series(b, 5)).To(Equal([]time.Duration{1e9, 2e9, 3e9, 4e9, 4e9}))
	g.Expect(b.Next(-1)).To(Equal(time.Second))
	g.Expect(resilient.NewLinearBackoff(-1, time.Hour).Next(3)).To(BeZero())
}

func TestJitter(t *testing.T) {
	durations := rapid.Custom(func(t *rapid.T) time.Duration {
		return time.Duration(rapid.OneOf(
			rapid.Int64Range(0, int64(time.Hour)), rapid.Int64(), rapid.Just(int64(math.MaxInt64)), rapid.Just(int64(0)),
		).Draw(t, "d"))
	})
	indexes := rapid.OneOf(rapid.IntRange(0, 70), rapid.Just(2000), rapid.Just(math.MaxInt), rapid.Just(math.MinInt))
	ceiling := func(base, limit time.Duration, n int) time.Duration { // min(limit, base·2ⁿ), by doubling
		base, limit = max(base, 0), max(limit, 0)
		for range min(max(n, 0), 70) {
			if base > limit/2 {
				return limit
			}
			base *= 2
		}
		return min(base, limit)
	}
	t.Run("D1: full jitter lies in [0, min(cap, base·2ⁿ)]", rapid.MakeCheck(func(t *rapid.T) {
		base, limit, n := durations.Draw(t, "base"), durations.Draw(t, "cap"), indexes.Draw(t, "n")
		got := resilient.NewFullJitter(base, limit).Next(n)
		if got < 0 || got > roundedUp(ceiling(base, limit, n)) {
			t.Fatalf("%v is not in [0, %v]", got, ceiling(base, limit, n))
		}
	}))
	t.Run("D2: equal jitter lies in [v/2, v]", rapid.MakeCheck(func(t *rapid.T) {
		base, limit, n := durations.Draw(t, "base"), durations.Draw(t, "cap"), indexes.Draw(t, "n")
		v := ceiling(base, limit, n)
		if got := resilient.NewEqualJitter(base, limit).Next(n); got < roundedDown(v/2) || got > roundedUp(v) {
			t.Fatalf("%v is not in [%v, %v]", got, v/2, v)
		}
	}))
	t.Run("D3: decorrelated jitter = min(cap, U(base, 3·previous))", rapid.MakeCheck(func(t *rapid.T) {
		base, limit := max(durations.Draw(t, "base"), 0), max(durations.Draw(t, "cap"), 0)
		chain, previous := resilient.NewDecorrelatedJitter(base, limit).ForCall(), base
		for n := range rapid.IntRange(1, 50).Draw(t, "pauses") {
			got := chain.Next(n)
			high := limit
			if previous < math.MaxInt64/3 {
				high = min(limit, max(3*previous, base))
			}
			if got < min(base, limit) || got > high {
				t.Fatalf("pause %d: %v is not in [%v, %v]", n, got, min(base, limit), high)
			}
			previous = got
		}
	}))
	t.Run("D4, D5: every strategy stays within its cap, at n = 2000 and the largest durations too", rapid.MakeCheck(func(t *rapid.T) {
		base, limit, n := durations.Draw(t, "base"), durations.Draw(t, "cap"), indexes.Draw(t, "n")
		for name, b := range map[string]resilient.Backoff{
			"full":         resilient.NewFullJitter(base, limit),
			"equal":        resilient.NewEqualJitter(base, limit),
			"decorrelated": resilient.NewDecorrelatedJitter(base, limit),
			"exponential":  resilient.NewExponentialBackoff(base, limit, rapid.Float64().Draw(t, "factor"), 0),
			"linear":       resilient.NewLinearBackoff(base, limit),
		} {
			if got := b.Next(n); got < 0 || got > max(limit, 0) {
				t.Fatalf("%s: %v with a cap of %v", name, got, limit)
			}
		}
		jittered := resilient.NewExponentialBackoff(base, limit, 2, durations.Draw(t, "jitter"))
		if got := jittered.Next(n); got < 0 {
			t.Fatalf("exponential with jitter: %v", got)
		}
	}))
	t.Run("D5: what does not grow any more stays at the cap", func(t *testing.T) {
		g := NewWithT(t)
		for _, n := range []int{40, 63, 64, 65, 1100, 2000, math.MaxInt} {
			g.Expect(resilient.NewExponentialBackoff(ms, 5*ms, 2, 0).Next(n)).To(Equal(5 * ms))
			g.Expect(resilient.NewEqualJitter(ms, 5*ms).Next(n)).To(BeNumerically(">=", 2500*time.Microsecond))
		}
	})
	t.Run("D6: two clients that failed together do not come back together", func(t *testing.T) {
		g := NewWithT(t)
		for _, b := range []resilient.Backoff{
			resilient.NewFullJitter(time.Second, time.Minute), resilient.NewEqualJitter(time.Second, time.Minute),
			resilient.NewDecorrelatedJitter(time.Second, time.Minute),
		} {
			seen := map[time.Duration]bool{}
			for range 100 {
				seen[b.Next(0)] = true
			}
			g.Expect(len(seen)).To(BeNumerically(">=", 99)) // 100 draws of 500,000,000 values or more
		}
	})
	t.Run("the whole range is used", func(t *testing.T) {
		g := NewWithT(t)
		full, equal := resilient.NewFullJitter(100*ms, 100*ms), resilient.NewEqualJitter(100*ms, 100*ms)
		var low, high, equalLow time.Duration = math.MaxInt64, 0, math.MaxInt64
		for range 2000 { // no draw in a tenth of the range: once in 10^91
			low, high = min(low, full.Next(0)), max(high, full.Next(0))
			equalLow = min(equalLow, equal.Next(0))
		}
		g.Expect(low).To(BeNumerically("<", 10*ms))
		g.Expect(high).To(BeNumerically(">", 90*ms))
		g.Expect(equalLow).To(BeNumerically("<", 60*ms))
	})
	t.Run("WithSeed draws the same pauses again, and others for another seed", func(t *testing.T) {
		g := NewWithT(t)
		for _, make := range []func(uint64) resilient.Backoff{
			func(s uint64) resilient.Backoff {
				return resilient.NewFullJitter(time.Second, time.Minute, resilient.WithSeed(s))
			},
			func(s uint64) resilient.Backoff {
				return resilient.NewEqualJitter(time.Second, time.Minute, resilient.WithSeed(s))
			},
			func(s uint64) resilient.Backoff {
				return resilient.NewDecorrelatedJitter(time.Second, time.Minute, resilient.WithSeed(s))
			},
			func(s uint64) resilient.Backoff {
				return resilient.NewConstantBackoff(0, time.Hour, resilient.WithSeed(s))
			},
			func(s uint64) resilient.Backoff {
				return resilient.NewExponentialBackoff(1, 2, 2, time.Hour, resilient.WithSeed(s))
			},
		} {
			g.Expect(series(make(7), 20)).To(Equal(series(make(7), 20)))
			g.Expect(series(make(7), 20)).NotTo(Equal(series(make(8), 20)))
		}
	})
}

// Above 2^53 ns, 104 days, the arithmetic is in steps of a float64.
func roundedUp(d time.Duration) time.Duration {
	if d < 1<<53 {
		return d
	}
	return max(d, d+d>>52)
}

func roundedDown(d time.Duration) time.Duration { return d - d>>52 }

func FuzzBackoffs(f *testing.F) {
	f.Add(int64(100*ms), int64(time.Second), 2.0, int64(ms), 3)
	f.Add(int64(math.MaxInt64), int64(math.MaxInt64), math.MaxFloat64, int64(math.MaxInt64), math.MaxInt)
	f.Add(int64(math.MinInt64), int64(-1), math.Inf(-1), int64(math.MinInt64), math.MinInt)
	f.Add(int64(1), int64(math.MaxInt64), 1e-300, int64(0), 2000)
	f.Fuzz(func(t *testing.T, base, limit int64, factor float64, jitter int64, n int) {
		b, l, j := time.Duration(base), time.Duration(limit), time.Duration(jitter)
		for _, backoff := range []resilient.Backoff{
			resilient.NewConstantBackoff(b, j), resilient.NewExponentialBackoff(b, l, factor, j), resilient.NewLinearBackoff(b, l),
			resilient.NewFullJitter(b, l), resilient.NewEqualJitter(b, l), resilient.NewDecorrelatedJitter(b, l),
		} {
			if got := backoff.Next(n); got < 0 {
				t.Fatalf("%T: %v", backoff, got)
			}
		}
	})
}
