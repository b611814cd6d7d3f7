package assertions

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/faultsrv/faultsrv/scenarios"
)

// outcomes judges how many calls ended how: exactly the numbers that are
// listed, and no call otherwise. No clock.
//
// A call counts as success where outcome: success would hold, else as
// "status-NNN", else as its error's kind (or as one in its error's chain,
// where that is listed and the kind is not). A call that the runner had to end
// ended as no kind that can be listed: its caller got nothing. A call whose outcome
// is not known, or that may only have been in a pause when it was ended, makes it
// not observed, unless the others already exceed a number.
func outcomes(s subject, want []scenarios.OutcomeCount) Check {
	listed := make(map[string]int, len(want))
	texts := make([]string, len(want))
	for i, one := range want {
		listed[one.Kind] = one.Count
		texts[i] = fmt.Sprintf("%s %s", count(one.Count), one.Kind)
	}
	seen, unknown := make(map[string]int), 0
	for _, call := range s.calls {
		if kind := classify(s, call, listed); kind != "" {
			seen[kind]++
		} else {
			unknown++
		}
	}

	t := tally{judged: len(s.calls)}
	for _, kind := range slices.Sorted(maps.Keys(seen)) {
		t.saw(fmt.Sprintf("%s %s", count(seen[kind]), kind))
		if seen[kind] > listed[kind] {
			t.fail(fmt.Sprintf("%s ended as %s, not %s", plural(seen[kind], "call"), kind, count(listed[kind])))
		}
	}
	if unknown > 0 {
		t.saw(count(unknown) + " unknown")
		why := fmt.Sprintf("the client does not say how %s ended", plural(unknown, "call"))
		if slices.ContainsFunc(s.calls, s.maybePausing) {
			why = cutOff
		}
		t.cannotSee(why)
	}
	for _, one := range want {
		if unknown == 0 && seen[one.Kind] < one.Count {
			t.fail(fmt.Sprintf("%s ended as %s, not %s", plural(seen[one.Kind], "call"), one.Kind, count(one.Count)))
		}
	}
	return t.check("outcomes", strings.Join(texts, ", "))
}

// endedByRunner is how a call ended that had no end of its own.
const endedByRunner = "ended-by-the-runner"

// classify names a call's outcome; empty where it is not known.
func classify(s subject, call madeCall, listed map[string]int) string {
	got := call.Outcome
	success := matchSuccess(s, call)
	switch {
	case s.maybePausing(call), got.Kind == scenarios.UnknownOutcome, got.Kind == "":
		return ""
	case call.EndedAt > 0:
		return endedByRunner
	case success.ok != nil && *success.ok:
		return "success"
	case got.Kind == scenarios.ResponseOutcome && got.Status != 0:
		if success.ok == nil && got.Status == s.successAnswer().Status {
			return ""
		}
		return fmt.Sprintf("status-%d", got.Status)
	case got.Kind != scenarios.ErrorOutcome || got.Error == nil:
		return ""
	case got.Error.Kind == scenarios.ErrOther && !s.can(scenarios.CanErrorKind):
		return ""
	}
	if _, named := listed[string(got.Error.Kind)]; !named {
		for _, kind := range got.Error.Chain {
			if _, named := listed[string(kind)]; named {
				return string(kind)
			}
		}
	}
	return string(got.Error.Kind)
}
