package faultserver

import (
	"fmt"
	"time"
)

// Stall is silent at the step's point.
//
// The client's leaving is seen while it lasts, unless more than 1 MiB that the
// client sent lies unread before it. A client that closes only its sending
// side counts as leaving.
type Stall struct {
	// For is how long; 0 means until the client leaves (60 s at most). After it
	// the attempt is answered as Succeed where nothing was sent yet, and the
	// answer is completed where a part was. In a connection script the
	// connection is closed.
	For time.Duration `yaml:"for"`
	// Answer is as in Reset.
	Answer Answer `yaml:"answer"`
}

// longestSilence bounds a stall that waits for the client to leave.
const longestSilence = 60 * time.Second

// ActName implements Act.
func (Stall) ActName() string { return "stall" }

func (Stall) place() place { return place{phases: strikePhases, connection: true} }

func (s Stall) validate(at Point) []error {
	problems := s.Answer.partProblems(at)
	if s.For < 0 {
		problems = append(problems, fmt.Errorf("for: %s is negative; want 0 (until the client leaves) or more", FormatDuration(s.For)))
	}
	return problems
}

func (s Stall) intent(x *exchange) Effect { return x.partIntent("stall", s.Answer) }

func (s Stall) perform(x *exchange) {
	effect := s.intent(x)
	if x.at.inResponse() && !(x.sendPart(s.Answer, &effect) && x.pause()) {
		return
	}
	x.struck(effect)
	x.lapseFor(s.For, func() {
		switch {
		case x.head == nil:
			x.shutdown()
		case x.at.inResponse():
			x.sendRest()
		case x.readAll():
			x.completeWith(x.session.success())
		}
	})
}

func (s Stall) parameters() parameters {
	return parameters{answer: s.Answer, wait: s.For, takes: append([]string{"for"}, answerParameters...), positional: "for"}
}
