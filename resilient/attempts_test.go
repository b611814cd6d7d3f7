package resilient_test

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/http"
	"testing"
	"time"

	"github.com/faultsrv/faultsrv/resilient"
	. "github.com/onsi/gomega"
)

func TestAttempts(t *testing.T) {
	rule(t, "A1: attempts=N, always 503 → exactly N requests, the first included", func(t *testing.T, g Gomega) {
		for n := 1; n <= 7; n++ {
			w := plays(answers(503))
			resp, err := transport(g, w, resilient.WithAttempts(n)).RoundTrip(request(t, "GET", nil))
			g.Expect(err).NotTo(HaveOccurred())
			resp.Body.Close()
			g.Expect(w.seen()).To(HaveLen(n))
			g.Expect(resilient.Info(resp).Attempts).To(Equal(n))
		}
	})
	rule(t, "G9: at most three attempts a request by default", func(t *testing.T, g Gomega) {
		w := plays(answers(503))
		resp, err := transport(g, w).RoundTrip(request(t, "GET", nil))
		g.Expect(err).NotTo(HaveOccurred())
		resp.Body.Close()
		g.Expect(w.seen()).To(HaveLen(3))
	})
	rule(t, "A2: attempts=1 → no retry and no sleep", func(t *testing.T, g Gomega) {
		w, start := plays(fails(errReset)), time.Now()
		resp, err := transport(g, w, resilient.WithAttempts(1), constantly(time.Hour)).RoundTrip(request(t, "GET", nil))
		g.Expect(failure(g, resp, err).Attempts).To(Equal(1))
		g.Expect(w.seen()).To(HaveLen(1))
		g.Expect(time.Since(start)).To(BeZero())
	})
	rule(t, "A3: last attempt failed → no trailing sleep", func(t *testing.T, g Gomega) {
		w, start := plays(fails(errReset)), time.Now()
		_, err := transport(g, w, constantly(time.Minute)).RoundTrip(request(t, "GET", nil))
		g.Expect(err).To(MatchError(resilient.ErrExhausted))
		g.Expect(time.Since(start)).To(Equal(2 * time.Minute))
	})
	rule(t, "A4: safe method answered 429/502/503/504 → retried", func(t *testing.T, g Gomega) {
		for _, method := range []string{"GET", "HEAD", "OPTIONS", "TRACE", ""} {
			for _, status := range []int{429, 502, 503, 504} {
				w := plays(answers(status), answers(200))
				req := request(t, "GET", nil)
				req.Method = method
				resp, err := transport(g, w).RoundTrip(req)
				g.Expect(err).NotTo(HaveOccurred())
				g.Expect(resp.StatusCode).To(Equal(200))
				g.Expect(w.seen()).To(HaveLen(2), "%s %d", method, status)
			}
		}
	})
	rule(t, "A5, A6: 400/401/403/404/422, 501/505 → one attempt", func(t *testing.T, g Gomega) {
		for _, status := range []int{200, 204, 301, 400, 401, 403, 404, 408, 413, 421, 422, 425, 500, 501, 505} {
			w := plays(answers(status))
			resp, err := transport(g, w).RoundTrip(request(t, "GET", nil))
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(resp.StatusCode).To(Equal(status))
			g.Expect(w.seen()).To(HaveLen(1), "%d", status)
			g.Expect(resilient.Info(resp)).To(Equal(resilient.CallInfo{Attempts: 1}))
		}
	})
	rule(t, "A11: untrusted certificate, bad scheme → one attempt", func(t *testing.T, g Gomega) {
		for _, permanent := range []error{
			&tls.CertificateVerificationError{Err: x509.UnknownAuthorityError{}},
			x509.UnknownAuthorityError{},
			x509.HostnameError{Certificate: &x509.Certificate{}, Host: "h"},
			x509.CertificateInvalidError{Cert: &x509.Certificate{}, Reason: x509.Expired},
			tls.RecordHeaderError{Msg: "first record does not look like a TLS handshake"},
			&net.OpError{Op: "remote error", Err: tls.AlertError(48)},
			http.ErrSchemeMismatch,
			errors.New(`unsupported protocol scheme "gopher"`),
			errors.New("http: ContentLength=5 with Body length 3"),
		} {
			w := plays(fails(fmt.Errorf("wrapped: %w", permanent)))
			resp, err := transport(g, w).RoundTrip(request(t, "GET", nil))
			failed := failure(g, resp, err)
			g.Expect(failed.Cause).To(Equal(resilient.CausePermanent), "%v", permanent)
			g.Expect(failed.Attempts).To(Equal(1))
			g.Expect(err).To(MatchError(resilient.ErrPermanent))
			g.Expect(w.seen()).To(HaveLen(1))
		}
	})
	rule(t, "A11: a TLS alert that may pass → retried", func(t *testing.T, g Gomega) {
		w := plays(fails(&net.OpError{Op: "remote error", Err: tls.AlertError(80)}), answers(200))
		resp, err := transport(g, w).RoundTrip(request(t, "GET", nil))
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(resilient.Info(resp).Attempts).To(Equal(2))
	})
	rule(t, "A12: name does not exist → one attempt; temporary DNS failure → retried", func(t *testing.T, g Gomega) {
		w := plays(fails(&net.OpError{Op: "dial", Err: &net.DNSError{IsNotFound: true}}))
		resp, err := transport(g, w).RoundTrip(request(t, "GET", nil))
		g.Expect(failure(g, resp, err).Cause).To(Equal(resilient.CausePermanent))
		g.Expect(w.seen()).To(HaveLen(1))

		for _, passing := range []*net.DNSError{{IsTemporary: true}, {IsTimeout: true}, {IsNotFound: true, IsTemporary: true}} {
			w = plays(fails(&net.OpError{Op: "dial", Err: passing}), answers(200))
			_, err = transport(g, w).RoundTrip(request(t, "GET", nil))
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(w.seen()).To(HaveLen(2))
		}
	})
	rule(t, "A13, S6: never retried: cancellation by the caller", func(t *testing.T, g Gomega) {
		ctx, cancel := context.WithCancel(t.Context())
		w := plays(func(*http.Request) (*http.Response, error) { cancel(); return nil, context.Canceled })
		resp, err := transport(g, w).RoundTrip(request(t, "GET", nil).WithContext(ctx))
		g.Expect(failure(g, resp, err).Cause).To(Equal(resilient.CauseCanceled))
		g.Expect(err).To(MatchError(context.Canceled))
		g.Expect(w.seen()).To(HaveLen(1))
	})
	rule(t, "S6: never retried: an argument error", func(t *testing.T, g Gomega) {
		for name, spoil := range map[string]func(*http.Request){
			"no host":     func(r *http.Request) { r.URL.Host = "" },
			"no URL":      func(r *http.Request) { r.URL = nil },
			"no header":   func(r *http.Request) { r.Header = nil },
			"bad method":  func(r *http.Request) { r.Method = "GE T" },
			"bad field":   func(r *http.Request) { r.Header["b d"] = []string{"x"} },
			"bad value":   func(r *http.Request) { r.Header["X"] = []string{"a\nb"} },
			"bad scheme":  func(r *http.Request) { r.URL.Scheme = "gopher" },
			"bad request": func(r *http.Request) { r.RequestURI, r.URL.Host = "/", "" },
		} {
			req := request(t, "GET", nil)
			spoil(req)
			start := time.Now()
			resp, err := transport(g, nil).RoundTrip(req)
			g.Expect(failure(g, resp, err).Attempts).To(Equal(1), name)
			g.Expect(failure(g, resp, err).Cause).To(BeElementOf(resilient.CauseInvalid, resilient.CausePermanent), name)
			g.Expect(time.Since(start)).To(BeZero(), name)
		}
		resp, err := transport(g, nil).RoundTrip(nil)
		g.Expect(failure(g, resp, err)).To(MatchError(resilient.ErrInvalid))
	})
	rule(t, "X12: an open circuit breaker is not retried blindly", func(t *testing.T, g Gomega) {
		w := plays(fails(fmt.Errorf("breaker: %w", resilient.ErrCircuitOpen)))
		resp, err := transport(g, w).RoundTrip(request(t, "GET", nil))
		g.Expect(failure(g, resp, err).Cause).To(Equal(resilient.CauseCircuitOpen))
		g.Expect(err).To(MatchError(resilient.ErrCircuitOpen))
		g.Expect(w.seen()).To(HaveLen(1))
	})
	rule(t, "a base that breaks its contract → an error that says so, one attempt", func(t *testing.T, g Gomega) {
		w := plays(func(*http.Request) (*http.Response, error) { return nil, nil })
		resp, err := transport(g, w, resilient.WithAttempts(1)).RoundTrip(request(t, "GET", nil))
		g.Expect(failure(g, resp, err)).To(MatchError(ContainSubstring("neither a response nor an error")))

		w = plays(func(*http.Request) (*http.Response, error) { return &http.Response{StatusCode: 200}, nil })
		resp, err = transport(g, w).RoundTrip(request(t, "GET", nil))
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(resp.Body).NotTo(BeNil())
	})
}

func TestMethodSafety(t *testing.T) {
	rule(t, "M1: POST + 503, not opted in → one attempt", func(t *testing.T, g Gomega) {
		for _, method := range []string{"POST", "PATCH", "PUT", "DELETE", "get"} {
			w := plays(answers(503))
			resp, err := transport(g, w).RoundTrip(request(t, method, nil))
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(text(g, resp)).To(Equal("body of 503"))
			g.Expect(w.seen()).To(HaveLen(1), method)
			g.Expect(resilient.Info(resp).Cause).To(Equal(resilient.CauseNotIdempotent))
		}
	})
	rule(t, "M1: POST + reset, not opted in → one attempt", func(t *testing.T, g Gomega) {
		w := plays(fails(errReset))
		resp, err := transport(g, w).RoundTrip(request(t, "POST", nil))
		g.Expect(failure(g, resp, err).Cause).To(Equal(resilient.CauseNotIdempotent))
		g.Expect(err).To(MatchError(resilient.ErrNotIdempotent))
		g.Expect(err).To(MatchError(errReset))
		g.Expect(w.seen()).To(HaveLen(1))
	})
	rule(t, "M2: PUT/DELETE, connection lost → may retry (by WithMethods)", func(t *testing.T, g Gomega) {
		for _, method := range []string{"PUT", "DELETE", "POST"} {
			w := plays(fails(errReset), answers(200))
			_, err := transport(g, w, resilient.WithMethods("PUT", "DELETE", "POST")).RoundTrip(request(t, method, nil))
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(w.seen()).To(HaveLen(2))
		}
	})
	rule(t, "WithMethods replaces the default", func(t *testing.T, g Gomega) {
		w := plays(answers(503))
		_, err := transport(g, w, resilient.WithMethods("POST")).RoundTrip(request(t, "GET", nil))
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(w.seen()).To(HaveLen(1))
	})
	rule(t, "M3: POST declared idempotent → may retry", func(t *testing.T, g Gomega) {
		w := plays(answers(503), answers(200))
		req := request(t, "POST", nil)
		_, err := transport(g, w).RoundTrip(req.WithContext(resilient.WithIdempotent(req.Context())))
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(w.seen()).To(HaveLen(2))
	})
	rule(t, "M3, K6: POST with the caller's Idempotency-Key → retried, with that key", func(t *testing.T, g Gomega) {
		w := plays(fails(errReset), answers(503), answers(200))
		req := request(t, "POST", nil)
		req.Header.Set("Idempotency-Key", `"caller-1"`)
		_, err := transport(g, w).RoundTrip(req)
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(w.seen()).To(HaveLen(3))
		for _, a := range w.seen() {
			g.Expect(a.header["Idempotency-Key"]).To(Equal([]string{`"caller-1"`}))
		}
	})
	rule(t, "an empty Idempotency-Key promises nothing", func(t *testing.T, g Gomega) {
		w := plays(answers(503))
		req := request(t, "POST", nil)
		req.Header.Set("Idempotency-Key", "")
		_, err := transport(g, w).RoundTrip(req)
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(w.seen()).To(HaveLen(1))
	})
	rule(t, `M4: POST, connection refused → may retry ("never applied")`, func(t *testing.T, g Gomega) {
		for _, op := range []string{"dial", "proxyconnect"} {
			w := plays(fails(&net.OpError{Op: op, Err: errors.New("connection refused")}), answers(200))
			_, err := transport(g, w).RoundTrip(request(t, "POST", nil))
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(w.seen()).To(HaveLen(2), op)
		}
		w := plays(fails(&net.OpError{Op: "read", Err: errReset}))
		_, err := transport(g, w).RoundTrip(request(t, "POST", nil))
		g.Expect(err).To(HaveOccurred())
		g.Expect(w.seen()).To(HaveLen(1))
	})
	rule(t, "M7: no attempt beyond the policy's, whatever fails", func(t *testing.T, g Gomega) {
		w := plays(fails(&net.OpError{Op: "dial", Err: errReset}))
		_, err := transport(g, w, resilient.WithAttempts(2)).RoundTrip(request(t, "POST", nil))
		g.Expect(err).To(MatchError(resilient.ErrExhausted))
		g.Expect(w.seen()).To(HaveLen(2))
	})
}
