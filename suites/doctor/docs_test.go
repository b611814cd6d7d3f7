package doctor_test

import (
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/faultsrv/faultsrv/suites/doctor"
)

// TestTheGuideShowsWhatIsPrinted compares the report that the guide shows with one
// of the path that it is said to be of, and looks for each check in its table.
func TestTheGuideShowsWhatIsPrinted(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../docs/doctor.md")
	if err != nil {
		t.Fatal(err)
	}
	guide := string(text)
	_, shown, found := strings.Cut(guide, "```text\n")
	shown, rest, ended := strings.Cut(shown, "```\n")
	if !found || !ended {
		t.Fatal("the guide shows no report: expected a block that begins with ```text")
	}
	report := examine(t, forwarder{hidesRST: true})
	report.Via = "http://faults.example:8080"
	if diff := cmp.Diff(doctor.Text(report), shown); diff != "" {
		t.Errorf("what is printed and what the guide shows (-printed +shown):\n%s", diff)
	}
	_, table, _ := strings.Cut(rest, "## The checks\n")
	table, _, _ = strings.Cut(table, "\n## ")
	for _, finding := range report.Checks {
		name := "`" + finding.Check + "`"
		if short := "`" + strings.TrimPrefix(finding.Check, "one-attempt") + "`"; !strings.Contains(table, name) && !strings.Contains(table, short) {
			t.Errorf("the guide's table does not have %s", name)
		}
	}
}
