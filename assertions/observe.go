package assertions

import (
	"fmt"
	"slices"
	"strings"

	"github.com/faultsrv/faultsrv/faultserver"
	"github.com/faultsrv/faultsrv/scenarios"
)

// observations report what a contract of level observe asks to see, one check a
// word and name of a call. They are never judged: OK is nil.
//
// A word is one of scenarios.ObservableWords, or a field of the attempts.
func observations(e Evidence) []Check {
	var names []string
	for _, record := range e.Calls {
		if !slices.Contains(names, record.Name) {
			names = append(names, record.Name)
		}
	}
	var checks []Check
	for _, word := range e.Contract.Observe {
		for _, name := range names {
			check := observe(subjectOf(e, name), word)
			if len(names) > 1 {
				check.Call = name
			}
			checks = append(checks, check)
		}
	}
	return checks
}

// observe reports one word of one call.
func observe(s subject, word string) Check {
	check := Check{Name: word, Part: PartObserve, Expected: "reported, not judged"}
	var seen tally
	look, known := lookers[word]
	switch {
	case known:
		look(s, &seen)
	case knownField(scenarios.Field(word)):
		lookAtField(s, scenarios.Field(word), &seen)
	default:
		check.Explanation = fmt.Sprintf("%q is no word that can be observed; words are %s, and the fields %s", word, strings.Join(scenarios.ObservableWords(), ", "), fieldForms)
	}
	check.Observed = seen.values()
	return check
}

// lookers tally what was seen of a word: of each that can be observed.
var lookers = map[string]func(subject, *tally){
	"attempts": func(s subject, t *tally) {
		for _, call := range s.calls {
			t.saw(count(len(call.attempts)))
		}
	},
	"gaps": func(s subject, t *tally) {
		for _, g := range s.allGaps() {
			if g.prev.Open || endedByClient(g.prev) {
				t.saw("unknown (the client ended the attempt)")
				continue
			}
			t.saw(dur(g.atLeast()).String())
		}
	},
	"outcome": func(s subject, t *tally) {
		for _, call := range s.calls {
			t.saw(outcomeText(call.Outcome))
		}
	},
	"body": func(s subject, t *tally) {
		for _, call := range s.calls {
			for _, attempt := range requests(call.attempts) {
				t.saw(bodyVerdict(s, call, attempt))
			}
		}
	},
	"returns": func(s subject, t *tally) {
		for _, call := range s.calls {
			t.saw(dur(call.Returned - call.Started).String())
		}
	},
	"drained": func(s subject, t *tally) {
		for _, call := range s.calls {
			for _, attempt := range call.attempts[:max(len(call.attempts)-1, 0)] {
				if attempt.Happened.Status != 0 && attempt.Acked >= 0 {
					t.saw(plural(attempt.Acked, "byte"))
				}
			}
		}
	},
	"connections": lookAtNumber(connections),
	"effects":     lookAtNumber(effects),
	"overlap":     lookAtNumber(overlap),
	"open-after":  lookAtNumber(openAfter),
}

// lookAtNumber takes what a check of any number observed.
func lookAtNumber(check func(subject, scenarios.Range) Check) func(subject, *tally) {
	return func(s subject, t *tally) { t.saw(check(s, scenarios.Range{}).Observed) }
}

func lookAtField(s subject, field scenarios.Field, t *tally) {
	for _, call := range s.calls {
		for _, attempt := range requests(call.attempts) {
			t.saw(valueText(fieldOf(attempt, field)))
		}
	}
}

// bodyVerdict says whether an attempt's body was the source's, where that is
// known.
func bodyVerdict(s subject, call madeCall, attempt faultserver.Attempt) string {
	text := receivedText(attempt.Body)
	source, unknown := sourceOf(call)
	if unknown != "" {
		return text
	}
	if bodyFault(s, call, source, attempt) != "" {
		return text + ", not the source's"
	}
	return text + ", the source's"
}
