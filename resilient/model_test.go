package resilient_test

import (
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/faultsrv/faultsrv/resilient"
	"pgregory.net/rapid"
)

// modelCall is one call of the model: what may be said about it beforehand.
type modelCall struct {
	attempts   int
	idempotent bool
	body       string // "none", "replayable", "buffered" or "stream"
	results    []string
}

// retries reports what a result asks for: a retry at all, and one of any
// method.
func retries(result string) (retry, unprocessed bool) {
	switch result {
	case "503", "429", "reset":
		return true, false
	case "refused":
		return true, true
	}
	return false, false
}

// expected is the number of attempts and the cause, as the norms tell them.
func (c modelCall) expected() (attempts int, cause resilient.Cause) {
	for n := 1; ; n++ {
		result := c.results[min(n, len(c.results))-1]
		retry, unprocessed := retries(result)
		switch {
		case result == "certificate":
			return n, resilient.CausePermanent
		case !retry:
			return n, ""
		case n == c.attempts:
			return n, resilient.CauseExhausted
		case !c.idempotent && !unprocessed:
			return n, resilient.CauseNotIdempotent
		case c.body == "stream":
			return n, resilient.CauseNotReplayable
		}
	}
}

var modelSteps = map[string]step{
	"200": answers(200), "404": answers(404), "500": answers(500), "503": answers(503),
	"429":         answers(429, "Retry-After", "1"),
	"reset":       fails(errReset),
	"refused":     fails(&net.OpError{Op: "dial", Err: errReset}),
	"certificate": fails(http.ErrSchemeMismatch),
}

// TestModel compares the Transport with the model over any script, method and
// body: the attempts, the cause, the bytes of each attempt, what is closed,
// and that there is either a response or an error.
func TestModel(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		// Without the method Deadline, which a bubble does not allow.
		rapid.Check(struct{ testing.TB }{t}, func(t *rapid.T) {
			c := modelCall{
				attempts:   rapid.IntRange(1, 6).Draw(t, "attempts"),
				idempotent: rapid.Bool().Draw(t, "idempotent"),
				body:       rapid.SampledFrom([]string{"none", "replayable", "buffered", "stream"}).Draw(t, "body"),
				results: rapid.SliceOfN(rapid.SampledFrom([]string{"200", "404", "500", "503", "503", "429", "reset", "refused", "certificate"}), 1, 6).
					Draw(t, "results"),
			}
			w := new(wire)
			for _, result := range c.results {
				w.steps = append(w.steps, modelSteps[result])
			}
			opts := []resilient.Option{resilient.WithAttempts(c.attempts), resilient.WithBudget(nil)}
			if c.body == "buffered" {
				opts = append(opts, resilient.WithBodyBuffer(100))
			}
			if rapid.Bool().Draw(t, "attempt timeout") {
				opts = append(opts, resilient.WithAttemptTimeout(time.Minute))
			}
			req, source := c.request(t)
			tr, err := resilient.New(w, opts...)
			if err != nil {
				t.Fatal(err)
			}
			resp, err := tr.RoundTrip(req)
			if (resp == nil) == (err == nil) {
				t.Fatalf("got %v and %v: expected either a response or an error", resp, err)
			}
			attempts, cause := c.expected()
			c.check(t, w, resp, err, attempts, cause)
			if source != nil && source.closed.Load() == 0 {
				t.Fatal("the caller's body is still open")
			}
		})
	})
}

func (c modelCall) request(t *rapid.T) (*http.Request, *tracked) {
	method := http.MethodPost
	if c.idempotent {
		method = rapid.SampledFrom([]string{"GET", "HEAD", "OPTIONS", "TRACE"}).Draw(t, "method")
	}
	var body io.Reader
	var source *tracked
	switch c.body {
	case "replayable":
		body = strings.NewReader("bytes")
	case "buffered", "stream":
		source = stream("bytes")
		body = source
	}
	req, err := http.NewRequest(method, upstream, body)
	if err != nil {
		t.Fatal(err)
	}
	return req, source
}

func (c modelCall) check(t *rapid.T, w *wire, resp *http.Response, err error, attempts int, cause resilient.Cause) {
	told := resilient.Info(resp)
	if resp == nil {
		failed, ok := err.(*resilient.Error) //nolint:errorlint // the type itself is what is promised
		if !ok {
			t.Fatalf("the error is a %T", err)
		}
		told = resilient.CallInfo{Attempts: failed.Attempts, Cause: failed.Cause}
	} else if open := w.opened.Load() - w.closed.Load(); open != 1 {
		t.Fatalf("%d responses are open, expected the caller's one", open)
	} else if w.read.Load() > 0 && attempts == 1 {
		t.Fatal("the response was read before the caller got it")
	}
	if len(w.seen()) != attempts || told.Attempts != attempts || told.Cause != cause {
		t.Fatalf("%d requests, told %d attempts (%s); expected %d (%s)", len(w.seen()), told.Attempts, told.Cause, attempts, cause)
	}
	for _, a := range w.seen() {
		if c.body != "none" && a.body != "bytes" {
			t.Fatalf("an attempt carried %q", a.body)
		}
	}
	if resp != nil {
		resp.Body.Close()
	}
	if w.opened.Load() != w.closed.Load() {
		t.Fatalf("%d responses were opened, %d closed", w.opened.Load(), w.closed.Load())
	}
}
