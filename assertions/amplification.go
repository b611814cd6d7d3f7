package assertions

import (
	"fmt"
	"math"
)

// amplification judges `amplification: policy`: all attempts of the calls are
// at most calls + ratio × calls + reserve, by the budget of the policy in force
// (rounded down: a part of a retry is none). No clock. A policy without a known
// budget makes it not observed.
func amplification(s subject) Check {
	budget := s.evidence.Policy.Budget
	if budget == nil {
		return unobserved("amplification", "within the policy's budget", "it is not known what retry budget the client's policy has")
	}
	calls, made := len(s.calls), len(s.attempts())
	// The rounding must not turn 0.1 × 300 into 29.
	const grain = 1e-9
	allowed := calls + int(math.Floor(budget.Ratio*float64(calls)+grain)) + budget.Reserve
	t := tally{judged: 1}
	t.saw(fmt.Sprintf("%s, %.2f × the calls", plural(made, "attempt"), float64(made)/float64(calls)))
	if made > allowed {
		t.fail(fmt.Sprintf("%s became %s, %s more than the budget allows (%s + %v × %s + %s)",
			plural(calls, "call"), plural(made, "attempt"), count(made-allowed), count(calls), budget.Ratio, count(calls), count(budget.Reserve)))
	}
	return t.check("amplification", "at most "+plural(allowed, "attempt"))
}
