package resilient

import (
	"context"
	"time"
)

// sleep waits for the duration or until the context is done, whichever comes
// first, and then returns the context's error. A wait that could not end
// before the deadline fails at once: its end is already known.
func sleep(ctx context.Context, wait time.Duration) error {
	if err := ctx.Err(); err != nil || wait <= 0 {
		return err
	}
	if !fits(ctx, wait) {
		return context.DeadlineExceeded
	}
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-timer.C:
		return ctx.Err() // both may be ready: the caller's end wins
	case <-ctx.Done():
		return ctx.Err()
	}
}

// fits reports whether a wait ends before the context's deadline.
func fits(ctx context.Context, wait time.Duration) bool {
	deadline, ok := ctx.Deadline()
	return !ok || wait < time.Until(deadline)
}
