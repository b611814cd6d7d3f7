package assertions

import (
	"strings"
	"testing"
	"time"

	"github.com/faultsrv/faultsrv/faultserver"
	"github.com/faultsrv/faultsrv/scenarios"
)

// exact is the expectation of n attempts.
func exact(n int) scenarios.Expectations {
	return scenarios.Expectations{All: scenarios.Expectation{Attempts: &scenarios.Attempts{Each: &n}}}
}

func TestVerdicts(t *testing.T) {
	t.Parallel()
	threeFailed := func(edits ...edit[Evidence]) Evidence {
		e := evidenceOf(failed(1, 0, ms), failed(2, 50*ms, 51*ms), failed(3, 100*ms, 101*ms))
		e.Contract.Expect = exact(3)
		return edited(e, edits)
	}
	expectTwo := func(e *Evidence) { e.Contract.Expect = exact(2) }
	cannotTell := func(e *Evidence) {
		e.Contract.Expect = scenarios.Expectations{All: scenarios.Expectation{Attempts: &scenarios.Attempts{Policy: true}}}
		e.Policy.Attempts = nil
	}
	for _, test := range []struct {
		name   string
		edits  []edit[Evidence]
		want   Verdict
		reason string
	}{
		{"all that is expected is so", nil, Pass, ""},
		{"a check fails", []edit[Evidence]{expectTwo}, Fail, "attempts: 3 attempts reached the server instead of 2"},
		{"a check of a should fails", []edit[Evidence]{expectTwo, func(e *Evidence) { e.Contract.Level = scenarios.Should }}, Weak, "attempts: 3"},
		{"a check under also fails", []edit[Evidence]{func(e *Evidence) { e.Contract.Also = exact(2) }}, Fail, "attempts: 3"},
		{"a check under also is not observed", []edit[Evidence]{func(e *Evidence) {
			cannotTell(e)
			e.Contract.Also, e.Contract.Expect = e.Contract.Expect, exact(3)
		}}, Pass, ""},
		{"a check under expect is not observed", []edit[Evidence]{cannotTell}, Unsupported, "attempts: it is not known how many"},
		{"an attempt beyond the script", []edit[Evidence]{func(e *Evidence) { e.Journal.Attempts[2].Step = faultserver.StepRef{Unscripted: true} }},
			Fail, "script: attempt 3 came after the script's last step"},
		{"an attempt beyond a script that repeats", []edit[Evidence]{func(e *Evidence) {
			e.Contract.AfterScript = faultserver.RepeatAfterScript
			e.Journal.Attempts[2].Step = faultserver.StepRef{Unscripted: true}
		}}, Pass, ""},
		{"the premise is not met", []edit[Evidence]{func(e *Evidence) { e.Contract.Premise = exact(2) }}, NotExercised, "the premise was not met: attempts: 3"},
		{"the premise is not met and a check fails too", []edit[Evidence]{expectTwo, func(e *Evidence) {
			e.Contract.Premise, e.Contract.Also = exact(4), exact(7)
		}}, NotExercised, "the premise was not met"},
		{"the premise is not observed and a check fails", []edit[Evidence]{cannotTell, func(e *Evidence) {
			e.Contract.Premise, e.Contract.Expect = e.Contract.Expect, exact(2)
		}}, Unsupported, "the premise could not be observed: attempts"},
		{"a step nobody met", []edit[Evidence]{func(e *Evidence) { e.Journal.Unmet = []string{"step 4: reset"} }}, NotExercised, "the fault was not met: step 4: reset"},
		{"a step nobody met, and a check fails", []edit[Evidence]{expectTwo, func(e *Evidence) { e.Journal.Unmet = []string{"step 4: reset"} }}, Fail, "attempts"},
		{"a step whose act did not happen", []edit[Evidence]{func(e *Evidence) {
			a := &e.Journal.Attempts[1]
			a.Met, a.Step.Text, a.Happened = false, "reset@response-body@1000", faultserver.Effect{Kind: "reset", Detail: "acked 900 of 1,000 bytes"}
		}}, NotExercised, "reset@response-body@1000 on attempt 2 (acked 900 of 1,000 bytes)"},
		{"an attempt that took no step and struck nothing", []edit[Evidence]{func(e *Evidence) {
			e.Journal.Attempts[1].Met, e.Journal.Attempts[1].Step = false, faultserver.StepRef{}
		}}, Pass, ""},
		{"an optional step whose act did not happen", []edit[Evidence]{func(e *Evidence) {
			e.Journal.Attempts[1].Met = false
			e.Contract.Script[1].Optional = true
		}}, Pass, ""},
		{"a client that leaves while the server is silent, as the step wants", []edit[Evidence]{func(e *Evidence) {
			e.Journal.Attempts[1] = stalled(2, 50*ms, 90*ms)
		}}, Pass, ""},
		{"a client that leaves before it is reset", []edit[Evidence]{func(e *Evidence) {
			a := &e.Journal.Attempts[1]
			a.Met, a.Happened.Kind, a.Client = false, "client-left", faultserver.ClientEnd{How: "client-rst", At: 51 * ms}
		}}, NotExercised, "503 on attempt 2 (client-left instead)"},
		{"a cancellation that was never due", []edit[Evidence]{expectTwo, func(e *Evidence) {
			e.Contract.Calls[0].Cancel = &faultserver.Moment{Attempt: 1, Plus: 500 * ms}
		}}, NotExercised, "call call-1 returned before its cancellation was due (500ms after the answer to attempt 1)"},
		{"a cancellation that was given", []edit[Evidence]{func(e *Evidence) {
			e.Contract.Calls[0].Cancel = &faultserver.Moment{Attempt: 3}
			e.Calls[0].Cancelled = 101 * ms
		}}, Pass, ""},
		{"nothing is expected", []edit[Evidence]{func(e *Evidence) { e.Contract.Expect = scenarios.Expectations{} }}, HarnessError, "the contract expects nothing"},
		{"the harness failed", []edit[Evidence]{expectTwo, func(e *Evidence) { e.HarnessError, e.ClientError = "no port is free", "gone" }}, HarnessError, "no port is free"},
		{"the client failed", []edit[Evidence]{expectTwo, func(e *Evidence) { e.ClientError = "exit status 127" }}, ClientError, "exit status 127"},
		{"a call's client failed", []edit[Evidence]{expectTwo, func(e *Evidence) {
			e.Calls[0].Outcome = scenarios.Outcome{Kind: scenarios.ClientErrorOutcome, Note: "it panicked"}
		}}, ClientError, "call call-1: it panicked"},
		{"the client cannot make the call", []edit[Evidence]{expectTwo, func(e *Evidence) {
			e.Calls[0].Outcome = scenarios.Outcome{Kind: scenarios.UnsupportedOutcome, Note: "no PUT"}
		}}, Unsupported, "call call-1: no PUT"},
		{"the journal dropped an entry", []edit[Evidence]{expectTwo, func(e *Evidence) { e.Journal.Dropped = 2 }}, HarnessError, "dropped 2 entries"},
		{"an act failed", []edit[Evidence]{expectTwo, func(e *Evidence) {
			e.Journal.Attempts[0].Happened = faultserver.Effect{Kind: "failed", Detail: "setsockopt: bad file descriptor"}
		}}, HarnessError, `the server could not perform "503" on attempt 1: setsockopt`},
		{"a client that resets an answer before its head was out", []edit[Evidence]{func(e *Evidence) {
			a := &e.Journal.Attempts[0]
			a.Met, a.Happened, a.Client = false, faultserver.Effect{Kind: "client-left", Detail: "write: broken pipe"}, faultserver.ClientEnd{How: "client-rst"}
		}}, NotExercised, "503 on attempt 1 (write: broken pipe)"},
		{"a client that breaks its own framing", []edit[Evidence]{expectTwo, func(e *Evidence) {
			e.Journal.Attempts[0].Met, e.Journal.Attempts[0].Happened = false, faultserver.Effect{Kind: "bad-body", Detail: "chunk size"}
		}}, Fail, "attempts: 3"},
		{"no call was made", []edit[Evidence]{func(e *Evidence) { e.Calls = nil }}, HarnessError, "no call was made"},
		{"no contract", []edit[Evidence]{func(e *Evidence) { e.Contract = nil }}, HarnessError, "no contract"},
		{"an attempt of another run", []edit[Evidence]{func(e *Evidence) { e.Journal.Attempts[1].Call = "old" }}, HarnessError, `1 attempt of no call that was made: attempt 2 (call "old")`},
		{"an evaluator that nobody registered", []edit[Evidence]{func(e *Evidence) { e.Contract.Also.All.Evaluator = "nobody.knows" }}, HarnessError, `evaluator "nobody.knows" is not registered`},
		{"a field that there is not", []edit[Evidence]{func(e *Evidence) { e.Contract.Expect.All.Same = []scenarios.Field{"colour"} }}, HarnessError, `field "colour" is unknown`},
		{"a late machine", []edit[Evidence]{expectTwo, func(e *Evidence) {
			e.Contract.Expect.All.Gaps = &scenarios.Gaps{Max: &scenarios.GapBound{Duration: 45 * ms}}
			e.Lateness = 20 * ms
		}}, HarnessError, "the machine was up to 20ms late, too late to judge gaps.max"},
		{"an attempt's time that the machine may have used up", []edit[Evidence]{expectTwo, func(e *Evidence) {
			e.Policy.Timeouts = &scenarios.Timeouts{Attempt: time.Second}
			e.Lateness = 500 * ms
		}}, HarnessError, "the machine was up to 500ms late, and the client had 1s for an attempt: it says nothing about the client that attempts: 3"},
		{"an attempt's time that the machine left", []edit[Evidence]{expectTwo, func(e *Evidence) {
			e.Policy.Timeouts = &scenarios.Timeouts{Attempt: time.Second}
			e.Lateness = 499 * ms
		}}, Fail, "attempts: 3"},
		{"an attempt's time that nothing came of", []edit[Evidence]{func(e *Evidence) {
			e.Policy.Timeouts = &scenarios.Timeouts{Attempt: time.Second}
			e.Lateness = 900 * ms
		}}, Pass, ""},
		{"a policy's time for the call that the machine may have used up", []edit[Evidence]{expectTwo, func(e *Evidence) {
			e.Policy.Timeouts = &scenarios.Timeouts{Total: time.Second}
			e.Lateness = 600 * ms
		}}, HarnessError, "the client had 1s for a call"},
		{"a caller's time that the machine may have used up", []edit[Evidence]{expectTwo, func(e *Evidence) {
			e.Contract.Calls[0].Timeout = time.Second
			e.Lateness = 600 * ms
		}}, HarnessError, "the client had 1s for call call-1"},
		{"a breaker's window that the machine may have used up", []edit[Evidence]{expectTwo, func(e *Evidence) {
			e.Contract.Policy.Breaker = &scenarios.Breaker{Open: 400 * ms}
			e.Lateness = 400 * ms
		}}, HarnessError, "the machine was up to 400ms late, and the breaker is open for 400ms: it says nothing about the client that attempts: 3"},
		{"a breaker's window that the machine left", []edit[Evidence]{expectTwo, func(e *Evidence) {
			e.Contract.Policy.Breaker = &scenarios.Breaker{Open: 400 * ms}
			e.Lateness = 399 * ms
		}}, Fail, "attempts: 3"},
		{"a call that was ended on a machine that may have held it up", []edit[Evidence]{expectTwo, func(e *Evidence) {
			e.Calls[0].EndedAt, e.Calls[0].Returned = 10*time.Second, 10*time.Second
			e.Lateness = 5 * time.Second
		}}, HarnessError, "the client had 10s for call call-1, which was then ended"},
		{"a call that was ended on a machine that did not hold it up", []edit[Evidence]{expectTwo, func(e *Evidence) {
			e.Calls[0].EndedAt, e.Calls[0].Returned = 10*time.Second, 10*time.Second
			e.Lateness = 300 * ms
		}}, Fail, "attempts: 3"},
		{"the time before a cancellation that the machine may have used up", []edit[Evidence]{expectTwo, func(e *Evidence) {
			e.Contract.Calls[0].Cancel = &faultserver.Moment{Attempt: 1, Plus: 300 * ms}
			e.Calls[0].Cancelled = e.Calls[0].Returned
			e.Lateness = 150 * ms
		}}, HarnessError, "the client had 300ms for noticing what happened before call call-1 was cancelled"},
		{"the time before a cancellation in flight, in which there is nothing to notice", []edit[Evidence]{expectTwo, func(e *Evidence) {
			e.Contract.Calls[0].Cancel = &faultserver.Moment{Attempt: 1, Event: faultserver.Arrived, Plus: 50 * ms}
			e.Calls[0].Cancelled = e.Calls[0].Returned
			e.Lateness = 50 * ms
		}}, Fail, "attempts: 3"},
		{"the time before a cancellation that the machine left", []edit[Evidence]{expectTwo, func(e *Evidence) {
			e.Contract.Calls[0].Cancel = &faultserver.Moment{Attempt: 1, Plus: 300 * ms}
			e.Calls[0].Cancelled = e.Calls[0].Returned
			e.Lateness = 149 * ms
		}}, Fail, "attempts: 3"},
		{"the time before the next call that the machine may have used up", []edit[Evidence]{expectTwo, func(e *Evidence) {
			e.Contract.Calls[0].After = &faultserver.Moment{Call: "warm", Attempt: 1, Event: faultserver.Struck, Plus: 600 * ms}
			e.Lateness = 300 * ms
		}}, HarnessError, "the client had 600ms for noticing what happened before call call-1 was made"},
		{"the time before the next call that the machine left", []edit[Evidence]{expectTwo, func(e *Evidence) {
			e.Contract.Calls[0].After = &faultserver.Moment{Call: "warm", Attempt: 1, Event: faultserver.Struck, Plus: 600 * ms}
			e.Lateness = 299 * ms
		}}, Fail, "attempts: 3"},
		{"a call that was ended before it had sent anything, on a late machine", []edit[Evidence]{func(e *Evidence) {
			e.ClientError = "call call-1: it had sent no attempt"
			e.Calls[0].EndedAt, e.Calls[0].Returned = 10*time.Second, 10*time.Second
			e.Lateness = 6 * time.Second
		}}, HarnessError, "which was then ended: it says nothing about the client that call call-1: it had sent no attempt"},
		{"a call without a bound on a late machine", []edit[Evidence]{expectTwo, func(e *Evidence) { e.Lateness = 5 * time.Second }}, Fail, "attempts: 3"},
		{"an expectation of a call that was not made", []edit[Evidence]{func(e *Evidence) {
			e.Contract.Expect.Calls = []scenarios.CallExpectation{{Call: "later", Expectation: scenarios.Expectation{Effects: exactly(1)}}}
		}}, Unsupported, "call of later: the call was not made"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got := Judge(threeFailed(test.edits...))
			if got.Verdict != test.want || !strings.Contains(got.Reason, test.reason) {
				t.Errorf("got %s: %s\nwant %s: …%s…\nchecks: %+v", got.Verdict, got.Reason, test.want, test.reason, got.Checks)
			}
			if got.Checks == nil {
				t.Error("checks are nil: they would be null in JSON, not an empty list")
			}
		})
	}
}
