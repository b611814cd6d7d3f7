package assertions

import (
	"fmt"

	"github.com/faultsrv/faultsrv/faultserver"
	"github.com/faultsrv/faultsrv/scenarios"
)

// outsideRange says why a number of things lies outside a range; empty where it
// does not.
func outsideRange(n int, want scenarios.Range, noun, did string) string {
	if (want.Min == nil || n >= *want.Min) && (want.Max == nil || n <= *want.Max) {
		return ""
	}
	return fmt.Sprintf("%s %s instead of %s", plural(n, noun), did, rangeText(want))
}

// rangeText is "3", "2 to 4", "at least 2", "at most 4", "none" or "any number".
func rangeText(r scenarios.Range) string {
	switch {
	case r.Min != nil && r.Max != nil && *r.Min == *r.Max:
		return count(*r.Min)
	case r.Min != nil && r.Max != nil:
		return fmt.Sprintf("%s to %s", count(*r.Min), count(*r.Max))
	case r.Min != nil:
		return "at least " + count(*r.Min)
	case r.Max != nil && *r.Max == 0:
		return "none"
	case r.Max != nil:
		return "at most " + count(*r.Max)
	default:
		return "any number"
	}
}

// rangeCheck judges one number of things.
func rangeCheck(name string, n int, want scenarios.Range, noun, did string) Check {
	t := tally{judged: 1}
	t.saw(count(n))
	if why := outsideRange(n, want, noun, did); why != "" {
		t.fail(why)
	}
	return t.check(name, rangeText(want))
}

// indexes are the journal indexes of attempts.
func indexes(attempts []faultserver.Attempt) []int {
	list := make([]int, len(attempts))
	for i, attempt := range attempts {
		list[i] = attempt.Index
	}
	return list
}
