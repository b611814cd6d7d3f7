package clients_test

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/faultsrv/faultsrv/assertions"
	"github.com/faultsrv/faultsrv/reports"
	"github.com/faultsrv/faultsrv/scenarios"
	"github.com/faultsrv/faultsrv/suites"
	"github.com/faultsrv/faultsrv/suites/driver"
	"github.com/faultsrv/faultsrv/suites/profile"
)

// installed are the drivers in other languages, and how to get what each needs.
var installed = map[string]string{
	"urllib3": "apt-get install python3-urllib3",
	"undici":  "npm ci --prefix suites/clients/undici",
}

func load(t *testing.T, name string) profile.Profile {
	t.Helper()
	p, err := profile.Load(filepath.Join(name, "profile.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestTheDriversPassTheirChecks(t *testing.T) {
	for name, install := range installed {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			report, err := load(t, name).Check(t.Context(), profile.Options{})
			if err != nil {
				t.Fatalf("%v (is it installed? %s)", err, install)
			}
			for _, checked := range report.Checks {
				for _, finding := range checked.Findings {
					t.Errorf("%s: expected %s; got %s (is it installed? %s)", checked.Name, finding.Expected, finding.Got, install)
				}
			}
		})
	}
}

// The libraries break what their profiles list, each with the reason, and
// nothing else.
func TestTheDriversAreJudged(t *testing.T) {
	for name, install := range installed {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			client, err := load(t, name).Open(t.Context(), profile.Options{})
			var fault *driver.Fault
			if errors.As(err, &fault) {
				t.Fatalf("%v (is it installed? %s)", fault, install)
			}
			if err != nil {
				t.Fatal(err)
			}
			defer func() {
				if err := client.Close(); err != nil {
					t.Error(err)
				}
			}()
			plan, err := suites.NewPlan(client, suites.AtLevel(scenarios.Observe))
			if err != nil {
				t.Fatal(err)
			}
			run, err := suites.Judge(t.Context(), plan.Subject, plan.Contracts, plan.Options)
			if err != nil {
				t.Fatal(err)
			}
			judged(t, run)
		})
	}
}

// judged fails the test for a verdict that the profile does not foresee. One of
// the harness says that the machine was too busy to judge, and nothing of the
// client.
func judged(t *testing.T, run reports.Run) {
	t.Helper()
	passed := 0
	for _, result := range run.Results {
		switch result.Verdict {
		case assertions.Pass:
			passed++
		case assertions.Fail, assertions.Weak, assertions.UnexpectedPass, assertions.ClientError:
			t.Error(strings.TrimSpace(reports.Explain(result)))
		case assertions.HarnessError:
			t.Logf("%s: %s", result.ID, result.Reason)
		}
	}
	// Half of what urllib3, which can be told the least, keeps on an idle machine.
	const least = 20
	if passed < least {
		t.Errorf("%d contracts passed, want at least %d", passed, least)
	}
}
