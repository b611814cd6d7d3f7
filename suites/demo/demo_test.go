package demo_test

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"runtime"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/faultsrv/faultsrv/assertions"
	"github.com/faultsrv/faultsrv/scenarios"
	"github.com/faultsrv/faultsrv/suites"
	"github.com/faultsrv/faultsrv/suites/demo"
)

// shortPause is for tests: it has no part in who is charged what.
const shortPause = 10 * time.Millisecond

var charged = []demo.Order{
	{Client: demo.Naive, Attempts: 2, Charges: 2, Status: 200},
	{Client: demo.Keyed, Attempts: 2, Charges: 1, Status: 200},
	{Client: demo.Reference, Attempts: 1, Charges: 1, Failure: scenarios.ErrReset},
}

// TestTheChargesAreRight places the order twenty times, half of them with all
// cores busy.
func TestTheChargesAreRight(t *testing.T) {
	const runs = 20
	for i := range runs {
		if i == runs/2 {
			keepBusy(t)
		}
		events := map[string]int{}
		orders, err := demo.Run(t.Context(), shortPause, func(e demo.Event) {
			if e.Charged {
				events[e.Client]++
			}
		})
		if err != nil {
			t.Fatalf("run %d: %v", i+1, err)
		}
		if diff := cmp.Diff(charged, orders); diff != "" {
			t.Errorf("run %d (-want +got):\n%s", i+1, diff)
		}
		for _, order := range orders {
			if events[order.Client] != order.Charges {
				t.Errorf("run %d: %d charges of %s were told, and %d made", i+1, events[order.Client], order.Client, order.Charges)
			}
		}
	}
}

func TestAnInterruptEndsTheDemo(t *testing.T) {
	t.Parallel()
	cause := errors.New("got SIGINT")
	ctx, cancel := context.WithCancelCause(t.Context())
	_, err := demo.Run(ctx, time.Hour, func(demo.Event) { cancel(cause) })
	if !errors.Is(err, cause) {
		t.Errorf("%v; expected the cause of its end", err)
	}
}

// TestTheLoopIsWrongInOneThing holds what the demo says of the loop to the
// catalogue: it breaks what is about a repeated POST, and keeps the rest; but
// that it hands a 417 over, as nearly every client does.
func TestTheLoopIsWrongInOneThing(t *testing.T) {
	t.Parallel()
	plan, err := suites.NewPlan(demo.NaiveClient(shortPause), suites.Contracts("idempotency.*", "body.*"))
	if err != nil {
		t.Fatal(err)
	}
	run, err := suites.Judge(t.Context(), plan.Subject, plan.Contracts, plan.Options)
	if err != nil {
		t.Fatal(err)
	}
	broken := map[string]assertions.Verdict{}
	for _, result := range run.Results {
		if result.Verdict != assertions.Pass && result.Verdict != assertions.Unsupported {
			broken[result.ID] = result.Verdict
		}
	}
	want := map[string]assertions.Verdict{
		"body.a-refused-expectation-is-dropped":         assertions.Weak,
		"idempotency.a-post-is-not-retried-on-a-reset":  assertions.Fail,
		"idempotency.a-post-is-not-retried-on-a-status": assertions.Weak,
	}
	if diff := cmp.Diff(want, broken); diff != "" {
		t.Errorf("verdicts (-want +got):\n%s", diff)
	}
}

// spin is the variable that makes this test binary a process that computes.
const spin = "FAULTSRV_TEST_SPIN"

func TestMain(m *testing.M) {
	if os.Getenv(spin) != "" {
		for until := time.Now().Add(time.Minute); time.Now().Before(until); {
		}
		return
	}
	os.Exit(m.Run())
}

// keepBusy keeps every core busy by other processes until the test ends.
func keepBusy(t *testing.T) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for range runtime.NumCPU() {
		command := exec.CommandContext(t.Context(), self)
		command.Env = append(os.Environ(), spin+"=1")
		if err := command.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = command.Wait() }) // it was killed
	}
}
