package faultserver

import "slices"

// AddSteps puts steps behind the session's script, for the attempts still to
// come. It fails, and changes nothing, where the longer script cannot be
// performed: behind a step that serves every further attempt, say.
func (s *Session) AddSteps(steps ...Step) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	longer := slices.Concat(s.script.steps, steps)
	if err := s.allows(longer); err != nil {
		return err
	}
	s.script.extend(longer)
	return nil
}

// ReplaceScript makes another script the session's, from its first step on, for
// the attempts still to come. Those in progress go on with the step that they
// took, and prove nothing of the new script. It fails, and changes nothing,
// where the script cannot be performed.
func (s *Session) ReplaceScript(steps []Step) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.allows(steps); err != nil {
		return err
	}
	s.script = newCursor("script", "", slices.Clone(steps), attemptScript, s.config.AfterScript)
	return nil
}

// Rewind lets the session's script, and those of its calls, begin anew: the
// next attempt takes the first step, and every required step is to be met
// again. The journal, and the connection script, go on.
func (s *Session) Rewind() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.script = s.script.anew()
	for _, call := range s.order {
		if call.cursor != nil {
			call.cursor = call.cursor.anew()
		}
	}
}

// Script is what the session's script is now, and how many attempts each of its
// steps has served.
func (s *Session) Script() (steps []Step, served []int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.script.steps), slices.Clone(s.script.taken)
}

// allows says why the session cannot play a script; nil if it can.
func (s *Session) allows(script []Step) error {
	changed := s.config
	changed.Script = script
	return changed.Playable()
}

// extend makes the cursor's script a longer one that begins with it.
func (c *cursor) extend(longer []Step) {
	for _, step := range longer[len(c.steps):] {
		c.texts = append(c.texts, step.textAt(step.point(attemptScript)))
	}
	more := make([]int, len(longer)-len(c.steps))
	c.steps = longer
	c.taken, c.met, c.round = append(c.taken, more...), append(c.met, more...), append(c.round, more...)
}

// anew is a cursor over the same script that has served nobody. Attempts in
// progress keep the former.
func (c *cursor) anew() *cursor {
	return newCursor(c.script, c.call, c.steps, attemptScript, c.after)
}
