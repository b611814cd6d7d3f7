package faultserver

import (
	"fmt"
	"time"
)

// Refuse is an entry of a connection script: a window in which the listener is
// closed, so that a SYN is answered by RST. It begins when its turn comes: when
// the session is opened, or when the entry before it has been consumed. It
// counts no attempt: its proof is the listener's receipt (a [Window] in the
// journal) and what the client says.
//
// The port stays taken while the window lasts: a bound socket that does not
// listen holds it.
type Refuse struct {
	// For is the window's length; 0 means until the session's end.
	For time.Duration `yaml:"for"`
}

// A window is an act that the listener performs for a time, there being no
// connection to strike.
type window interface {
	Act

	// length is how long it lasts; 0 means until the session's end.
	length() time.Duration
	// open begins it.
	open(l *listener) error
}

// ActName implements Act.
func (Refuse) ActName() string { return "refuse" }

func (Refuse) place() place { return place{connection: true} }

func (r Refuse) validate(Point) []error {
	var problems []error
	if r.For < 0 {
		problems = append(problems, fmt.Errorf("for: %s is negative; want 0 (until the session's end) or more", FormatDuration(r.For)))
	}
	if !canHoldPort {
		problems = append(problems, fmt.Errorf("holding a port without listening is %w", ErrPlatform))
	}
	return problems
}

func (r Refuse) length() time.Duration { return r.For }

func (Refuse) open(l *listener) error {
	l.refuse()
	return nil
}

func (Refuse) intent(*exchange) Effect { return Effect{Kind: "refuse"} }

// perform does nothing: the listener performs the window, since there is no
// connection to strike.
func (Refuse) perform(*exchange) {}

func (r Refuse) parameters() parameters {
	return parameters{wait: r.For, takes: []string{"for"}, positional: "for"}
}
