package matchers

import (
	"errors"
	"fmt"
	"strings"

	"github.com/onsi/gomega/types"

	"github.com/faultsrv/faultsrv/assertions"
	"github.com/faultsrv/faultsrv/scenarios"
)

// word is a matcher over checks: it matches where all of them hold.
type word struct {
	// call is how the matcher was written, such as "HaveAttempts(3)".
	call string
	// wrong is why it was written wrongly; nil where it was not.
	wrong error
	// evidence is how it reads an actual value.
	evidence func(matcher string, actual any) (assertions.Evidence, error)
	// checks judges the evidence.
	checks func(assertions.Evidence) []assertions.Check

	// seen and found are of the last match, for its messages.
	seen  assertions.Evidence
	found []assertions.Check
}

var _ types.GomegaMatcher = (*word)(nil)

// expect is a matcher over an expectation of all calls.
func expect(call string, want scenarios.Expectation) *word {
	return &word{call: call, evidence: evidenceOf, checks: func(e assertions.Evidence) []assertions.Check {
		return assertions.Checks(e, assertions.PartExpect, "", want)
	}}
}

// Match implements types.GomegaMatcher. The error says that the matcher was
// written wrongly, that the actual value is of a wrong type, or that a check
// could not be observed, or only through the machine's noise.
func (w *word) Match(actual any) (bool, error) {
	if w.wrong != nil {
		return false, fmt.Errorf("%s: %w", w.call, w.wrong)
	}
	e, err := w.evidence(w.call, actual)
	if err != nil {
		return false, err
	}
	w.seen, w.found = e, w.checks(e)
	matched := true
	for _, check := range w.found {
		switch {
		case check.OK == nil:
			return false, fmt.Errorf("%s cannot be judged: %s\n%s", w.call, check.Explanation, w.table())
		case check.Noise:
			return false, fmt.Errorf("%s cannot be judged on this machine now: %s\n%s", w.call, check.Explanation, w.table())
		case !*check.OK:
			matched = false
		}
	}
	if len(w.found) == 0 {
		return false, fmt.Errorf("%s: %w", w.call, errors.New("it asks for nothing; give it something to compare"))
	}
	return matched, nil
}

// FailureMessage implements types.GomegaMatcher.
func (w *word) FailureMessage(any) string {
	var text strings.Builder
	for _, check := range w.found {
		if !*check.OK {
			fmt.Fprintf(&text, "Expected %s\n    %s\nbut observed\n    %s\n", check.Name, check.Expected, check.Observed)
			if check.Explanation != "" {
				text.WriteString(check.Explanation + ".\n")
			}
		}
	}
	return text.String() + w.table()
}

// NegatedFailureMessage implements types.GomegaMatcher.
func (w *word) NegatedFailureMessage(any) string {
	var text strings.Builder
	for _, check := range w.found {
		fmt.Fprintf(&text, "Expected %s not to be\n    %s\nbut observed\n    %s\n", check.Name, check.Expected, check.Observed)
	}
	return text.String() + w.table()
}

// table shows the attempts where the actual value has a journal to show.
func (w *word) table() string {
	if len(w.seen.Journal.Attempts) == 0 && w.seen.Journal.Session == "" {
		return ""
	}
	return "\nThe attempts:\n" + indented(assertions.Table(w.seen.Journal))
}

func indented(text string) string {
	var lines strings.Builder
	for line := range strings.Lines(text) {
		lines.WriteString("    " + line)
	}
	return lines.String()
}

// written is a matcher as it was called: "HaveSame(method, target)".
func written[T any](name string, arguments ...T) string {
	texts := make([]string, len(arguments))
	for i, argument := range arguments {
		texts[i] = fmt.Sprint(argument)
	}
	return name + "(" + strings.Join(texts, ", ") + ")"
}
