package resilient_test

import (
	"context"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/faultsrv/faultsrv/resilient"
	. "github.com/onsi/gomega"
)

// after answers when the time is over, unless its attempt ends before.
func after(wait time.Duration, then step) step {
	return func(req *http.Request) (*http.Response, error) {
		select {
		case <-time.After(wait):
			return then(req)
		case <-req.Context().Done():
			return nil, req.Context().Err()
		}
	}
}

// stubborn answers when the time is over, whatever becomes of its attempt.
func stubborn(wait time.Duration, then step) step {
	return func(req *http.Request) (*http.Response, error) {
		time.Sleep(wait)
		return then(req)
	}
}

func starts(w *wire, since time.Time) []time.Duration {
	var all []time.Duration
	for _, a := range w.seen() {
		all = append(all, a.at.Sub(since))
	}
	return all
}

func TestHedging(t *testing.T) {
	hedge := resilient.WithHedge(100 * time.Millisecond)

	rule(t, "a slow answer is hedged; the first good one wins", func(t *testing.T, g Gomega) {
		w, start := plays(after(time.Second, answers(200)), after(50*time.Millisecond, answers(201))), time.Now()
		resp, err := transport(g, w, hedge).RoundTrip(request(t, "GET", nil))
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(time.Since(start)).To(Equal(150 * time.Millisecond))
		g.Expect(resp.StatusCode).To(Equal(201))
		g.Expect(resilient.Info(resp)).To(Equal(resilient.CallInfo{Attempts: 2, Hedges: 1}))
		g.Expect(text(g, resp)).To(Equal("body of 201"))
	})
	rule(t, "an answer within the delay needs no hedge", func(t *testing.T, g Gomega) {
		w := plays(after(99*time.Millisecond, answers(200)))
		resp, err := transport(g, w, hedge).RoundTrip(request(t, "GET", nil))
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(text(g, resp)).To(Equal("body of 200"))
		g.Expect(w.seen()).To(HaveLen(1))
	})
	rule(t, "the number of attempts bounds all that is sent", func(t *testing.T, g Gomega) {
		w, start := plays(after(time.Second, answers(200))), time.Now()
		resp, err := transport(g, w, hedge, resilient.WithAttempts(4)).RoundTrip(request(t, "GET", nil))
		g.Expect(err).NotTo(HaveOccurred())
		resp.Body.Close()
		g.Expect(starts(w, start)).To(Equal([]time.Duration{0, 100 * ms, 200 * ms, 300 * ms}))
		g.Expect(time.Since(start)).To(Equal(time.Second))
	})
	rule(t, "H1: only for methods that may be replayed, and bodies that can be", func(t *testing.T, g Gomega) {
		for _, req := range []*http.Request{request(t, "POST", nil), request(t, "GET", stream("once"))} {
			w := plays(after(time.Second, answers(200)))
			resp, err := transport(g, w, hedge).RoundTrip(req)
			g.Expect(err).NotTo(HaveOccurred())
			resp.Body.Close()
			g.Expect(w.seen()).To(HaveLen(1))
		}
		w := plays(after(time.Second, answers(200)))
		resp, err := transport(g, w, hedge, resilient.WithMethods("PUT")).RoundTrip(request(t, "PUT", strings.NewReader("abc")))
		g.Expect(err).NotTo(HaveOccurred())
		resp.Body.Close()
		g.Expect(w.seen()).To(HaveLen(3))
		for _, a := range w.seen() {
			g.Expect(a.body).To(Equal("abc")) // B1
		}
	})
	rule(t, "H2: the winner cancels the losers, and their bodies are closed", func(t *testing.T, g Gomega) {
		var canceled atomic.Int64
		watched := func(req *http.Request) (*http.Response, error) {
			<-req.Context().Done()
			canceled.Add(1)
			return nil, req.Context().Err()
		}
		w := plays(watched, stubborn(time.Second, answers(200)), after(50*time.Millisecond, answers(201)))
		resp, err := transport(g, w, hedge).RoundTrip(request(t, "GET", nil))
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(resp.StatusCode).To(Equal(201))
		time.Sleep(time.Minute) // the stubborn one has answered by now
		g.Expect(canceled.Load()).To(BeEquivalentTo(1))
		g.Expect(w.opened.Load() - w.closed.Load()).To(BeEquivalentTo(1))
		g.Expect(text(g, resp)).To(Equal("body of 201")) // R7: the winner lives on
	})
	rule(t, "H3: a fatal answer cancels all", func(t *testing.T, g Gomega) {
		w, start := plays(hangs, answers(404)), time.Now()
		resp, err := transport(g, w, hedge).RoundTrip(request(t, "GET", nil))
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(resp.StatusCode).To(Equal(404))
		resp.Body.Close()
		g.Expect(time.Since(start)).To(Equal(100 * time.Millisecond))

		resp, err = transport(g, plays(hangs, fails(http.ErrSchemeMismatch)), hedge).RoundTrip(request(t, "GET", nil))
		g.Expect(failure(g, resp, err).Cause).To(Equal(resilient.CausePermanent))
	})
	rule(t, "H4: throttled like retries; CB-12: a denied hedge leaves the base call alive", func(t *testing.T, g Gomega) {
		w := plays(after(time.Second, answers(200)))
		tr := transport(g, w, hedge, resilient.WithBudget(rate(g, 0, 3, 0)), resilient.WithAttempts(3))
		for range 5 {
			resp, err := tr.RoundTrip(request(t, "GET", nil))
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(text(g, resp)).To(Equal("body of 200"))
		}
		g.Expect(w.seen()).To(HaveLen(5 + 3))
	})
	rule(t, "H5: a non-fatal failure sends the next one at once", func(t *testing.T, g Gomega) {
		w, start := plays(after(20*ms, answers(503)), after(20*ms, fails(errReset)), answers(200)), time.Now()
		resp, err := transport(g, w, hedge, constantly(time.Hour)).RoundTrip(request(t, "GET", nil))
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(text(g, resp)).To(Equal("body of 200"))
		g.Expect(starts(w, start)).To(Equal([]time.Duration{0, 20 * ms, 40 * ms}))
		g.Expect(resilient.Info(resp)).To(Equal(resilient.CallInfo{Attempts: 3}))
		g.Expect(w.opened.Load()).To(Equal(w.closed.Load()))
	})
	rule(t, "H5, T1: not before its Retry-After; paid for once", func(t *testing.T, g Gomega) {
		b := &countingBudget{}
		w, start := plays(answers(503, "Retry-After", "2"), answers(200)), time.Now()
		resp, err := transport(g, w, hedge, resilient.WithBudget(b)).RoundTrip(request(t, "GET", nil))
		g.Expect(err).NotTo(HaveOccurred())
		resp.Body.Close()
		g.Expect(starts(w, start)[1]).To(BeNumerically(">=", 2*time.Second))
		g.Expect(resilient.Info(resp).Waited).To(BeNumerically(">=", 2*time.Second))
		g.Expect(b.asked).To(Equal(1))
	})
	rule(t, "T1: not before the Retry-After of another attempt either; paid for once", func(t *testing.T, g Gomega) {
		b := &countingBudget{}
		w, start := plays(after(150*ms, answers(503, "Retry-After", "2")), after(100*ms, fails(errReset)), answers(200)), time.Now()
		resp, err := transport(g, w, hedge, resilient.WithBudget(b)).RoundTrip(request(t, "GET", nil))
		g.Expect(err).NotTo(HaveOccurred())
		resp.Body.Close()
		g.Expect(starts(w, start)[2]).To(BeNumerically(">=", 150*ms+2*time.Second), "attempt 2 failed at 200 ms")
		g.Expect(b.asked).To(Equal(2), "once for the hedge, once for attempt 3")

		w, start = plays(after(150*ms, answers(503, "Retry-After", "2")), after(100*ms, answers(503, "Retry-After", "4")), answers(200)), time.Now()
		resp, err = transport(g, w, hedge).RoundTrip(request(t, "GET", nil))
		g.Expect(err).NotTo(HaveOccurred())
		resp.Body.Close()
		third := starts(w, start)[2]
		g.Expect(third).To(BeNumerically(">=", 200*ms+4*time.Second))
		g.Expect(resilient.Info(resp).Waited).To(Equal(third-150*ms), "both waits are one")
	})
	rule(t, "T6: a Retry-After above the cap ends the hedging; what is under way may still win", func(t *testing.T, g Gomega) {
		w, start := plays(after(time.Second, answers(200)), answers(503, "Retry-After", "3600"), answers(200)), time.Now()
		resp, err := transport(g, w, hedge, resilient.WithAttempts(9)).RoundTrip(request(t, "GET", nil))
		g.Expect(err).NotTo(HaveOccurred())
		resp.Body.Close()
		g.Expect(starts(w, start)).To(Equal([]time.Duration{0, 100 * ms}))
		g.Expect(time.Since(start)).To(Equal(time.Second))
	})
	rule(t, "a failure while another is under way does not end the call", func(t *testing.T, g Gomega) {
		w := plays(after(time.Second, answers(200)), answers(503), answers(503))
		resp, err := transport(g, w, hedge).RoundTrip(request(t, "GET", nil))
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(text(g, resp)).To(Equal("body of 200"))
		g.Expect(w.seen()).To(HaveLen(3))
		g.Expect(w.opened.Load()).To(Equal(w.closed.Load()))
	})
	rule(t, "R5: all fail → the last response, unread; E2: or an error with the attempts", func(t *testing.T, g Gomega) {
		w := plays(after(250*ms, fails(errReset)), after(250*ms, answers(502)), after(250*ms, answers(503)))
		resp, err := transport(g, w, hedge).RoundTrip(request(t, "GET", nil))
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(w.read.Load()).To(BeZero())
		g.Expect(text(g, resp)).To(Equal("body of 503"))
		g.Expect(resilient.Info(resp)).To(Equal(resilient.CallInfo{Attempts: 3, Hedges: 2, Cause: resilient.CauseExhausted}))

		resp, err = transport(g, plays(after(250*ms, fails(errReset))), hedge).RoundTrip(request(t, "GET", nil))
		g.Expect(failure(g, resp, err).Attempts).To(Equal(3))
		g.Expect(err).To(MatchError(resilient.ErrExhausted))
		g.Expect(err).To(MatchError(errReset))
	})
	rule(t, "C1: cancelled → returns at once, whatever is under way", func(t *testing.T, g Gomega) {
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(time.Second, cancel)
		w, start := plays(answers(503), stubborn(time.Minute, answers(200))), time.Now()
		resp, err := transport(g, w, hedge).RoundTrip(request(t, "GET", nil).WithContext(ctx))
		failed := failure(g, resp, err)
		g.Expect(time.Since(start)).To(Equal(time.Second))
		g.Expect(err).To(MatchError(context.Canceled))
		g.Expect(failed.Last).To(BeAssignableToTypeOf(&resilient.StatusError{}))
		time.Sleep(2 * time.Minute)
		g.Expect(w.opened.Load()).To(Equal(w.closed.Load()))
	})
	rule(t, "C3: each of the attempts has its own timeout", func(t *testing.T, g Gomega) {
		w, start := plays(hangs, hangs, answers(200)), time.Now()
		resp, err := transport(g, w, hedge, resilient.WithAttemptTimeout(150*ms)).RoundTrip(request(t, "GET", nil))
		g.Expect(err).NotTo(HaveOccurred())
		resp.Body.Close()
		g.Expect(starts(w, start)).To(Equal([]time.Duration{0, 100 * ms, 150 * ms}))
	})
	rule(t, "a getter that fails is an error", func(t *testing.T, g Gomega) {
		req := request(t, "GET", stream("x"))
		req.GetBody = func() (io.ReadCloser, error) { return nil, io.ErrClosedPipe }
		for _, first := range []step{hangs, answers(503)} {
			body := req.WithContext(t.Context())
			body.Body = stream("x")
			resp, err := transport(g, plays(first), hedge).RoundTrip(body)
			g.Expect(failure(g, resp, err).Cause).To(Equal(resilient.CauseNotReplayable))
			g.Expect(err).To(MatchError(io.ErrClosedPipe))
		}
	})
	rule(t, "WithHedge(0) hedges nothing; a negative delay is an error", func(t *testing.T, g Gomega) {
		w := plays(after(time.Second, answers(200)))
		resp, err := transport(g, w, hedge, resilient.WithHedge(0)).RoundTrip(request(t, "GET", nil))
		g.Expect(err).NotTo(HaveOccurred())
		resp.Body.Close()
		g.Expect(w.seen()).To(HaveLen(1))
		_, err = resilient.New(nil, resilient.WithHedge(-1))
		g.Expect(err).To(MatchError(ContainSubstring("0 hedges nothing")))
	})
}
