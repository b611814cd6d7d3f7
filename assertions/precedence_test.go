package assertions

import (
	"reflect"
	"testing"

	"pgregory.net/rapid"

	"github.com/faultsrv/faultsrv/scenarios"
)

// Whatever comes together, the verdict is the first that holds in the order
// that Judge states.
func TestPrecedence(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		draw := func(label string) bool { return rapid.Bool().Draw(t, label) }
		harness, client, premiseFails, premiseBlind := draw("harness"), draw("client"), draw("premise fails"), draw("premise blind")
		unfinished := draw("unfinished")
		noise, fails, unmet, blind, should := draw("noise"), draw("fails"), draw("unmet"), draw("blind"), draw("should")

		e := evidenceOf(failed(1, 0, ms), failed(2, 50*ms, 51*ms))
		e.Contract.Expect = exact(2)
		policy := &scenarios.Attempts{Policy: true}
		if should {
			e.Contract.Level = scenarios.Should
		}
		if harness {
			e.HarnessError = "no port"
		}
		if client {
			e.ClientError = "gone"
		}
		if unfinished {
			e.Unfinished = "too slow"
		}
		if premiseFails {
			e.Contract.Premise = exact(3)
		}
		if premiseBlind {
			e.Policy.Attempts = nil
			e.Contract.Premise.Calls = []scenarios.CallExpectation{{Call: "call-1", Expectation: scenarios.Expectation{Attempts: policy}}}
		}
		if noise {
			e.Lateness = 20 * ms
			e.Contract.Also.All.Gaps = &scenarios.Gaps{Max: &scenarios.GapBound{Duration: 45 * ms}}
		}
		if fails {
			e.Contract.Also.All.Attempts = &scenarios.Attempts{Each: ptr(7)}
		}
		if unmet {
			e.Journal.Unmet = []string{"step 3: 503"}
		}
		if blind {
			e.Policy.Attempts = nil
			e.Contract.Expect.Calls = []scenarios.CallExpectation{{Call: "call-1", Expectation: scenarios.Expectation{Attempts: policy}}}
		}

		want := Pass
		switch {
		case harness:
			want = HarnessError
		case client:
			want = ClientError
		case unfinished:
			want = NotExercised
		case noise:
			want = HarnessError
		case premiseFails:
			want = NotExercised
		case premiseBlind:
			want = Unsupported
		case fails && should:
			want = Weak
		case fails:
			want = Fail
		case unmet:
			want = NotExercised
		case blind:
			want = Unsupported
		}
		got := Judge(e)
		if got.Verdict != want {
			t.Fatalf("got %s (%s), want %s", got.Verdict, got.Reason, want)
		}
		if (want == Pass) != (got.Reason == "") {
			t.Fatalf("%s with reason %q: every verdict but a pass says why", got.Verdict, got.Reason)
		}
		if again := Judge(e); !reflect.DeepEqual(got, again) {
			t.Fatalf("judged twice, differently:\n%+v\n%+v", got, again)
		}
	})
}
