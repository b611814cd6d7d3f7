package breaker

import (
	"context"
	"errors"
	"io"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/faultsrv/faultsrv/resilient"
)

// guard runs exchanges behind a breaker and, where it has them, a limiter and
// a timeout of its own. Transport and Client are two ways to use it.
type guard struct {
	selector Selector
	limiter  *Limiter      // nil: none
	timeout  time.Duration // 0: none
	failed   func(*http.Response) bool
	// deadlineFails says whether the end of a deadline of the context counts
	// as a failure, or says nothing about the server.
	deadlineFails bool
	counters      *counters
}

// exchange sends a request if everything lets it pass, and settles the permit
// in every way that it may end, a panic included.
func (g *guard) exchange(req *http.Request, send func(*http.Request) (*http.Response, error)) (*http.Response, error) {
	g.counters.attempts.Add(1)
	permit, err := g.selector.For(req).Allow()
	if err != nil {
		g.counters.shortCircuits.Add(1)
		closeBody(req)
		return nil, err
	}
	result := neutral
	defer func() { permit.settle(result) }()

	release, err := g.acquire(req)
	if err != nil {
		closeBody(req)
		return nil, err
	}
	returned := false
	defer func() {
		if !returned {
			release()
		}
	}()
	started := time.Now()
	resp, err := g.timed(req, send)
	g.counters.took(time.Since(started))
	result = g.judge(req.Context(), resp, err)
	if err != nil {
		return nil, err
	}
	returned = true
	resp.Body = afterClose(resp.Body, release)
	return resp, nil
}

// acquire takes a slot of the limiter. The function gives it back.
func (g *guard) acquire(req *http.Request) (release func(), err error) {
	if g.limiter == nil {
		return func() {}, nil
	}
	if err := g.limiter.Acquire(req.Context()); err != nil {
		if errors.Is(err, ErrConcurrencyLimit) {
			g.counters.rejects.Add(1)
		} else {
			g.counters.ended(err)
		}
		return nil, err
	}
	return g.limiter.Release, nil
}

// judge says what an exchange means for the breaker, and counts it.
func (g *guard) judge(ctx context.Context, resp *http.Response, err error) result {
	switch {
	case err == nil && !g.failed(resp):
		g.counters.successes.Add(1)
		return success
	case err == nil:
		g.counters.failures.Add(1)
		return failure
	case errors.Is(err, ErrCommandTimeout):
		g.counters.timeouts.Add(1)
		return failure
	case ctx.Err() == nil, errors.Is(context.Cause(ctx), resilient.ErrAttemptTimeout):
		g.counters.failures.Add(1)
		return failure
	}
	g.counters.ended(ctx.Err())
	if g.deadlineFails && errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return failure
	}
	return neutral
}

// timed bounds the time until the response has come. What is left of the
// context ends with the response's body.
func (g *guard) timed(req *http.Request, send func(*http.Request) (*http.Response, error)) (*http.Response, error) {
	if g.timeout <= 0 {
		return complete(send(req))
	}
	ctx, cancel := context.WithCancelCause(req.Context())
	timed := req.WithContext(ctx)
	shut := gate(timed)
	timer := time.AfterFunc(g.timeout, func() {
		shut.Store(true)
		cancel(ErrCommandTimeout)
	})
	resp, err := complete(send(timed))
	if !timer.Stop() {
		// The timeout came first, whatever came after it: the context of
		// this response is canceled already.
		if err == nil {
			resp.Body.Close()
		}
		cancel(nil)
		return nil, &timeoutError{after: g.timeout, cause: err}
	}
	if err != nil {
		cancel(nil)
		return nil, err
	}
	if resp.Request == timed {
		resp.Request = req
	}
	resp.Body = afterClose(resp.Body, func() { cancel(nil) })
	return resp, nil
}

var errNothingReturned = errors.New("neither a response nor an error was returned")

// complete keeps what was called to its contract.
func complete(resp *http.Response, err error) (*http.Response, error) {
	switch {
	case err != nil && resp != nil && resp.Body != nil:
		resp.Body.Close()
	case err == nil && resp == nil:
		return nil, errNothingReturned
	case err == nil && resp.Body == nil:
		resp.Body = http.NoBody
	}
	return resp, err
}

func closeBody(req *http.Request) {
	if req.Body != nil {
		req.Body.Close()
	}
}

// gate puts a gate before the request's body, which a timed-out command finds
// shut: a retry may already be reading what it would take.
func gate(req *http.Request) (shut *atomic.Bool) {
	shut = new(atomic.Bool)
	if req.Body == nil || req.Body == http.NoBody {
		return shut
	}
	req.Body = &gatedBody{ReadCloser: req.Body, shut: shut}
	if get := req.GetBody; get != nil {
		req.GetBody = func() (io.ReadCloser, error) {
			body, err := get()
			if err != nil {
				return nil, err
			}
			return &gatedBody{ReadCloser: body, shut: shut}, nil
		}
	}
	return shut
}

type gatedBody struct {
	io.ReadCloser
	shut *atomic.Bool
}

func (b *gatedBody) Read(p []byte) (int, error) {
	if b.shut.Load() {
		return 0, ErrCommandTimeout
	}
	return b.ReadCloser.Read(p)
}

// afterClose has a function run once the body is closed.
func afterClose(body io.ReadCloser, then func()) io.ReadCloser {
	if body == http.NoBody {
		then()
		return body
	}
	then = sync.OnceFunc(then)
	if stream, ok := body.(io.ReadWriteCloser); ok {
		return &closingStream{ReadWriteCloser: stream, then: then}
	}
	return &closingBody{ReadCloser: body, then: then}
}

type closingBody struct {
	io.ReadCloser
	then func()
}

func (b *closingBody) Close() error {
	defer b.then()
	return b.ReadCloser.Close()
}

// closingStream keeps the connection of a 101 response writable.
type closingStream struct {
	io.ReadWriteCloser
	then func()
}

func (s *closingStream) Close() error {
	defer s.then()
	return s.ReadWriteCloser.Close()
}

// timeoutError is a command that took too long.
type timeoutError struct {
	after time.Duration
	cause error // what the cancelled exchange returned; may be nil
}

func (e *timeoutError) Error() string { return ErrCommandTimeout.Error() + " of " + e.after.String() }
func (e *timeoutError) Timeout() bool { return true }
func (e *timeoutError) Unwrap() []error {
	chain := []error{ErrCommandTimeout, context.DeadlineExceeded}
	if e.cause != nil {
		chain = append(chain, e.cause)
	}
	return chain
}
