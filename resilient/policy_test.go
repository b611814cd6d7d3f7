package resilient_test

import (
	"context"
	"net/http"
	"regexp"
	"sync"
	"testing"
	"time"

	"github.com/faultsrv/faultsrv/resilient"
	. "github.com/onsi/gomega"
)

func TestOptions(t *testing.T) {
	t.Run("a bad value is an error that says what to do", func(t *testing.T) {
		g := NewWithT(t)
		for want, opt := range map[string]resilient.Option{
			"the least is 1":               resilient.WithAttempts(0),
			"is not a method":              resilient.WithMethods("GET", "P OST"),
			"write POST instead":           resilient.WithMethods("post"),
			"use 200 to 599":               resilient.WithStatuses(503, 99),
			"the function is nil":          resilient.WithClassifier(nil),
			"NewConstantBackoff(0, 0)":     resilient.WithBackoff(nil),
			"0 sets none":                  resilient.WithRetryAfterCap(-1),
			"0 buffers nothing":            resilient.WithBodyBuffer(-1),
			"0 reads nothing":              resilient.WithDrain(-1, 0),
			"a timeout cannot be negative": resilient.WithAttemptTimeout(-1),
			"option 1 is nil: leave it":    nil,
		} {
			_, err := resilient.New(nil, opt)
			g.Expect(err).To(MatchError(MatchRegexp("^resilient.New: .*" + regexp.QuoteMeta(want))))
		}
	})
	t.Run("all bad options are reported at once", func(t *testing.T) {
		_, err := resilient.New(nil, resilient.WithAttempts(-1), resilient.WithStatuses(1000))
		NewWithT(t).Expect(err).To(MatchError(And(ContainSubstring("WithAttempts(-1)"), ContainSubstring("1000"))))
	})
	t.Run("a Transport over a Transport would multiply the attempts", func(t *testing.T) {
		g := NewWithT(t)
		_, err := resilient.New(transport(g, nil))
		g.Expect(err).To(MatchError(ContainSubstring("multiply")))
	})
	rule(t, "WithStatuses replaces the default; the order does not matter", func(t *testing.T, g Gomega) {
		for status, attempts := range map[int]int{500: 3, 418: 3, 503: 1} {
			w := plays(answers(status))
			_, err := transport(g, w, resilient.WithStatuses(500, 418, 500)).RoundTrip(request(t, "GET", nil))
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(w.seen()).To(HaveLen(attempts), "%d", status)
		}
	})
	rule(t, "WithStatuses() retries connection failures only", func(t *testing.T, g Gomega) {
		w := plays(fails(errReset), answers(503))
		_, err := transport(g, w, resilient.WithStatuses()).RoundTrip(request(t, "GET", nil))
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(w.seen()).To(HaveLen(2))
	})
	rule(t, "the zero Transport works with the defaults over http.DefaultTransport", func(t *testing.T, g Gomega) {
		original := http.DefaultTransport
		defer func() { http.DefaultTransport = original }()
		w := plays(answers(503))
		http.DefaultTransport = w
		_, err := new(resilient.Transport).RoundTrip(request(t, "GET", nil))
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(w.seen()).To(HaveLen(3))
	})
	rule(t, "the default pauses are full jitter: at most 100 and 200 ms", func(t *testing.T, g Gomega) {
		for range 200 {
			w := plays(fails(errReset))
			_, err := transport(g, w).RoundTrip(request(t, "GET", nil))
			g.Expect(err).To(HaveOccurred())
			g.Expect(w.gaps()[0]).To(BeNumerically("<=", 100*time.Millisecond))
			g.Expect(w.gaps()[1]).To(BeNumerically("<=", 200*time.Millisecond))
		}
	})
	t.Run("CloseIdleConnections reaches the base", func(t *testing.T) {
		g := NewWithT(t)
		base := &closer{}
		client := &http.Client{Transport: transport(g, base)}
		client.CloseIdleConnections()
		g.Expect(base.closed).To(BeTrue())
		transport(g, plays()).CloseIdleConnections()
	})
}

type closer struct {
	http.RoundTripper
	closed bool
}

func (c *closer) CloseIdleConnections() { c.closed = true }

func TestPolicyInContext(t *testing.T) {
	override := func(g Gomega, ctx context.Context, opts ...resilient.Option) context.Context {
		ctx, err := resilient.WithPolicy(ctx, opts...)
		g.Expect(err).NotTo(HaveOccurred())
		return ctx
	}
	rule(t, "Q1: a per-request override affects one call", func(t *testing.T, g Gomega) {
		w := plays(answers(503))
		tr := transport(g, w, constantly(time.Second))
		req := request(t, "POST", nil)
		req = req.WithContext(override(g, req.Context(), resilient.WithAttempts(5), resilient.WithMethods("POST")))
		resp, err := tr.RoundTrip(req)
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(resilient.Info(resp).Attempts).To(Equal(5))
		g.Expect(w.gaps()[0]).To(Equal(time.Second)) // what is not overridden stays

		resp, err = tr.RoundTrip(request(t, "GET", nil))
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(resilient.Info(resp).Attempts).To(Equal(3))
	})
	rule(t, "Q1: concurrent calls do not see each other's override", func(t *testing.T, g Gomega) {
		tr := transport(g, plays(answers(503)), constantly(time.Millisecond))
		var calls sync.WaitGroup
		for i := range 50 {
			calls.Go(func() {
				req := request(t, "GET", nil)
				resp, err := tr.RoundTrip(req.WithContext(override(g, req.Context(), resilient.WithAttempts(1+i%5))))
				g.Expect(err).NotTo(HaveOccurred())
				g.Expect(resilient.Info(resp).Attempts).To(Equal(1 + i%5))
			})
		}
		calls.Wait()
	})
	rule(t, "an inner override goes before an outer one, and leaves it as it is", func(t *testing.T, g Gomega) {
		outer := override(g, t.Context(), resilient.WithAttempts(9))
		outer = override(g, outer, resilient.WithStatuses(500))
		outer = override(g, outer, resilient.WithAttempts(2)) // appending thrice left room in the slice
		inner := override(g, outer, resilient.WithAttempts(4))
		other := override(g, outer, resilient.WithAttempts(6))
		for ctx, attempts := range map[context.Context]int{outer: 2, inner: 4, other: 6} {
			w := plays(answers(500))
			_, err := transport(g, w).RoundTrip(request(t, "GET", nil).WithContext(ctx))
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(w.seen()).To(HaveLen(attempts))
		}
	})
	t.Run("a bad value is an error at once", func(t *testing.T) {
		g := NewWithT(t)
		ctx, err := resilient.WithPolicy(t.Context(), resilient.WithAttempts(0))
		g.Expect(err).To(MatchError(HavePrefix("resilient.WithPolicy: WithAttempts(0)")))
		g.Expect(ctx).To(Equal(t.Context()))
	})
}

func TestClassifier(t *testing.T) {
	classify := func(decide func(*http.Response, error, resilient.Decision) resilient.Decision) resilient.Option {
		return resilient.WithClassifier(decide)
	}
	rule(t, "one function: stop", func(t *testing.T, g Gomega) {
		w := plays(answers(503, "X-Final", "yes"))
		tr := transport(g, w, classify(func(resp *http.Response, _ error, ordinary resilient.Decision) resilient.Decision {
			g.Expect(ordinary).To(Equal(resilient.Retry))
			if resp.Header.Get("X-Final") != "" {
				return resilient.Stop
			}
			return ordinary
		}))
		resp, err := tr.RoundTrip(request(t, "GET", nil))
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(resilient.Info(resp)).To(Equal(resilient.CallInfo{Attempts: 1}))
	})
	rule(t, "one function: retry, which does not send twice what may not be", func(t *testing.T, g Gomega) {
		retry := classify(func(resp *http.Response, err error, ordinary resilient.Decision) resilient.Decision {
			if resp != nil && resp.StatusCode == 200 {
				return ordinary
			}
			return resilient.Retry
		})
		w := plays(answers(404), answers(200))
		_, err := transport(g, w, retry).RoundTrip(request(t, "GET", nil))
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(w.seen()).To(HaveLen(2))
		w = plays(answers(404), answers(200))
		_, err = transport(g, w, retry).RoundTrip(request(t, "POST", nil))
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(w.seen()).To(HaveLen(1))
	})
	rule(t, "one function: retry-unprocessed, for any method", func(t *testing.T, g Gomega) {
		w := plays(answers(421), answers(200)) // A9
		_, err := transport(g, w, classify(func(resp *http.Response, _ error, ordinary resilient.Decision) resilient.Decision {
			if resp.StatusCode == http.StatusMisdirectedRequest {
				return resilient.RetryUnprocessed
			}
			return ordinary
		})).RoundTrip(request(t, "POST", nil))
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(w.seen()).To(HaveLen(2))
	})
	rule(t, "an error that it stops is permanent", func(t *testing.T, g Gomega) {
		resp, err := transport(g, plays(fails(errReset)), classify(func(resp *http.Response, err error, _ resilient.Decision) resilient.Decision {
			g.Expect(resp).To(BeNil())
			g.Expect(err).To(Equal(errReset))
			return resilient.Stop
		})).RoundTrip(request(t, "GET", nil))
		g.Expect(failure(g, resp, err).Cause).To(Equal(resilient.CausePermanent))
	})
	rule(t, "A13: it is not asked about the caller's cancellation", func(t *testing.T, g Gomega) {
		ctx, cancel := context.WithCancel(t.Context())
		w := plays(func(*http.Request) (*http.Response, error) { cancel(); return nil, errReset })
		resp, err := transport(g, w, classify(func(*http.Response, error, resilient.Decision) resilient.Decision {
			t.Error("asked")
			return resilient.Retry
		})).RoundTrip(request(t, "GET", nil).WithContext(ctx))
		g.Expect(failure(g, resp, err).Attempts).To(Equal(1))
	})
	t.Run("decisions have names", func(t *testing.T) {
		g := NewWithT(t)
		g.Expect([]string{resilient.Stop.String(), resilient.Retry.String(), resilient.RetryUnprocessed.String(), resilient.Decision(9).String()}).
			To(Equal([]string{"stop", "retry", "retry-unprocessed", "unknown"}))
	})
}

func TestRetryAfterOnTheClock(t *testing.T) {
	rule(t, "T1: delay-seconds on 429/503 → wait at least that", func(t *testing.T, g Gomega) {
		for _, status := range []int{429, 503} {
			w := plays(answers(status, "Retry-After", "2"), answers(200))
			_, err := transport(g, w).RoundTrip(request(t, "GET", nil))
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(w.gaps()[0]).To(And(BeNumerically(">=", 2*time.Second), BeNumerically("<=", 2200*time.Millisecond)))
		}
	})
	rule(t, "T2: the date is not passed before it has come", func(t *testing.T, g Gomega) {
		time.Sleep(350 * time.Millisecond) // a date has no fraction; now has one
		for _, form := range []string{http.TimeFormat, "Monday, 02-Jan-06 15:04:05 GMT", time.ANSIC} {
			date := time.Now().UTC().Add(3 * time.Second).Truncate(time.Second)
			w := plays(answers(503, "Retry-After", date.Format(form)), answers(200))
			_, err := transport(g, w).RoundTrip(request(t, "GET", nil))
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(w.seen()[1].at).To(BeTemporally(">=", date), form)
		}
	})
	rule(t, "T6: above the cap → stop and return the response", func(t *testing.T, g Gomega) {
		w, start := plays(answers(429, "Retry-After", "11")), time.Now()
		resp, err := transport(g, w, resilient.WithRetryAfterCap(10*time.Second)).RoundTrip(request(t, "GET", nil))
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(text(g, resp)).To(Equal("body of 429"))
		g.Expect(resilient.Info(resp).Cause).To(Equal(resilient.CauseRetryAfter))
		g.Expect(time.Since(start)).To(BeZero())
	})
	rule(t, "T5: a huge value never causes an immediate retry", func(t *testing.T, g Gomega) {
		for _, limit := range []time.Duration{0, time.Minute} {
			ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
			w := plays(answers(503, "Retry-After", "18446744073709551617"))
			_, err := transport(g, w, resilient.WithRetryAfterCap(limit)).RoundTrip(request(t, "GET", nil).WithContext(ctx))
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(w.seen()).To(HaveLen(1))
			cancel()
		}
	})
	rule(t, "decorrelated jitter keeps its state within a call", func(t *testing.T, g Gomega) {
		w := plays(answers(503))
		_, err := transport(g, w, resilient.WithAttempts(30),
			resilient.WithBackoff(resilient.NewDecorrelatedJitter(time.Second, time.Hour))).RoundTrip(request(t, "GET", nil))
		g.Expect(err).NotTo(HaveOccurred())
		previous := time.Second
		for _, gap := range w.gaps() {
			g.Expect(gap).To(And(BeNumerically(">=", time.Second), BeNumerically("<=", 3*previous)))
			previous = gap
		}
	})
}
