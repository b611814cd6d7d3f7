package faultserver

import (
	"errors"
	"fmt"
	"time"
)

// ExpectContinue is how the server treats a client that sends its head with
// Expect: 100-continue and waits. It is not met by a request without. (To refuse
// the body, respond 417 at request-head.)
type ExpectContinue struct {
	// Continue is "sent" (the default), "late" or "never".
	Continue Continuation `yaml:"continue"`
	// After is how late a late one is sent; 0 means 1 s.
	After time.Duration `yaml:"after"`
	// Answer is the answer once the body has come; the zero value is the session's
	// success answer.
	Answer Answer `yaml:"answer"`
}

// Continuation is what becomes of 100 Continue.
type Continuation string

// The continuations.
const (
	// ContinueSent: it is sent at once.
	ContinueSent Continuation = "sent"
	// ContinueLate: it is sent after a time, also to a client that has begun to
	// send its body by then.
	ContinueLate Continuation = "late"
	// ContinueNever: none is sent; the body is waited for until it comes or the
	// client leaves (RFC 9110, section 10.1.1: a client should not wait forever).
	ContinueNever Continuation = "never"
)

// usualLateness is later than most clients wait: curl and Go's net/http, where
// told to, 1 s.
const usualLateness = time.Second

// ActName implements Act.
func (ExpectContinue) ActName() string { return "expect-continue" }

func (ExpectContinue) place() place {
	return place{fixed: &Point{Phase: RequestHead}, readsOn: true}
}

func (e ExpectContinue) validate(Point) []error {
	problems := e.Answer.problems()
	switch e.Continue {
	case "", ContinueSent, ContinueLate, ContinueNever:
	default:
		problems = append(problems, fmt.Errorf("continue: %q; want sent, late or never", string(e.Continue)))
	}
	if e.After != 0 && e.Continue != ContinueLate {
		problems = append(problems, errors.New("after: only a late one comes after a time; say continue: late, or leave it out"))
	}
	if e.After < 0 || e.After > longestSilence {
		problems = append(problems, fmt.Errorf("after: %s; want from 0 to %s", FormatDuration(e.After), FormatDuration(longestSilence)))
	}
	return problems
}

// withStep implements stepJudge.
func (e ExpectContinue) withStep(s Step) []error {
	if s.Delay != (Delay{}) {
		return []error{errors.New("delay: say continue: late and after")}
	}
	return nil
}

func (e ExpectContinue) intent(x *exchange) Effect {
	return x.answerIntent("expect-continue", x.session.orSuccess(e.Answer))
}

func (e ExpectContinue) perform(x *exchange) {
	if !x.head.expectsContinue() {
		x.miss("the request has no Expect: 100-continue, or no body")
	} else if !e.await(x) {
		return
	}
	if !x.readAll() {
		return
	}
	x.commit()
	x.answerLasting("expect-continue", x.session.orSuccess(e.Answer))
}

// await tells the client to go on, or does not, and tells whether it is still
// there.
func (e ExpectContinue) await(x *exchange) bool {
	switch e.Continue {
	case ContinueLate:
		after := e.After
		if after == 0 {
			after = usualLateness
		}
		x.inForce("expect-continue")
		return x.hold(after, nil) && x.sendContinue()
	case ContinueNever:
		x.inForce("expect-continue")
		x.continued = true
		return true
	}
	return x.sendContinue()
}

func (e ExpectContinue) parameters() parameters { return describeExpectContinue(&e) }

func describeExpectContinue(e *ExpectContinue) parameters {
	return described(&e.Answer, wordField("continue", &e.Continue, ContinueSent, ContinueLate, ContinueNever), durationField("after", &e.After))
}
