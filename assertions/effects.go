package assertions

import "github.com/faultsrv/faultsrv/scenarios"

// effects judges how often the server performed the side effect: the journal's
// count, of a named call the attempts of it that performed one. Only steps
// with `commit` perform any. No clock.
func effects(s subject, want scenarios.Range) Check {
	performed := s.evidence.Journal.Effects
	if s.name != "" {
		performed = 0
		for _, attempt := range s.attempts() {
			if attempt.Committed {
				performed++
			}
		}
	}
	return rangeCheck("effects", performed, want, "side effect", "took place on the server")
}
