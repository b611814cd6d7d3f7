package suites_test

import (
	"context"
	"errors"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/faultsrv/faultsrv/assertions"
	"github.com/faultsrv/faultsrv/reports"
	"github.com/faultsrv/faultsrv/scenarios"
	"github.com/faultsrv/faultsrv/suites"
)

// queueing is a circuit breaker that is correct in another way: who comes while
// it is half-open is not rejected, and waits for what the probes show.
type queueing struct {
	policy scenarios.Breaker
	wire   http.RoundTripper

	mu       sync.Mutex
	failures int
	until    time.Time     // open until then; zero: closed
	probes   int           // under way
	good     int           // that succeeded since it was opened
	shown    chan struct{} // closed when a probe has shown something
}

var errOpen = errors.New("the breaker is open")

func (q *queueing) RoundTrip(req *http.Request) (*http.Response, error) {
	probe, err := q.enter(req.Context())
	if err != nil {
		return nil, err
	}
	resp, err := q.wire.RoundTrip(req)
	q.leave(probe, err != nil || resp.StatusCode >= http.StatusInternalServerError)
	return resp, err
}

func (q *queueing) enter(ctx context.Context) (probe bool, err error) {
	for {
		q.mu.Lock()
		switch {
		case q.until.IsZero():
			q.mu.Unlock()
			return false, nil
		case time.Now().Before(q.until):
			q.mu.Unlock()
			return false, errOpen
		case q.probes < q.policy.Probes-q.good:
			q.probes++
			q.mu.Unlock()
			return true, nil
		}
		shown := q.shown
		q.mu.Unlock()
		select {
		case <-shown:
		case <-ctx.Done():
			return false, ctx.Err()
		}
	}
}

func (q *queueing) leave(probe, failed bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if probe {
		q.probes--
		close(q.shown)
		q.shown = make(chan struct{})
	}
	switch {
	case failed:
		if q.failures++; probe || q.failures >= q.policy.Failures {
			q.until, q.good = time.Now().Add(q.policy.Open), 0
		}
	case probe:
		if q.good++; q.good >= q.policy.Probes {
			q.until, q.failures, q.good = time.Time{}, 0, 0
		}
	default:
		q.failures = 0
	}
}

// TestABreakerMayQueueWhoComesHalfOpen: what a breaker does with the callers whom
// it does not let through is its own to choose.
func TestABreakerMayQueueWhoComesHalfOpen(t *testing.T) {
	t.Parallel()
	subject := suites.FromRoundTripper("queueing", func(policy scenarios.Policy) (http.RoundTripper, error) {
		wire, err := suites.NewTransport()
		if policy.Breaker == nil {
			return wire, err
		}
		return &queueing{policy: *policy.Breaker, wire: wire, shown: make(chan struct{})}, err
	})
	subject.About.Capabilities = append(subject.About.Capabilities, scenarios.CanBreaker)
	contracts := suites.Contracts("breaker.single-probe", "breaker.as-many-probes-as-configured", "breaker.a-failed-probe-opens-again",
		"breaker.a-good-probe-closes-it", "breaker.opens-at-its-threshold", "breaker.stays-open", "breaker.a-cancelled-probe-does-not-close-it")
	for _, result := range judged(t, subject, contracts) {
		if result.Verdict != assertions.Pass {
			t.Errorf("want %s\n%s", assertions.Pass, reports.Explain(result))
		}
	}
}
