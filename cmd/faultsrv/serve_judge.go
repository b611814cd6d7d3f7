package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/faultsrv/faultsrv/assertions"
	"github.com/faultsrv/faultsrv/faultserver"
	"github.com/faultsrv/faultsrv/faultserver/control"
	"github.com/faultsrv/faultsrv/reports"
	"github.com/faultsrv/faultsrv/scenarios"
)

// judge judges sessions whose calls somebody else makes. The client is taken to
// follow the contract's policy, which its session shows.
type judge struct {
	contract *scenarios.Contract // with its defaults
	opened   time.Time
	timers   *timers
	redactor *reports.Redactor
}

// quietGrace is how long a journal is waited for after the watch, where an
// attempt is still open: it is then judged as it is. A client that has left is
// noticed by a read, within microseconds; 2 s is for a machine that is busy.
const quietGrace = 2 * time.Second

// ackGrace is how long acknowledgements are waited for, which prove that a client
// that tells no status had the whole answer: Linux holds one back for 200 ms at most.
const ackGrace = 250 * time.Millisecond

// verdict watches for late attempts, and judges. It is a control.Scenario's.
func (j judge) verdict(ctx context.Context, c control.Case) (any, error) {
	policy := j.contract.Policy.Defaulted(j.contract.Calls)
	watched := j.contract.WatchFor(policy)
	if err := lookForLate(ctx, c, watched); err != nil {
		return nil, err
	}
	journal := c.Session.Journal()
	calls, err := j.calls(c.Reports, journal)
	if err != nil {
		return nil, err
	}
	evidence := assertions.Evidence{
		Contract: j.contract, Policy: policy, Journal: journal, Calls: calls, Capabilities: capabilitiesOf(calls),
		Lateness: j.timers.since(j.opened), Watched: watched,
	}
	return reports.FromEvidence(evidence, assertions.Judge(evidence), reports.Options{
		Redactor: j.redactor, Places: map[string]string{c.Session.URL(): "{server}"}, Duration: c.Session.Elapsed(),
	}), nil
}

// lookForLate looks for late attempts for so long after the last thing that happened,
// and then until none is in progress.
func lookForLate(ctx context.Context, c control.Case, length time.Duration) error {
	var last time.Duration
	for _, report := range c.Reports {
		last = max(last, report.Returned)
	}
	for _, attempt := range c.Session.Journal().Attempts {
		last = max(last, attempt.Arrived, attempt.End.Latest)
	}
	timer := time.NewTimer(last + length - c.Session.Elapsed())
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	quiet, cancel := context.WithTimeout(ctx, quietGrace)
	defer cancel()
	if err := c.Session.AwaitQuiet(quiet); errors.Is(err, faultserver.ErrSessionClosed) {
		return err
	}
	acks, end := context.WithTimeout(ctx, ackGrace)
	defer end()
	// What is not acknowledged then was not read, and is judged so.
	_ = c.Session.AwaitAcks(acks)
	return nil
}

// calls are the contract's calls that were made: those that were reported, or of
// which an attempt came. What was not told of a call is taken from its attempts:
// it had begun by the first and ended by the last.
func (j judge) calls(told []control.Report, journal faultserver.Journal) ([]assertions.CallRecord, error) {
	var records []assertions.CallRecord
	for _, call := range j.contract.Calls {
		for _, token := range call.Tokens() {
			record, made, err := callRecord(call, token, told, journal)
			if err != nil {
				return nil, err
			}
			if made {
				records = append(records, record)
			}
		}
	}
	slices.SortStableFunc(records, func(a, b assertions.CallRecord) int { return cmp.Compare(a.Started, b.Started) })
	return records, nil
}

func callRecord(call scenarios.Call, token string, told []control.Report, journal faultserver.Journal) (record assertions.CallRecord, made bool, err error) {
	record = assertions.CallRecord{
		Token: token, Name: call.Name, Method: call.Method, Path: call.Path, Unreturned: true,
		Outcome: scenarios.Outcome{Kind: scenarios.UnknownOutcome, Note: "no outcome was posted"},
	}
	if call.Body != nil {
		record.Body = *call.Body
	}
	for _, attempt := range journal.Attempts {
		if attempt.Call != token {
			continue
		}
		if !made {
			record.Started = attempt.Arrived
		}
		made = true
		record.Returned = max(record.Returned, attempt.Arrived, attempt.End.Latest)
	}
	for _, report := range told {
		if report.Token != token {
			continue
		}
		made = true
		if report.Outcome == nil || report.Cancelled <= report.Returned {
			record.Cancelled = report.Cancelled // one that came later has interrupted nothing
		}
		if report.Started > 0 {
			record.Started = report.Started
		}
		if report.Outcome != nil {
			record.Returned, record.Unreturned = report.Returned, false
			if record.Outcome, err = readOutcome(report.Outcome); err != nil {
				return record, false, err
			}
		}
	}
	return record, made, nil
}

// capabilitiesOf are what clients showed that they can: everything, but telling
// errors apart where every error was "other".
func capabilitiesOf(calls []assertions.CallRecord) []scenarios.Capability {
	tells := slices.ContainsFunc(calls, func(c assertions.CallRecord) bool {
		return c.Outcome.Error != nil && c.Outcome.Error.Kind != scenarios.ErrOther
	})
	var able []scenarios.Capability
	for _, word := range scenarios.Words()[reflect.TypeFor[scenarios.Capability]()] {
		if capability := scenarios.Capability(word); capability != scenarios.CanErrorKind || tells {
			able = append(able, capability)
		}
	}
	return able
}

// outcomeKinds are what a client can report, and what such a report needs.
var outcomeKinds = []scenarios.OutcomeKind{
	scenarios.ResponseOutcome, scenarios.ErrorOutcome, scenarios.SuccessOutcome, scenarios.UnknownOutcome,
}

// readOutcome reads strictly what a client reports of a call.
func readOutcome(text json.RawMessage) (scenarios.Outcome, error) {
	var outcome scenarios.Outcome
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&outcome); err != nil {
		return outcome, err
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return outcome, errors.New("something follows the object")
	}
	switch {
	case !slices.Contains(outcomeKinds, outcome.Kind):
		return outcome, fmt.Errorf("kind %q: expected one of %s", outcome.Kind, joined(outcomeKinds))
	case outcome.Kind == scenarios.ResponseOutcome && (outcome.Status < 100 || outcome.Status > 999):
		return outcome, fmt.Errorf("status %d: a response needs its status, three digits", outcome.Status)
	case (outcome.Kind == scenarios.ErrorOutcome) != (outcome.Error != nil):
		return outcome, errors.New(`error: an outcome of kind error needs one, and no other has it, such as {"kind": "error", "error": {"kind": "other"}}`)
	case outcome.Error != nil:
		return outcome, checkKinds(append(slices.Clone(outcome.Error.Chain), outcome.Error.Kind))
	}
	return outcome, nil
}

// checkKinds says which of some kinds of error is none.
func checkKinds(kinds []scenarios.ErrorKind) error {
	known := slices.DeleteFunc(slices.Clone(scenarios.Words()[reflect.TypeFor[scenarios.ErrorKind]()]),
		func(word string) bool { return word == string(scenarios.AnyError) })
	for _, kind := range kinds {
		if !slices.Contains(known, string(kind)) {
			return fmt.Errorf("error kind %q: expected one of %s", kind, strings.Join(known, ", "))
		}
	}
	return nil
}

func joined[W ~string](words []W) string {
	texts := make([]string, len(words))
	for i, word := range words {
		texts[i] = string(word)
	}
	return strings.Join(texts, ", ")
}
