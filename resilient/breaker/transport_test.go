package breaker_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/faultsrv/faultsrv/resilient"
	"github.com/faultsrv/faultsrv/resilient/breaker"
	. "github.com/onsi/gomega"
)

func request(ctx context.Context, url string) *http.Request {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		panic(err)
	}
	return req
}

func guarded(g Gomega, base http.RoundTripper, selector breaker.Selector) *breaker.Transport {
	tr, err := breaker.NewTransport(base, selector)
	g.Expect(err).NotTo(HaveOccurred())
	return tr
}

func TestTransport(t *testing.T) {
	rule(t, "X9: transport errors and 5xx count; 4xx do not", func(t *testing.T, g Gomega) {
		for status, failures := range map[int]int{200: 0, 302: 0, 404: 0, 429: 0, 500: 1, 503: 1, 0: 1} {
			step := answers(status)
			if status == 0 {
				step = fails(errReset)
			}
			b := made(g)
			resp, err := guarded(g, plays(step), b).RoundTrip(request(t.Context(), upstream))
			g.Expect(err == nil).To(Equal(status != 0))
			if err == nil {
				resp.Body.Close()
			}
			g.Expect(b.Snapshot()).To(Equal(breaker.Snapshot{Calls: 1, Failures: failures}), "%d", status)
		}
	})
	rule(t, "X1, X12: under a resilient.Transport each attempt asks, and a rejected one is not retried", func(t *testing.T, g Gomega) {
		w := plays(fails(errReset))
		base := guarded(g, w, made(g, breaker.WithFailures(2), breaker.WithOpenFor(time.Hour)))
		tr, err := resilient.New(base, resilient.WithAttempts(5))
		g.Expect(err).NotTo(HaveOccurred())
		_, err = tr.RoundTrip(request(t.Context(), upstream))
		var failed *resilient.Error
		g.Expect(err).To(MatchError(resilient.ErrCircuitOpen))
		g.Expect(errors.As(err, &failed)).To(BeTrue())
		g.Expect(failed.Cause).To(Equal(resilient.CauseCircuitOpen))
		g.Expect(failed.Attempts).To(Equal(3)) // the third was rejected
		g.Expect(w.sent.Load()).To(BeEquivalentTo(2))

		start := time.Now()
		_, err = tr.RoundTrip(request(t.Context(), upstream))
		g.Expect(err).To(MatchError(resilient.ErrCircuitOpen))
		g.Expect(time.Since(start)).To(BeZero())
		g.Expect(base.Counters()).To(Equal(breaker.Counters{Attempts: 4, Failures: 2, ShortCircuits: 2}))
	})
	rule(t, "CB-07: the caller's cancellation is neutral; an attempt's timeout and a deadline are failures", func(t *testing.T, g Gomega) {
		b := made(g)
		tr, err := resilient.New(guarded(g, plays(hangs), b), resilient.WithAttempts(1), resilient.WithAttemptTimeout(time.Second))
		g.Expect(err).NotTo(HaveOccurred())
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(50*time.Millisecond, cancel)
		_, err = tr.RoundTrip(request(ctx, upstream))
		g.Expect(err).To(MatchError(context.Canceled))
		g.Expect(b.Snapshot()).To(Equal(breaker.Snapshot{}))

		_, err = tr.RoundTrip(request(t.Context(), upstream))
		g.Expect(err).To(MatchError(resilient.ErrAttemptTimeout))
		g.Expect(b.Snapshot()).To(Equal(breaker.Snapshot{Calls: 1, Failures: 1}))

		client := &http.Client{Transport: guarded(g, plays(hangs), b), Timeout: time.Second}
		_, err = client.Get(upstream)
		g.Expect(err).To(MatchError(context.DeadlineExceeded))
		g.Expect(b.Snapshot()).To(Equal(breaker.Snapshot{Calls: 2, Failures: 2}))
	})
	rule(t, "CB-01: a probe that ends in a 404 closes the breaker", func(t *testing.T, g Gomega) {
		b := tripped(g)
		time.Sleep(time.Second)
		resp, err := guarded(g, plays(answers(404)), b).RoundTrip(request(t.Context(), upstream))
		g.Expect(err).NotTo(HaveOccurred())
		resp.Body.Close()
		g.Expect(b.State()).To(Equal(breaker.Closed))
	})
	rule(t, "a rejected request's body is closed", func(t *testing.T, g Gomega) {
		body := &closeCounter{Reader: strings.NewReader("x")}
		req := request(t.Context(), upstream)
		req.Body = body
		_, err := guarded(g, plays(answers(200)), tripped(g)).RoundTrip(req)
		g.Expect(err).To(MatchError(resilient.ErrCircuitOpen))
		g.Expect(body.closed.Load()).To(BeEquivalentTo(1))
	})
	rule(t, "a base that breaks its contract is a failure that says so", func(t *testing.T, g Gomega) {
		b := made(g)
		base := plays(func(*http.Request) (*http.Response, error) { return nil, nil },
			func(*http.Request) (*http.Response, error) { return &http.Response{StatusCode: 200}, nil },
			func(req *http.Request) (*http.Response, error) {
				resp, _ := answers(500)(req)
				return resp, errReset
			})
		tr := guarded(g, base, b)
		_, err := tr.RoundTrip(request(t.Context(), upstream))
		g.Expect(err).To(MatchError(ContainSubstring("neither a response nor an error")))
		resp, err := tr.RoundTrip(request(t.Context(), upstream))
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(resp.Body).To(BeIdenticalTo(http.NoBody))
		_, err = tr.RoundTrip(request(t.Context(), upstream))
		g.Expect(err).To(BeIdenticalTo(errReset))
		g.Expect(base.open.Load()).To(BeZero())
		g.Expect(b.Snapshot()).To(Equal(breaker.Snapshot{Calls: 3, Failures: 2}))
	})
	rule(t, "observers see the breaker's state", func(t *testing.T, g Gomega) {
		var states []string
		b := made(g, breaker.WithFailures(1), breaker.WithOpenFor(time.Hour))
		tr, err := resilient.New(guarded(g, plays(fails(errReset)), b), resilient.WithObserver(resilient.ObserverFunc(func(e resilient.Event) {
			states = append(states, string(e.Kind)+" "+e.Breaker)
		})), resilient.WithAttempts(2))
		g.Expect(err).NotTo(HaveOccurred())
		_, err = tr.RoundTrip(request(t.Context(), upstream))
		g.Expect(err).To(HaveOccurred())
		g.Expect(states).To(Equal([]string{"attempt closed", "result open", "pause open", "attempt open", "result open", "end open"}))

		states = nil
		c := client(g, plays(answers(200)), breaker.WithClientOptions(resilient.WithObserver(resilient.ObserverFunc(func(e resilient.Event) {
			states = append(states, e.Breaker)
		}))))
		_, _ = get(c, t.Context())
		g.Expect(states).To(HaveEach("closed"))
	})
	rule(t, "without a breaker there is no Transport; without a base it is http.DefaultTransport", func(t *testing.T, g Gomega) {
		_, err := breaker.NewTransport(nil, nil)
		g.Expect(err).To(MatchError(ContainSubstring("there is no breaker")))
		original := http.DefaultTransport
		defer func() { http.DefaultTransport = original }()
		w := plays(answers(200))
		http.DefaultTransport = w
		tr := guarded(g, nil, made(g))
		_, err = tr.RoundTrip(request(t.Context(), upstream))
		g.Expect(err).NotTo(HaveOccurred())
		tr.CloseIdleConnections() // the wire has no such method
		base := &idle{}
		(&http.Client{Transport: guarded(g, base, made(g))}).CloseIdleConnections()
		g.Expect(base.closed).To(BeTrue())
	})
}

func TestGroup(t *testing.T) {
	rule(t, "one breaker a host by a key function", func(t *testing.T, g Gomega) {
		hosts, err := breaker.NewGroup(nil, breaker.WithFailures(1))
		g.Expect(err).NotTo(HaveOccurred())
		tr := guarded(g, plays(fails(errReset), answers(200)), hosts)
		_, err = tr.RoundTrip(request(t.Context(), "http://down.test/a"))
		g.Expect(err).To(BeIdenticalTo(errReset))
		_, err = tr.RoundTrip(request(t.Context(), "http://down.test/b"))
		g.Expect(err).To(MatchError(ContainSubstring(`"down.test" is open`)))
		_, err = tr.RoundTrip(request(t.Context(), "http://up.test:8080/a"))
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(breaker.ByHost(request(t.Context(), "http://up.test:8080/a"))).To(Equal("up.test:8080"))
		g.Expect(breaker.ByHost(&http.Request{})).To(BeEmpty())
	})
	rule(t, "a key function of one's own", func(t *testing.T, g Gomega) {
		paths, err := breaker.NewGroup(func(req *http.Request) string { return req.URL.Path }, breaker.WithFailures(1))
		g.Expect(err).NotTo(HaveOccurred())
		pass(g, paths.For(request(t.Context(), "http://h/a"))).Failure()
		rejected(g, paths.For(request(t.Context(), "http://other/a")))
		pass(g, paths.For(request(t.Context(), "http://h/b")))
	})
	rule(t, "a group is bounded: it forgets what is closed, never what is open", func(t *testing.T, g Gomega) {
		hosts, err := breaker.NewGroup(nil, breaker.WithFailures(1), breaker.WithOpenFor(time.Hour))
		g.Expect(err).NotTo(HaveOccurred())
		down := request(t.Context(), "http://down.test/")
		pass(g, hosts.For(down)).Failure()
		first := hosts.For(request(t.Context(), "http://h0.test/"))
		for i := range 10_001 {
			hosts.For(request(t.Context(), fmt.Sprintf("http://h%d.test/", i)))
		}
		g.Expect(hosts.For(request(t.Context(), "http://h0.test/"))).NotTo(BeIdenticalTo(first))
		rejected(g, hosts.For(down))
	})
	rule(t, "a group of servers that are all down is bounded, too, once their sleep windows are over", func(t *testing.T, g Gomega) {
		hosts, err := breaker.NewGroup(nil, breaker.WithFailures(1), breaker.WithOpenFor(time.Minute))
		g.Expect(err).NotTo(HaveOccurred())
		host := func(i int) *breaker.Breaker {
			return hosts.For(request(t.Context(), fmt.Sprintf("http://h%d.test/", i)))
		}
		for i := range 10_000 {
			pass(g, host(i)).Failure()
		}
		first := host(0)
		time.Sleep(30 * time.Second)
		pass(g, host(10_000)).Failure()
		g.Expect(host(0)).To(BeIdenticalTo(first), "it is open for another 30 s")
		time.Sleep(30 * time.Second)
		host(10_001)
		g.Expect(host(0)).NotTo(BeIdenticalTo(first))
		rejected(g, host(10_000))
	})
	rule(t, "bad options are an error", func(t *testing.T, g Gomega) {
		_, err := breaker.NewGroup(nil, breaker.WithProbes(0))
		g.Expect(err).To(MatchError(ContainSubstring("WithProbes(0)")))
	})
}

func TestLimiter(t *testing.T) {
	limiter := func(g Gomega, calls int, wait time.Duration) *breaker.Limiter {
		l, err := breaker.NewLimiter(calls, wait)
		g.Expect(err).NotTo(HaveOccurred())
		return l
	}
	rule(t, "L1: concurrency limit + 1 → a bounded wait", func(t *testing.T, g Gomega) {
		l := limiter(g, 1, time.Second)
		g.Expect(l.Acquire(t.Context())).To(Succeed())
		g.Expect(l.InUse()).To(Equal(1))
		start := time.Now()
		g.Expect(l.Acquire(t.Context())).To(MatchError(breaker.ErrConcurrencyLimit))
		g.Expect(time.Since(start)).To(Equal(time.Second))

		time.AfterFunc(500*time.Millisecond, l.Release)
		start = time.Now()
		g.Expect(l.Acquire(t.Context())).To(Succeed())
		g.Expect(time.Since(start)).To(Equal(500 * time.Millisecond))

		ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
		defer cancel()
		g.Expect(l.Acquire(ctx)).To(MatchError(context.DeadlineExceeded))
	})
	rule(t, "limits are errors with a reason", func(t *testing.T, g Gomega) {
		_, err := breaker.NewLimiter(0, 0)
		g.Expect(err).To(MatchError(ContainSubstring("use 1 or more")))
		_, err = breaker.NewLimiter(1, -1)
		g.Expect(err).To(MatchError(ContainSubstring("use 0 (no wait) or more")))
	})
}

type idle struct {
	http.RoundTripper
	closed bool
}

func (i *idle) CloseIdleConnections() { i.closed = true }

type closeCounter struct {
	*strings.Reader
	closed atomic.Int64
}

func (c *closeCounter) Close() error { c.closed.Add(1); return nil }
