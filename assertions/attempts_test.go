package assertions

import (
	"github.com/faultsrv/faultsrv/faultserver"
	"github.com/faultsrv/faultsrv/scenarios"
)

func attemptsCases() []wordCase {
	say := func(a scenarios.Attempts) scenarios.Expectation { return scenarios.Expectation{Attempts: &a} }
	policy := say(scenarios.Attempts{Policy: true})
	tried := func(n int, edits ...edit[Evidence]) Evidence {
		var e Evidence
		switch n {
		case 0:
			e = evidenceOf()
		case 2:
			e = evidenceOf(failed(1, 0, ms), failed(2, 50*ms, 51*ms))
		case 3:
			e = evidenceOf(failed(1, 0, ms), failed(2, 50*ms, 51*ms), failed(3, 100*ms, 101*ms))
		case 4:
			e = evidenceOf(failed(1, 0, ms), failed(2, 50*ms, 51*ms), failed(3, 100*ms, 101*ms), failed(4, 150*ms, 151*ms))
		}
		return edited(e, edits)
	}
	twice := in2Calls(
		[]faultserver.Attempt{failed(1, 0, ms), failed(2, 50*ms, 51*ms)},
		[]faultserver.Attempt{failed(1, 200*ms, 201*ms), failed(2, 250*ms, 251*ms), failed(3, 300*ms, 301*ms)})
	return []wordCase{
		{"as many as asked", tried(3), "", say(scenarios.Attempts{Each: ptr(3)}), []state{isOK}},
		{"one too few", tried(2), "", say(scenarios.Attempts{Each: ptr(3)}), []state{isRed}},
		{"none at all", tried(0), "", say(scenarios.Attempts{Each: ptr(3)}), []state{isRed}},
		{"none, as asked", tried(0), "", say(scenarios.Attempts{Each: ptr(0)}), []state{isOK}},
		{"a struck connection counts", evidenceOf(struck(1, 0), failed(2, 50*ms, 51*ms)), "", say(scenarios.Attempts{Each: ptr(2)}), []state{isOK}},
		{"as the policy says", tried(3), "", policy, []state{isOK}},
		{"more than the policy allows", tried(4), "", policy, []state{isRed}},
		{"given up before the policy's last attempt", tried(2), "", policy, []state{isRed}},
		{"ended by a success before the policy's last attempt", evidenceOf(failed(1, 0, ms), served(2, 50*ms, 51*ms)), "", policy, []state{isOK}},
		{"a policy that is not known", tried(3, func(e *Evidence) { e.Policy.Attempts = nil }), "", policy, []state{isBlind}},
		{"a client that miscounts", tried(3, func(e *Evidence) { e.Calls[0].Outcome.Attempts = 2 }), "", policy, []state{isOK}},
		{"within bounds", tried(3), "", say(scenarios.Attempts{Min: ptr(2), Max: ptr(3)}), []state{isOK}},
		{"below the least", tried(2), "", say(scenarios.Attempts{Min: ptr(3)}), []state{isRed}},
		{"above the most", tried(4), "", say(scenarios.Attempts{Max: ptr(3)}), []state{isRed}},
		{"one repeat of two makes another number", twice, "pay", say(scenarios.Attempts{Each: ptr(2)}), []state{isRed}},
		{"all repeats together", twice, "pay", say(scenarios.Attempts{Total: ptr(5)}), []state{isOK}},
		{"too many of all repeats together", twice, "pay", say(scenarios.Attempts{Total: ptr(4)}), []state{isRed}},
	}
}
