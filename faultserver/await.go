package faultserver

import (
	"context"
	"fmt"
)

// AwaitAttempts blocks until at least n attempts have arrived, those that the
// journal had no room for included. It fails with the context's error, and with
// one that matches ErrSessionClosed.
func (s *Session) AwaitAttempts(ctx context.Context, n int) error {
	for {
		s.mu.Lock()
		came, changed := s.attempts, s.change()
		s.mu.Unlock()
		if came >= n {
			return nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return fmt.Errorf("await attempt %d, of which %d came: %w", n, came, context.Cause(ctx))
		case <-s.closing:
			return fmt.Errorf("await attempt %d, of which %d came: %w", n, came, ErrSessionClosed)
		}
	}
}

// Attempts is how many attempts have arrived, those that the journal had no
// room for included.
func (s *Session) Attempts() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.attempts
}

// Unscripted is how many attempts came after a script's end, those that the
// journal had no room for included.
func (s *Session) Unscripted() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.unscripted
}
