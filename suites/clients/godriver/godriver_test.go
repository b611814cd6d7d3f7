package main

import (
	"os"
	"slices"
	"testing"

	"github.com/faultsrv/faultsrv/assertions"
	"github.com/faultsrv/faultsrv/reports"
	"github.com/faultsrv/faultsrv/scenarios"
	"github.com/faultsrv/faultsrv/suites"
	"github.com/faultsrv/faultsrv/suites/driver"
)

// driverVariable makes the test binary the driver.
const driverVariable = "GODRIVER_TEST_DRIVER"

func TestMain(m *testing.M) {
	if os.Getenv(driverVariable) != "" {
		main()
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// options run the test binary as the driver. With the race detector a program
// waits for a second before it exits, for reports of goroutines that still run.
var options = driver.Options{Env: []string{driverVariable + "=1", "GORACE=atexit_sleep_ms=0"}}

func args(t *testing.T) []string {
	t.Helper()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return []string{program}
}

func TestTheDriverPassesItsCheck(t *testing.T) {
	report, err := driver.Check(t.Context(), args(t), options)
	if err != nil {
		t.Fatal(err)
	}
	for _, check := range report.Checks {
		for _, finding := range check.Findings {
			t.Errorf("%s: expected %s; got %s", check.Name, finding.Expected, finding.Got)
		}
		if check.NotMade != "" && check.Name != "idempotency-key" {
			t.Errorf("%s: not made: %s", check.Name, check.NotMade)
		}
	}
}

// The driver's client is the reference client, which keeps every contract.
func TestTheDriverIsJudged(t *testing.T) {
	subject, err := driver.New(t.Context(), args(t), options)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := subject.Close(); err != nil {
			t.Error(err)
		}
	}()
	plan, err := suites.NewPlan(subject, suites.AtLevel(scenarios.Observe))
	if err != nil {
		t.Fatal(err)
	}
	run, err := suites.Judge(t.Context(), plan.Subject, plan.Contracts, plan.Options)
	if err != nil {
		t.Fatal(err)
	}
	broken := []assertions.Verdict{assertions.Fail, assertions.Weak, assertions.NotExercised, assertions.ClientError}
	passed := 0
	for _, result := range run.Results {
		if slices.Contains(broken, result.Verdict) {
			t.Error(reports.Explain(result))
		}
		if result.Verdict == assertions.Pass {
			passed++
		}
	}
	// Half of what it keeps on an idle machine.
	const least = 35
	if passed < least {
		t.Errorf("%d contracts passed, want at least %d", passed, least)
	}
}
