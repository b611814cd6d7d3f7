package mutants_test

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/faultsrv/faultsrv/assertions"
	"github.com/faultsrv/faultsrv/reports"
	"github.com/faultsrv/faultsrv/scenarios"
	"github.com/faultsrv/faultsrv/suites"
	"github.com/faultsrv/faultsrv/suites/mutants"
)

var (
	whole  = flag.Bool("table", false, "judge each mutant by the whole catalogue and compare with the reviewed table: some minutes (make mutants)")
	update = flag.Bool("update", false, "with -table: write the table anew, to be reviewed")
)

// table is where the reviewed verdicts of every mutant are.
const table = "testdata/verdicts.golden"

// sideBySide is how many mutants are judged at the same time. They wait more
// than they compute.
const sideBySide = 8

// caught are the verdicts of a contract that a client breaks.
var caught = []assertions.Verdict{assertions.Fail, assertions.Weak}

// TestMutantsAreCaught proves of each contract that it can fail: each mutant
// breaks every contract that it names. With -table it is judged by the whole
// catalogue, and what else it breaks, or keeps from being judged, is held to the
// reviewed table.
func TestMutantsAreCaught(t *testing.T) {
	all := mutants.All()
	runs := make([]chan reports.Run, len(all))
	places := make(chan struct{}, sideBySide)
	for i, mutant := range all {
		runs[i] = make(chan reports.Run, 1)
		go func() {
			places <- struct{}{}
			defer func() { <-places }()
			defer close(runs[i])
			run, err := judge(t, mutant)
			if err != nil {
				t.Errorf("%s: %v", mutant.Name, err)
				return
			}
			runs[i] <- run
		}()
	}
	var lines strings.Builder
	for i, mutant := range all {
		run, ran := <-runs[i]
		if !ran {
			continue // its error has been told
		}
		t.Run(mutant.Name, func(t *testing.T) { mustBeCaught(t, mutant, run) })
		fmt.Fprintf(&lines, "%s: %s\n", mutant.Name, mutant.Defect)
		for _, result := range run.Results {
			if result.Verdict != assertions.Pass && result.Verdict != assertions.Observed {
				fmt.Fprintf(&lines, "  %-14s %s\n", result.Verdict, result.ID)
			}
		}
	}
	if *whole {
		compare(t, lines.String())
	}
}

func judge(t *testing.T, mutant mutants.Mutant) (reports.Run, error) {
	var choices []suites.Choice
	if !*whole {
		choices = append(choices, suites.Contracts(mutant.Breaks...))
	}
	plan, err := suites.NewPlan(mutant.Subject(), choices...)
	if err != nil {
		return reports.Run{}, err
	}
	return suites.Judge(t.Context(), plan.Subject, plan.Contracts, plan.Options)
}

func mustBeCaught(t *testing.T, mutant mutants.Mutant, run reports.Run) {
	named := slices.Clone(mutant.Breaks)
	for _, result := range run.Results {
		at := slices.Index(named, result.ID)
		if at < 0 {
			continue
		}
		named = slices.Delete(named, at, at+1)
		if !slices.Contains(caught, result.Verdict) {
			t.Errorf("%s is %s of a client that %s: expected it to be caught\n%s",
				result.ID, result.Verdict, mutant.Defect, reports.Explain(result))
		}
	}
	if len(named) > 0 {
		t.Errorf("it names contracts that the catalogue does not have: %s", strings.Join(named, ", "))
	}
}

// compare holds the verdicts to the reviewed table.
func compare(t *testing.T, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(table, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(table)
	if err != nil {
		t.Fatalf("read the reviewed table: %v; -update writes it", err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("other verdicts than in %s (-want +got; after a review, -update writes it anew):\n%s", table, diff)
	}
}

// TestEveryContractIsBroken asks for a mutant for each contract that is judged.
func TestEveryContractIsBroken(t *testing.T) {
	catalogue, err := scenarios.Catalogue()
	if err != nil {
		t.Fatal(err)
	}
	broken := map[string]bool{}
	names := map[string]bool{}
	for _, mutant := range mutants.All() {
		if names[mutant.Name] {
			t.Errorf("two mutants are called %s", mutant.Name)
		}
		names[mutant.Name] = true
		if mutant.Defect == "" || len(mutant.Breaks) == 0 {
			t.Errorf("mutant %s: expected a defect and the contracts that it breaks", mutant.Name)
		}
		for _, id := range mutant.Breaks {
			broken[id] = true
		}
	}
	for _, contract := range catalogue {
		if contract.Level != scenarios.Observe && !broken[contract.ID] {
			t.Errorf("%s: no mutant breaks it, so nothing shows that it can fail", contract.ID)
		}
	}
}
