package breaker

import (
	"context"
	"errors"
	"sync/atomic"
	"time"
)

// Counters are what the commands of a [Client] or the exchanges of a
// [Transport] came to, since it was made.
type Counters struct {
	Attempts          int64 // all of the following but the fallbacks
	Successes         int64
	Failures          int64         // errors, 5xx and listed statuses
	Rejects           int64         // by the concurrency limit
	ShortCircuits     int64         // by the open breaker
	Timeouts          int64         // of the command
	ContextCanceled   int64         // by the caller
	DeadlineExceeded  int64         // of the caller
	FallbackSuccesses int64         // fallbacks that returned a response
	FallbackFailures  int64         // fallbacks that returned none
	Duration          time.Duration // the sum over those that were sent
	LongestDuration   time.Duration // among these
}

type counters struct {
	attempts, successes, failures, rejects, shortCircuits, timeouts atomic.Int64
	canceled, deadline, fallbackSuccesses, fallbackFailures         atomic.Int64
	duration, longest                                               atomic.Int64
}

// ended counts the end of the caller's context.
func (c *counters) ended(err error) {
	if errors.Is(err, context.DeadlineExceeded) {
		c.deadline.Add(1)
	} else {
		c.canceled.Add(1)
	}
}

func (c *counters) took(d time.Duration) {
	c.duration.Add(int64(d))
	for {
		longest := c.longest.Load()
		if int64(d) <= longest || c.longest.CompareAndSwap(longest, int64(d)) {
			return
		}
	}
}

func (c *counters) snapshot() Counters {
	return Counters{
		Attempts: c.attempts.Load(), Successes: c.successes.Load(), Failures: c.failures.Load(),
		Rejects: c.rejects.Load(), ShortCircuits: c.shortCircuits.Load(), Timeouts: c.timeouts.Load(),
		ContextCanceled: c.canceled.Load(), DeadlineExceeded: c.deadline.Load(),
		FallbackSuccesses: c.fallbackSuccesses.Load(), FallbackFailures: c.fallbackFailures.Load(),
		Duration: time.Duration(c.duration.Load()), LongestDuration: time.Duration(c.longest.Load()),
	}
}
