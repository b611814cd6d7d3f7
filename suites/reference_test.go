package suites_test

import (
	"context"
	"flag"
	"os"
	"os/exec"
	"runtime"
	"testing"
	"time"

	"github.com/faultsrv/faultsrv/assertions"
	"github.com/faultsrv/faultsrv/reports"
	"github.com/faultsrv/faultsrv/scenarios"
	"github.com/faultsrv/faultsrv/suites"
	"github.com/faultsrv/faultsrv/suites/clients/resilient"
)

// repeats is how often TestVerdictsDoNotFlicker judges the reference client,
// half of it on a busy machine. `make reliability` asks for 50.
var repeats = flag.Int("repeats", 2, "how often to judge the reference client, every second time with all cores busy")

const (
	// tooLate is how late a machine's timers are that may leave a contract without a
	// verdict on the client. (At a load of 11 to 22 on two cores, one to three of 151
	// contracts had none in 8 of 15 runs, whose timers were 203 to 876 ms late.)
	tooLate = 200 * time.Millisecond
	// mostUnjudged is how many of ten contracts such a machine may leave without one:
	// where there are more, these tests test nothing.
	mostUnjudged = 1
)

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
			again := verdicts(t)
			for id := range again {
				if _, judged := first[id]; !judged {
					first[id] = again[id] // what this run says, the next has to say too
				}
			}
			for id, verdict := range first {
				if other, judged := again[id]; judged && other != verdict {
					t.Errorf("run %d (busy: %t): %s: %s; before it was %s", i+1, i%2 == 1, id, other, verdict)
				}
			}
		}()
	}
}

// verdicts judges the reference client by the whole catalogue and explains what is
// not a pass. It leaves out what a machine that was too late did not let be judged:
// that is no verdict on the client, and a blame would be one.
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
		switch result.Verdict {
		case assertions.Pass, assertions.Observed:
		case assertions.HarnessError, assertions.NotExercised:
			t.Logf("worst lateness %v\n%s", run.Meta.WorstLateness, reports.Explain(result))
			if run.Meta.WorstLateness >= tooLate {
				continue
			}
		default:
			t.Logf("worst lateness %v\n%s", run.Meta.WorstLateness, reports.Explain(result))
		}
		list[result.ID] = result.Verdict
	}
	if unjudged := len(run.Results) - len(list); 10*unjudged > mostUnjudged*len(run.Results) {
		t.Fatalf("the machine was up to %v late, and left %d of %d contracts unjudged: run this test where less else runs",
			run.Meta.WorstLateness, unjudged, len(run.Results))
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
