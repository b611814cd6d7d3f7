package assertions

import (
	"testing"
	"time"

	"github.com/faultsrv/faultsrv/faultserver"
	"github.com/faultsrv/faultsrv/scenarios"
)

const ms = time.Millisecond

var emptySHA256 = faultserver.Body{}.SHA256()

// edit changes a value that a test builds on.
type edit[T any] func(*T)

func edited[T any](value T, edits []edit[T]) T {
	for _, change := range edits {
		change(&value)
	}
	return value
}

// failed is an attempt of call-1 that was answered with 503: it arrives at one
// time and ends at another.
func failed(number int, arrived, ended time.Duration, edits ...edit[faultserver.Attempt]) faultserver.Attempt {
	return edited(faultserver.Attempt{
		Call: "call-1", Number: number, Index: number, Connection: 1, Use: number,
		Arrived: arrived, HeadRead: arrived, Answered: ended,
		End:    faultserver.Interval{Earliest: ended, Latest: ended + ms/10},
		Method: "GET", Target: "/", Proto: "HTTP/1.1",
		Body:     faultserver.BodyReceipt{Declared: -1, Complete: true, SHA256: emptySHA256},
		Step:     faultserver.StepRef{Index: number, Script: "script", Text: "503"},
		Intended: faultserver.Effect{Kind: "answer", At: "request-end", Status: 503},
		Happened: faultserver.Effect{Kind: "answer", At: "request-end", Status: 503},
		Met:      true, Acked: 120,
	}, edits)
}

// served is an attempt of call-1 that was answered with the success answer.
func served(number int, arrived, ended time.Duration, edits ...edit[faultserver.Attempt]) faultserver.Attempt {
	a := failed(number, arrived, ended)
	a.Step.Text = "succeed"
	a.Intended = faultserver.Effect{Kind: "answer", At: "request-end", Status: 200, Body: 3}
	a.Happened = a.Intended
	return edited(a, edits)
}

// stalled is an attempt of call-1 that was never answered, and that the client left.
func stalled(number int, arrived, left time.Duration, edits ...edit[faultserver.Attempt]) faultserver.Attempt {
	a := failed(number, arrived, left)
	a.Step.Text, a.Answered, a.Acked = "stall", 0, 0
	a.Intended = faultserver.Effect{Kind: "stall", At: "request-end"}
	a.Happened = a.Intended
	a.Client = faultserver.ClientEnd{How: "client-fin", At: left}
	return edited(a, edits)
}

// struck is a connection of call-1 that was reset at its accept.
func struck(number int, at time.Duration, edits ...edit[faultserver.Attempt]) faultserver.Attempt {
	a := failed(number, at, at)
	a.Method, a.Target, a.Proto, a.Answered, a.Acked = "", "", "", 0, 0
	a.Step = faultserver.StepRef{Index: number, Script: "connections", Text: "reset@accept"}
	a.Intended = faultserver.Effect{Kind: "reset", At: "accept", End: "rst"}
	a.Happened = a.Intended
	return edited(a, edits)
}

// of gives an attempt to another call.
func of(token string) edit[faultserver.Attempt] {
	return func(a *faultserver.Attempt) { a.Call = token }
}

func on(connection, use int) edit[faultserver.Attempt] {
	return func(a *faultserver.Attempt) { a.Connection, a.Use = connection, use }
}

func with(headers ...string) edit[faultserver.Attempt] {
	return func(a *faultserver.Attempt) {
		for i := 0; i < len(headers); i += 2 {
			a.Headers = append(a.Headers, faultserver.Header{Name: headers[i], Value: headers[i+1]})
		}
	}
}

// carrying gives an attempt a body that came whole.
func carrying(body faultserver.Body) edit[faultserver.Attempt] {
	return func(a *faultserver.Attempt) {
		a.Method = "PUT"
		a.Body = faultserver.BodyReceipt{Declared: body.Len(), Received: body.Len(), SHA256: body.SHA256(), Complete: true}
	}
}

// cutAfter gives an attempt the first bytes of a body.
func cutAfter(body faultserver.Body, n int64) edit[faultserver.Attempt] {
	return func(a *faultserver.Attempt) {
		a.Method = "PUT"
		a.Body = faultserver.BodyReceipt{Declared: body.Len(), Received: n, SHA256: body.PrefixSHA256(n)}
	}
}

// response and failure are outcomes.
func response(status int) scenarios.Outcome {
	o := scenarios.Outcome{Kind: scenarios.ResponseOutcome, Status: status}
	if status == 200 {
		body := faultserver.Body{Text: faultserver.DefaultSuccessBody}
		o.BodySHA256, o.BodyLength = body.SHA256(), body.Len()
	}
	return o
}

func failure(kind scenarios.ErrorKind, chain ...scenarios.ErrorKind) scenarios.Outcome {
	return scenarios.Outcome{Kind: scenarios.ErrorOutcome, Error: &scenarios.OutcomeError{Kind: kind, Chain: chain}}
}

// evidenceOf is the evidence of one call: its attempts, a policy of three
// attempts 40 ms apart, a client that can tell all, and an outcome that fits
// the last attempt. Without edits every contract of one call can be judged by it.
func evidenceOf(attempts ...faultserver.Attempt) Evidence {
	e := Evidence{
		Contract: &scenarios.Contract{
			ID: "attempts.example", Level: scenarios.Must,
			Calls: []scenarios.Call{{Name: "call-1", Method: "GET", Path: "/"}},
		},
		Policy: scenarios.Policy{
			Attempts: new(int), Backoff: &scenarios.Backoff{Constant: new(time.Duration)},
		},
		Calls:        []CallRecord{{Token: "call-1", Name: "call-1", Method: "GET", Path: "/", Outcome: response(503)}},
		Capabilities: []scenarios.Capability{scenarios.CanStatus, scenarios.CanErrorKind, scenarios.CanResponseBody},
		Lateness:     ms,
		Watched:      100 * ms,
	}
	*e.Policy.Attempts, *e.Policy.Backoff.Constant = 3, 40*ms
	e.Journal.Attempts = attempts
	for range attempts {
		e.Contract.Script = append(e.Contract.Script, faultserver.Step{Act: faultserver.Respond{Answer: faultserver.Answer{Status: 503}}})
	}
	if n := len(attempts); n > 0 {
		e.Calls[0].Returned = attempts[n-1].End.Latest + ms
		if attempts[n-1].Happened.Status == 200 {
			e.Calls[0].Outcome = response(200)
			e.Contract.Script[n-1].Act = faultserver.Succeed{}
		}
	}
	return e
}

// in2Calls is the evidence of two repeats of a call named pay.
func in2Calls(first, second []faultserver.Attempt) Evidence {
	e := evidenceOf()
	e.Contract.Calls = []scenarios.Call{{Name: "pay", Method: "GET", Path: "/", Repeat: 2}}
	e.Calls = []CallRecord{
		{Token: "pay-1", Name: "pay", Outcome: response(503)},
		{Token: "pay-2", Name: "pay", Outcome: response(503)},
	}
	for i, attempts := range [][]faultserver.Attempt{first, second} {
		for _, a := range attempts {
			a.Call = e.Calls[i].Token
			a.Index = len(e.Journal.Attempts) + 1
			e.Journal.Attempts = append(e.Journal.Attempts, a)
			e.Calls[i].Returned = a.End.Latest + ms
		}
	}
	return e
}

// ptr is a pointer to a value.
func ptr[T any](value T) *T { return &value }

func exactly(n int) *scenarios.Range { return &scenarios.Range{Min: ptr(n), Max: ptr(n)} }
func atMost(n int) *scenarios.Range  { return &scenarios.Range{Max: ptr(n)} }
func atLeast(n int) *scenarios.Range { return &scenarios.Range{Min: ptr(n)} }

func only(t *testing.T, checks []Check) Check {
	t.Helper()
	if len(checks) != 1 {
		t.Fatalf("want one check, got %+v", checks)
	}
	return checks[0]
}
