package faultserver

import "fmt"

// Reset ends the connection with RST at the step's point. At response-head and
// response-body@N it first sends that part of Answer, and waits until the peer
// has acknowledged it.
type Reset struct {
	// Answer is what is being sent when the reset strikes at a response point;
	// the zero value is a 200 with a body longer than the point asks for.
	Answer Answer `yaml:"answer"`
}

// strikePhases are where a connection can be struck in an exchange.
var strikePhases = []Phase{RequestEnd, RequestHead, RequestBody, ResponseHead, ResponseBody}

// ActName implements Act.
func (Reset) ActName() string { return "reset" }

func (Reset) place() place { return place{phases: strikePhases, connection: true} }

func (r Reset) validate(at Point) []error {
	problems := r.Answer.partProblems(at)
	if at.inResponse() && !canSeeAcks {
		problems = append(problems, fmt.Errorf("a reset after a part of the answer waits for its acknowledgement, which is %w", ErrPlatform))
	}
	return problems
}

func (r Reset) intent(x *exchange) Effect {
	effect := x.partIntent("reset", r.Answer)
	effect.End = string(EndRST)
	return effect
}

func (r Reset) perform(x *exchange) {
	effect := r.intent(x)
	if x.at.inResponse() && !(x.sendPart(r.Answer, &effect) && x.awaitAcks() && x.pause()) {
		return
	}
	x.abort()
	x.struck(effect)
}

func (r Reset) parameters() parameters {
	return parameters{answer: r.Answer, takes: answerParameters}
}
