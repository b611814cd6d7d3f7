package assertions

import (
	"strings"
	"testing"
	"time"

	"github.com/faultsrv/faultsrv/faultserver"
	"github.com/faultsrv/faultsrv/scenarios"
)

func fieldCases() []wordCase {
	const key = scenarios.Field("header.Idempotency-Key")
	fields := func(names ...scenarios.Field) []scenarios.Field { return names }
	keys := func(values ...string) Evidence {
		var attempts []faultserver.Attempt
		for i, value := range values {
			at := 50 * ms * time.Duration(i)
			attempts = append(attempts, failed(i+1, at, at+ms, with("idempotency-key", value)))
		}
		return evidenceOf(attempts...)
	}
	bare := evidenceOf(failed(1, 0, ms), failed(2, 50*ms, 51*ms))
	half := evidenceOf(failed(1, 0, ms, with("Idempotency-Key", "a")), failed(2, 50*ms, 51*ms))
	lines := evidenceOf(
		failed(1, 0, ms, with("Accept", "a", "Accept", "b")),
		failed(2, 50*ms, 51*ms, with("Accept", "a, b")))
	swapped := evidenceOf(
		failed(1, 0, ms, with("Accept", "a", "Accept", "b")),
		failed(2, 50*ms, 51*ms, with("Accept", "b", "Accept", "a")))
	becomesGet := evidenceOf(
		failed(1, 0, ms, func(a *faultserver.Attempt) { a.Method = "POST" }),
		failed(2, 50*ms, 51*ms))
	calls := func(first, second string) Evidence {
		return in2Calls(
			[]faultserver.Attempt{failed(1, 0, ms, with("Idempotency-Key", first)), failed(2, 50*ms, 51*ms, with("Idempotency-Key", first))},
			[]faultserver.Attempt{failed(1, 200*ms, 201*ms, with("Idempotency-Key", second))})
	}
	same := func(names ...scenarios.Field) scenarios.Expectation {
		return scenarios.Expectation{Same: fields(names...)}
	}
	distinct := scenarios.Expectation{Distinct: fields(key)}
	return []wordCase{
		{"the same key in each attempt", keys("a", "a"), "", same(key), []state{isOK}},
		{"another key in the retry", keys("a", "b"), "", same(key), []state{isRed}},
		{"a long key that changes", keys(strings.Repeat("k", 300), "b"), "", same(key), []state{isRed}},
		{"absent from all", bare, "", same(key), []state{isOK}},
		{"empty, then absent", evidenceOf(failed(1, 0, ms, with("Idempotency-Key", "")), failed(2, 50*ms, 51*ms)), "", same(key), []state{isRed}},
		{"lost on the retry", half, "", same(key), []state{isRed}},
		{"two lines are one value", lines, "", same("header.accept"), []state{isOK}},
		{"two lines in another order", swapped, "", same("header.accept"), []state{isRed}},
		{"a method that changes, a target that does not", becomesGet, "", same("method", "target", "proto"), []state{isRed, isOK, isOK}},
		{"one attempt is like itself", evidenceOf(failed(1, 0, ms)), "", same(key), []state{isBlind}},
		{"a struck connection has no field", evidenceOf(struck(1, 0), failed(2, 50*ms, 51*ms)), "", same("method"), []state{isBlind}},

		{"another key in each call", calls("a", "b"), "pay", distinct, []state{isOK}},
		{"the same key in two calls", calls("a", "a"), "pay", distinct, []state{isRed}},
		{"no key to tell calls apart", in2Calls([]faultserver.Attempt{failed(1, 0, ms)}, []faultserver.Attempt{failed(1, 200*ms, 201*ms)}), "pay", distinct, []state{isRed}},
		{"one call is unlike itself", keys("a", "a"), "", distinct, []state{isBlind}},

		{"no attempt has it", bare, "", scenarios.Expectation{Absent: fields(key)}, []state{isOK}},
		{"one attempt has it", half, "", scenarios.Expectation{Absent: fields(key)}, []state{isRed}},
		{"no attempt at all", evidenceOf(), "", scenarios.Expectation{Absent: fields(key)}, []state{isBlind}},

		{"every attempt has it", keys("a", "b"), "", scenarios.Expectation{Present: fields(key)}, []state{isOK}},
		{"one attempt lacks it", half, "", scenarios.Expectation{Present: fields(key)}, []state{isRed}},
		{"no attempt at all", evidenceOf(), "", scenarios.Expectation{Present: fields(key)}, []state{isBlind}},

		{"gone after the first attempt", half, "", scenarios.Expectation{Dropped: fields(key)}, []state{isOK}},
		{"there still", keys("a", "b"), "", scenarios.Expectation{Dropped: fields(key)}, []state{isRed}},
		{"back in the third attempt", evidenceOf(failed(1, 0, ms, with("Idempotency-Key", "a")), failed(2, 50*ms, 51*ms),
			failed(3, 100*ms, 101*ms, with("Idempotency-Key", "a"))), "", scenarios.Expectation{Dropped: fields(key)}, []state{isRed}},
		{"never there", bare, "", scenarios.Expectation{Dropped: fields(key)}, []state{isBlind}},
		{"no second attempt", keys("a"), "", scenarios.Expectation{Dropped: fields(key)}, []state{isBlind}},
	}
}

// TestSameIsWhatTheCallerGave: a client that replaces the caller's header by one
// of its own, the same in every attempt, has not kept it.
func TestSameIsWhatTheCallerGave(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, given, sent string
		want              bool
	}{
		{"Idempotency-Key", "mine", "mine", true},
		{"Idempotency-Key", "mine", "generated", false},
		{"Idempotency-Key", "mine", "mine; v=1", false},
		{"Content-Type", "application/json", "application/json; charset=utf-8", true},
		{"Content-Type", "application/json", "Application/JSON", true},
		{"Content-Type", "application/json", "text/plain", false},
	} {
		e := evidenceOf(
			failed(1, 0, ms, with(test.name, test.sent)),
			failed(2, 50*ms, 51*ms, with(test.name, test.sent)))
		e.Contract = &scenarios.Contract{Calls: []scenarios.Call{{
			Name: e.Calls[0].Name, Headers: faultserver.Headers{{Name: test.name, Value: test.given}},
		}}}
		check := same(subjectOf(e, ""), scenarios.Field("header."+strings.ToLower(test.name)))
		if check.OK == nil || *check.OK != test.want {
			t.Errorf("%s %q sent as %q: OK %v (%s), expected %t", test.name, test.given, test.sent, check.OK, check.Explanation, test.want)
		}
	}
}
