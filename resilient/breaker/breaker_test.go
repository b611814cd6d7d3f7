package breaker_test

import (
	"errors"
	"math"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/faultsrv/faultsrv/resilient"
	"github.com/faultsrv/faultsrv/resilient/breaker"
	. "github.com/onsi/gomega"
)

// rule runs a test, named after the row of the norms that it shows, on a
// clock of its own.
func rule(t *testing.T, row string, test func(*testing.T, Gomega)) {
	t.Helper()
	t.Run(row, func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) { test(t, NewWithT(t)) })
	})
}

func made(g Gomega, opts ...breaker.Option) *breaker.Breaker {
	b, err := breaker.New(opts...)
	g.Expect(err).NotTo(HaveOccurred())
	return b
}

func pass(g Gomega, b *breaker.Breaker) breaker.Permit {
	permit, err := b.Allow()
	g.Expect(err).NotTo(HaveOccurred())
	return permit
}

// tripped is a breaker that three failures in a row have opened for a second.
func tripped(g Gomega, opts ...breaker.Option) *breaker.Breaker {
	b := made(g, append([]breaker.Option{breaker.WithFailures(3), breaker.WithOpenFor(time.Second)}, opts...)...)
	for range 3 {
		pass(g, b).Failure()
	}
	g.Expect(b.State()).To(Equal(breaker.Open))
	return b
}

func rejected(g Gomega, b *breaker.Breaker) *breaker.OpenError {
	_, err := b.Allow()
	g.Expect(err).To(MatchError(resilient.ErrCircuitOpen))
	var open *breaker.OpenError
	g.Expect(errors.As(err, &open)).To(BeTrue())
	return open
}

func TestBreaker(t *testing.T) {
	rule(t, "X1: threshold reached → open", func(t *testing.T, g Gomega) {
		b := made(g, breaker.WithFailures(3))
		for range 2 {
			pass(g, b).Failure()
		}
		pass(g, b).Success() // ends the row
		for range 2 {
			pass(g, b).Failure()
		}
		g.Expect(b.State()).To(Equal(breaker.Closed))
		pass(g, b).Failure()
		g.Expect(b.State()).To(Equal(breaker.Open))
		rejected(g, b)
	})
	rule(t, "X1, S4: open when, within the rolling window, volume and error percentage are reached", func(t *testing.T, g Gomega) {
		b := made(g) // 25 % of 10 or more in 10 s
		for range 8 {
			pass(g, b).Success()
		}
		pass(g, b).Failure()
		pass(g, b).Failure() // 20 % of 10
		g.Expect(b.State()).To(Equal(breaker.Closed))
		pass(g, b).Failure() // 27 % of 11
		g.Expect(b.State()).To(Equal(breaker.Open))
	})
	rule(t, "S4: failures that the window has left behind count no more", func(t *testing.T, g Gomega) {
		b := made(g, breaker.WithErrorRate(4, 100, 10*time.Second))
		for range 3 {
			pass(g, b).Failure()
		}
		time.Sleep(5 * time.Second)
		g.Expect(b.Snapshot()).To(Equal(breaker.Snapshot{Calls: 3, Failures: 3}))
		time.Sleep(5 * time.Second)
		g.Expect(b.Snapshot()).To(Equal(breaker.Snapshot{}))
		pass(g, b).Failure()
		g.Expect(b.State()).To(Equal(breaker.Closed))
		time.Sleep(1000 * time.Hour)
		for range 3 {
			pass(g, b).Failure()
		}
		g.Expect(b.State()).To(Equal(breaker.Closed))
		pass(g, b).Failure()
		g.Expect(b.State()).To(Equal(breaker.Open))
	})
	rule(t, "X2: it stays open for at least the sleep window", func(t *testing.T, g Gomega) {
		b := tripped(g)
		time.Sleep(time.Second - 1)
		rejected(g, b)
		time.Sleep(1 * time.Nanosecond)
		pass(g, b).Success()
	})
	rule(t, "X2: the longest sleep window does not overflow", func(t *testing.T, g Gomega) {
		b := made(g, breaker.WithFailures(1), breaker.WithOpenFor(math.MaxInt64))
		time.Sleep(time.Hour)
		pass(g, b).Failure()
		time.Sleep(1000 * time.Hour)
		rejected(g, b)
	})
	rule(t, "X3: half-open: exactly K probes at a time, whatever the concurrency", func(t *testing.T, g Gomega) {
		for _, k := range []int{1, 3, 10} {
			b := tripped(g, breaker.WithProbes(k))
			time.Sleep(time.Second)
			var passed atomic.Int64
			var calls sync.WaitGroup
			for range 200 {
				calls.Go(func() {
					permit, err := b.Allow()
					if err != nil {
						return
					}
					passed.Add(1)
					time.Sleep(100 * time.Millisecond) // longer than all the others take to ask
					permit.Success()
				})
			}
			calls.Wait()
			g.Expect(passed.Load()).To(BeEquivalentTo(k))
			g.Expect(b.State()).To(Equal(breaker.Closed))
		}
	})
	rule(t, "X4: K successes close it", func(t *testing.T, g Gomega) {
		b := tripped(g, breaker.WithProbes(3))
		time.Sleep(time.Second)
		for range 3 { // one after another
			g.Expect(b.State()).NotTo(Equal(breaker.Closed))
			pass(g, b).Success()
		}
		g.Expect(b.State()).To(Equal(breaker.Closed))
		for range 2 { // with a clean slate
			pass(g, b).Failure()
		}
		g.Expect(b.State()).To(Equal(breaker.Closed))
	})
	rule(t, "X4: one failure opens it for a full window", func(t *testing.T, g Gomega) {
		b := tripped(g, breaker.WithProbes(3))
		time.Sleep(time.Second)
		probe := pass(g, b)
		pass(g, b).Success()
		time.Sleep(300 * time.Millisecond)
		probe.Failure()
		g.Expect(rejected(g, b)).To(HaveField("Left", time.Second))
		time.Sleep(time.Second - 1)
		rejected(g, b)
	})
	rule(t, "X5: the result of a call started in an earlier state changes nothing", func(t *testing.T, g Gomega) {
		b := made(g, breaker.WithFailures(3), breaker.WithOpenFor(time.Second), breaker.WithProbes(2))
		var early []breaker.Permit
		for range 20 {
			early = append(early, pass(g, b))
		}
		for range 3 {
			pass(g, b).Failure()
		}
		early[0].Success()
		g.Expect(b.State()).To(Equal(breaker.Open))
		time.Sleep(time.Second)
		probe := pass(g, b)
		early[1].Success() // not a probe's
		early[2].Success()
		early[3].Failure()
		g.Expect(b.State()).To(Equal(breaker.HalfOpen))
		probe.Success()
		pass(g, b).Success()
		g.Expect(b.State()).To(Equal(breaker.Closed))
		for _, late := range early[4:] {
			late.Failure()
		}
		g.Expect(b.State()).To(Equal(breaker.Closed))
		probe.Failure()
		g.Expect(b.Snapshot()).To(Equal(breaker.Snapshot{}))
	})
	rule(t, "X6: a cancelled call is neutral and gives its slot back", func(t *testing.T, g Gomega) {
		b := made(g, breaker.WithFailures(3), breaker.WithOpenFor(time.Second))
		for range 2 {
			pass(g, b).Failure()
		}
		pass(g, b).Cancel() // neither one more failure nor the end of the row
		g.Expect(b.State()).To(Equal(breaker.Closed))
		pass(g, b).Failure()
		g.Expect(b.State()).To(Equal(breaker.Open))
		time.Sleep(time.Second)
		for range 10 {
			probe := pass(g, b)
			rejected(g, b)
			probe.Cancel()
			g.Expect(b.State()).To(Equal(breaker.HalfOpen))
		}
		pass(g, b).Success()
		g.Expect(b.State()).To(Equal(breaker.Closed))
	})
	rule(t, "X7: a probe that hangs expires", func(t *testing.T, g Gomega) {
		b := tripped(g, breaker.WithProbeTimeout(5*time.Second))
		time.Sleep(time.Second)
		hung := pass(g, b)
		time.Sleep(5*time.Second - 1)
		rejected(g, b)
		time.Sleep(1 * time.Nanosecond)
		probe := pass(g, b)
		hung.Success() // too late: another has its slot
		g.Expect(b.State()).To(Equal(breaker.HalfOpen))
		hung.Failure()
		g.Expect(b.State()).To(Equal(breaker.HalfOpen))
		rejected(g, b)
		probe.Success()
		g.Expect(b.State()).To(Equal(breaker.Closed))
	})
	rule(t, "X8: a panic gives the slot back", func(t *testing.T, g Gomega) {
		b := tripped(g)
		time.Sleep(time.Second)
		g.Expect(func() { _ = b.Run(func() error { panic("bug") }) }).To(PanicWith("bug"))
		g.Expect(b.State()).To(Equal(breaker.HalfOpen))
		g.Expect(b.Run(func() error { return nil })).To(Succeed())
		g.Expect(b.State()).To(Equal(breaker.Closed))
	})
	rule(t, "Run: an error is a failure, and returned; an open breaker does not call", func(t *testing.T, g Gomega) {
		b := made(g, breaker.WithFailures(1))
		bad := errors.New("bad")
		g.Expect(b.Run(func() error { return bad })).To(BeIdenticalTo(bad))
		g.Expect(b.Run(func() error { t.Error("called"); return nil })).To(MatchError(resilient.ErrCircuitOpen))
	})
	rule(t, "X10: callbacks run outside the lock", func(t *testing.T, g Gomega) {
		var changes []breaker.Change
		var b *breaker.Breaker
		b = made(g, breaker.WithName("db"), breaker.WithFailures(1), breaker.WithOpenFor(time.Second),
			breaker.WithOnChange(func(c breaker.Change) {
				changes = append(changes, c)
				_ = b.Snapshot() // a lock that is held would never come free
				_, _ = b.Allow()
			}))
		pass(g, b).Failure()
		time.Sleep(time.Second)
		// The probe was taken before the callback asked for one.
		first, err := b.Allow()
		g.Expect(err).NotTo(HaveOccurred())
		first.Success()
		g.Expect(changes).To(Equal([]breaker.Change{
			{Name: "db", From: breaker.Closed, To: breaker.Open},
			{Name: "db", From: breaker.Open, To: breaker.HalfOpen},
			{Name: "db", From: breaker.HalfOpen, To: breaker.Closed},
		}))
	})
	rule(t, "X11: nothing trips below the minimum volume", func(t *testing.T, g Gomega) {
		b := made(g)
		for range 9 {
			pass(g, b).Failure()
		}
		g.Expect(b.State()).To(Equal(breaker.Closed))
		pass(g, b).Failure()
		g.Expect(b.State()).To(Equal(breaker.Open))
	})
	rule(t, `X12: "open" tells the time left`, func(t *testing.T, g Gomega) {
		b := tripped(g, breaker.WithName("orders"))
		time.Sleep(400 * time.Millisecond)
		open := rejected(g, b)
		g.Expect(*open).To(Equal(breaker.OpenError{Name: "orders", State: breaker.Open, Left: 600 * time.Millisecond}))
		g.Expect(open).To(MatchError(`the circuit breaker "orders" is open for another 600ms`))
		g.Expect(b.Snapshot()).To(Equal(breaker.Snapshot{State: breaker.Open, Left: 600 * time.Millisecond}))
		time.Sleep(time.Hour)
		g.Expect(b.Snapshot()).To(Equal(breaker.Snapshot{State: breaker.Open}))
		pass(g, b)
		g.Expect(rejected(g, b)).To(MatchError(`the circuit breaker "orders" is half-open and waits for its probes`))
		g.Expect(rejected(g, tripped(g)).Error()).To(Equal("the circuit breaker is open for another 1s"))
	})
	rule(t, "CB-06: traffic recovers after bursts of failures from many sides", func(t *testing.T, g Gomega) {
		b := made(g, breaker.WithFailures(2), breaker.WithOpenFor(time.Second), breaker.WithProbes(2))
		var calls sync.WaitGroup
		for i := range 8 {
			calls.Go(func() {
				for n := range 500 {
					if permit, err := b.Allow(); err == nil {
						if (n/25+i)%2 == 0 {
							permit.Failure()
						} else {
							permit.Success()
						}
					}
					time.Sleep(time.Duration(1+i) * 7 * time.Millisecond)
				}
			})
		}
		calls.Wait()
		time.Sleep(time.Second)
		for b.State() != breaker.Closed {
			pass(g, b).Success()
		}
	})
}

func TestBreakerOptions(t *testing.T) {
	g := NewWithT(t)
	for want, opt := range map[string]breaker.Option{
		"use 1 failure or more":           breaker.WithFailures(0),
		"a volume of 0 calls":             breaker.WithErrorRate(0, 50, time.Second),
		"more than 0 and at most 100":     breaker.WithErrorRate(1, 0, time.Second),
		"more than 0 and at most 100 ":    breaker.WithErrorRate(1, math.NaN(), time.Second),
		"more than 0 and at most 100  ":   breaker.WithErrorRate(1, 101, time.Second),
		"a window of 1ms":                 breaker.WithErrorRate(1, 50, time.Millisecond),
		"WithOpenFor(0s)":                 breaker.WithOpenFor(0),
		"WithProbes(0)":                   breaker.WithProbes(0),
		"WithProbes(1001): use 1 to 1000": breaker.WithProbes(1001),
		"WithProbeTimeout(0s)":            breaker.WithProbeTimeout(0),
		"option 1 is nil: leave it out":   nil,
	} {
		_, err := breaker.New(opt)
		g.Expect(err).To(MatchError(And(HavePrefix("breaker.New: "), ContainSubstring(strings.TrimSpace(want)))))
	}
	g.Expect([]string{breaker.Closed.String(), breaker.Open.String(), breaker.HalfOpen.String(), breaker.State(9).String()}).
		To(Equal([]string{"closed", "open", "half-open", "unknown"}))
	breaker.Permit{}.Success() // the zero Permit does nothing
}

func TestAllowAllocatesNothing(t *testing.T) {
	g := NewWithT(t)
	b := made(g)
	g.Expect(testing.AllocsPerRun(1000, func() {
		permit, err := b.Allow()
		if err == nil {
			permit.Success()
		}
	})).To(BeZero())
}

func BenchmarkAllow(b *testing.B) {
	br, err := breaker.New()
	if err != nil {
		b.Fatal(err)
	}
	b.Run("serial", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			permit, _ := br.Allow()
			permit.Success()
		}
	})
	b.Run("parallel", func(b *testing.B) {
		b.ReportAllocs()
		b.RunParallel(func(pb *testing.PB) {
			for pb.Next() {
				permit, _ := br.Allow()
				permit.Success()
			}
		})
	})
}
