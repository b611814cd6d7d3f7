package breaker_test

import (
	"context"
	"errors"
	"io"
	"net/http"
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

const upstream = "http://upstream.test/orders/1"

var errReset = errors.New("connection reset by peer")

// wire plays one step a request, the last one for ever, as a Doer and as a
// RoundTripper.
type wire struct {
	steps []func(*http.Request) (*http.Response, error)
	sent  atomic.Int64
	open  atomic.Int64 // response bodies

	mu     sync.Mutex
	bodies []string
}

func plays(steps ...func(*http.Request) (*http.Response, error)) *wire { return &wire{steps: steps} }

func (w *wire) Do(req *http.Request) (*http.Response, error) {
	n := int(w.sent.Add(1))
	if req.Body != nil {
		data, err := io.ReadAll(req.Body)
		req.Body.Close()
		if err != nil {
			return nil, err
		}
		w.mu.Lock()
		w.bodies = append(w.bodies, string(data))
		w.mu.Unlock()
	}
	resp, err := w.steps[min(n, len(w.steps))-1](req)
	if resp != nil && resp.Body != nil {
		w.open.Add(1)
		resp.Body = &counted{ReadCloser: resp.Body, open: &w.open}
		resp.Request = req
	}
	return resp, err
}

func (w *wire) RoundTrip(req *http.Request) (*http.Response, error) { return w.Do(req) }

type counted struct {
	io.ReadCloser
	open *atomic.Int64
	once sync.Once
}

func (c *counted) Close() error {
	c.once.Do(func() { c.open.Add(-1) })
	return c.ReadCloser.Close()
}

func answers(status int) func(*http.Request) (*http.Response, error) {
	return func(*http.Request) (*http.Response, error) {
		return &http.Response{StatusCode: status, Body: io.NopCloser(strings.NewReader("body")), ContentLength: 4}, nil
	}
}

func fails(err error) func(*http.Request) (*http.Response, error) {
	return func(*http.Request) (*http.Response, error) { return nil, err }
}

func hangs(req *http.Request) (*http.Response, error) {
	<-req.Context().Done()
	return nil, req.Context().Err()
}

func after(d time.Duration, step func(*http.Request) (*http.Response, error)) func(*http.Request) (*http.Response, error) {
	return func(req *http.Request) (*http.Response, error) {
		select {
		case <-time.After(d):
			return step(req)
		case <-req.Context().Done():
			return nil, req.Context().Err()
		}
	}
}

func client(g Gomega, doer resilient.Doer, opts ...breaker.ClientOption) *breaker.Client {
	c, err := breaker.NewClient(append([]breaker.ClientOption{breaker.WithHTTPClient(doer)}, opts...)...)
	g.Expect(err).NotTo(HaveOccurred())
	return c
}

// get makes a call and closes what it returns.
func get(c *breaker.Client, ctx context.Context) (int, error) {
	resp, err := c.GetContext(ctx, upstream, nil)
	if resp == nil {
		return 0, err
	}
	resp.Body.Close()
	return resp.StatusCode, err
}

func TestClient(t *testing.T) {
	fast := []breaker.ClientOption{breaker.WithRequestVolumeThreshold(3), breaker.WithErrorPercentThreshold(100)}

	rule(t, "S4: defaults: command timeout 30 s, 100 concurrent requests, volume 10, sleep window 500 ms, 25 %, no retries", func(t *testing.T, g Gomega) {
		w := plays(hangs)
		c := client(g, w)
		start := time.Now()
		_, err := get(c, t.Context())
		g.Expect(err).To(MatchError(breaker.ErrCommandTimeout))
		g.Expect(time.Since(start)).To(Equal(30 * time.Second))
		g.Expect(w.sent.Load()).To(BeEquivalentTo(1))

		var calls sync.WaitGroup
		ctx, cancel := context.WithCancel(t.Context())
		c = client(g, plays(hangs))
		for range 100 {
			calls.Go(func() { _, _ = get(c, ctx) })
		}
		synctest.Wait()
		_, err = get(c, t.Context())
		g.Expect(err).To(MatchError(breaker.ErrConcurrencyLimit))
		cancel()
		calls.Wait()

		c = client(g, plays(answers(500), answers(500), answers(500), answers(200)))
		for range 10 {
			g.Expect(c.Breaker().State()).To(Equal(breaker.Closed))
			_, err = get(c, t.Context())
			g.Expect(err).NotTo(HaveOccurred())
		}
		g.Expect(c.Breaker().State()).To(Equal(breaker.Closed)) // no failure at its end
		c = client(g, plays(answers(200), answers(200), answers(200), answers(200), answers(200), answers(200), answers(200), answers(500)))
		for range 10 {
			_, _ = get(c, t.Context())
		}
		g.Expect(c.Breaker().Snapshot()).To(Equal(breaker.Snapshot{State: breaker.Open, Left: 500 * time.Millisecond}))
	})
	rule(t, "S4, X9: a 5xx or listed status counts as a failure, yet the caller gets the response and a nil error; 4xx do not", func(t *testing.T, g Gomega) {
		for status, state := range map[int]breaker.State{500: breaker.Open, 503: breaker.Open, 429: breaker.Open, 404: breaker.Closed, 200: breaker.Closed} {
			c := client(g, plays(answers(status)), append(fast, breaker.WithRetryableStatusCodes(429))...)
			for range 3 {
				got, err := get(c, t.Context())
				g.Expect(err).NotTo(HaveOccurred())
				g.Expect(got).To(Equal(status))
			}
			g.Expect(c.Breaker().State()).To(Equal(state), "%d", status)
		}
	})
	rule(t, "S4, X1: open: nothing is sent, rejected at once; after the sleep window one probe closes it", func(t *testing.T, g Gomega) {
		w := plays(fails(errReset), fails(errReset), fails(errReset), answers(200))
		c := client(g, w, append(fast, breaker.WithSleepWindow(time.Second))...)
		for range 3 {
			_, err := get(c, t.Context())
			g.Expect(err).To(BeIdenticalTo(errReset))
		}
		for range 10 {
			_, err := get(c, t.Context())
			g.Expect(err).To(MatchError(resilient.ErrCircuitOpen))
		}
		g.Expect(w.sent.Load()).To(BeEquivalentTo(3))
		time.Sleep(time.Second)
		_, err := get(c, t.Context())
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(c.Breaker().State()).To(Equal(breaker.Closed))
	})
	rule(t, "S4: each attempt runs inside a command; X12: opened by its own attempts, a call stops", func(t *testing.T, g Gomega) {
		w := plays(answers(503))
		c := client(g, w, append(fast, breaker.WithRetryCount(9))...)
		_, err := get(c, t.Context())
		g.Expect(err).To(MatchError(resilient.ErrCircuitOpen))
		g.Expect(w.sent.Load()).To(BeEquivalentTo(3))
		g.Expect(w.open.Load()).To(BeZero())
	})
	rule(t, "S4: two timeouts; either may fire first", func(t *testing.T, g Gomega) {
		slow := &http.Client{Transport: plays(hangs)}
		for _, c := range []struct {
			command, http, want time.Duration
			by                  error
		}{
			{time.Second, 2 * time.Second, time.Second, breaker.ErrCommandTimeout},
			{2 * time.Second, time.Second, time.Second, nil},
		} {
			for _, doer := range []resilient.Doer{slow, plays(hangs)} {
				cl := client(g, doer, breaker.WithHTTPTimeout(c.http), breaker.WithCommandTimeout(c.command))
				start := time.Now()
				_, err := get(cl, t.Context())
				g.Expect(time.Since(start)).To(Equal(c.want))
				g.Expect(err).To(MatchError(context.DeadlineExceeded))
				g.Expect(errors.Is(err, breaker.ErrCommandTimeout)).To(Equal(c.by != nil), "%v", err)
				var timeout interface{ Timeout() bool }
				g.Expect(errors.As(err, &timeout) && timeout.Timeout()).To(BeTrue())
				g.Expect(cl.Breaker().Snapshot().Failures).To(Equal(1))
			}
		}
	})
	rule(t, "BR-02: a timed-out attempt is cancelled and gets no further access to the body", func(t *testing.T, g Gomega) {
		var late io.Reader
		w := plays(answers(200))
		first := true
		doer := doerFunc(func(req *http.Request) (*http.Response, error) {
			if first {
				first, late = false, req.Body
				again, err := req.GetBody()
				g.Expect(err).NotTo(HaveOccurred())
				late = io.MultiReader(late, again)
				return hangs(req)
			}
			return w.Do(req)
		})
		c := client(g, doer, breaker.WithCommandTimeout(time.Second), breaker.WithRetryCount(1))
		resp, err := c.Post(upstream, strings.NewReader("whole"), nil)
		g.Expect(err).NotTo(HaveOccurred())
		resp.Body.Close()
		g.Expect(w.bodies).To(Equal([]string{"whole"}))
		_, err = io.ReadAll(late)
		g.Expect(err).To(MatchError(breaker.ErrCommandTimeout))
	})
	rule(t, "RC-02: an answer that comes with the timeout is either, never both", func(t *testing.T, g Gomega) {
		w := plays(func(req *http.Request) (*http.Response, error) {
			<-req.Context().Done()
			return answers(200)(req) // a Doer that answers all the same
		})
		_, err := get(client(g, w, breaker.WithCommandTimeout(time.Second)), t.Context())
		g.Expect(err).To(MatchError(breaker.ErrCommandTimeout))
		g.Expect(w.open.Load()).To(BeZero())
	})
	rule(t, "R7: the command's context lives until the body is closed, also after its timeout", func(t *testing.T, g Gomega) {
		var attempt context.Context
		c := client(g, doerFunc(func(req *http.Request) (*http.Response, error) {
			attempt = req.Context()
			return answers(200)(req)
		}), breaker.WithCommandTimeout(time.Second))
		resp, err := c.Get(upstream, nil)
		g.Expect(err).NotTo(HaveOccurred())
		time.Sleep(time.Minute)
		g.Expect(attempt.Err()).NotTo(HaveOccurred())
		resp.Body.Close()
		g.Expect(attempt.Err()).To(HaveOccurred())
	})
	rule(t, "X3: without a command timeout, too, a slow probe keeps its place", func(t *testing.T, g Gomega) {
		w := plays(answers(503), after(time.Second, answers(200)))
		c := client(g, w, breaker.WithCommandTimeout(0), breaker.WithRequestVolumeThreshold(1))
		_, err := get(c, t.Context())
		g.Expect(err).NotTo(HaveOccurred())
		time.Sleep(breaker.DefaultSleepWindow)
		go func() { _, _ = get(c, t.Context()) }() // the probe
		time.Sleep(500 * time.Millisecond)
		_, err = get(c, t.Context())
		g.Expect(err).To(MatchError(resilient.ErrCircuitOpen))
		g.Expect(w.sent.Load()).To(BeEquivalentTo(2))
		time.Sleep(time.Second)
		g.Expect(c.Breaker().State()).To(Equal(breaker.Closed))
	})
	rule(t, "the longest durations saturate", func(t *testing.T, g Gomega) {
		c := client(g, plays(answers(200)), breaker.WithCommandTimeout(1<<63-1), breaker.WithSleepWindow(1<<63-1), breaker.WithHTTPTimeout(1<<63-1))
		_, err := get(c, t.Context())
		g.Expect(err).NotTo(HaveOccurred())
	})
	rule(t, "L1: concurrency limit + 1 → rejected at once", func(t *testing.T, g Gomega) {
		w := plays(after(time.Second, answers(200)))
		c := client(g, w, breaker.WithMaxConcurrentRequests(3))
		var calls sync.WaitGroup
		var rejected atomic.Int64
		for range 10 {
			calls.Go(func() {
				start := time.Now()
				if _, err := get(c, t.Context()); errors.Is(err, breaker.ErrConcurrencyLimit) {
					rejected.Add(1)
					g.Expect(time.Since(start)).To(BeZero())
				}
			})
		}
		calls.Wait()
		g.Expect(rejected.Load()).To(BeEquivalentTo(7))
		g.Expect(w.sent.Load()).To(BeEquivalentTo(3))
		g.Expect(c.Breaker().Snapshot()).To(Equal(breaker.Snapshot{Calls: 3})) // a rejection says nothing about the server
	})
	rule(t, "L2: a slot is given back when the response body is closed, and is not held during a backoff", func(t *testing.T, g Gomega) {
		c := client(g, plays(answers(200), answers(503), answers(200)), breaker.WithMaxConcurrentRequests(1), breaker.WithRetryCount(1),
			breaker.WithRetrier(resilient.NewRetrierFunc(func(int) time.Duration { return time.Minute })))
		held, err := c.Get(upstream, nil)
		g.Expect(err).NotTo(HaveOccurred())
		_, err = client(g, plays(answers(200)), breaker.WithMaxConcurrentRequests(1)).Get(upstream, nil)
		g.Expect(err).NotTo(HaveOccurred()) // a limit of its own
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		_, err = get(c, ctx)
		g.Expect(err).To(MatchError(breaker.ErrConcurrencyLimit))
		held.Body.Close()
		held.Body.Close() // gives one slot back, not two

		go func() { _, _ = get(c, t.Context()) }() // 503, then its pause
		synctest.Wait()
		status, err := get(c, t.Context())
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(status).To(Equal(200))
		time.Sleep(2 * time.Minute)
	})
	rule(t, "X6: a cancelled caller is counted as such, not as a failure", func(t *testing.T, g Gomega) {
		c := client(g, plays(hangs), fast...)
		for range 20 {
			ctx, cancel := context.WithCancel(t.Context())
			time.AfterFunc(50*time.Millisecond, cancel)
			_, err := get(c, ctx)
			g.Expect(err).To(MatchError(context.Canceled))
			late, cancel := context.WithTimeout(t.Context(), time.Millisecond)
			_, err = get(c, late)
			g.Expect(err).To(MatchError(context.DeadlineExceeded))
			cancel()
		}
		g.Expect(c.Breaker().Snapshot()).To(Equal(breaker.Snapshot{}))
		g.Expect(c.Counters()).To(And(HaveField("ContextCanceled", int64(20)), HaveField("DeadlineExceeded", int64(20)), HaveField("Failures", int64(0))))
	})
	rule(t, "X8: a panic gives the slots back", func(t *testing.T, g Gomega) {
		c := client(g, plays(func(*http.Request) (*http.Response, error) { panic("bug") }, answers(200)),
			breaker.WithMaxConcurrentRequests(1))
		g.Expect(func() { _, _ = get(c, t.Context()) }).To(PanicWith("bug"))
		_, err := get(c, t.Context())
		g.Expect(err).NotTo(HaveOccurred())
	})
	rule(t, "S4: counters a command", func(t *testing.T, g Gomega) {
		w := plays(answers(200), answers(503), fails(errReset), after(2*time.Second, answers(200)), hangs)
		c := client(g, w, breaker.WithCommandTimeout(5*time.Second), breaker.WithErrorPercentThreshold(60), breaker.WithRequestVolumeThreshold(5),
			breaker.WithFallbackFunc(func(cause error) (*http.Response, error) {
				if errors.Is(cause, errReset) {
					return nil, cause
				}
				return &http.Response{StatusCode: 203}, nil
			}))
		for range 7 {
			_, _ = get(c, t.Context())
		}
		g.Expect(c.Counters()).To(Equal(breaker.Counters{
			Attempts: 7, Successes: 2, Failures: 2, Timeouts: 1, ShortCircuits: 2,
			FallbackSuccesses: 4, FallbackFailures: 1, Duration: 7 * time.Second, LongestDuration: 5 * time.Second,
		}))
	})
	rule(t, "sharing a breaker is explicit", func(t *testing.T, g Gomega) {
		named := breaker.WithCommandName("orders")
		one, two := client(g, plays(fails(errReset)), append(fast, named)...), client(g, plays(answers(200)), append(fast, named)...)
		shared := client(g, plays(answers(200)), breaker.WithBreaker(one.Breaker()))
		for range 3 {
			_, _ = get(one, t.Context())
		}
		_, err := get(two, t.Context())
		g.Expect(err).NotTo(HaveOccurred())
		_, err = get(shared, t.Context())
		g.Expect(err).To(MatchError(ContainSubstring(`the circuit breaker "orders" is open`)))
	})
}

func TestClientOptions(t *testing.T) {
	g := NewWithT(t)
	for want, opt := range map[string]breaker.ClientOption{
		"WithCommandTimeout(-1ns)":     breaker.WithCommandTimeout(-1),
		"WithHTTPTimeout(-1ns)":        breaker.WithHTTPTimeout(-1),
		"a limit of 0 calls":           breaker.WithMaxConcurrentRequests(0),
		"a volume of 0 calls":          breaker.WithRequestVolumeThreshold(0),
		"0 percent":                    breaker.WithErrorPercentThreshold(0),
		"WithOpenFor(0s)":              breaker.WithSleepWindow(0),
		"the breaker is nil":           breaker.WithBreaker(nil),
		"the client is nil":            breaker.WithHTTPClient(nil),
		"the fallback is nil":          breaker.WithFallbackFunc(nil),
		"WithRetryCount(-1)":           breaker.WithRetryCount(-1),
		"the retrier is nil":           breaker.WithRetrier(nil),
		"use 200 to 599":               breaker.WithRetryableStatusCodes(1),
		"WithRetryErrorBudgetToken: ":  breaker.WithRetryErrorBudgetToken(0, 1),
		"WithRetryErrorBudgetPercent:": breaker.WithRetryErrorBudgetPercent(0, 1),
		"the first attempt counts":     breaker.WithClientOptions(resilient.WithAttempts(0)),
		"an option is nil":             nil,
	} {
		_, err := breaker.NewClient(opt)
		g.Expect(err).To(MatchError(And(HavePrefix("breaker.NewClient: "), ContainSubstring(want))))
	}
	var changes []breaker.Change
	c := client(g, plays(fails(errReset)), breaker.WithRequestVolumeThreshold(1), breaker.WithCommandName("n"),
		breaker.WithStateChange(func(c breaker.Change) { changes = append(changes, c) }))
	_, _ = get(c, t.Context())
	g.Expect(changes).To(Equal([]breaker.Change{{Name: "n", From: breaker.Closed, To: breaker.Open}}))
}

type doerFunc func(*http.Request) (*http.Response, error)

func (f doerFunc) Do(req *http.Request) (*http.Response, error) { return f(req) }
