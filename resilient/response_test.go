package resilient_test

import (
	"context"
	"errors"
	"io"
	"math"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/faultsrv/faultsrv/resilient"
	. "github.com/onsi/gomega"
)

func TestResponse(t *testing.T) {
	rule(t, "R1: responses opened = responses closed", func(t *testing.T, g Gomega) {
		w := plays(answers(503), answers(502), fails(errReset), answers(504), answers(200))
		resp, err := transport(g, w, resilient.WithAttempts(5)).RoundTrip(request(t, "GET", nil))
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(w.opened.Load() - w.closed.Load()).To(BeEquivalentTo(1)) // the caller's
		resp.Body.Close()
		g.Expect(w.opened.Load()).To(Equal(w.closed.Load()))
	})
	rule(t, "R1: a response that comes with an error is closed", func(t *testing.T, g Gomega) {
		w := plays(func(*http.Request) (*http.Response, error) {
			return &http.Response{StatusCode: 502, Body: io.NopCloser(strings.NewReader(""))}, errReset
		})
		_, err := transport(g, w).RoundTrip(request(t, "GET", nil))
		g.Expect(err).To(MatchError(errReset))
		g.Expect(w.opened.Load()).To(BeEquivalentTo(3))
		g.Expect(w.closed.Load()).To(BeEquivalentTo(3))
	})
	rule(t, "a response that names no request gets the caller's", func(t *testing.T, g Gomega) {
		base := roundTrip(func(*http.Request) (*http.Response, error) {
			return &http.Response{StatusCode: 503, Body: http.NoBody}, nil
		})
		req := request(t, "GET", nil)
		resp, err := transport(g, base, resilient.WithStatuses()).RoundTrip(req)
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(resp.Request).To(BeIdenticalTo(req))

		resp, err = transport(g, base, resilient.WithAttempts(1)).RoundTrip(req)
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(resilient.Info(resp).Cause).To(Equal(resilient.CauseExhausted))
	})
	rule(t, "R2: draining a discarded response is capped in bytes", func(t *testing.T, g Gomega) {
		w := plays(answersWith(503, func() io.ReadCloser { return endless{} }), answers(200))
		_, err := transport(g, w, resilient.WithDrain(1000, time.Second)).RoundTrip(request(t, "GET", nil))
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(w.read.Load()).To(BeEquivalentTo(1001))
		g.Expect(w.closed.Load()).To(BeEquivalentTo(1))
	})
	rule(t, "R2: a response that declares more than the cap is closed unread", func(t *testing.T, g Gomega) {
		w := plays(func(*http.Request) (*http.Response, error) {
			return &http.Response{StatusCode: 503, ContentLength: 1 << 40, Body: endless{}}, nil
		}, answers(200))
		_, err := transport(g, w).RoundTrip(request(t, "GET", nil))
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(w.read.Load()).To(BeZero())
		g.Expect(w.closed.Load()).To(BeEquivalentTo(1))
	})
	rule(t, "R3: draining a stalled response is capped in time", func(t *testing.T, g Gomega) {
		w := plays(answersWith(503, silent), answers(200))
		start := time.Now()
		_, err := transport(g, w, constantly(0), resilient.WithDrain(1000, 300*time.Millisecond)).RoundTrip(request(t, "GET", nil))
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(time.Since(start)).To(Equal(300 * time.Millisecond))
		g.Expect(w.closed.Load()).To(BeEquivalentTo(1))
	})
	rule(t, "R3: a drain that used up the time of the pause → returns now", func(t *testing.T, g Gomega) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		w, start := plays(answersWith(503, silent)), time.Now()
		resp, err := transport(g, w, constantly(900*time.Millisecond), resilient.WithDrain(1000, 300*time.Millisecond)).
			RoundTrip(request(t, "GET", nil).WithContext(ctx))
		g.Expect(failure(g, resp, err).Cause).To(Equal(resilient.CauseDeadline))
		g.Expect(err).To(MatchError(context.DeadlineExceeded))
		g.Expect(time.Since(start)).To(Equal(300 * time.Millisecond))
	})
	rule(t, "R4: small discarded bodies → read to their end, so that the connection is reused", func(t *testing.T, g Gomega) {
		for _, size := range []int{0, 1, 999, 1000} {
			ended := &endSeen{Reader: strings.NewReader(strings.Repeat("x", size))}
			w := plays(answersWith(503, func() io.ReadCloser { return ended }), answers(200))
			_, err := transport(g, w, resilient.WithDrain(1000, time.Second)).RoundTrip(request(t, "GET", nil))
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(ended.seen).To(BeTrue(), "%d bytes", size)
		}
	})
	rule(t, "WithDrain has no limit where it is the largest number", func(t *testing.T, g Gomega) {
		w := plays(answers(503), answers(200))
		resp, err := transport(g, w, resilient.WithDrain(math.MaxInt64, time.Second)).RoundTrip(request(t, "GET", nil))
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(w.read.Load()).To(BeEquivalentTo(len("body of 503")))
		resp.Body.Close()
	})
	rule(t, "WithDrain(0, …) reads nothing", func(t *testing.T, g Gomega) {
		w := plays(answers(503), answers(200))
		_, err := transport(g, w, resilient.WithDrain(0, time.Second)).RoundTrip(request(t, "GET", nil))
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(w.read.Load()).To(BeZero())
		g.Expect(w.closed.Load()).To(BeEquivalentTo(1))
	})
	rule(t, "R5: attempts exhausted on a status → the last response, its body unread, no error", func(t *testing.T, g Gomega) {
		w := plays(answers(502), answers(503), answers(504))
		resp, err := transport(g, w, resilient.WithDrain(0, 0)).RoundTrip(request(t, "GET", nil))
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(w.read.Load()).To(BeZero())
		g.Expect(text(g, resp)).To(Equal("body of 504"))
		info := resilient.Info(resp)
		g.Expect(info.Attempts).To(Equal(3))
		g.Expect(info.Cause).To(Equal(resilient.CauseExhausted))
	})
	rule(t, "R6, S6: a body that failed after the response was accepted → surfaced, never retried", func(t *testing.T, g Gomega) {
		w := plays(answersWith(200, func() io.ReadCloser {
			return io.NopCloser(io.MultiReader(strings.NewReader("half"), errorReader{io.ErrUnexpectedEOF}))
		}))
		resp, err := transport(g, w).RoundTrip(request(t, "GET", nil))
		g.Expect(err).NotTo(HaveOccurred())
		_, err = io.ReadAll(resp.Body)
		g.Expect(err).To(MatchError(io.ErrUnexpectedEOF))
		g.Expect(w.seen()).To(HaveLen(1))
	})
	rule(t, "R7: a per-attempt timeout's context lives until the body is closed", func(t *testing.T, g Gomega) {
		var attempt context.Context
		w := plays(func(req *http.Request) (*http.Response, error) {
			attempt = req.Context()
			return answers(200)(req)
		})
		resp, err := transport(g, w, resilient.WithAttemptTimeout(time.Second)).RoundTrip(request(t, "GET", nil))
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(attempt.Err()).NotTo(HaveOccurred())
		g.Expect(text(g, resp)).To(Equal("body of 200"))
		g.Expect(attempt.Err()).To(MatchError(context.Canceled))
		g.Expect(resp.Request.Context().Err()).NotTo(HaveOccurred())
	})
	rule(t, "a 101 response stays writable under a per-attempt timeout", func(t *testing.T, g Gomega) {
		written := &duplex{}
		w := plays(answersWith(101, func() io.ReadCloser { return written }))
		tr := transport(g, unwrapped{w, written}, resilient.WithAttemptTimeout(time.Second))
		resp, err := tr.RoundTrip(request(t, "GET", nil))
		g.Expect(err).NotTo(HaveOccurred())
		_, err = io.WriteString(resp.Body.(io.Writer), "frame")
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(written.String()).To(Equal("frame"))
		g.Expect(resp.Body.Close()).To(Succeed())
	})
	rule(t, "http.NoBody stays http.NoBody", func(t *testing.T, g Gomega) {
		tr := transport(g, roundTrip(func(*http.Request) (*http.Response, error) {
			return &http.Response{StatusCode: 204, Body: http.NoBody}, nil
		}), resilient.WithAttemptTimeout(time.Second))
		resp, err := tr.RoundTrip(request(t, "GET", nil))
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(resp.Body).To(BeIdenticalTo(http.NoBody))
	})
}

func TestInfo(t *testing.T) {
	rule(t, "Info tells what it took", func(t *testing.T, g Gomega) {
		w := plays(answers(503), answers(503), answers(200))
		resp, err := transport(g, w, constantly(time.Second)).RoundTrip(request(t, "GET", nil))
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(resilient.Info(resp)).To(Equal(resilient.CallInfo{Attempts: 3, Waited: 2 * time.Second}))
	})
	rule(t, "Info does not leak into calls that inherit the context", func(t *testing.T, g Gomega) {
		tr := transport(g, plays(answers(503), answers(200)))
		resp, err := tr.RoundTrip(request(t, "GET", nil))
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(resilient.Info(resp).Attempts).To(Equal(2))
		next, err := tr.RoundTrip(request(t, "GET", nil).WithContext(resp.Request.Context()))
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(resilient.Info(next).Attempts).To(Equal(1))
	})
	rule(t, "Info of nothing, and of a response made elsewhere", func(t *testing.T, g Gomega) {
		g.Expect(resilient.Info(nil)).To(BeZero())
		g.Expect(resilient.Info(&http.Response{})).To(Equal(resilient.CallInfo{Attempts: 1}))
	})
}

type endSeen struct {
	io.Reader
	seen bool
}

func (e *endSeen) Read(p []byte) (int, error) {
	n, err := e.Reader.Read(p)
	e.seen = e.seen || errors.Is(err, io.EOF)
	return n, err
}

func (e *endSeen) Close() error { return nil }

type duplex struct{ strings.Builder }

func (d *duplex) Read([]byte) (int, error) { return 0, io.EOF }
func (d *duplex) Close() error             { return nil }

// unwrapped hands out the body itself instead of the wire's counted one.
type unwrapped struct {
	*wire
	body io.ReadCloser
}

func (u unwrapped) RoundTrip(req *http.Request) (*http.Response, error) {
	resp, err := u.wire.RoundTrip(req)
	resp.Body = u.body
	return resp, err
}

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(req *http.Request) (*http.Response, error) { return f(req) }
