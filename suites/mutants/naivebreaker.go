package mutants

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"time"

	"github.com/faultsrv/faultsrv/resilient"
	"github.com/faultsrv/faultsrv/scenarios"
)

// breakerFlaw is what is wrong with a naiveBreaker. The zero value is a breaker
// that keeps its contracts.
type breakerFlaw struct {
	// a cancelled probe, or one answered with a 4xx, keeps its place.
	keepsCancelledPlace, keepsRefusedPlace bool
	// a cancelled probe closes it.
	closesWhenCancelled bool
	// a failed probe leaves it half-open, a good one too.
	staysHalfOpen, neverCloses bool
	// what it counts as a failure and should not, and the other way round.
	countsCancellations, countsClientErrors, overlooksTimeouts, overlooksLostConnections bool
	// its rejections are retried, or cannot be told from other errors.
	rejectionIsRetried, rejectionIsBare bool
}

// naiveBreaker is a circuit breaker as people write it by hand.
type naiveBreaker struct {
	next   http.RoundTripper
	policy scenarios.Breaker
	flaw   breakerFlaw

	mu       sync.Mutex
	failures int
	until    time.Time // open until then; zero: closed
	probes   int       // under way, or with their place kept
	good     int       // probes that succeeded since it was opened
}

// RoundTrip implements http.RoundTripper.
func (b *naiveBreaker) RoundTrip(req *http.Request) (*http.Response, error) {
	probe, err := b.enter()
	if err != nil {
		if req.Body != nil {
			_ = req.Body.Close()
		}
		return nil, err
	}
	resp, err := b.next.RoundTrip(req)
	b.leave(req.Context(), probe, resp, err)
	return resp, err
}

func (b *naiveBreaker) enter() (probe bool, err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch {
	case b.until.IsZero():
		return false, nil
	case time.Now().Before(b.until), b.probes >= max(b.policy.Probes, 1):
		return false, b.rejection()
	}
	b.probes++
	return true, nil
}

func (b *naiveBreaker) rejection() error {
	switch {
	case b.flaw.rejectionIsRetried:
		return errors.New("the server could not be reached")
	case b.flaw.rejectionIsBare:
		return permanent{errors.New("not now")}
	default:
		return fmt.Errorf("%w until %v", resilient.ErrCircuitOpen, b.until)
	}
}

// permanent is an error that the retry layer of the mutant does not retry.
type permanent struct{ error }

func (b *naiveBreaker) leave(ctx context.Context, probe bool, resp *http.Response, err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	cancelled := errors.Is(ctx.Err(), context.Canceled) && !b.flaw.countsCancellations
	refused := err == nil && resp.StatusCode >= 400 && resp.StatusCode < 500
	if probe && !(cancelled && b.flaw.keepsCancelledPlace) && !(refused && b.flaw.keepsRefusedPlace) {
		b.probes--
	}
	switch {
	case cancelled && probe && b.flaw.closesWhenCancelled:
		b.until, b.failures = time.Time{}, 0
	case cancelled, refused && b.flaw.keepsRefusedPlace:
	case b.failed(resp, err):
		b.failures++
		if (probe && !b.flaw.staysHalfOpen) || b.failures >= b.policy.Failures && !probe {
			b.until, b.good = time.Now().Add(b.policy.Open), 0
		}
	case probe:
		if b.good++; b.good >= max(b.policy.Probes, 1) && !b.flaw.neverCloses {
			b.until, b.failures = time.Time{}, 0
		}
	default:
		b.failures = 0
	}
}

func (b *naiveBreaker) failed(resp *http.Response, err error) bool {
	switch {
	case err != nil && isTimeout(err):
		return !b.flaw.overlooksTimeouts
	case err != nil:
		return !b.flaw.overlooksLostConnections
	case resp.StatusCode >= 500:
		return true
	default:
		return b.flaw.countsClientErrors && resp.StatusCode >= 400
	}
}

func isTimeout(err error) bool {
	return errors.Is(err, context.DeadlineExceeded) || errors.Is(err, resilient.ErrAttemptTimeout)
}
