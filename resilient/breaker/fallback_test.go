package breaker_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/faultsrv/faultsrv/resilient"
	"github.com/faultsrv/faultsrv/resilient/breaker"
	. "github.com/onsi/gomega"
)

func TestFallback(t *testing.T) {
	cached := func(error) (*http.Response, error) {
		return &http.Response{StatusCode: 203, Body: io.NopCloser(strings.NewReader("cached"))}, nil
	}
	rule(t, "S4: called with the cause when the command fails, is rejected, times out or is open; it may return a response", func(t *testing.T, g Gomega) {
		var causes []error
		opts := []breaker.ClientOption{
			breaker.WithRequestVolumeThreshold(3), breaker.WithErrorPercentThreshold(100), breaker.WithCommandTimeout(time.Second),
			breaker.WithMaxConcurrentRequests(1), breaker.WithFallbackFunc(func(cause error) (*http.Response, error) {
				causes = append(causes, cause)
				return cached(cause)
			}),
		}
		w := plays(answers(503), fails(errReset), hangs)
		c := client(g, w, opts...)
		for range 4 {
			resp, err := c.Get(upstream, nil)
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(resp.StatusCode).To(Equal(203))
			resp.Body.Close()
		}
		var status *resilient.StatusError
		g.Expect(errors.As(causes[0], &status)).To(BeTrue())
		g.Expect(status.StatusCode).To(Equal(503))
		g.Expect(causes[1]).To(MatchError(errReset))
		g.Expect(causes[2]).To(MatchError(breaker.ErrCommandTimeout))
		g.Expect(causes[3]).To(MatchError(resilient.ErrCircuitOpen))
		g.Expect(w.open.Load()).To(BeZero()) // the 503 was closed

		c = client(g, plays(answers(200)), opts...)
		held, err := c.Get(upstream, nil)
		g.Expect(err).NotTo(HaveOccurred())
		_, err = c.Get(upstream, nil)
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(causes[4]).To(MatchError(breaker.ErrConcurrencyLimit))
		held.Body.Close()
	})
	rule(t, "F1: a fallback runs only after the final failure", func(t *testing.T, g Gomega) {
		called := 0
		w := plays(answers(503), fails(errReset), answers(404))
		c := client(g, w, breaker.WithRetryCount(2), breaker.WithFallbackFunc(func(error) (*http.Response, error) {
			called++
			return cached(nil)
		}))
		status, err := get(c, t.Context())
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(status).To(Equal(404)) // no failure, no fallback
		g.Expect(called).To(BeZero())
	})
	rule(t, "F1: a fallback never runs on cancellation", func(t *testing.T, g Gomega) {
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(time.Second, cancel)
		c := client(g, plays(hangs), breaker.WithFallbackCtxFunc(func(context.Context, error) (*http.Response, error) {
			t.Error("called")
			return nil, nil
		}))
		_, err := get(c, ctx)
		g.Expect(err).To(MatchError(context.Canceled))
	})
	rule(t, "S4: none and no error is an error of its own", func(t *testing.T, g Gomega) {
		nothing := breaker.WithFallbackFunc(func(error) (*http.Response, error) { return nil, nil })
		for _, step := range []func(*http.Request) (*http.Response, error){answers(503), fails(errReset)} {
			w := plays(step)
			_, err := get(client(g, w, nothing), t.Context())
			g.Expect(err).To(MatchError(resilient.ErrNoFallback))
			g.Expect(w.open.Load()).To(BeZero())
		}
	})
	rule(t, "an error of the fallback is joined to the cause", func(t *testing.T, g Gomega) {
		empty := errors.New("the cache is empty")
		_, err := get(client(g, plays(fails(errReset)), breaker.WithFallbackCtxFunc(
			func(ctx context.Context, cause error) (*http.Response, error) {
				g.Expect(ctx.Value(empty)).To(Equal("here"))
				return nil, empty
			})), context.WithValue(t.Context(), empty, "here"))
		g.Expect(err).To(MatchError("connection reset by peer, the cache is empty"))
		g.Expect(err).To(MatchError(errReset))
		g.Expect(err).To(MatchError(empty))
	})
}
