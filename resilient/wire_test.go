package resilient_test

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/faultsrv/faultsrv/resilient"
	. "github.com/onsi/gomega"
)

// step answers one attempt. The body of the request has been read by then,
// unless the step is early.
type step func(*http.Request) (*http.Response, error)

// attempt is what the wire saw of one attempt.
type attempt struct {
	at      time.Time
	method  string
	body    string
	length  int64
	header  http.Header
	request *http.Request
}

// wire is an in-memory RoundTripper that plays one step an attempt, the last
// one for ever, and counts what net/http's contract asks to be closed.
type wire struct {
	steps []step

	mu       sync.Mutex
	attempts []attempt
	opened   atomic.Int64
	closed   atomic.Int64
	read     atomic.Int64 // bytes read of response bodies
}

func plays(steps ...step) *wire { return &wire{steps: steps} }

func (w *wire) RoundTrip(req *http.Request) (*http.Response, error) {
	if err := req.Context().Err(); err != nil {
		if req.Body != nil {
			req.Body.Close()
		}
		return nil, err
	}
	seen := attempt{at: time.Now(), method: req.Method, length: req.ContentLength, header: req.Header.Clone(), request: req}
	if req.Body != nil {
		data, err := io.ReadAll(req.Body)
		req.Body.Close()
		if err != nil {
			return nil, err
		}
		seen.body = string(data)
	}
	w.mu.Lock()
	w.attempts = append(w.attempts, seen)
	next := w.steps[min(len(w.attempts), len(w.steps))-1]
	w.mu.Unlock()
	resp, err := next(req)
	if resp != nil && resp.Body != nil {
		w.opened.Add(1)
		resp.Body = &countedBody{ReadCloser: resp.Body, wire: w}
		resp.Request = req
	}
	return resp, err
}

func (w *wire) seen() []attempt {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.attempts
}

// gaps are the times between the attempts' starts.
func (w *wire) gaps() []time.Duration {
	var gaps []time.Duration
	seen := w.seen()
	for i := 1; i < len(seen); i++ {
		gaps = append(gaps, seen[i].at.Sub(seen[i-1].at))
	}
	return gaps
}

type countedBody struct {
	io.ReadCloser
	wire *wire
	once sync.Once
}

func (b *countedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	b.wire.read.Add(int64(n))
	return n, err
}

func (b *countedBody) Close() error {
	b.once.Do(func() { b.wire.closed.Add(1) })
	return b.ReadCloser.Close()
}

// answers is a response with a small body that names its status.
func answers(status int, header ...string) step {
	return answersWith(status, func() io.ReadCloser {
		return io.NopCloser(strings.NewReader(fmt.Sprintf("body of %d", status)))
	}, header...)
}

func answersWith(status int, body func() io.ReadCloser, header ...string) step {
	return func(*http.Request) (*http.Response, error) {
		resp := &http.Response{StatusCode: status, Header: http.Header{}, Body: body(), ContentLength: -1}
		for i := 0; i < len(header); i += 2 {
			resp.Header.Add(header[i], header[i+1])
		}
		return resp, nil
	}
}

func fails(err error) step {
	return func(*http.Request) (*http.Response, error) { return nil, err }
}

// hangs answers nothing until the attempt's context is done.
func hangs(req *http.Request) (*http.Response, error) {
	<-req.Context().Done()
	return nil, req.Context().Err()
}

var errReset = errors.New("connection reset by peer")

// endless is a body that never ends and is always ready.
type endless struct{}

func (endless) Read(p []byte) (int, error) { return len(p), nil }
func (endless) Close() error               { return nil }

// silent is a body that blocks until it is closed.
func silent() io.ReadCloser {
	r, _ := io.Pipe()
	return r
}

// tracked is a request body without GetBody that knows what happened to it.
type tracked struct {
	io.Reader
	closed atomic.Int64
}

func stream(text string) *tracked { return &tracked{Reader: strings.NewReader(text)} }

func (b *tracked) Close() error { b.closed.Add(1); return nil }

func transport(g Gomega, base http.RoundTripper, opts ...resilient.Option) *resilient.Transport {
	t, err := resilient.New(base, opts...)
	g.Expect(err).NotTo(HaveOccurred())
	return t
}

func request(t *testing.T, method string, body io.Reader) *http.Request {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, "http://upstream.test/orders/1", body)
	if err != nil {
		t.Fatal(err)
	}
	return req
}

// constantly is a backoff without jitter.
func constantly(pause time.Duration) resilient.Option {
	return resilient.WithBackoff(resilient.NewConstantBackoff(pause, 0))
}

// rule runs a test, named after the row of the norms that it shows, on a
// clock of its own: pauses take no time, and a goroutine that is left behind
// fails the test.
func rule(t *testing.T, row string, test func(*testing.T, Gomega)) {
	t.Helper()
	t.Run(row, func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) { test(t, NewWithT(t)) })
	})
}

func text(g Gomega, resp *http.Response) string {
	data, err := io.ReadAll(resp.Body)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(resp.Body.Close()).To(Succeed())
	return string(data)
}

// failure asserts that a call failed, with the Transport's own error type.
func failure(g Gomega, resp *http.Response, err error) *resilient.Error {
	g.Expect(err).To(HaveOccurred())
	g.Expect(resp).To(BeNil())
	var typed *resilient.Error
	g.Expect(errors.As(err, &typed)).To(BeTrue())
	return typed
}
