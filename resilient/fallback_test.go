package resilient_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/faultsrv/faultsrv/resilient"
	. "github.com/onsi/gomega"
)

func TestFallback(t *testing.T) {
	cached := func(*http.Request, error) (*http.Response, error) {
		return &http.Response{StatusCode: 203, Body: io.NopCloser(strings.NewReader("cached"))}, nil
	}
	never := resilient.WithFallback(func(*http.Request, error) (*http.Response, error) {
		t.Error("the fallback was called")
		return nil, nil
	})
	retries := resilient.WithRetryCount(2)

	rule(t, "F1: a fallback runs only after the final failure", func(t *testing.T, g Gomega) {
		w := plays(fails(errReset), answers(502), answers(503))
		var causes []error
		resp, err := client(g, w, retries, resilient.WithFallback(func(req *http.Request, cause error) (*http.Response, error) {
			causes = append(causes, cause)
			g.Expect(req.URL.String()).To(Equal(upstream))
			return cached(req, cause)
		})).Get(upstream, nil)
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(resilient.Info(resp)).To(Equal(resilient.CallInfo{Attempts: 3, Cause: resilient.CauseExhausted}))
		g.Expect(text(g, resp)).To(Equal("cached"))
		g.Expect(causes).To(HaveLen(1))
		g.Expect(causes[0]).To(MatchError(errReset))
		var status *resilient.StatusError
		g.Expect(errors.As(causes[0], &status)).To(BeTrue())
		g.Expect(status.StatusCode).To(Equal(503))
		g.Expect(w.opened.Load()).To(Equal(w.closed.Load()))
	})
	rule(t, "F1: never on cancellation, and not for a success or a 404", func(t *testing.T, g Gomega) {
		for _, step := range []step{answers(200), answers(404)} {
			resp, err := client(g, plays(step), retries, never).Get(upstream, nil)
			g.Expect(err).NotTo(HaveOccurred())
			resp.Body.Close()
		}
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(time.Second, cancel)
		_, err := client(g, plays(answers(503)), retries, never, constantly(time.Hour)).GetContext(ctx, upstream, nil)
		g.Expect(err).To(MatchError(context.Canceled))
	})
	rule(t, "a caller whose deadline leaves no time for a retry still gets it", func(t *testing.T, g Gomega) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		resp, err := client(g, plays(answers(503)), retries, resilient.WithFallback(cached), constantly(time.Hour)).GetContext(ctx, upstream, nil)
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(text(g, resp)).To(Equal("cached"))
	})
	rule(t, "none and no error is an error of its own; an error is joined to the cause", func(t *testing.T, g Gomega) {
		_, err := client(g, plays(fails(errReset)), resilient.WithFallback(func(*http.Request, error) (*http.Response, error) {
			return nil, nil
		})).Get(upstream, nil)
		g.Expect(err).To(MatchError(resilient.ErrNoFallback))
		g.Expect(err).To(MatchError("connection reset by peer, the fallback returned neither a response nor an error"))
	})
	rule(t, "a response made by hand is completed", func(t *testing.T, g Gomega) {
		resp, err := client(g, plays(fails(errReset)), resilient.WithFallback(func(*http.Request, error) (*http.Response, error) {
			return &http.Response{StatusCode: 200}, nil
		})).Get(upstream, nil)
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(resp.Body).To(BeIdenticalTo(http.NoBody))
		g.Expect(resp.Request).NotTo(BeNil())
	})
	t.Run("nil is an error", func(t *testing.T) {
		_, err := resilient.NewClient(resilient.WithFallback(nil))
		NewWithT(t).Expect(err).To(MatchError(ContainSubstring("WithFallback: the function is nil")))
	})
}
