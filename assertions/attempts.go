package assertions

import (
	"fmt"
	"slices"
	"strings"

	"github.com/faultsrv/faultsrv/scenarios"
)

// attempts judges how many attempts were made: the number of entries that the
// journal has for each call (struck connections included), or for all of its
// repeats together (total). No clock.
//
// With `policy` a call makes exactly as many as the policy in force allows
// where every attempt failed, and no more than that where one was answered
// with the success answer. A policy whose attempts are not known makes it not
// observed. So do too few attempts of a call that the runner had to end, where
// it is not known how long the client pauses.
//
// What a client says of its own attempts is compared and mentioned; the
// server's count is judged.
func attempts(s subject, want scenarios.Attempts) Check {
	var t tally
	expected := attemptsText(s, want)
	if want.Policy && s.evidence.Policy.Attempts == nil {
		return unobserved("attempts", expected, "it is not known how many attempts the client's policy allows")
	}
	total := 0
	for _, call := range s.calls {
		made := len(call.attempts)
		total += made
		t.judged++
		t.saw(count(made))
		switch why, short := attemptsOf(s, call, want); {
		case short && s.maybePausing(call):
			t.cannotSee(s.who(call) + cutOff)
		case why != "":
			t.fail(s.who(call)+why, indexes(call.attempts)...)
		}
		if said := call.Outcome.Attempts; said != 0 && said != made {
			t.remark(fmt.Sprintf("%sthe client says that it made %s, the server saw %s, and the server's count is used",
				s.who(call), count(said), count(made)))
		}
	}
	if want.Total != nil {
		t.observed = []string{count(total)}
		switch {
		case total < *want.Total && slices.ContainsFunc(s.calls, s.maybePausing):
			t.cannotSee(cutOff)
		case total != *want.Total:
			t.fail(fmt.Sprintf("%s of all calls together reached the server, not %s", plural(total, "attempt"), count(*want.Total)))
		}
	}
	return t.check("attempts", expected)
}

// attemptsOf says what is wrong with the number of a call's attempts, empty
// where nothing is, and whether there are too few.
func attemptsOf(s subject, call madeCall, want scenarios.Attempts) (why string, short bool) {
	made := len(call.attempts)
	if want.Policy {
		allowed := *s.evidence.Policy.Attempts
		if made > allowed {
			return fmt.Sprintf("%s reached the server, %s too many: the policy allows %s, the first included",
				plural(made, "attempt"), count(made-allowed), count(allowed)), false
		}
		if made < allowed && !anyServed(s, call) {
			return fmt.Sprintf("%s reached the server and every one failed, yet the policy allows %s: the client gave up early",
				plural(made, "attempt"), count(allowed)), true
		}
	}
	bounds := scenarios.Range{Min: want.Min, Max: want.Max}
	if want.Each != nil {
		bounds = scenarios.Range{Min: want.Each, Max: want.Each}
	}
	return outsideRange(made, bounds, "attempt", "reached the server"), bounds.Min != nil && made < *bounds.Min
}

func attemptsText(s subject, want scenarios.Attempts) string {
	var parts []string
	if want.Policy {
		text := "as many as the policy allows"
		if allowed := s.evidence.Policy.Attempts; allowed != nil {
			text = fmt.Sprintf("%s, as the policy says", count(*allowed))
		}
		parts = append(parts, text)
	}
	if want.Each != nil {
		text := count(*want.Each)
		if len(s.calls) > 1 {
			text += " in each call"
		}
		parts = append(parts, text)
	}
	if want.Total != nil {
		parts = append(parts, count(*want.Total)+" in all")
	}
	if want.Min != nil || want.Max != nil {
		parts = append(parts, rangeText(scenarios.Range{Min: want.Min, Max: want.Max}))
	}
	return strings.Join(parts, ", ")
}
