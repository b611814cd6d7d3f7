package faultserver

import "time"

// A Lasting act keeps an attempt open for a time that its parameters tell.
type Lasting interface {
	Act
	// Lasts is how long it does at most with a request's body of so many bytes,
	// apart from the step's delay.
	Lasts(body int64) time.Duration
}

// headLength is more than the head of an answer with few headers has.
const headLength = 512

// takes is how long a number of bytes takes at the pace.
func (p pace) takes(bytes int64) time.Duration {
	pieces := float64(max(0, bytes)) / float64(max(1, p.piece)) * float64(p.every)
	return time.Duration(min(pieces, float64(24*time.Hour)))
}

// sentLength is about how many bytes the answer is.
func (a Answer) sentLength() int64 { return headLength + a.Encoded().Body.Len() }

// Lasts implements Lasting.
func (d Dribble) Lasts(int64) time.Duration { return d.pace().takes(d.Answer.sentLength()) }

// Lasts implements Lasting.
func (b Bandwidth) Lasts(body int64) time.Duration {
	p := paceOf(max(1, b.Rate))
	if !b.up() {
		return p.takes(b.Answer.sentLength())
	}
	if b.Way == Up {
		return p.takes(body)
	}
	return p.takes(body) + p.takes(b.Answer.sentLength())
}

// Lasts implements Lasting.
func (s SlowRead) Lasts(body int64) time.Duration { return s.After + s.pace().takes(body) }

// Lasts implements Lasting. A client that is never told is taken to be as patient
// as most are.
func (e ExpectContinue) Lasts(int64) time.Duration {
	switch {
	case e.Continue == "" || e.Continue == ContinueSent:
		return 0
	case e.After != 0:
		return e.After
	}
	return usualLateness
}

// Lasts implements Lasting.
func (r Raw) Lasts(int64) time.Duration {
	lasts := pace{1, r.Every}.takes(int64(len(r.Pieces)) - 1)
	if r.End == EndStall {
		lasts += longestSilence
	}
	return lasts
}

// Lasts implements Lasting: a refusal that has a date is sent at DatePhase.
func (t Throttle) Lasts(int64) time.Duration {
	if r := t.RetryAfter(); r != nil && r.Date != nil {
		return time.Second
	}
	return 0
}

// RetryAfter is the longest that a refused attempt is told to wait; nil for
// nothing.
func (t Throttle) RetryAfter() *RetryAfter { return t.refusal(t.every()).RetryAfter }

// Lasts implements Lasting.
func (c Capacity) Lasts(int64) time.Duration {
	if c.Full == DelayWhenFull {
		return longestSilence
	}
	return time.Duration(min(float64(c.Queue)*float64(time.Second)/float64(max(1, c.Rate)), float64(24*time.Hour)))
}
