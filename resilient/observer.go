package resilient

import (
	"errors"
	"net/http"
	"slices"
	"time"
)

// EventKind says what an [Event] tells.
type EventKind string

// The events of a call, in the order in which they come about.
const (
	// EventAttempt comes before each attempt is sent.
	EventAttempt EventKind = "attempt"
	// EventResult comes after each attempt, with its response or error.
	EventResult EventKind = "result"
	// EventPause comes before each pause, with its delay and its reason.
	EventPause EventKind = "pause"
	// EventInterrupted comes where the caller's context ended a pause.
	EventInterrupted EventKind = "interrupted"
	// EventEnd comes once, last, with the cause why there was no further
	// attempt.
	EventEnd EventKind = "end"
)

// Event is one moment of a call. Fields that a kind does not name are zero.
type Event struct {
	Kind EventKind
	// Attempt is the number of the attempt, the first being 1. In
	// EventPause, EventInterrupted and EventEnd it is that of the last one.
	Attempt int
	// Request is what is sent in EventAttempt and EventResult, and the
	// call's request otherwise. It must not be modified. Its URL may hold a
	// password: show it with URL.Redacted.
	Request *http.Request
	// Response of EventResult and EventEnd. Its body must not be touched.
	Response *http.Response
	// Err is the error of an EventResult, the reason of an EventPause (a
	// *StatusError where that is a status), the context's error of an
	// EventInterrupted, and the failure of an EventEnd.
	Err error
	// Hedge tells, in EventAttempt, that others are still under way.
	Hedge bool
	// Decision on the result, in EventResult.
	Decision Decision
	// Delay of an EventPause.
	Delay time.Duration
	// Elapsed is how long the attempt took in EventResult, and the call in
	// EventEnd.
	Elapsed time.Duration
	// Cause of an EventEnd; empty where the response was accepted.
	Cause Cause
	// BudgetLeft is how many retries the budget would allow now, where it
	// can tell (see [BudgetReporter]), and -1 otherwise.
	BudgetLeft float64
	// Breaker is the state of the circuit breaker under this Transport, such
	// as "half-open", where the base can tell (see [BreakerReporter]).
	Breaker string
}

// Observer sees the events of calls. Observe is called on the caller's own
// goroutine and must return soon; it must be safe for concurrent use.
type Observer interface {
	Observe(Event)
}

// ObserverFunc is a function that is an [Observer].
type ObserverFunc func(Event)

// Observe calls the function.
func (f ObserverFunc) Observe(e Event) { f(e) }

// BudgetReporter is a [Budget] that can tell how many retries it would allow
// now.
type BudgetReporter interface {
	Remaining() float64
}

// BreakerReporter is a base RoundTripper with a circuit breaker that can tell
// the state which applies to a request.
type BreakerReporter interface {
	BreakerState(*http.Request) string
}

// WithObserver adds an observer. Several are told in the order in which they
// were added.
func WithObserver(observer Observer) Option {
	return optionFunc(func(p *policy) error {
		if observer == nil {
			return errors.New("WithObserver: the observer is nil: leave the option out")
		}
		p.observers = append(slices.Clip(p.observers), observer)
		return nil
	})
}

// observed reports whether anybody looks; without, events cost nothing.
func (c *call) observed() bool { return len(c.policy.observers) > 0 }

func (c *call) tell(e Event) {
	e.BudgetLeft = -1
	if reporter, ok := c.policy.budget.(BudgetReporter); ok {
		e.BudgetLeft = reporter.Remaining()
	}
	if reporter, ok := c.base.(BreakerReporter); ok {
		e.Breaker = reporter.BreakerState(c.request)
	}
	if e.Request == nil {
		e.Request = c.request
	}
	for _, observer := range c.policy.observers {
		observer.Observe(e)
	}
}

// tellEnd is the last event of a call.
func (c *call) tellEnd(out outcome, started time.Time) {
	e := Event{
		Kind: EventEnd, Attempt: out.info.Attempts, Response: out.resp, Cause: out.info.Cause,
		Elapsed: time.Since(started),
	}
	if out.resp == nil {
		e.Err = out.asError(c.request)
	}
	c.tell(e)
}
