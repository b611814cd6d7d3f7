package control

import "github.com/faultsrv/faultsrv/faultserver"

// stepsOf is how many steps the scripts of a session have, and how many calls it has.
func stepsOf(config faultserver.Config) int {
	steps := len(config.Script) + len(config.Connections) + len(config.Calls)
	for _, call := range config.Calls {
		steps += len(call.Script)
	}
	return steps
}

// fits says why a session may not have so many more steps; nil where it may. The
// lock is held.
func (s *store) fits(e *entry, more int) *problem {
	switch {
	case more <= 0:
		return nil
	case e.steps+more > s.limits.Steps:
		return tooMany.problem("a session has at most %d steps and calls, each copy of a repeated call's script included; this one would have %d; "+
			"a step serves several attempts with x, such as 503x100, or times", s.limits.Steps, e.steps+more)
	case s.steps+more > s.limits.TotalSteps:
		return tooMany.problem("all sessions have %d steps and calls, of %d that they may, and these are %d more; delete sessions, or wait until one expires",
			s.steps, s.limits.TotalSteps, more)
	}
	return nil
}

// change changes a session's script if there is room for that: plan tells how many
// more steps it then has, and makes the change.
func (s *store) change(e *entry, plan func() (more int, change func() error)) *problem {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.entries[e.id] != e {
		return notFound.problem("session %s: it has just ended", e.id)
	}
	more, change := plan()
	if refused := s.fits(e, more); refused != nil {
		return refused
	}
	if err := change(); err != nil {
		return unusable.problem("the script cannot be played: %v", err)
	}
	e.steps += more
	s.steps += more
	return nil
}
