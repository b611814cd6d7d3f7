package resilient_test

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"testing"
	"time"

	"github.com/faultsrv/faultsrv/resilient"
	. "github.com/onsi/gomega"
)

func TestTime(t *testing.T) {
	rule(t, "C1: cancelled in the sleep → returns at once; the cancellation and the last failure can both be matched", func(t *testing.T, g Gomega) {
		ctx, cancel := context.WithCancel(t.Context())
		w, start := plays(answers(503)), time.Now()
		time.AfterFunc(time.Second, cancel)
		resp, err := transport(g, w, constantly(time.Hour)).RoundTrip(request(t, "GET", nil).WithContext(ctx))
		failed := failure(g, resp, err)
		g.Expect(time.Since(start)).To(Equal(time.Second))
		g.Expect(err).To(MatchError(context.Canceled))
		g.Expect(err).To(MatchError(resilient.ErrCanceled))
		g.Expect(failed.Cause).To(Equal(resilient.CauseCanceled))
		g.Expect(failed.Attempts).To(Equal(1))
		var status *resilient.StatusError
		g.Expect(errors.As(err, &status)).To(BeTrue())
		g.Expect(status.StatusCode).To(Equal(503))
		g.Expect(failed.Timeout()).To(BeFalse())
		g.Expect(w.closed.Load()).To(Equal(w.opened.Load()))
	})
	rule(t, "C1: the same after a transport error, with the context's own cause", func(t *testing.T, g Gomega) {
		why := errors.New("the user closed the page")
		ctx, cancel := context.WithCancelCause(t.Context())
		time.AfterFunc(time.Second, func() { cancel(why) })
		_, err := transport(g, plays(fails(errReset)), constantly(time.Hour)).RoundTrip(request(t, "GET", nil).WithContext(ctx))
		g.Expect(err).To(MatchError(context.Canceled))
		g.Expect(err).To(MatchError(errReset))
		g.Expect(err).To(MatchError(why))
	})
	rule(t, "C1: cancelled in a later attempt → the failure before it is the last one", func(t *testing.T, g Gomega) {
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(time.Second, cancel)
		resp, err := transport(g, plays(answers(503), hangs), constantly(0)).RoundTrip(request(t, "GET", nil).WithContext(ctx))
		failed := failure(g, resp, err)
		g.Expect(failed.Attempts).To(Equal(2))
		g.Expect(failed.Last).To(BeAssignableToTypeOf(&resilient.StatusError{}))
		g.Expect(err).To(MatchError(context.Canceled))
	})
	rule(t, "C2: the deadline spans attempts and sleeps", func(t *testing.T, g Gomega) {
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		slow := func(req *http.Request) (*http.Response, error) {
			time.Sleep(3 * time.Second)
			return nil, errReset
		}
		w, start := plays(slow), time.Now()
		resp, err := transport(g, w, resilient.WithAttempts(100), constantly(time.Second)).
			RoundTrip(request(t, "GET", nil).WithContext(ctx))
		failed := failure(g, resp, err)
		g.Expect(failed.Cause).To(Equal(resilient.CauseDeadline))
		g.Expect(failed.Timeout()).To(BeTrue())
		g.Expect(err).To(MatchError(context.DeadlineExceeded))
		g.Expect(err).To(MatchError(errReset))
		g.Expect(w.seen()).To(HaveLen(3)) // at 0, 4 and 8 s
		g.Expect(time.Since(start)).To(BeNumerically("<=", 11*time.Second))
	})
	rule(t, "C3: a per-attempt timeout is retryable while the caller's context lives", func(t *testing.T, g Gomega) {
		w := plays(hangs, hangs, answers(200))
		resp, err := transport(g, w, constantly(0), resilient.WithAttemptTimeout(time.Second)).RoundTrip(request(t, "GET", nil))
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(w.gaps()).To(Equal([]time.Duration{time.Second, time.Second}))
		resp.Body.Close()
	})
	rule(t, "C3: a POST that ran out of time may have been processed → one attempt", func(t *testing.T, g Gomega) {
		w := plays(hangs)
		resp, err := transport(g, w, resilient.WithAttemptTimeout(time.Second)).RoundTrip(request(t, "POST", nil))
		failed := failure(g, resp, err)
		g.Expect(failed.Cause).To(Equal(resilient.CauseNotIdempotent))
		g.Expect(failed.Timeout()).To(BeTrue())
		g.Expect(err).To(MatchError(resilient.ErrAttemptTimeout))
		g.Expect(err).To(MatchError(context.DeadlineExceeded))
		g.Expect(w.seen()).To(HaveLen(1))
	})
	rule(t, "C3: the caller's deadline in an attempt is not the attempt's", func(t *testing.T, g Gomega) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		w := plays(hangs)
		resp, err := transport(g, w, resilient.WithAttemptTimeout(time.Minute)).RoundTrip(request(t, "GET", nil).WithContext(ctx))
		g.Expect(failure(g, resp, err).Cause).To(Equal(resilient.CauseDeadline))
		g.Expect(err).NotTo(MatchError(resilient.ErrAttemptTimeout))
		g.Expect(w.seen()).To(HaveLen(1))
	})
	rule(t, "C4: context done before the call → zero attempts", func(t *testing.T, g Gomega) {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		w := plays(answers(200))
		resp, err := transport(g, w).RoundTrip(request(t, "GET", nil).WithContext(ctx))
		failed := failure(g, resp, err)
		g.Expect(failed.Attempts).To(BeZero())
		g.Expect(failed.Last).NotTo(HaveOccurred())
		g.Expect(err).To(MatchError(context.Canceled))
		g.Expect(w.seen()).To(BeEmpty())
	})
	rule(t, "C5: the next delay exceeds the time left → returns now, with the response", func(t *testing.T, g Gomega) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		for _, w := range []*wire{plays(answers(503)), plays(answers(503, "Retry-After", "60"))} {
			start := time.Now()
			resp, err := transport(g, w, constantly(time.Minute)).RoundTrip(request(t, "GET", nil).WithContext(ctx))
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(time.Since(start)).To(BeZero())
			g.Expect(text(g, resp)).To(Equal("body of 503"))
			g.Expect(resilient.Info(resp).Cause).To(Equal(resilient.CauseDeadline))
			g.Expect(w.seen()).To(HaveLen(1))
		}
	})
	rule(t, "C5: the next delay exceeds the time left → returns now, with the error", func(t *testing.T, g Gomega) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		start := time.Now()
		resp, err := transport(g, plays(fails(errReset)), constantly(time.Hour)).RoundTrip(request(t, "GET", nil).WithContext(ctx))
		g.Expect(failure(g, resp, err).Cause).To(Equal(resilient.CauseDeadline))
		g.Expect(err).To(MatchError(resilient.ErrDeadline))
		g.Expect(err).To(MatchError(context.DeadlineExceeded))
		g.Expect(err).To(MatchError(errReset))
		g.Expect(time.Since(start)).To(BeZero())
	})
	rule(t, "C6: no goroutine or timer is left behind", func(t *testing.T, g Gomega) {
		// A goroutine that outlives the test deadlocks its synctest bubble.
		tr := transport(g, plays(answersWith(503, silent), hangs, fails(errReset), answers(200)),
			resilient.WithAttempts(4), resilient.WithAttemptTimeout(time.Second))
		resp, err := tr.RoundTrip(request(t, "GET", nil))
		g.Expect(err).NotTo(HaveOccurred())
		resp.Body.Close()
	})
}

func TestErrors(t *testing.T) {
	rule(t, "E1, S6: the last error can be reached, and how often it was tried", func(t *testing.T, g Gomega) {
		resp, err := transport(g, plays(answers(503), answers(503), fails(errReset))).RoundTrip(request(t, "GET", nil))
		failed := failure(g, resp, err)
		g.Expect(failed.Attempts).To(Equal(3))
		g.Expect(failed.Last).To(Equal(errReset))
		g.Expect(failed.Cause).To(Equal(resilient.CauseExhausted))
		g.Expect(errors.Is(err, errReset)).To(BeTrue())
		g.Expect(errors.Is(err, resilient.ErrExhausted)).To(BeTrue())
	})
	rule(t, "E1: through http.Client too", func(t *testing.T, g Gomega) {
		client := &http.Client{Transport: transport(g, plays(hangs), resilient.WithAttemptTimeout(time.Second))}
		_, err := client.Get("http://upstream.test/")
		var failed *resilient.Error
		g.Expect(errors.As(err, &failed)).To(BeTrue())
		var timeout interface{ Timeout() bool }
		g.Expect(errors.As(err, &timeout)).To(BeTrue())
		g.Expect(timeout.Timeout()).To(BeTrue())
	})
	rule(t, "E2: the error names the attempts made and a typed cause", func(t *testing.T, g Gomega) {
		_, err := transport(g, plays(fails(errReset)), resilient.WithAttempts(2)).RoundTrip(request(t, "GET", nil))
		g.Expect(err).To(MatchError("GET http://upstream.test/orders/1: gave up after 2 attempts (exhausted): " +
			"every attempt was made; last failure: connection reset by peer"))
		_, err = transport(g, plays(fails(errReset)), resilient.WithAttempts(1)).RoundTrip(request(t, "", nil))
		g.Expect(err).To(MatchError(HavePrefix("GET http://upstream.test/orders/1: gave up after 1 attempt (exhausted)")))
	})
	rule(t, "O2: a password in a URL is redacted in errors", func(t *testing.T, g Gomega) {
		req := request(t, "GET", nil)
		req.URL.User = url.UserPassword("me", "s3cret")
		resp, err := transport(g, plays(fails(errReset))).RoundTrip(req)
		g.Expect(failure(g, resp, err).URL).To(Equal("http://me:xxxxx@upstream.test/orders/1"))
		g.Expect(err.Error()).NotTo(ContainSubstring("s3cret"))
	})
	rule(t, "a status without a text in a response made in memory is named all the same", func(t *testing.T, g Gomega) {
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(time.Second, cancel)
		_, err := transport(g, plays(answers(503)), constantly(time.Hour)).RoundTrip(request(t, "GET", nil).WithContext(ctx))
		g.Expect(err).To(MatchError(HaveSuffix("last failure: the server answered 503 Service Unavailable")))
	})
}
