package breaker

import (
	"errors"
	"fmt"
	"time"

	"github.com/faultsrv/faultsrv/resilient"
)

// OpenError is the answer of a breaker that let a call not pass: nothing was
// sent. errors.Is finds [resilient.ErrCircuitOpen] in it, which no client of
// this module retries: the answer to a retry is known for the time left.
type OpenError struct {
	// Name of the breaker; empty where it has none.
	Name string
	// State is Open, or HalfOpen while all its probes are under way.
	State State
	// Left is the time until the next probe may pass. It is 0 for HalfOpen,
	// where that depends on the probes.
	Left time.Duration
}

// Error names the state and the time left.
func (e *OpenError) Error() string {
	name := "the circuit breaker"
	if e.Name != "" {
		name = fmt.Sprintf("the circuit breaker %q", e.Name)
	}
	if e.State == HalfOpen {
		return name + " is half-open and waits for its probes"
	}
	return fmt.Sprintf("%s is open for another %v", name, e.Left)
}

// Unwrap makes the error match resilient.ErrCircuitOpen.
func (e *OpenError) Unwrap() error { return resilient.ErrCircuitOpen }

var (
	// ErrConcurrencyLimit means that as many calls as the limit allows are under way.
	// Nothing was sent.
	ErrConcurrencyLimit = errors.New("too many calls are under way")
	// ErrCommandTimeout means that the command took longer than its timeout and was
	// canceled. Such an error also matches context.DeadlineExceeded.
	ErrCommandTimeout = errors.New("the command took longer than its timeout")
)
