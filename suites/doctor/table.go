package doctor

import (
	"fmt"
	"strings"
)

// verdictTexts say a report's verdict.
var verdictTexts = map[Verdict]string{
	Faithful:   "Nothing changes on this path: what is judged through it is the client.",
	Unfaithful: "The path changes faults: what is judged through it says nothing of the client.",
	Incomplete: "No change was found, and not everything could be examined.",
}

// Text is a report for people: a table of the checks, what each change means and
// what to do, and the verdict.
func Text(r Report) string {
	var b strings.Builder
	fmt.Fprintf(&b, "the path %s\n\n", r.Via)
	width := 0
	for _, finding := range r.Checks {
		width = max(width, len(finding.Check))
	}
	for _, finding := range r.Checks {
		got := finding.Got
		if finding.Deviating > 0 {
			got += fmt.Sprintf(" (%d of %d times)", finding.Deviating, finding.Exchanges)
		}
		fmt.Fprintf(&b, "  %-10s  %-*s  %s\n", statusTexts[finding.Status], width, finding.Check, got)
	}
	for _, finding := range r.Of(Changed) {
		fmt.Fprintf(&b, "\n%s\n  expected  %s\n  got       %s\n  means     %s\n  do        %s\n",
			finding.Check, finding.Expected, finding.Got, finding.Means, finding.Do)
	}
	fmt.Fprintf(&b, "\n%s\n", verdictTexts[r.Verdict])
	return b.String()
}

// statusTexts are the statuses in a table, where a change is to be seen at once.
var statusTexts = map[Status]string{
	Kept: "kept", Noted: "noted", Changed: "CHANGED", NotJudged: "NOT JUDGED", Impossible: "impossible",
}
