package suites_test

import (
	"context"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/faultsrv/faultsrv/assertions"
	"github.com/faultsrv/faultsrv/scenarios"
	"github.com/faultsrv/faultsrv/suites"
)

// A client whose pauses are long, or that hangs, does not hold the run for as long
// as it likes: the contract is ended, and neither kept nor broken by what was seen,
// though a call of it did fail.
func TestAContractThatTakesTooLongIsEnded(t *testing.T) {
	t.Parallel()
	var asked atomic.Int32
	slow := client{do: func(ctx context.Context, request suites.Request) scenarios.Outcome {
		if deadline, has := ctx.Deadline(); has {
			t.Errorf("the client sees a deadline, %v: its caller has set none", deadline)
		}
		if asked.Add(1) == 1 {
			get(ctx, request)
			return get(ctx, request) // one attempt too many
		}
		<-ctx.Done() // a pause, until it is ended
		return scenarios.Outcome{Kind: scenarios.ErrorOutcome, Error: &scenarios.OutcomeError{Kind: scenarios.ErrCanceled}}
	}}
	many := strings.NewReplacer("[{}]", "[{repeat: 300}]", "[succeed]", "[{succeed: {}, times: forever}]").Replace(oneAttempt)
	result := judge(t, slow, many, suites.Options{ContractTimeout: time.Second})
	if result.Verdict != assertions.NotExercised {
		t.Errorf("%s: %s; expected not-exercised, whatever was seen until then", result.Verdict, result.Reason)
	}
	for _, want := range []string{"after 1s", "call 2 of 300", "ContractTimeout"} {
		if !strings.Contains(result.Reason, want) {
			t.Errorf("reason %q; expected it to say %q", result.Reason, want)
		}
	}
	if made := asked.Load(); made != 2 {
		t.Errorf("%d calls were asked for; expected none after the one that was ended", made)
	}
}

// program is a client that is run as a command for each call.
type program struct{ client }

func (c program) Profile() suites.Profile {
	profile := c.client.Profile()
	profile.Kind = "exec"
	return profile
}

// A command that is killed with its contract, before it has sent anything, is none
// that cannot be run.
func TestACommandThatIsEndedWithItsContractIsNotToBlame(t *testing.T) {
	t.Parallel()
	starting := program{client{do: func(ctx context.Context, _ suites.Request) scenarios.Outcome {
		<-ctx.Done()
		return scenarios.Outcome{Kind: scenarios.ErrorOutcome, Error: &scenarios.OutcomeError{Kind: scenarios.ErrCanceled, Message: "killed"}}
	}}}
	result := judge(t, starting, oneAttempt, suites.Options{ContractTimeout: 100 * time.Millisecond})
	if result.Verdict != assertions.NotExercised || !strings.Contains(result.Reason, "ContractTimeout") {
		t.Errorf("%s: %s; expected not-exercised, because the contract took too long", result.Verdict, result.Reason)
	}
}
