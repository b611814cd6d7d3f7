package resilientforms_test

import (
	"testing"

	"github.com/faultsrv/faultsrv/assertions"
	"github.com/faultsrv/faultsrv/reports"
	"github.com/faultsrv/faultsrv/scenarios"
	"github.com/faultsrv/faultsrv/suites"
	"github.com/faultsrv/faultsrv/suites/clients/resilientforms"
)

// TestEachFormKeepsTheCatalogueButForWhatItDeclares judges the forms by every
// contract: none may fail or be weak that the form's profile does not list, and
// each that it lists has to.
func TestEachFormKeepsTheCatalogueButForWhatItDeclares(t *testing.T) {
	for _, form := range resilientforms.All() {
		t.Run(form.Profile().Name, func(t *testing.T) {
			plan, err := suites.NewPlan(form, suites.AtLevel(scenarios.Observe))
			if err != nil {
				t.Fatal(err)
			}
			run, err := suites.Judge(t.Context(), plan.Subject, plan.Contracts, plan.Options)
			if err != nil {
				t.Fatal(err)
			}
			for _, result := range run.Results {
				switch result.Verdict {
				case assertions.Pass, assertions.Observed, assertions.KnownFail:
				case assertions.Unsupported, assertions.NotExercised:
					t.Logf("%s: %s: %s", result.Verdict, result.ID, result.Reason)
				default:
					t.Errorf("worst lateness %v\n%s", run.Meta.WorstLateness, reports.Explain(result))
				}
			}
		})
	}
}
