package observe

import (
	"fmt"
	"strings"
	"time"

	"github.com/faultsrv/faultsrv/assertions"
	"github.com/faultsrv/faultsrv/faultserver"
	"github.com/faultsrv/faultsrv/reports"
	"github.com/faultsrv/faultsrv/scenarios"
)

const (
	ms = time.Millisecond
	// sourceHash stands for the hash of the body that a call was to send.
	sourceHash = "5001"
	// lateness is that of the fixtures' machine.
	lateness = 2 * ms
)

// runOf is a run of some results with a client that has some capabilities.
func runOf(capabilities []scenarios.Capability, results ...reports.Result) reports.Run {
	return reports.Run{
		Tool:    reports.Tool{Name: "faultsrv", Version: "v0"},
		Client:  reports.Client{Name: "sample", Version: "1.0", Kind: "exec", Capabilities: capabilities},
		Results: results,
	}
}

// seen is the result of a contract that was observed.
func seen(id string, calls ...seenCall) reports.Result {
	result := reports.Result{ID: id, Level: scenarios.Observe, Verdict: assertions.Observed, Meta: reports.ResultMeta{Lateness: lateness}}
	for i, call := range calls {
		call.Token = fmt.Sprintf("call-%d", i+1)
		result.Calls = append(result.Calls, call.Call)
		for _, attempt := range call.attempts {
			attempt.Call = call.Token
			result.Attempts = append(result.Attempts, attempt)
		}
	}
	return result
}

// lacking is the result of a contract that the client could not be asked.
func lacking(id string, needs ...scenarios.Capability) reports.Result {
	return reports.Result{
		ID: id, Level: scenarios.Observe, Verdict: assertions.Unsupported, Needs: needs, Reason: "the client lacks something",
	}
}

// called is a call that ended so, after these attempts.
func called(outcome scenarios.Outcome, attempts ...reports.Attempt) seenCall {
	call := seenCall{attempts: attempts}
	call.Method, call.Outcome = "GET", outcome
	call.Meta.Returned = 1
	return call
}

// as is the call with a name and a method, and a body of 1,000 bytes.
func (c seenCall) as(name, method string) seenCall {
	c.Name, c.Method = name, method
	c.BodyLength, c.BodySHA256 = 1000, sourceHash
	return c
}

func succeeded() scenarios.Outcome { return scenarios.Outcome{Kind: scenarios.SuccessOutcome} }

func returned(status int) scenarios.Outcome {
	return scenarios.Outcome{Kind: scenarios.ResponseOutcome, Status: status}
}

func failing() scenarios.Outcome {
	return scenarios.Outcome{
		Kind:  scenarios.ErrorOutcome,
		Error: &scenarios.OutcomeError{Kind: scenarios.ErrOther, Message: "exit status 56"},
	}
}

// answered are attempts that got a status: a first one, and one after each wait.
func answeredBy(status int, waits ...time.Duration) []reports.Attempt {
	attempts := []reports.Attempt{{Method: "GET", Status: status}}
	for _, wait := range waits {
		attempts = append(attempts, reports.Attempt{Method: "GET", Status: status, Meta: reports.AttemptMeta{Gap: &wait}})
	}
	return attempts
}

// sent are the attempts with another method.
func sent(method string, attempts []reports.Attempt) []reports.Attempt {
	for i := range attempts {
		attempts[i].Method = method
	}
	return attempts
}

// keyed are the attempts with an Idempotency-Key each.
func keyed(attempts []reports.Attempt, keys ...string) []reports.Attempt {
	for i, key := range keys {
		attempts[i].Headers = faultserver.Headers{{Name: "Idempotency-Key", Value: key}}
	}
	return attempts
}

// carrying are the attempts with bodies of these lengths; 1,000 is the source's.
func carrying(attempts []reports.Attempt, lengths ...int64) []reports.Attempt {
	for i, length := range lengths {
		attempts[i].Body = reports.Body{Received: length, Complete: true, SHA256: strings.Repeat("0", 4)}
		if length == 1000 {
			attempts[i].Body.SHA256 = sourceHash
		}
	}
	return attempts
}

// pushedBack are two attempts, the first of which was asked to wait.
func pushedBack(status int, asked faultserver.SentRetryAfter, waited time.Duration) []reports.Attempt {
	attempts := answeredBy(status, waited)
	attempts[0].Meta.RetryAfter = &asked
	attempts[0].Meta.EndEarliest = 100 * ms
	attempts[1].Meta.Arrived = 100*ms + waited
	return attempts
}

func seconds(n int) faultserver.SentRetryAfter {
	wait := time.Duration(n) * time.Second
	return faultserver.SentRetryAfter{Value: fmt.Sprint(n), Wait: &wait}
}

func date(until time.Duration) faultserver.SentRetryAfter {
	return faultserver.SentRetryAfter{Value: "a date", Until: &until}
}

// herdOf are calls that came back after these pauses.
func herdOf(pauses ...time.Duration) reports.Result {
	var calls []seenCall
	for _, pause := range pauses {
		calls = append(calls, called(succeeded(), answeredBy(503, pause)...))
	}
	return seen(firstPauses, calls...)
}

// stalled is a call whose client left after a time; 0 for one that waited.
func stalled(left time.Duration, waits ...time.Duration) seenCall {
	attempts := answeredBy(200, waits...)
	attempts[0].Meta.EndEarliest = 6 * time.Second
	if left > 0 {
		attempts[0].ClientEnd, attempts[0].Meta.ClientEnd, attempts[0].Meta.EndEarliest = "client-fin", left, left
	}
	return called(succeeded(), attempts...)
}
