package assertions

import (
	"slices"
	"testing"

	"github.com/faultsrv/faultsrv/faultserver"
	"github.com/faultsrv/faultsrv/scenarios"
)

// onlyFirst is an evaluator that allows no retry.
const onlyFirst = "example.only-first-attempts"

func init() {
	err := Register(onlyFirst, func(e Evidence) Check {
		c := Check{Expected: "no retry", Observed: count(len(e.Journal.Attempts)) + " attempts of " + count(len(e.Calls)) + " calls"}
		switch {
		case len(e.Journal.Attempts) == 0:
			c.Explanation = "no attempt came"
		case len(e.Journal.Attempts) > len(e.Calls):
			c.OK, c.Explanation = no(), "a call was tried again"
		default:
			c.OK = yes()
		}
		return c
	})
	if err != nil {
		panic(err)
	}
}

func evaluatorCases() []wordCase {
	want := scenarios.Expectation{Evaluator: onlyFirst}
	return []wordCase{
		{"what the evaluator allows", evidenceOf(failed(1, 0, ms)), "", want, []state{isOK}},
		{"what the evaluator refuses", evidenceOf(failed(1, 0, ms), failed(2, 50*ms, 51*ms)), "", want, []state{isRed}},
		{"what the evaluator cannot see", evidenceOf(), "", want, []state{isBlind}},
		{"an evaluator sees only the calls it is about", in2Calls([]faultserver.Attempt{failed(1, 0, ms)}, []faultserver.Attempt{failed(1, 100*ms, 101*ms)}), "pay", want, []state{isOK}},
		{"an evaluator that nobody registered", evidenceOf(failed(1, 0, ms)), "", scenarios.Expectation{Evaluator: "example.unknown"}, []state{isBlind}},
	}
}

func TestRegisterRefusesWhatWouldChangeAMeaning(t *testing.T) {
	t.Parallel()
	for name, evaluator := range map[string]Evaluator{
		onlyFirst:       func(Evidence) Check { return Check{} },
		"":              func(Evidence) Check { return Check{} },
		"example.empty": nil,
	} {
		if err := Register(name, evaluator); err == nil {
			t.Errorf("evaluator %q was registered", name)
		}
	}
	if !slices.Contains(Evaluators(), onlyFirst) {
		t.Errorf("%q is not among %q", onlyFirst, Evaluators())
	}
}
