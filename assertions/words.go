package assertions

import (
	"fmt"
	"reflect"

	"github.com/faultsrv/faultsrv/scenarios"
)

// Checks are the checks that an expectation asks for: of the repeats of one
// call, or of all calls where the name is empty. Their order is that of the
// fields of scenarios.Expectation; a word that is not said makes no check.
//
// A word that names a list of fields makes one check a field, and gaps one a
// bound, so that each can fail or go unobserved on its own.
func Checks(e Evidence, part Part, call string, want scenarios.Expectation) []Check {
	s := subjectOf(e, call)
	if len(s.calls) == 0 {
		return labelled(part, call, absentCall(want))
	}
	var checks []Check
	add := func(more ...Check) { checks = append(checks, more...) }
	if want.Attempts != nil {
		add(attempts(s, *want.Attempts))
	}
	if want.Body != "" {
		add(sourceBody(s))
	}
	for _, field := range want.Same {
		add(same(s, field))
	}
	for _, field := range want.Distinct {
		add(distinct(s, field))
	}
	for _, field := range want.Absent {
		add(absent(s, field))
	}
	for _, field := range want.Present {
		add(present(s, field))
	}
	for _, field := range want.Dropped {
		add(dropped(s, field))
	}
	if want.Gaps != nil {
		add(gaps(s, *want.Gaps)...)
	}
	if want.Returns != nil {
		add(returns(s, *want.Returns))
	}
	if want.Outcome != nil {
		add(outcome(s, *want.Outcome))
	}
	if len(want.Outcomes) > 0 {
		add(outcomes(s, want.Outcomes))
	}
	if want.Connections != nil {
		add(connections(s, *want.Connections))
	}
	if want.Drained != nil {
		add(drained(s, *want.Drained))
	}
	if want.Effects != nil {
		add(effects(s, *want.Effects))
	}
	if want.Window != nil {
		add(window(s, *want.Window))
	}
	if want.Overlap != nil {
		add(overlap(s, *want.Overlap))
	}
	if want.Spread != nil {
		add(spread(s))
	}
	if want.Amplification != nil {
		add(amplification(s))
	}
	if want.OpenAfter != nil {
		add(openAfter(s, *want.OpenAfter))
	}
	if want.Evaluator != "" {
		add(evaluate(s, want.Evaluator))
	}
	return labelled(part, call, checks)
}

func labelled(part Part, call string, checks []Check) []Check {
	for i := range checks {
		checks[i].Part, checks[i].Call = part, call
	}
	return checks
}

// absentCall is what there is to say of a call that was never made, such as
// one that comes after a call that the run was cut short in.
func absentCall(want scenarios.Expectation) []Check {
	if reflect.ValueOf(want).IsZero() {
		return nil
	}
	return []Check{unobserved("call", "the call is made", "the call was not made")}
}

// unreadable says what an expectation asks that nobody can judge; empty where
// all can be.
func unreadable(want scenarios.Expectations) string {
	all := []scenarios.Expectation{want.All}
	for _, named := range want.Calls {
		all = append(all, named.Expectation)
	}
	for _, one := range all {
		if one.Evaluator != "" {
			if _, known := evaluatorNamed(one.Evaluator); !known {
				return fmt.Sprintf("evaluator %q is not registered; registered are: %s",
					one.Evaluator, orElse(list(Evaluators()), "none"))
			}
		}
		for _, fields := range [][]scenarios.Field{one.Same, one.Distinct, one.Absent, one.Present, one.Dropped} {
			for _, field := range fields {
				if !knownField(field) {
					return fmt.Sprintf("field %q is unknown; fields are %s", field, fieldForms)
				}
			}
		}
		if one.Body != "" && one.Body != scenarios.BodySource {
			return fmt.Sprintf("body: %q is unknown; it can be %q", one.Body, scenarios.BodySource)
		}
	}
	return ""
}
