package suites_test

import (
	"context"
	"flag"
	"os"
	"os/exec"
	"runtime"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/faultsrv/faultsrv/assertions"
	"github.com/faultsrv/faultsrv/reports"
	"github.com/faultsrv/faultsrv/scenarios"
	"github.com/faultsrv/faultsrv/suites"
	"github.com/faultsrv/faultsrv/suites/clients/resilient"
)

// repeats is how often TestVerdictsDoNotFlicker judges the reference client,
// half of it on a busy machine. `make reliability` asks for 50.
var repeats = flag.Int("repeats", 2, "how often to judge the reference client, every second time with all cores busy")

// TestTheReferenceClientKeepsTheCatalogue holds the reference client to every
// contract: each pass, each observation made.
func TestTheReferenceClientKeepsTheCatalogue(t *testing.T) {
	for id, verdict := range verdicts(t) {
		if verdict != assertions.Pass && verdict != assertions.Observed {
			t.Errorf("%s: %s", id, verdict)
		}
	}
}

// TestVerdictsDoNotFlicker judges the reference client again and again: the
// machine may be busy, and the verdicts are the same.
func TestVerdictsDoNotFlicker(t *testing.T) {
	first := verdicts(t)
	for i := range *repeats {
		func() {
			if i%2 == 1 {
				defer keepBusy(t)()
			}
			if diff := cmp.Diff(first, verdicts(t)); diff != "" {
				t.Errorf("run %d (busy: %t): other verdicts than in the first run:\n%s", i+1, i%2 == 1, diff)
			}
		}()
	}
}

// verdicts judges the reference client by the whole catalogue and explains
// what is not a pass.
func verdicts(t *testing.T) map[string]assertions.Verdict {
	t.Helper()
	plan, err := suites.NewPlan(resilient.Client(), suites.AtLevel(scenarios.Observe))
	if err != nil {
		t.Fatal(err)
	}
	run, err := suites.Judge(t.Context(), plan.Subject, plan.Contracts, plan.Options)
	if err != nil {
		t.Fatal(err)
	}
	list := make(map[string]assertions.Verdict, len(run.Results))
	for _, result := range run.Results {
		list[result.ID] = result.Verdict
		if result.Verdict != assertions.Pass && result.Verdict != assertions.Observed {
			t.Logf("worst lateness %v\n%s", run.Meta.WorstLateness, reports.Explain(result))
		}
	}
	return list
}

// spin is the variable that makes this test binary a process that computes.
const spin = "FAULTSRV_TEST_SPIN"

// spinFor is how long such a process lives at most, should nobody end it.
const spinFor = 2 * time.Minute

func TestMain(m *testing.M) {
	if os.Getenv(spin) != "" {
		for until := time.Now().Add(spinFor); time.Now().Before(until); {
		}
		return
	}
	if os.Getenv(asOneRequest) != "" {
		os.Exit(oneRequest(os.Args[1]))
	}
	os.Exit(m.Run())
}

// keepBusy keeps every core busy by other processes until the returned
// function is called.
func keepBusy(t *testing.T) (stop func()) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	var spinning []*exec.Cmd
	for range runtime.NumCPU() {
		command := exec.CommandContext(ctx, self)
		command.Env = append(os.Environ(), spin+"=1")
		if err := command.Start(); err != nil {
			t.Fatal(err)
		}
		spinning = append(spinning, command)
	}
	return func() {
		cancel()
		for _, command := range spinning {
			_ = command.Wait() // it was killed
		}
	}
}
