package reports

import (
	"strings"
	"testing"
)

// What would show more than was judged is no badge.
func TestABadgeOfWhatIsNotTheWholeIsRefused(t *testing.T) {
	run := sampleRun()
	for i := range run.Results {
		run.Results[i].Verdict = "pass"
	}
	partial, other := run, run
	partial.Meta.Partial = true
	other.Client.Version = "another"
	for _, c := range []struct {
		name string
		runs []Run
		want string
	}{
		{"one run", []Run{run}, ""},
		{"two versions", []Run{run, other}, ""},
		{"cut short", []Run{partial}, "expected runs that came to their end, got 1 cut short: run again"},
		{"a run and itself", []Run{run, run}, "expected each contract of a client once, got "},
	} {
		var badge Badge
		err := badge.Check(badge.Count(c.runs...))
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: got %v, want %q", c.name, err, c.want)
		}
	}
}
