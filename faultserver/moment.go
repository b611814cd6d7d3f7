package faultserver

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"
)

// A Moment is an event of a call or of an attempt, and a time after it.
//
// An attempt's event in a call with several repeats is that of the asking
// repeat where the asker is one of them, else that of the repeat for which it
// comes first.
type Moment struct {
	// Call names the call; empty is the call the moment stands in.
	Call string `yaml:"call"`
	// Attempt is the number of one of the call's attempts, from 1; 0 means that
	// the event is one of the call itself.
	Attempt int `yaml:"attempt"`
	// Event is what happens. The zero value is Returned for a call and Answered
	// for an attempt.
	Event Event `yaml:"event"`
	// Plus is added to the event's time.
	Plus time.Duration `yaml:"plus"`
}

// Event is something that happens to a call or to an attempt.
type Event string

// The events. Started, Returned and AllOthersReturned are events of a call (in
// the name of all its repeats: Started is the first one's, Returned the last
// one's; AllOthersReturned is when every repeat but the asking one has
// returned); the others are events of an attempt.
const (
	Started           Event = "started"
	Returned          Event = "returned"
	AllOthersReturned Event = "all-others-returned"
	// Arrived is when the attempt's head arrived (for a struck connection: its accept).
	Arrived Event = "arrived"
	// Answered is when an answer was written to its end.
	Answered Event = "answered"
	// Struck is when the step's act was performed, whatever it was: an answer
	// written, a connection reset, a stall begun.
	Struck Event = "struck"
)

// event is the moment's event, or the default that the zero value stands for.
func (m Moment) event() Event {
	switch {
	case m.Event != "":
		return m.Event
	case m.Attempt == 0:
		return Returned
	}
	return Answered
}

// Validate says what is wrong with the moment itself, if anything.
func (m Moment) Validate() error {
	if m.Attempt < 0 {
		return fmt.Errorf("attempt %d; want a number from 1, or none for an event of the call", m.Attempt)
	}
	if m.Plus < 0 {
		return fmt.Errorf("plus %s; a moment cannot lie before its event", FormatDuration(m.Plus))
	}
	switch m.event() {
	case Started, Returned, AllOthersReturned:
		if m.Attempt != 0 {
			return fmt.Errorf("%s is an event of a call; leave attempt out, or want arrived, answered or struck", m.event())
		}
	case Arrived, Answered, Struck:
		if m.Attempt == 0 {
			return fmt.Errorf("%s is an event of an attempt; say which, such as attempt: 1", m.event())
		}
	default:
		return fmt.Errorf("event %q; want started, returned or all-others-returned of a call, or arrived, answered or struck of an attempt", string(m.Event))
	}
	return nil
}

// Await blocks until the moment has come, as seen from the call with the
// token, and returns when it was due: the caller can tell how late it is. It
// fails with the context's error, with one that matches ErrSessionClosed when
// the session is closed first, and for a moment that is not valid or names no
// call of the session.
func (s *Session) Await(ctx context.Context, token string, m Moment) (due time.Duration, err error) {
	if err := errors.Join(m.Validate(), s.config.knows(m)); err != nil {
		return 0, fmt.Errorf("await: %w", err)
	}
	due, err = s.await(ctx.Done(), token, m)
	if err != nil {
		return 0, fmt.Errorf("await: %w", errors.Join(err, context.Cause(ctx)))
	}
	timer := time.NewTimer(due - s.Elapsed())
	defer timer.Stop()
	select {
	case <-timer.C:
		return due, nil
	case <-ctx.Done():
		return 0, fmt.Errorf("await: %w", context.Cause(ctx))
	case <-s.closing:
		return 0, fmt.Errorf("await: %w", ErrSessionClosed)
	}
}

// AwaitQuiet blocks until no attempt is in progress. It fails with the
// context's error, and with one that matches ErrSessionClosed.
func (s *Session) AwaitQuiet(ctx context.Context) error {
	for {
		s.mu.Lock()
		open := slices.ContainsFunc(s.records, func(r *record) bool { return r.Open })
		changed := s.change()
		s.mu.Unlock()
		if !open {
			return nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return fmt.Errorf("await quiet: %w", context.Cause(ctx))
		case <-s.closing:
			return fmt.Errorf("await quiet: %w", ErrSessionClosed)
		}
	}
}

// AwaitAcks blocks until the clients have acknowledged all that was answered, as
// far as this system can see it: one with nothing to send does so after 40 ms,
// and on Linux after 200 ms at most. It fails with the context's error, which is
// what ends the wait for a client that does not read.
func (s *Session) AwaitAcks(ctx context.Context) error {
	look := time.NewTicker(time.Millisecond)
	defer look.Stop()
	for s.awaitsAcks() {
		select {
		case <-look.C:
		case <-ctx.Done():
			return fmt.Errorf("await acknowledgements: %w", context.Cause(ctx))
		}
	}
	return nil
}

func (s *Session) awaitsAcks() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	awaits := false
	for c, open := range s.conns {
		s.refreshAcks(c)
		awaits = awaits || len(open.unacked) > 0
	}
	return awaits
}

// errGivenUp says that a wait was ended by the one who waited.
var errGivenUp = errors.New("the moment did not come in time")

// await blocks until the moment's event has happened, and returns the moment's
// time, which may lie ahead.
func (s *Session) await(giveUp <-chan struct{}, token string, m Moment) (time.Duration, error) {
	for {
		s.mu.Lock()
		at, happened := s.timeOf(token, m)
		changed := s.change()
		s.mu.Unlock()
		if happened {
			return at + m.Plus, nil
		}
		select {
		case <-changed:
		case <-giveUp:
			return 0, errGivenUp
		case <-s.closing:
			return 0, ErrSessionClosed
		}
	}
}

// timeOf is when a moment's event happened, if it has. The lock is held.
func (s *Session) timeOf(token string, m Moment) (time.Duration, bool) {
	asking := s.call(token)
	repeats := []*callState{asking}
	if m.Call != "" {
		repeats = s.repeatsOf(m.Call)
	} else if m.Attempt == 0 {
		repeats = s.repeatsOf(asking.name)
	}
	if m.Attempt > 0 {
		if slices.Contains(repeats, asking) {
			repeats = []*callState{asking}
		}
		return earliest(repeats, func(c *callState) *time.Duration { return c.attemptEvent(m.Attempt, m.event()) })
	}
	switch m.event() {
	case Started:
		return earliest(repeats, func(c *callState) *time.Duration { return c.started })
	case AllOthersReturned:
		repeats = slices.DeleteFunc(slices.Clone(repeats), func(c *callState) bool { return c == asking })
	}
	var last time.Duration
	for _, c := range repeats {
		if c.returned == nil {
			return 0, false
		}
		last = max(last, *c.returned)
	}
	return last, true
}

// earliest is the first of the times that have come.
func earliest(calls []*callState, event func(*callState) *time.Duration) (time.Duration, bool) {
	var first *time.Duration
	for _, c := range calls {
		if at := event(c); at != nil && (first == nil || *at < *first) {
			first = at
		}
	}
	if first == nil {
		return 0, false
	}
	return *first, true
}

// attemptEvent is when an event of one of the call's attempts happened; nil
// while it has not.
func (c *callState) attemptEvent(number int, event Event) *time.Duration {
	if number > len(c.attempts) {
		return nil
	}
	record := c.attempts[number-1]
	switch event {
	case Arrived:
		return &record.Arrived
	case Answered:
		return unlessZero(&record.answeredAt)
	case Struck:
		return unlessZero(&record.struckAt)
	}
	return nil
}

// unlessZero is the moment; nil where it has not come.
func unlessZero(at *time.Duration) *time.Duration {
	if *at == 0 {
		return nil
	}
	return at
}
