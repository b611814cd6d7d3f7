package mutants

import (
	"bytes"
	"context"
	"errors"
	"net"
	"net/http"
	"net/http/httptrace"
	"sync"
	"time"

	"github.com/faultsrv/faultsrv/scenarios"
)

var expectationMutants = []Mutant{
	{
		Name:   "waits-for-100-to-come",
		Defect: "sends no body before it has heard 100 Continue, and gives up where it hears nothing",
		Breaks: []string{"body.is-sent-where-no-100-comes"},
		wire: func(base *http.Transport) http.RoundTripper {
			base.ExpectContinueTimeout = time.Hour
			return roundTrip(func(req *http.Request) (*http.Response, error) {
				if req.Header.Get("Expect") == "" {
					return base.RoundTrip(req)
				}
				ctx, cancel := context.WithTimeoutCause(req.Context(), 2*time.Second, errors.New("nobody said 100"))
				resp, err := base.RoundTrip(req.WithContext(ctx))
				if err != nil {
					cancel()
					return nil, err
				}
				resp.Body = closeWith(resp.Body, cancel)
				return resp, nil
			})
		},
	},
	{
		Name:   "sends-twice-on-a-late-100",
		Defect: "sends the request once when its patience ends, and once more when 100 Continue comes",
		Breaks: []string{"body.is-sent-once-where-100-comes-late"},
		inner: func(wire http.RoundTripper) http.RoundTripper {
			return roundTrip(func(req *http.Request) (*http.Response, error) {
				started, late := time.Now(), false
				traced := httptrace.WithClientTrace(req.Context(), &httptrace.ClientTrace{
					Got100Continue: func() { late = time.Since(started) > time.Second },
				})
				resp, err := wire.RoundTrip(req.WithContext(traced))
				if err != nil || !late || req.GetBody == nil {
					return resp, err
				}
				discard(resp)
				again := req.Clone(req.Context())
				again.Header.Del("Expect")
				again.Body, _ = req.GetBody()
				return wire.RoundTrip(again)
			})
		},
	},
	{
		Name:   "sends-its-body-twice-on-a-late-100",
		Defect: "sends the body when its patience ends, and once more behind it when 100 Continue comes",
		Breaks: []string{"body.is-sent-once-where-100-comes-late"},
		wire: func(base *http.Transport) http.RoundTripper {
			dial := base.DialContext
			base.DialContext = func(ctx context.Context, network, address string) (net.Conn, error) {
				conn, err := dial(ctx, network, address)
				return &bodyTwice{Conn: conn}, err
			}
			return base
		},
	},
	{
		Name:   "takes-417-for-the-answer",
		Defect: "hands its caller the refusal of an expectation",
		Breaks: []string{"body.a-refused-expectation-is-dropped"},
		options: stopsAt(func(resp *http.Response, _ error) bool {
			return resp != nil && resp.StatusCode == http.StatusExpectationFailed
		}),
	},
	{
		Name:   "repeats-the-refused-expectation",
		Defect: "repeats a request whose expectation was refused, and expects the same again",
		Breaks: []string{"body.a-refused-expectation-is-dropped"},
		outer: func(client http.RoundTripper, _ scenarios.Policy) http.RoundTripper {
			return roundTrip(func(req *http.Request) (*http.Response, error) {
				return client.RoundTrip(req.WithContext(context.WithValue(req.Context(), expected{}, req.Header.Get("Expect"))))
			})
		},
		inner: onRetry(func(req *http.Request) {
			if expects, _ := req.Context().Value(expected{}).(string); expects != "" {
				req.Header.Set("Expect", expects)
			}
		}),
	},
	{
		Name:   "repeats-417-for-ever",
		Defect: "takes every 417 for the refusal of an expectation, also where it has dropped it already",
		Breaks: []string{"body.a-refused-expectation-is-not-repeated-for-ever"},
		inner: func(wire http.RoundTripper) http.RoundTripper {
			return roundTrip(func(req *http.Request) (*http.Response, error) {
				resp, err := wire.RoundTrip(req)
				// 50 stands for no end, so that the mutant comes to one.
				for range 50 {
					if err != nil || resp.StatusCode != http.StatusExpectationFailed || req.GetBody == nil {
						break
					}
					discard(resp)
					again := req.Clone(req.Context())
					again.Header.Del("Expect")
					again.Body, _ = req.GetBody()
					resp, err = wire.RoundTrip(again)
				}
				return resp, err
			})
		},
	},
}

// expected is the context key of what the caller's Expect says.
type expected struct{}

// bodyTwice is a connection that writes the body behind a head once more when 100
// Continue comes after it.
type bodyTwice struct {
	net.Conn

	mu   sync.Mutex
	body []byte // what was written behind the last head that waits for 100
	head bool   // there was one
}

func (c *bodyTwice) Write(p []byte) (int, error) {
	c.mu.Lock()
	if c.head {
		c.body = append(c.body, p...)
	} else {
		c.head = bytes.Contains(p, []byte("Expect: 100-continue"))
	}
	c.mu.Unlock()
	return c.Conn.Write(p)
}

func (c *bodyTwice) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	if bytes.HasPrefix(p[:n], []byte("HTTP/1.1 100 ")) {
		c.mu.Lock()
		_, _ = c.Conn.Write(c.body)
		c.body = nil
		c.mu.Unlock()
	}
	return n, err
}
