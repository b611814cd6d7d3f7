package breaker

import (
	"context"
	"fmt"
	"time"
)

// Limiter bounds how many calls are under way at a time.
type Limiter struct {
	slots chan struct{}
	wait  time.Duration
}

// NewLimiter returns a limiter for this many calls. One more waits for a slot
// for at most the given time, and is then rejected; with 0 it is rejected at
// once.
func NewLimiter(calls int, wait time.Duration) (*Limiter, error) {
	if calls < 1 {
		return nil, fmt.Errorf("a limit of %d calls at a time: use 1 or more", calls)
	}
	if wait < 0 {
		return nil, fmt.Errorf("a limit whose calls wait for %v: use 0 (no wait) or more", wait)
	}
	return &Limiter{slots: make(chan struct{}, calls), wait: wait}, nil
}

// Acquire takes a slot, which Release gives back. The error matches
// [ErrConcurrencyLimit], or is the context's.
func (l *Limiter) Acquire(ctx context.Context) error {
	select {
	case l.slots <- struct{}{}:
		return nil
	default:
	}
	if l.wait == 0 {
		return l.full()
	}
	timer := time.NewTimer(l.wait)
	defer timer.Stop()
	select {
	case l.slots <- struct{}{}:
		return nil
	case <-timer.C:
		return l.full()
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (l *Limiter) full() error {
	return fmt.Errorf("%w: the limit is %d at a time", ErrConcurrencyLimit, cap(l.slots))
}

// Release gives a slot back.
func (l *Limiter) Release() { <-l.slots }

// InUse is how many slots are taken now.
func (l *Limiter) InUse() int { return len(l.slots) }
