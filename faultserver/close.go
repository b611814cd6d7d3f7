package faultserver

import "time"

// Close ends the connection with FIN at the step's point, unread request bytes
// being read afterwards, so that it is a FIN and not a RST.
type Close struct {
	// Answer is as in Reset.
	Answer Answer `yaml:"answer"`
	// Half closes only the server's sending side and goes on reading until the
	// client closes, for 10 s at most.
	Half bool `yaml:"half"`
}

// halfOpenTime is how long a half-closed connection waits for the client's FIN.
const halfOpenTime = 10 * time.Second

// ActName implements Act.
func (Close) ActName() string { return "close" }

func (Close) place() place { return place{phases: strikePhases, connection: true} }

func (c Close) validate(at Point) []error { return c.Answer.partProblems(at) }

func (c Close) intent(x *exchange) Effect {
	effect := x.partIntent("close", c.Answer)
	effect.End = string(EndFIN)
	return effect
}

func (c Close) perform(x *exchange) {
	effect := c.intent(x)
	if x.at.inResponse() && !(x.sendPart(c.Answer, &effect) && x.pause()) {
		return
	}
	x.shutdown()
	if c.Half {
		x.conn.linger = halfOpenTime
	}
	x.struck(effect)
	x.drain()
}

func (c Close) parameters() parameters {
	return parameters{answer: c.Answer, half: c.Half, takes: append([]string{"half"}, answerParameters...)}
}
