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

func api(g Gomega, w *wire, change ...func(*resilient.APIConfig)) *resilient.APIClient {
	cfg := resilient.APIConfig{BaseURL: "http://api.test/v1", Timeout: -1, RetryLimit: -1, DelayBase: -1, Doer: doer{w}}
	for _, c := range change {
		c(&cfg)
	}
	client, err := resilient.NewAPIClient(cfg)
	g.Expect(err).NotTo(HaveOccurred())
	return client
}

func TestAPIClientConfig(t *testing.T) {
	rule(t, "S5: timeout (5 s), retry limit (3), delay base (1 s); a negative value means the default", func(t *testing.T, g Gomega) {
		w, start := plays(hangs), time.Now()
		_, err := api(g, w).Get(t.Context(), "/x", nil)
		g.Expect(err).To(MatchError(resilient.ErrTransport))
		g.Expect(w.seen()).To(HaveLen(4))
		g.Expect(w.gaps()).To(Equal([]time.Duration{6e9, 7e9, 8e9}))
		g.Expect(time.Since(start)).To(Equal(26 * time.Second))
	})
	rule(t, "S5: zero retries is allowed", func(t *testing.T, g Gomega) {
		w := plays(answers(503))
		_, err := api(g, w, func(cfg *resilient.APIConfig) { cfg.RetryLimit = 0 }).Get(t.Context(), "/x", nil)
		g.Expect(err).To(MatchError(resilient.ErrServiceUnavailable))
		g.Expect(w.seen()).To(HaveLen(1))
	})
	t.Run("S5: base URL, or host and port from API_HOST and API_PORT", func(t *testing.T) {
		g := NewWithT(t)
		for _, c := range []struct{ base, host, port, want string }{
			{"https://api.test/v1/", "h", "1", "https://api.test/v1/x"},
			{"", "h", "81", "http://h:81/x"},
			{"", "h", "", "http://h/x"},
			{"", "::1", "81", "http://[::1]:81/x"},
			{"http://api.test?k=v", "", "", "http://api.test/x?k=v"},
		} {
			t.Setenv("API_HOST", c.host)
			t.Setenv("API_PORT", c.port)
			w := plays(answers(200))
			_, err := api(g, w, func(cfg *resilient.APIConfig) { cfg.BaseURL = c.base }).Get(t.Context(), "x", nil)
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(w.seen()[0].request.URL.String()).To(Equal(c.want))
		}
	})
	t.Run("what is wrong is an error that says what to do", func(t *testing.T) {
		g := NewWithT(t)
		t.Setenv("API_HOST", "")
		for want, cfg := range map[string]resilient.APIConfig{
			"API_HOST is not set; set either": {},
			"expected something like https":   {BaseURL: "api.test"},
			"expected something like https:/": {BaseURL: "ftp://me:s3cret@api.test"},
			"cannot be built":                 {BaseURL: "http://me:s3cret@[x"},
			"use a smaller one":               {BaseURL: "http://h", RetryLimit: 1<<63 - 1},
			"the least is 1":                  {BaseURL: "http://h", Options: []resilient.Option{resilient.WithAttempts(0)}},
		} {
			_, err := resilient.NewAPIClient(cfg)
			g.Expect(err).To(MatchError(And(HavePrefix("resilient.NewAPIClient: "), ContainSubstring(want), Not(ContainSubstring("s3cret")))))
		}
	})
}

func TestAPIClientRequests(t *testing.T) {
	rule(t, "S5: strings and ints (and other simple types) become query values", func(t *testing.T, g Gomega) {
		type named string
		w := plays(answers(200))
		_, err := api(g, w).Get(t.Context(), "/a b/é", map[string]any{
			"s": "a&b", "i": -3, "u": uint8(7), "b": true, "f": 1.5, "f32": float32(0.1), "n": named("x"), "i64": int64(1) << 60,
		})
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(w.seen()[0].request.URL.String()).To(Equal(
			"http://api.test/v1/a%20b/%C3%A9?b=true&f=1.5&f32=0.1&i=-3&i64=1152921504606846976&n=x&s=a%26b&u=7"))
	})
	rule(t, "S5: an unsupported type is an error, not silence", func(t *testing.T, g Gomega) {
		w := plays(answers(200))
		for _, bad := range []any{nil, []string{"a"}, map[string]int{}, struct{}{}, new(int), 1i} {
			_, err := api(g, w).Get(t.Context(), "/x", map[string]any{"bad": bad})
			g.Expect(err).To(MatchError(And(HavePrefix("GET /x: "), ContainSubstring(`the parameter "bad"`))))
		}
		g.Expect(w.seen()).To(BeEmpty())
	})
	rule(t, "S5: returns the body bytes; Post, Delete with the same loop", func(t *testing.T, g Gomega) {
		ctx := t.Context()
		for method, call := range map[string]func(*resilient.APIClient) ([]byte, error){
			"GET": func(c *resilient.APIClient) ([]byte, error) { return c.Get(ctx, "/x", nil) },
			"POST": func(c *resilient.APIClient) ([]byte, error) {
				return c.Post(ctx, "/x", nil, "application/json", []byte(`{}`))
			},
			"DELETE": func(c *resilient.APIClient) ([]byte, error) { return c.Delete(ctx, "/x", nil) },
		} {
			w := plays(answers(503), fails(errReset), answers(201))
			body, err := call(api(g, w))
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(string(body)).To(Equal("body of 201"))
			g.Expect(w.seen()).To(HaveLen(3))
			for _, a := range w.seen() {
				g.Expect(a.method).To(Equal(method))
				if method == "POST" {
					g.Expect(a.body).To(Equal("{}"))
					g.Expect(a.header.Get("Content-Type")).To(Equal("application/json"))
				}
			}
			g.Expect(w.opened.Load()).To(Equal(w.closed.Load()))
		}
	})
	rule(t, "a request that cannot be built is an error", func(t *testing.T, g Gomega) {
		_, err := api(g, plays(answers(200))).Get(nil, "/x", nil) //nolint:staticcheck // a nil context is the case
		g.Expect(err).To(MatchError(ContainSubstring("cannot be built")))
	})
	rule(t, "the safe way: WithMethods leaves POSTs alone", func(t *testing.T, g Gomega) {
		w := plays(answers(503))
		c := api(g, w, func(cfg *resilient.APIConfig) {
			cfg.Options = []resilient.Option{resilient.WithMethods("GET", "DELETE")}
		})
		_, err := c.Post(t.Context(), "/x", nil, "", []byte("x"))
		g.Expect(err).To(MatchError(resilient.ErrNotIdempotent))
		g.Expect(w.seen()).To(HaveLen(1))
	})
}

func TestAPIClientErrors(t *testing.T) {
	rule(t, "S5: statuses become named errors, with the status and body reachable", func(t *testing.T, g Gomega) {
		for status, named := range map[int]error{
			400: resilient.ErrBadRequest, 401: resilient.ErrUnauthorized, 403: resilient.ErrForbidden,
			404: resilient.ErrNotFound, 405: resilient.ErrMethodNotAllowed, 500: resilient.ErrInternalServer,
			502: resilient.ErrBadGateway, 503: resilient.ErrServiceUnavailable, 504: resilient.ErrGatewayTimeout,
			418: nil, 304: nil,
		} {
			w := plays(answers(status))
			_, err := api(g, w).Get(t.Context(), "/x", nil)
			var typed *resilient.APIError
			g.Expect(errors.As(err, &typed)).To(BeTrue())
			g.Expect(typed.StatusCode).To(Equal(status))
			g.Expect(string(typed.Body)).To(Equal("body of " + strings.Split(typed.Status, " ")[0]))
			if named != nil {
				g.Expect(err).To(MatchError(named))
			}
			attempts := 1
			if status >= 502 {
				attempts = 4
			}
			g.Expect(errors.Is(err, resilient.ErrExhausted)).To(Equal(attempts == 4))
			g.Expect(w.seen()).To(HaveLen(attempts), "%d", status)
			g.Expect(typed.Attempts).To(Equal(len(w.seen())))
			g.Expect(w.opened.Load()).To(Equal(w.closed.Load()))
		}
		_, err := api(g, plays(answers(503))).Get(t.Context(), "/x", nil)
		g.Expect(err).To(MatchError("the API answered 503 Service Unavailable after 4 attempts (exhausted)"))
		_, err = api(g, plays(answers(404))).Get(t.Context(), "/x", nil)
		g.Expect(err).To(MatchError("the API answered 404 Not Found after 1 attempt"))
	})
	rule(t, "S5: a transport failure has its own name and keeps its cause", func(t *testing.T, g Gomega) {
		_, err := api(g, plays(fails(errReset))).Get(t.Context(), "/x", nil)
		g.Expect(err).To(MatchError(resilient.ErrTransport))
		g.Expect(err).To(MatchError(errReset))
		var typed *resilient.Error
		g.Expect(errors.As(err, &typed)).To(BeTrue())
		g.Expect(typed.Attempts).To(Equal(4))
		g.Expect(err.Error()).To(HavePrefix("the API could not be reached: GET http://api.test/v1/x: gave up after 4 attempts"))

		_, err = api(g, plays(hangs)).Get(t.Context(), "/x", nil)
		var timeout interface{ Timeout() bool }
		g.Expect(errors.As(err, &timeout) && timeout.Timeout()).To(BeTrue())
	})
	rule(t, "S5: the n-th retry waits base × n", func(t *testing.T, g Gomega) {
		w := plays(answers(503))
		_, err := api(g, w, func(cfg *resilient.APIConfig) { cfg.DelayBase = 2 * time.Second }).Get(t.Context(), "/x", nil)
		g.Expect(err).To(HaveOccurred())
		g.Expect(w.gaps()).To(Equal([]time.Duration{2e9, 4e9, 6e9}))
	})
	rule(t, "S5: the wait ends with the context; that is not the transport's failure", func(t *testing.T, g Gomega) {
		for _, w := range []*wire{plays(answers(503)), plays(fails(errReset))} {
			ctx, cancel := context.WithCancel(t.Context())
			time.AfterFunc(500*time.Millisecond, cancel)
			start := time.Now()
			_, err := api(g, w).Get(ctx, "/x", nil)
			g.Expect(time.Since(start)).To(Equal(500 * time.Millisecond))
			g.Expect(err).To(MatchError(context.Canceled))
			g.Expect(err).NotTo(MatchError(resilient.ErrTransport))
		}
	})
	rule(t, "RH-06: an answer that breaks off is asked for again, and never a shorter success", func(t *testing.T, g Gomega) {
		half := answersWith(200, func() io.ReadCloser {
			return io.NopCloser(io.MultiReader(strings.NewReader("half"), errorReader{io.ErrUnexpectedEOF}))
		})
		body, err := api(g, plays(half, answers(200))).Get(t.Context(), "/x", nil)
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(string(body)).To(Equal("body of 200"))

		w := plays(half)
		_, err = api(g, w).Get(t.Context(), "/x", nil)
		g.Expect(err).To(MatchError(ContainSubstring("the answer broke off")))
		g.Expect(err).To(MatchError(io.ErrUnexpectedEOF))
		g.Expect(w.seen()).To(HaveLen(4))
		g.Expect(w.opened.Load()).To(Equal(w.closed.Load()))
	})
	rule(t, "an answer larger than MaxBody is an error, and not asked for again", func(t *testing.T, g Gomega) {
		limit := func(cfg *resilient.APIConfig) { cfg.MaxBody = 11 }
		_, err := api(g, plays(answers(200)), limit).Get(t.Context(), "/x", nil) // 11 bytes
		g.Expect(err).NotTo(HaveOccurred())
		w := plays(answersWith(200, func() io.ReadCloser { return endless{} }))
		_, err = api(g, w, limit).Get(t.Context(), "/x", nil)
		g.Expect(err).To(MatchError(ContainSubstring("larger than MaxBody, 11 bytes")))
		g.Expect(w.seen()).To(HaveLen(1))
		g.Expect(w.read.Load()).To(BeEquivalentTo(12))
	})
	rule(t, "the largest MaxBody that there is reads all of an answer", func(t *testing.T, g Gomega) {
		body, err := api(g, plays(answers(200)), func(cfg *resilient.APIConfig) { cfg.MaxBody = math.MaxInt64 }).Get(t.Context(), "/x", nil)
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(string(body)).To(Equal("body of 200"))
	})
	rule(t, "over its own http.Client", func(t *testing.T, g Gomega) {
		original := http.DefaultTransport
		defer func() { http.DefaultTransport = original }()
		http.DefaultTransport = plays(answers(503), answers(200))
		c, err := resilient.NewAPIClient(resilient.APIConfig{BaseURL: "http://api.test", RetryLimit: 1})
		g.Expect(err).NotTo(HaveOccurred())
		body, err := c.Get(t.Context(), "/x", nil)
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(string(body)).To(Equal("body of 200"))
	})
}
