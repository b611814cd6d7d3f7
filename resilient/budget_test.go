package resilient_test

import (
	"math"
	"net/http"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/faultsrv/faultsrv/resilient"
	. "github.com/onsi/gomega"
	"pgregory.net/rapid"
)

func tokens(g Gomega, maxToken int, ratio float64) *resilient.TokenBudget {
	b, err := resilient.NewTokenBudget(maxToken, ratio)
	g.Expect(err).NotTo(HaveOccurred())
	return b
}

func percent(g Gomega, volume int, percent float64) *resilient.TokenBudget {
	b, err := resilient.NewPercentBudget(volume, percent)
	g.Expect(err).NotTo(HaveOccurred())
	return b
}

func rate(g Gomega, ratio float64, reserve int, window time.Duration) *resilient.RateBudget {
	b, err := resilient.NewRateBudget(ratio, reserve, window)
	g.Expect(err).NotTo(HaveOccurred())
	return b
}

// failuresUntilOver counts failures, each with some successes before it.
func failuresUntilOver(b *resilient.TokenBudget, successes int) int {
	for n := 1; n <= 1_000_000; n++ {
		for range successes {
			b.Success()
		}
		if b.Failure(); b.IsOverBudget() {
			return n
		}
	}
	return -1
}

func TestTokenBudget(t *testing.T) {
	t.Run("S3: starts full; a failure takes 1; over budget when tokens ≤ max/2", func(t *testing.T) {
		g := NewWithT(t)
		g.Expect(failuresUntilOver(tokens(g, 10, 0.1), 0)).To(Equal(5))
		g.Expect(failuresUntilOver(tokens(g, 3, 0.1), 0)).To(Equal(2))
		g.Expect(failuresUntilOver(tokens(g, 1, 0.1), 0)).To(Equal(1))
	})
	t.Run("S3: a success adds ratio, never above max", func(t *testing.T) {
		g := NewWithT(t)
		b := tokens(g, 10, 0.5)
		for range 1000 {
			b.Success()
		}
		g.Expect(failuresUntilOver(b, 0)).To(Equal(5))
		b.Success()
		g.Expect(b.IsOverBudget()).To(BeFalse())
	})
	t.Run("S3: failures in a row do not go below none", func(t *testing.T) {
		g := NewWithT(t)
		b := tokens(g, 10, 1)
		for range 1000 {
			b.Failure()
		}
		for range 5 {
			g.Expect(b.Allow()).To(BeFalse())
			b.Success()
		}
		b.Success()
		g.Expect(b.Allow()).To(BeTrue())
	})
	t.Run("S3: with volume 1,000 and 10 %: 1,000 failures in a row; 1,125, 1,286, 1,500, 1,800 at one to four successes a failure", func(t *testing.T) {
		g := NewWithT(t)
		for successes, failures := range []int{1000, 1125, 1286, 1500, 1800} {
			g.Expect(failuresUntilOver(percent(g, 1000, 10), successes)).To(Equal(failures))
		}
	})
	t.Run("S3: with 0 %: the 1,000th failure, and no success brings it back; Reset does", func(t *testing.T) {
		g := NewWithT(t)
		for _, none := range []float64{0, -5} {
			b := percent(g, 1000, none)
			g.Expect(failuresUntilOver(b, 3)).To(Equal(1000))
			for range 100_000 {
				b.Success()
			}
			g.Expect(b.IsOverBudget()).To(BeTrue())
			b.Reset()
			g.Expect(failuresUntilOver(b, 3)).To(Equal(1000))
		}
	})
	t.Run("S3: ≥ 100 % → one success refills", func(t *testing.T) {
		g := NewWithT(t)
		for _, all := range []float64{100, 250} {
			b := percent(g, 1000, all)
			for range 5000 {
				b.Failure()
			}
			b.Success()
			g.Expect(failuresUntilOver(b, 0)).To(Equal(1000))
		}
	})
	t.Run("S3: a nil budget never blocks", func(t *testing.T) {
		g := NewWithT(t)
		var b *resilient.TokenBudget
		b.Call()
		b.Failure()
		b.Success()
		b.Reset()
		g.Expect(b.Allow()).To(BeTrue())
		g.Expect(b.IsOverBudget()).To(BeFalse())
	})
	t.Run("S3: safe under concurrency (no lost tokens, no drift)", func(t *testing.T) {
		g := NewWithT(t)
		b := tokens(g, 200_000, 1)
		var workers sync.WaitGroup
		for range 8 {
			workers.Go(func() {
				for range 10_000 {
					b.Failure()
					b.Failure()
					b.Success()
				}
			})
		}
		workers.Wait()
		// 80,000 tokens are gone; 20,000 more reach the half.
		g.Expect(failuresUntilOver(b, 0)).To(Equal(20_000))
	})
	t.Run("S3: limits are errors with a reason, not panics", func(t *testing.T) {
		g := NewWithT(t)
		for _, wrong := range []struct {
			tokens int
			ratio  float64
		}{{0, 1}, {-1, 1}, {math.MaxInt, 1}, {10, -0.1}, {10, math.NaN()}, {10, math.Inf(1)}} {
			_, err := resilient.NewTokenBudget(wrong.tokens, wrong.ratio)
			g.Expect(err).To(MatchError(ContainSubstring("token budget")))
		}
		for _, wrong := range []struct {
			volume  int
			percent float64
		}{{0, 10}, {-1, 10}, {math.MaxInt, 10}, {10, math.NaN()}} {
			_, err := resilient.NewPercentBudget(wrong.volume, wrong.percent)
			g.Expect(err).To(MatchError(HavePrefix("a budget")))
		}
		_, err := resilient.NewPercentBudget(10, 100-1e-13)
		g.Expect(err).NotTo(HaveOccurred())
	})
	t.Run("any sequence: as a bucket of exact fractions says", rapid.MakeCheck(func(t *rapid.T) {
		full, ratio := rapid.IntRange(1, 50).Draw(t, "tokens"), rapid.IntRange(0, 300).Draw(t, "hundredths")
		b, err := resilient.NewTokenBudget(full, float64(ratio)/100)
		if err != nil {
			t.Fatal(err)
		}
		hundredths := full * 100
		for range rapid.IntRange(0, 300).Draw(t, "results") {
			if rapid.Bool().Draw(t, "success") {
				b.Success()
				hundredths = min(hundredths+ratio, full*100)
			} else {
				b.Failure()
				hundredths = max(hundredths-100, 0)
			}
			if over := hundredths*2 <= full*100; b.IsOverBudget() != over {
				t.Fatalf("%d of %d hundredths of a token are left: over budget is %v", hundredths, full*100, !over)
			}
		}
	}))
}

func TestRateBudget(t *testing.T) {
	t.Run("G1, G2: never more than ratio × calls + reserve, sequentially", rapid.MakeCheck(func(t *rapid.T) {
		ratio, reserve := float64(rapid.IntRange(0, 200).Draw(t, "percent"))/100, rapid.IntRange(0, 20).Draw(t, "reserve")
		b, err := resilient.NewRateBudget(ratio, reserve, 0)
		if err != nil {
			t.Fatal(err)
		}
		calls, retries := 0, 0
		for range rapid.IntRange(1, 200).Draw(t, "steps") {
			if rapid.Bool().Draw(t, "call") {
				b.Call()
				calls++
				continue
			}
			allowed := float64(retries+1) <= ratio*float64(calls)+float64(reserve)
			if b.Allow() != allowed {
				t.Fatalf("retry %d after %d calls: allowed should be %v", retries+1, calls, allowed)
			}
			if allowed {
				retries++
			}
		}
	}))
	t.Run("G8: an idle client keeps a minimum reserve, again in each window", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			g := NewWithT(t)
			b := rate(g, 0, 3, 10*time.Second)
			drawn := func() (n int) {
				for b.Allow() {
					n++
				}
				return n
			}
			g.Expect(drawn()).To(Equal(3))
			time.Sleep(9 * time.Second)
			g.Expect(drawn()).To(BeZero())
			time.Sleep(time.Second)
			g.Expect(drawn()).To(Equal(3))
			time.Sleep(1000 * time.Hour)
			g.Expect(drawn()).To(Equal(3))
		})
	})
	t.Run("calls of an hour ago earn nothing", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			g := NewWithT(t)
			b := rate(g, 0.1, 0, 10*time.Second)
			for range 1000 {
				b.Call()
			}
			time.Sleep(time.Hour)
			g.Expect(b.Allow()).To(BeFalse())
			for range 10 {
				b.Call()
			}
			g.Expect(b.Allow()).To(BeTrue())
			g.Expect(b.Allow()).To(BeFalse())
		})
	})
	t.Run("the window slides", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			g := NewWithT(t)
			b := rate(g, 0, 10, 10*time.Second)
			for range 10 { // one a second
				g.Expect(b.Allow()).To(BeTrue())
				time.Sleep(time.Second)
			}
			for range 10 { // each second frees one
				g.Expect(b.Allow()).To(BeTrue())
				g.Expect(b.Allow()).To(BeFalse())
				time.Sleep(time.Second)
			}
		})
	})
	t.Run("a nil budget never blocks", func(t *testing.T) {
		var b *resilient.RateBudget
		b.Call()
		b.Success()
		b.Failure()
		NewWithT(t).Expect(b.Allow()).To(BeTrue())
	})
	t.Run("limits are errors with a reason", func(t *testing.T) {
		g := NewWithT(t)
		for _, ratio := range []float64{-1, math.NaN(), math.Inf(1)} {
			_, err := resilient.NewRateBudget(ratio, 1, 0)
			g.Expect(err).To(MatchError(ContainSubstring("ratio")))
		}
		_, err := resilient.NewRateBudget(0.1, -1, 0)
		g.Expect(err).To(MatchError(ContainSubstring("reserve")))
		for _, window := range []time.Duration{-1, 1, 9 * time.Millisecond} {
			_, err = resilient.NewRateBudget(0.1, 1, window)
			g.Expect(err).To(MatchError(ContainSubstring("window")))
		}
	})
}

func TestBudgetInTheTransport(t *testing.T) {
	rule(t, "G1: everything fails, ratio 10 % → requests ≤ 1.1 × calls + reserve", func(t *testing.T, g Gomega) {
		w := plays(answers(503))
		tr := transport(g, w, resilient.WithBudget(rate(g, 0.1, 10, 0)), constantly(time.Millisecond))
		for range 300 {
			_, err := tr.RoundTrip(request(t, "GET", nil))
			g.Expect(err).NotTo(HaveOccurred())
		}
		g.Expect(w.seen()).To(HaveLen(300 + 30 + 10))
	})
	rule(t, "G2: it holds for sequential and for concurrent calls", func(t *testing.T, g Gomega) {
		w := plays(fails(errReset))
		tr := transport(g, w, resilient.WithBudget(rate(g, 0.1, 10, 0)), constantly(time.Second))
		var calls sync.WaitGroup
		for range 1000 {
			calls.Go(func() { _, _ = tr.RoundTrip(request(t, "GET", nil)) })
		}
		calls.Wait()
		g.Expect(len(w.seen())).To(And(BeNumerically("<=", 1000+100+10), BeNumerically(">=", 1000+10)))
	})
	rule(t, "G4, G5: the first attempt is always sent; a denied retry returns the original failure at once", func(t *testing.T, g Gomega) {
		none := resilient.WithBudget(rate(g, 0, 0, 0))
		w, start := plays(answers(503), fails(errReset)), time.Now()
		resp, err := transport(g, w, none, constantly(time.Hour)).RoundTrip(request(t, "GET", nil))
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(text(g, resp)).To(Equal("body of 503"))
		g.Expect(resilient.Info(resp)).To(Equal(resilient.CallInfo{Attempts: 1, Cause: resilient.CauseBudget}))

		resp, err = transport(g, w, none, constantly(time.Hour)).RoundTrip(request(t, "GET", nil))
		g.Expect(failure(g, resp, err).Cause).To(Equal(resilient.CauseBudget))
		g.Expect(err).To(MatchError(resilient.ErrBudgetExhausted))
		g.Expect(err).To(MatchError(errReset))
		g.Expect(time.Since(start)).To(BeZero())
		g.Expect(w.seen()).To(HaveLen(2))
	})
	rule(t, "G3: tokens ≤ max/2 → no retry; −1 a failure, +ratio a success", func(t *testing.T, g Gomega) {
		b := tokens(g, 10, 0.5)
		w := plays(answers(503))
		tr := transport(g, w, resilient.WithBudget(b), resilient.WithAttempts(100))
		resp, err := tr.RoundTrip(request(t, "GET", nil))
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(resilient.Info(resp)).To(HaveField("Attempts", 5)) // the fifth failure reaches the half
		g.Expect(resilient.Info(resp)).To(HaveField("Cause", resilient.CauseBudget))

		w.steps = []step{answers(200)}
		for range 4 { // 5 + 4·0.5 = 7 tokens
			_, err = tr.RoundTrip(request(t, "GET", nil))
			g.Expect(err).NotTo(HaveOccurred())
		}
		w.steps = []step{answers(503)}
		resp, err = tr.RoundTrip(request(t, "GET", nil))
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(resilient.Info(resp)).To(HaveField("Attempts", 2))
	})
	rule(t, "G6: failures that are not retryable do not drain the budget, and earn nothing", func(t *testing.T, g Gomega) {
		b := &countingBudget{}
		tr := transport(g, plays(answers(404), answers(500), fails(http.ErrSchemeMismatch), answers(200), answers(503)),
			resilient.WithBudget(b), resilient.WithAttempts(1))
		for range 5 {
			_, _ = tr.RoundTrip(request(t, "GET", nil))
		}
		g.Expect(*b).To(Equal(countingBudget{calls: 5, successes: 2, failures: 1})) // 404 and 200; 503
	})
	rule(t, "the budget is asked last: a retry that is not made anyway costs nothing", func(t *testing.T, g Gomega) {
		b := &countingBudget{}
		tr := transport(g, plays(answers(503)), resilient.WithBudget(b), resilient.WithAttempts(1))
		_, _ = tr.RoundTrip(request(t, "GET", nil))
		_, _ = transport(g, plays(answers(503, "Retry-After", "3600")), resilient.WithBudget(b)).RoundTrip(request(t, "GET", nil))
		_, _ = transport(g, plays(answers(503)), resilient.WithBudget(b)).RoundTrip(request(t, "POST", nil))
		g.Expect(b.asked).To(BeZero())
	})
	rule(t, "by default: a fifth of the calls and a hundred, in ten seconds", func(t *testing.T, g Gomega) {
		w := plays(answers(503))
		tr := transport(g, w, constantly(0))
		for range 500 {
			_, err := tr.RoundTrip(request(t, "GET", nil))
			g.Expect(err).NotTo(HaveOccurred())
		}
		g.Expect(w.seen()).To(HaveLen(500 + 100 + 100))

		w = plays(answers(503))
		tr = transport(g, w, constantly(0), resilient.WithBudget(nil))
		for range 500 {
			_, err := tr.RoundTrip(request(t, "GET", nil))
			g.Expect(err).NotTo(HaveOccurred())
		}
		g.Expect(w.seen()).To(HaveLen(1500))
	})
}

type countingBudget struct{ calls, successes, failures, asked int }

func (b *countingBudget) Call()       { b.calls++ }
func (b *countingBudget) Success()    { b.successes++ }
func (b *countingBudget) Failure()    { b.failures++ }
func (b *countingBudget) Allow() bool { b.asked++; return true }
