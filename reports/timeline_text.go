package reports

import (
	"fmt"
	"slices"
	"strings"
)

func (d *drawer) callText(c lanes) string {
	attempts := count(len(c.attempts), "attempt")
	if c.call == nil {
		return "no call that was made: " + attempts
	}
	text := fmt.Sprintf("%s: %s %s, %s", c.call.Token, c.call.Method, c.call.Path, attempts)
	if got := shortOutcome(c.call.Outcome); got != "" {
		text += ", the caller got " + got
	}
	return text
}

// describe says in sentences what is drawn, for who cannot see it.
func (d *drawer) describe() string {
	var sentences []string
	shown, skipped := ends(d.result.Attempts)
	for n := range shown {
		i := n
		if skipped > 0 && n >= headLanes {
			i += skipped
		}
		sentences = append(sentences, d.attemptText(i)+".")
	}
	if skipped > 0 {
		sentences = slices.Insert(sentences, headLanes, fmt.Sprintf("%d more attempts.", skipped))
	}
	for _, call := range d.result.Calls[:min(len(d.result.Calls), mostCalls)] {
		var parts []string
		for _, m := range moments(call.Meta) {
			parts = append(parts, fmt.Sprintf("%s at %s", m.name, clock(m.at-d.zero)))
		}
		sentences = append(sentences, fmt.Sprintf("Call %s %s.", call.Token, strings.Join(parts, ", ")))
	}
	return clean(strings.Join(append(sentences, "The table of attempts has the same data."), " "))
}

// attemptText is an attempt as a sentence without its full stop.
func (d *drawer) attemptText(i int) string {
	attempt, row := d.result.Attempts[i], d.rows[i]
	text := fmt.Sprintf("Attempt %d", attempt.Number)
	if len(d.result.Calls) > 1 {
		text += " of " + attempt.Call
	}
	text += " came at " + clock(attempt.Meta.Arrived-d.zero)
	if attempt.Meta.Gap != nil {
		text += fmt.Sprintf(", %s after the one before it ended", clock(*attempt.Meta.Gap))
	}
	return clean(fmt.Sprintf("%s, took %s, fault %s, answer %s", text, clock(max(attempt.Meta.EndLatest-attempt.Meta.Arrived, 0)), row.Fault, row.Answer))
}
