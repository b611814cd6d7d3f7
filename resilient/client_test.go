package resilient_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/faultsrv/faultsrv/resilient"
	. "github.com/onsi/gomega"
)

// doer lets a wire play a Doer's part.
type doer struct{ *wire }

func (d doer) Do(req *http.Request) (*http.Response, error) { return d.RoundTrip(req) }

func client(g Gomega, w *wire, opts ...resilient.ClientOption) *resilient.Client {
	c, err := resilient.NewClient(append([]resilient.ClientOption{resilient.WithHTTPClient(doer{w})}, opts...)...)
	g.Expect(err).NotTo(HaveOccurred())
	return c
}

const upstream = "http://upstream.test/orders/1"

func TestClientHelpers(t *testing.T) {
	rule(t, "S1: with no option: no retries, no pauses", func(t *testing.T, g Gomega) {
		w := plays(answers(500))
		resp, err := client(g, w).Get(upstream, nil)
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(text(g, resp)).To(Equal("body of 500"))
		g.Expect(w.seen()).To(HaveLen(1))
	})
	rule(t, "S1: helpers build a request and call Do; nil headers are fine", func(t *testing.T, g Gomega) {
		w := plays(answers(200))
		c := client(g, w)
		headers := http.Header{"X-One": {"1"}}
		body := func() io.Reader { return strings.NewReader("body") }
		ctx := t.Context()
		for _, helper := range []struct {
			method, body string
			call         func(http.Header) (*http.Response, error)
		}{
			{"GET", "", func(h http.Header) (*http.Response, error) { return c.Get(upstream, h) }},
			{"POST", "body", func(h http.Header) (*http.Response, error) { return c.Post(upstream, body(), h) }},
			{"PUT", "body", func(h http.Header) (*http.Response, error) { return c.Put(upstream, body(), h) }},
			{"PATCH", "body", func(h http.Header) (*http.Response, error) { return c.Patch(upstream, body(), h) }},
			{"DELETE", "", func(h http.Header) (*http.Response, error) { return c.Delete(upstream, h) }},
			{"GET", "", func(h http.Header) (*http.Response, error) { return c.GetContext(ctx, upstream, h) }},
			{"POST", "body", func(h http.Header) (*http.Response, error) { return c.PostContext(ctx, upstream, body(), h) }},
			{"PUT", "body", func(h http.Header) (*http.Response, error) { return c.PutContext(ctx, upstream, body(), h) }},
			{"PATCH", "body", func(h http.Header) (*http.Response, error) { return c.PatchContext(ctx, upstream, body(), h) }},
			{"DELETE", "", func(h http.Header) (*http.Response, error) { return c.DeleteContext(ctx, upstream, h) }},
		} {
			for _, h := range []http.Header{nil, headers} {
				resp, err := helper.call(h)
				g.Expect(err).NotTo(HaveOccurred())
				g.Expect(text(g, resp)).To(Equal("body of 200"))
				last := w.seen()[len(w.seen())-1]
				g.Expect([]string{last.method, last.body}).To(Equal([]string{helper.method, helper.body}))
				g.Expect(last.header.Get("X-One")).To(Equal(h.Get("X-One")))
			}
		}
	})
	rule(t, "S1: a request that cannot be built is an error that wraps the cause and names the method", func(t *testing.T, g Gomega) {
		body := stream("x")
		_, err := client(g, plays(answers(200))).Post("http://[broken", body, nil)
		var cause *url.Error
		g.Expect(errors.As(err, &cause)).To(BeTrue())
		g.Expect(err).To(MatchError("POST http://[broken: the request cannot be built: missing ']' in host"))
		g.Expect(body.closed.Load()).To(BeEquivalentTo(1))

		_, err = client(g, plays(answers(200))).GetContext(nil, upstream, nil) //nolint:staticcheck // a nil context is the case
		g.Expect(err).To(MatchError(And(HavePrefix("GET "+upstream), ContainSubstring("nil Context"))))
		_, err = client(g, plays(answers(200))).Do(nil)
		g.Expect(err).To(MatchError(ContainSubstring("nil")))
	})
	rule(t, "O2: a password in a URL that cannot be built is redacted", func(t *testing.T, g Gomega) {
		for _, bad := range []string{
			"http://me:s3cret@[broken", "http://me:s3c%zzret@h/", "http://me:s3c/ret@h:port/", "me:s3cret@h\x7f", "http://me:s3c ret@h\n/",
		} {
			_, err := client(g, plays(answers(200))).Get(bad, nil)
			g.Expect(err).To(HaveOccurred(), bad)
			g.Expect(err.Error()).NotTo(ContainSubstring("s3c"), bad)
			g.Expect(err.Error()).To(ContainSubstring("xxxxx@"), bad)
		}
	})
}

func TestClientRetries(t *testing.T) {
	retries := resilient.WithRetryCount(3)

	rule(t, "S1: at most retries + 1 sends; the first retry asks for index 0", func(t *testing.T, g Gomega) {
		var asked []int
		w := plays(answers(503))
		c := client(g, w, retries, resilient.WithRetrier(resilient.NewRetrierFunc(func(retry int) time.Duration {
			asked = append(asked, retry)
			return time.Duration(retry+1) * time.Second
		})))
		resp, err := c.Get(upstream, nil)
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(w.seen()).To(HaveLen(4))
		g.Expect(asked).To(Equal([]int{0, 1, 2}))
		g.Expect(w.gaps()).To(Equal([]time.Duration{1e9, 2e9, 3e9}))
		g.Expect(resilient.Info(resp)).To(Equal(resilient.CallInfo{Attempts: 4, Cause: resilient.CauseExhausted, Waited: 6 * time.Second}))
		g.Expect(w.opened.Load() - w.closed.Load()).To(BeEquivalentTo(1))
		g.Expect(text(g, resp)).To(Equal("body of 503")) // its body open
	})
	rule(t, "S1: retried: any transport error, any status in the list, any status ≥ 500, any method", func(t *testing.T, g Gomega) {
		listed := resilient.WithRetryableStatusCodes(429, 404)
		for _, method := range []string{"GET", "POST", "PUT", "PATCH", "DELETE"} {
			w := plays(fails(errReset), answers(404), answers(429), answers(500), answers(501), answers(599),
				fails(http.ErrSchemeMismatch), answers(200))
			c := client(g, w, resilient.WithRetryCount(10), listed)
			_, err := c.Do(request(t, method, nil))
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(w.seen()).To(HaveLen(8), method)
		}
	})
	rule(t, "S1: WithRetryableStatusCodes adds up over calls", func(t *testing.T, g Gomega) {
		w := plays(answers(429), answers(409), answers(404), answers(400))
		c := client(g, w, resilient.WithRetryCount(10), resilient.WithRetryableStatusCodes(429, 404), resilient.WithRetryableStatusCodes(409))
		resp, err := c.Get(upstream, nil)
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(resp.StatusCode).To(Equal(400))
	})
	rule(t, "S1: another status ends the loop as success: earlier errors are dropped", func(t *testing.T, g Gomega) {
		for _, status := range []int{200, 301, 404, 429} {
			w := plays(fails(errReset), answers(500), answers(status))
			resp, err := client(g, w, retries).Get(upstream, nil)
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(resp.StatusCode).To(Equal(status))
			g.Expect(w.seen()).To(HaveLen(3))
		}
	})
	rule(t, "S1: after transport errors followed by a 5xx, both the response and the errors are returned", func(t *testing.T, g Gomega) {
		w := plays(fails(errReset), fails(errReset), fails(io.ErrUnexpectedEOF), answers(502))
		resp, err := client(g, w, retries).Get(upstream, nil)
		g.Expect(text(g, resp)).To(Equal("body of 502"))
		g.Expect(err).To(MatchError(errReset))
		g.Expect(err).To(MatchError(io.ErrUnexpectedEOF))
	})
	rule(t, "S1: final error: one → that error itself", func(t *testing.T, g Gomega) {
		resp, err := client(g, plays(answers(500), fails(errReset)), resilient.WithRetryCount(1)).Get(upstream, nil)
		g.Expect(resp).To(BeNil())
		g.Expect(err).To(BeIdenticalTo(errReset))
	})
	rule(t, `S1: final error: several → one error whose text joins theirs with ", "; Unwrap reaches every attempt's`, func(t *testing.T, g Gomega) {
		other := &url.Error{Op: "Get", URL: "u", Err: io.EOF}
		w := plays(fails(errReset), fails(other), answers(503), fails(io.ErrUnexpectedEOF))
		_, err := client(g, w, retries).Get(upstream, nil)
		g.Expect(err).To(MatchError(`connection reset by peer, Get "u": EOF, unexpected EOF`))
		for _, each := range []error{errReset, io.EOF, io.ErrUnexpectedEOF} {
			g.Expect(errors.Is(err, each)).To(BeTrue())
		}
		var typed *url.Error
		g.Expect(errors.As(err, &typed)).To(BeTrue())
	})
	rule(t, "S1: the pause ends when the context does: its error joins the attempt errors", func(t *testing.T, g Gomega) {
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(time.Second, cancel)
		w, start := plays(fails(errReset)), time.Now()
		_, err := client(g, w, retries, constantly(time.Hour)).GetContext(ctx, upstream, nil)
		g.Expect(time.Since(start)).To(Equal(time.Second))
		g.Expect(err).To(MatchError("connection reset by peer, context canceled"))
		g.Expect(err).To(MatchError(errReset))
		g.Expect(err).To(MatchError(context.Canceled))
		g.Expect(w.seen()).To(HaveLen(1))
	})
	rule(t, "C4: context done before the call → zero attempts", func(t *testing.T, g Gomega) {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		w, body := plays(answers(200)), stream("x")
		_, err := client(g, w, retries).PostContext(ctx, upstream, body, nil)
		g.Expect(err).To(MatchError(context.Canceled))
		g.Expect(w.seen()).To(BeEmpty())
		g.Expect(body.closed.Load()).To(BeEquivalentTo(1))
	})
	rule(t, "X12: an open circuit breaker is not retried blindly", func(t *testing.T, g Gomega) {
		w := plays(fails(resilient.ErrCircuitOpen))
		_, err := client(g, w, retries).Get(upstream, nil)
		g.Expect(err).To(MatchError(resilient.ErrCircuitOpen))
		g.Expect(w.seen()).To(HaveLen(1))
	})
	rule(t, "the safe ways: WithMethods, WithClassifier", func(t *testing.T, g Gomega) {
		w := plays(answers(503))
		_, err := client(g, w, retries, resilient.WithMethods("GET")).Post(upstream, nil, nil)
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(w.seen()).To(HaveLen(1))

		w = plays(fails(http.ErrSchemeMismatch))
		_, err = client(g, w, retries, resilient.WithClassifier(func(_ *http.Response, err error, ordinary resilient.Decision) resilient.Decision {
			if errors.Is(err, http.ErrSchemeMismatch) {
				return resilient.Stop
			}
			return ordinary
		})).Get(upstream, nil)
		g.Expect(err).To(BeIdenticalTo(http.ErrSchemeMismatch))
		g.Expect(w.seen()).To(HaveLen(1))
	})
	rule(t, "T1, T7: a longer Retry-After goes before the retrier's pause", func(t *testing.T, g Gomega) {
		w := plays(answers(503, "Retry-After", "5"), answers(200))
		_, err := client(g, w, retries).Get(upstream, nil)
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(w.gaps()[0]).To(BeNumerically(">=", 5*time.Second))
	})
}

func TestClientBody(t *testing.T) {
	retries := resilient.WithRetryCount(2)

	rule(t, "S1: any other body is read once into one buffer that each attempt gets a fresh reader over", func(t *testing.T, g Gomega) {
		w, body := plays(answers(503), fails(errReset), answers(200)), stream("once")
		_, err := client(g, w, retries).Post(upstream, body, nil)
		g.Expect(err).NotTo(HaveOccurred())
		for _, a := range w.seen() {
			g.Expect(a.body).To(Equal("once"))
		}
		g.Expect(w.seen()).To(HaveLen(3))
		g.Expect(body.closed.Load()).To(BeEquivalentTo(1))
	})
	rule(t, "S1: a read error is returned before anything is sent", func(t *testing.T, g Gomega) {
		broken := errors.New("disk error")
		w, body := plays(answers(200)), &tracked{Reader: errorReader{broken}}
		_, err := client(g, w, retries).Post(upstream, body, nil)
		g.Expect(err).To(MatchError(broken))
		g.Expect(w.seen()).To(BeEmpty())
		g.Expect(body.closed.Load()).To(BeEquivalentTo(1))
	})
	rule(t, "S1: only with retries on does it make the body replayable", func(t *testing.T, g Gomega) {
		w := plays(answers(503))
		resp, err := client(g, w).Post(upstream, stream("once"), nil)
		g.Expect(err).NotTo(HaveOccurred())
		resp.Body.Close()
		g.Expect(w.seen()[0].request.GetBody).To(BeNil())
	})
	rule(t, "S1: http.NoBody gets a getter without a buffer; a nil body is left alone", func(t *testing.T, g Gomega) {
		w := plays(answers(503), answers(200))
		req := request(t, "POST", http.NoBody)
		req.GetBody = nil
		_, err := client(g, w, retries).Do(req)
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(w.seen()[0].request.GetBody).NotTo(BeNil())
		body, err := w.seen()[0].request.GetBody()
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(body).To(BeIdenticalTo(http.NoBody))

		w = plays(answers(503), answers(200))
		_, err = client(g, w, retries).Do(request(t, "POST", nil))
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(w.seen()[1].request.Body).To(BeNil())
	})
	rule(t, "S1: the getter is taken once, since a plugin may overwrite GetBody between attempts", func(t *testing.T, g Gomega) {
		w := plays(answers(503), answers(503), answers(200))
		c := client(g, w, retries)
		c.AddPlugin(&plugin{onStart: func(req *http.Request) {
			req.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader("wrong")), nil }
		}})
		_, err := c.Post(upstream, strings.NewReader("right"), nil)
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(w.seen()).To(HaveLen(3))
		for _, a := range w.seen() {
			g.Expect(a.body).To(Equal("right"))
		}
	})
	rule(t, "S1: Do closes the caller's body in the end, always: also where the Doer does not", func(t *testing.T, g Gomega) {
		careless := careless{}
		for _, count := range []int{0, 2} {
			c, err := resilient.NewClient(resilient.WithHTTPClient(careless), resilient.WithRetryCount(count))
			g.Expect(err).NotTo(HaveOccurred())
			body := stream("x")
			resp, err := c.Post(upstream, body, nil)
			g.Expect(err).NotTo(HaveOccurred())
			resp.Body.Close()
			g.Expect(body.closed.Load()).To(BeEquivalentTo(1))

			body = stream("x")
			_, err = c.Post("http://fails.test", body, nil)
			g.Expect(err).To(MatchError(errReset))
			g.Expect(body.closed.Load()).To(BeEquivalentTo(1))
		}
	})
	rule(t, "a getter that fails is an error, after the failure before it", func(t *testing.T, g Gomega) {
		broken := errors.New("file is gone")
		req := request(t, "POST", stream("x"))
		req.GetBody = func() (io.ReadCloser, error) { return nil, broken }
		_, err := client(g, plays(fails(errReset)), retries).Do(req)
		g.Expect(err).To(MatchError("connection reset by peer, GetBody failed: file is gone"))
		g.Expect(err).To(MatchError(broken))
	})
}

// careless is a Doer that neither reads nor closes request bodies.
type careless struct{}

func (careless) Do(req *http.Request) (*http.Response, error) {
	if req.URL.Host == "fails.test" {
		return nil, errReset
	}
	return &http.Response{StatusCode: 200, Body: io.NopCloser(strings.NewReader("x"))}, nil
}

func TestClientBudget(t *testing.T) {
	rule(t, "S1, S3: budget exceeded → stop with what there is", func(t *testing.T, g Gomega) {
		w := plays(answers(503))
		resp, err := client(g, w, resilient.WithRetryCount(100), resilient.WithRetryErrorBudgetToken(10, 0.1)).Get(upstream, nil)
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(resilient.Info(resp)).To(Equal(resilient.CallInfo{Attempts: 5, Cause: resilient.CauseBudget}))

		_, err = client(g, plays(fails(errReset)), resilient.WithRetryCount(100), resilient.WithRetryErrorBudgetPercent(2, 10)).Get(upstream, nil)
		g.Expect(err).To(MatchError("connection reset by peer, connection reset by peer"))
	})
	rule(t, "S1: context done → counts as success for the budget, stop", func(t *testing.T, g Gomega) {
		b := &countingBudget{}
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(time.Second, cancel)
		_, err := client(g, plays(hangs), resilient.WithRetryCount(5), resilient.WithBudget(b)).GetContext(ctx, upstream, nil)
		g.Expect(err).To(MatchError(context.Canceled))
		g.Expect(*b).To(Equal(countingBudget{calls: 1, successes: 1}))
	})
	t.Run("limits are errors with a reason", func(t *testing.T) {
		g := NewWithT(t)
		_, err := resilient.NewClient(resilient.WithRetryErrorBudgetToken(0, 0.1), resilient.WithRetryErrorBudgetPercent(0, 10))
		g.Expect(err).To(MatchError(And(ContainSubstring("WithRetryErrorBudgetToken: "), ContainSubstring("WithRetryErrorBudgetPercent: "))))
	})
}

func TestClientOptions(t *testing.T) {
	t.Run("a bad value is an error that says what to do", func(t *testing.T) {
		g := NewWithT(t)
		for want, opt := range map[string]resilient.ClientOption{
			"use 0":                         resilient.WithRetryCount(-1),
			"NewNoRetrier()":                resilient.WithRetrier(nil),
			"one of the Client's own":       resilient.WithHTTPClient(nil),
			"0 sets none":                   resilient.WithHTTPTimeout(-1),
			"use 200 to 599":                resilient.WithRetryableStatusCodes(1),
			"the first attempt counts":      resilient.WithAttempts(0),
			"option 1 is nil: leave it out": nil,
		} {
			_, err := resilient.NewClient(opt)
			g.Expect(err).To(MatchError(And(HavePrefix("resilient.NewClient: "), ContainSubstring(want))))
		}
		_, err := resilient.NewClient(resilient.WithHTTPClient(&http.Client{Transport: transport(g, nil)}))
		g.Expect(err).To(MatchError(ContainSubstring("multiply")))
	})
	rule(t, "S1: the order of the timeout and client options does not matter; the client given is not modified", func(t *testing.T, g Gomega) {
		given := &http.Client{Timeout: time.Hour, Transport: plays(hangs)}
		timeout, with := resilient.WithHTTPTimeout(time.Second), resilient.WithHTTPClient(given)
		for _, opts := range [][]resilient.ClientOption{{timeout, with}, {with, timeout}} {
			c, err := resilient.NewClient(opts...)
			g.Expect(err).NotTo(HaveOccurred())
			start := time.Now()
			_, err = c.Get(upstream, nil)
			g.Expect(err).To(MatchError(context.DeadlineExceeded))
			g.Expect(time.Since(start)).To(Equal(time.Second))
		}
		g.Expect(given.Timeout).To(Equal(time.Hour))
	})
	rule(t, "S1: 30 s HTTP timeout, for each attempt; a client of one's own keeps its own", func(t *testing.T, g Gomega) {
		original := http.DefaultTransport
		defer func() { http.DefaultTransport = original }()
		http.DefaultTransport = plays(hangs)
		for want, opts := range map[time.Duration][]resilient.ClientOption{
			60 * time.Second: {resilient.WithRetryCount(1)},
			14 * time.Second: {resilient.WithRetryCount(1), resilient.WithHTTPTimeout(7 * time.Second)},
			10 * time.Second: {resilient.WithRetryCount(1), resilient.WithHTTPClient(&http.Client{Timeout: 5 * time.Second})},
		} {
			c, err := resilient.NewClient(opts...)
			g.Expect(err).NotTo(HaveOccurred())
			start := time.Now()
			_, err = c.Get(upstream, nil)
			g.Expect(err).To(MatchError(context.DeadlineExceeded))
			g.Expect(time.Since(start)).To(Equal(want))
		}
	})
	rule(t, "WithHTTPTimeout bounds the attempts of another Doer too", func(t *testing.T, g Gomega) {
		w := plays(hangs, answers(200))
		_, err := client(g, w, resilient.WithHTTPTimeout(time.Second), resilient.WithRetryCount(1)).Get(upstream, nil)
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(w.gaps()).To(Equal([]time.Duration{time.Second}))
	})
	rule(t, "a redirect keeps the request of the page that it led to", func(t *testing.T, g Gomega) {
		base := plays(answers(302, "Location", "/new"), answers(200))
		c, err := resilient.NewClient(resilient.WithHTTPClient(&http.Client{Transport: base}))
		g.Expect(err).NotTo(HaveOccurred())
		resp, err := c.Get(upstream, nil)
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(resp.Request.URL.Path).To(Equal("/new"))
	})
}
