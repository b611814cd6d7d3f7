package faultserver

import (
	"fmt"
	"time"
)

// ConnectHang is an entry of a connection script: a window in which a SYN is not
// answered, as if the machine were gone. A client's connect() hangs; its system
// sends the SYN again after 1 s, 3 s, 7 s, and so on, so that a connection comes
// about at the first of these beyond the window. The window begins as that of
// Refuse, counts no attempt, and has the same proof. It is possible on Linux alone.
type ConnectHang struct {
	// For is the window's length; 0 means until the session's end.
	For time.Duration `yaml:"for"`
}

// ActName implements Act.
func (ConnectHang) ActName() string { return "connect-hang" }

func (ConnectHang) place() place { return place{connection: true} }

func (c ConnectHang) validate(Point) []error {
	var problems []error
	if c.For < 0 {
		problems = append(problems, fmt.Errorf("for: %s is negative; want 0 (until the session's end) or more", FormatDuration(c.For)))
	}
	if !canHoldPort {
		problems = append(problems, fmt.Errorf("leaving a SYN unanswered is %w", ErrPlatform))
	}
	return problems
}

func (c ConnectHang) length() time.Duration { return c.For }

func (ConnectHang) open(l *listener) error { return l.hang() }

func (ConnectHang) intent(*exchange) Effect { return Effect{Kind: "connect-hang"} }

// perform does nothing: the listener performs the window.
func (ConnectHang) perform(*exchange) {}

func (c ConnectHang) parameters() parameters {
	return parameters{wait: c.For, takes: []string{"for"}, positional: "for"}
}
