package faultserver

import (
	"errors"
	"slices"
	"strings"
)

// A Request is what Config.Choose chooses an attempt's step by.
type Request struct {
	Method string
	// Target is the request target without /s/….
	Target  string
	Headers Headers
}

// chosen is the step that Config.Choose gives an attempt. It belongs to no
// script, so that nobody has to meet it. The lock is held.
func (s *Session) chosen(h *head) choice {
	step := s.config.Choose(Request{Method: h.method, Target: h.path, Headers: slices.Clone(h.headers)})
	if err := ValidateScript([]Step{step}); err != nil {
		step = Step{Act: Respond{Answer{Status: 500, Body: Body{Text: "faultsrv: the chosen step cannot be performed: " + err.Error() + "\n"}}}}
	}
	if _, is := step.Act.(decider); is {
		step = Step{Act: Respond{Answer{Status: 500, Body: Body{Text: "faultsrv: " + step.Act.ActName() + " remembers attempts, so that it needs a script\n"}}}}
	}
	text := strings.TrimSuffix(step.textAt(step.point(attemptScript)), inexpressible)
	return choice{step: step, ref: StepRef{Text: text}}
}

// choosing says what stands against Config.Choose.
func (c Config) choosing() error {
	scripted := len(c.Script) > 0 || slices.ContainsFunc(c.Calls, func(call CallConfig) bool { return call.Script != nil })
	if c.Choose != nil && scripted {
		return errors.New("choose: an attempt takes its step either from a script or from Choose; keep one")
	}
	return nil
}
