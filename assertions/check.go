package assertions

import (
	"fmt"
	"slices"
)

// tally collects what a check finds, one thing compared at a time, and makes
// the check of it.
type tally struct {
	// judged is how many things were compared.
	judged int
	// failures are sentences; noise are those that the machine's lateness
	// explains as well as the client does.
	failures, noise []string
	// unseen are reasons why something that the word speaks of could not be
	// compared: where no failure decides, the check is not observed. Skipped are
	// reasons why something did not come into question: they matter only where
	// nothing was compared at all.
	unseen, skipped []string
	// observed are the values found, in order.
	observed []string
	// attempts are the journal indexes that the failures turn on.
	attempts []int
	// limits are the moments that were judged by.
	limits []Limit
	// remarks are said with any result.
	remarks []string
}

func (t *tally) saw(value string)        { t.observed = append(t.observed, value) }
func (t *tally) cannotSee(reason string) { t.unseen = append(t.unseen, reason) }
func (t *tally) skip(reason string)      { t.skipped = append(t.skipped, reason) }
func (t *tally) remark(text string)      { t.remarks = append(t.remarks, text) }
func (t *tally) fail(why string, turn ...int) {
	t.failures = append(t.failures, why)
	t.attempts = append(t.attempts, turn...)
}

// failLate records a failed upper bound: noise where the machine's lateness
// explains it, that is where it is at least the excess, or where it is more
// than the whole slack that the bound leaves over the nominal value.
func (t *tally) failLate(late lateness, why string, turn ...int) {
	if late.explains() {
		t.noise = append(t.noise, fmt.Sprintf("%s; the machine itself was up to %v late, so that this says nothing about the client", why, dur(late.measured)))
		t.attempts = append(t.attempts, turn...)
		return
	}
	t.fail(why, turn...)
}

// check makes the check: failed where anything failed, not observed where
// something could not be seen or nothing was compared, else OK.
func (t *tally) check(name, expected string) Check {
	c := Check{Name: name, Expected: expected, Observed: t.values(), Limits: t.limits}
	switch {
	case len(t.failures) > 0:
		c.OK = no()
		c.Explanation = first(t.failures)
	case len(t.noise) > 0:
		c.OK = no()
		c.Noise = true
		c.Explanation = first(t.noise)
	case len(t.unseen) > 0:
		c.Explanation = first(t.unseen)
	case t.judged == 0:
		c.Explanation = "there was nothing to compare"
		if len(t.skipped) > 0 {
			c.Explanation = first(t.skipped)
		}
	default:
		c.OK = yes()
	}
	for _, remark := range t.remarks {
		if c.Explanation != "" {
			c.Explanation += "; "
		}
		c.Explanation += remark
	}
	slices.Sort(t.attempts)
	c.Attempts = slices.Compact(t.attempts)
	return c
}

// values is what was observed, short.
func (t *tally) values() string {
	const shown = 5
	distinct := slices.Compact(slices.Clone(t.observed))
	switch {
	case len(t.observed) == 0:
		return "nothing"
	case len(distinct) == 1 && len(t.observed) > 1:
		return fmt.Sprintf("%s, %s times", distinct[0], count(len(t.observed)))
	default:
		return listOf(t.observed, shown)
	}
}

// unobserved is a check that cannot be made, and why.
func unobserved(name, expected, why string) Check {
	return Check{Name: name, Expected: expected, Observed: "not observed", Explanation: why}
}

// first is the first of some sentences, and how many more there are.
func first(sentences []string) string {
	if more := len(sentences) - 1; more > 0 {
		return fmt.Sprintf("%s (and %s like it)", sentences[0], count(more)+" more")
	}
	return sentences[0]
}

func yes() *bool { ok := true; return &ok }
func no() *bool  { ok := false; return &ok }
