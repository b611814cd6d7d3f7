package mutants_test

import (
	"slices"
	"testing"

	"github.com/faultsrv/faultsrv/assertions"
	"github.com/faultsrv/faultsrv/reports"
	"github.com/faultsrv/faultsrv/scenarios"
	"github.com/faultsrv/faultsrv/suites"
	"github.com/faultsrv/faultsrv/suites/mutants"
)

// caught are the verdicts of a contract that a client breaks.
var caught = []assertions.Verdict{assertions.Fail, assertions.Weak}

// sideBySide is how many mutants are judged at the same time. They wait more
// than they compute.
const sideBySide = 12

// TestMutantsAreCaught proves of each contract that it can fail: each mutant
// breaks every contract that it names.
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
			plan, err := suites.NewPlan(mutant.Subject(), suites.Contracts(mutant.Breaks...))
			if err != nil {
				t.Error(err)
				return
			}
			run, err := suites.Judge(t.Context(), plan.Subject, plan.Contracts, plan.Options)
			if err != nil {
				t.Error(err)
				return
			}
			runs[i] <- run
		}()
	}
	for i, mutant := range all {
		t.Run(mutant.Name, func(t *testing.T) {
			run, ran := <-runs[i]
			if !ran {
				t.Fatal("it was not judged")
			}
			for _, result := range run.Results {
				if !slices.Contains(caught, result.Verdict) {
					t.Errorf("%s is %s of a client that %s: expected it to be caught\n%s",
						result.ID, result.Verdict, mutant.Defect, reports.Explain(result))
				}
			}
			if len(run.Results) != len(mutant.Breaks) {
				t.Errorf("%d results; the mutant names %d contracts", len(run.Results), len(mutant.Breaks))
			}
		})
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
