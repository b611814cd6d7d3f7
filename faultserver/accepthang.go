package faultserver

import (
	"fmt"
	"time"
)

// AcceptHang is an entry of a connection script: the connection is accepted
// and nothing that comes on it is looked at, until the client leaves or For has
// passed.
type AcceptHang struct {
	// For is how long; 0 means until the client leaves (60 s at most). Then the
	// connection is closed.
	For time.Duration `yaml:"for"`
}

// ActName implements Act.
func (AcceptHang) ActName() string { return "accept-hang" }

func (AcceptHang) place() place { return place{connection: true} }

func (a AcceptHang) validate(Point) []error {
	if a.For < 0 {
		return []error{fmt.Errorf("for: %s is negative; want 0 (until the client leaves) or more", FormatDuration(a.For))}
	}
	return nil
}

func (AcceptHang) intent(x *exchange) Effect { return Effect{Kind: "accept-hang", At: x.at.String()} }

func (a AcceptHang) perform(x *exchange) {
	x.struck(a.intent(x))
	x.lapseFor(a.For, x.shutdown)
}

func (a AcceptHang) parameters() parameters {
	return parameters{wait: a.For, takes: []string{"for"}, positional: "for"}
}
