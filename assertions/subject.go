package assertions

import (
	"slices"

	"github.com/faultsrv/faultsrv/faultserver"
	"github.com/faultsrv/faultsrv/scenarios"
)

// subject is what one expectation is about: all calls, or the repeats of one.
type subject struct {
	evidence Evidence
	// name is the call's; empty means all calls.
	name  string
	calls []madeCall
}

// madeCall is a call as both sides saw it: what the client was asked and said,
// and the attempts that the server saw, in the order of their arrival.
type madeCall struct {
	CallRecord

	attempts []faultserver.Attempt
}

// subjectOf narrows evidence to the repeats of one call; an empty name to all calls.
func subjectOf(e Evidence, name string) subject {
	byToken := make(map[string][]faultserver.Attempt)
	for _, attempt := range e.Journal.Attempts {
		byToken[attempt.Call] = append(byToken[attempt.Call], attempt)
	}
	s := subject{evidence: e, name: name}
	for _, record := range e.Calls {
		if name != "" && record.Name != name {
			continue
		}
		s.calls = append(s.calls, madeCall{record, byToken[record.Token]})
	}
	return s
}

// maybePausing tells of a call that the runner ended that its client may only
// have been in a pause: it is not known how long this client's pauses are. What
// it would still have done cannot be seen.
func (s subject) maybePausing(call madeCall) bool {
	return call.EndedAt > 0 && s.evidence.Policy.Backoff == nil && !call.wasAsking()
}

// wasAsking tells of a call that the runner ended that its client was then in the
// middle of a request: it had not sent all of it, had no answer to it, and had not
// left the connection.
func (c madeCall) wasAsking() bool {
	if len(c.attempts) == 0 {
		return false
	}
	last := c.attempts[len(c.attempts)-1]
	stayed := last.Open || last.Client.How != "" && last.Client.At >= c.EndedAt
	return stayed && !last.Body.Complete && last.Answered == 0
}

// cutOff says why what an overdue call would still have done cannot be seen.
const cutOff = "the call was ended by the runner, and may have been in a pause: it is not known how long this client pauses " +
	"(tell it its backoff, declare it in a profile, or give calls more time)"

// of is the same evidence about another call; an empty name is the subject itself.
func (s subject) of(name string) subject {
	if name == "" {
		return s
	}
	return subjectOf(s.evidence, name)
}

// attempts are those of all its calls.
func (s subject) attempts() []faultserver.Attempt {
	var all []faultserver.Attempt
	for _, call := range s.calls {
		all = append(all, call.attempts...)
	}
	return all
}

// who begins a sentence about a call; empty where there is only one, since no
// reader needs to be told which.
func (s subject) who(call madeCall) string {
	if len(s.evidence.Calls) < 2 {
		return ""
	}
	return "call " + call.Token + ": "
}

// can tells whether the client has a capability.
func (s subject) can(capability scenarios.Capability) bool {
	return slices.Contains(s.evidence.Capabilities, capability)
}

// step is the contract's step that an attempt took; false where it took none,
// or where there is no contract to look it up in.
func (s subject) step(attempt faultserver.Attempt) (faultserver.Step, bool) {
	return stepOf(s.evidence, attempt)
}

// stepOf is the contract's step that an attempt took.
func stepOf(e Evidence, attempt faultserver.Attempt) (faultserver.Step, bool) {
	if e.Contract == nil {
		return faultserver.Step{}, false
	}
	var script []faultserver.Step
	switch attempt.Step.Script {
	case "script":
		script = e.Contract.Script
	case "connections":
		script = e.Contract.Connections
	case "call":
		script = callScript(e, attempt.Call)
	}
	if place := attempt.Step.Index; place < 1 || place > len(script) {
		return faultserver.Step{}, false
	}
	return script[attempt.Step.Index-1], true
}

// callScript is the script of a call's own, by the token of one of its repeats.
func callScript(e Evidence, token string) []faultserver.Step {
	for _, record := range e.Calls {
		if record.Token == token {
			if call, ok := contractCall(e.Contract, record.Name); ok {
				return call.Script
			}
		}
	}
	return nil
}

// contractCall is the contract's call of this name.
func contractCall(c *scenarios.Contract, name string) (scenarios.Call, bool) {
	if c == nil {
		return scenarios.Call{}, false
	}
	for _, call := range c.Calls {
		if call.Name == name {
			return call, true
		}
	}
	return scenarios.Call{}, false
}

// endedByClient tells that it was the client who ended an attempt, by leaving
// while the server was silent, slow or busy. The end that the journal has is then
// when the server noticed, which may be long after the client went on: no
// pause can be measured from it.
func endedByClient(a faultserver.Attempt) bool {
	if a.Happened.Kind == "client-left" {
		return true
	}
	return a.Happened.Lasts() && a.Client.How != "" && a.Client.At <= a.End.Latest
}

// hasHead tells that a request's head came: a connection that was struck
// before has no method, body or header to judge.
func hasHead(a faultserver.Attempt) bool { return a.Method != "" }
