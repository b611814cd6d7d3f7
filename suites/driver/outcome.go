package driver

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"time"

	"github.com/faultsrv/faultsrv/faultserver"
	"github.com/faultsrv/faultsrv/scenarios"
	"github.com/faultsrv/faultsrv/suites"
)

// The outcomes that a result may tell.
const (
	gotResponse    = "response"
	gotError       = "error"
	gotUnsupported = "unsupported"
)

var outcomes = []string{gotResponse, gotError, gotUnsupported}

// errorKinds are the kinds of error that a result may tell.
var errorKinds = []scenarios.ErrorKind{
	scenarios.ErrTimeout, scenarios.ErrCanceled, scenarios.ErrConnect, scenarios.ErrReset, scenarios.ErrTruncated,
	scenarios.ErrProtocol, scenarios.ErrExhausted, scenarios.ErrCircuitOpen, scenarios.ErrBudget,
	scenarios.ErrNotReplayable, scenarios.ErrPermanent, scenarios.ErrOther,
}

// sha256Text is a SHA-256 as results have it.
var sha256Text = regexp.MustCompile(`^[0-9a-f]{64}$`)

// longestCall bounds elapsed_ms: what is longer was not measured in
// milliseconds.
const longestCall = 24 * time.Hour

// broken is the outcome of a call that could not be made.
func broken(err error) scenarios.Outcome {
	return scenarios.Outcome{Kind: scenarios.ClientErrorOutcome, Note: err.Error()}
}

// outcome is what a result says; a result that makes no sense is the client's
// error, and the call's alone.
func (r result) outcome() scenarios.Outcome {
	if err := r.check(); err != nil {
		return broken(fmt.Errorf("the result of seq %d: %w", r.Seq, err))
	}
	if r.Outcome == gotUnsupported {
		return scenarios.Outcome{Kind: scenarios.UnsupportedOutcome, Note: r.Reason}
	}
	outcome := scenarios.Outcome{
		Kind:   scenarios.ResponseOutcome,
		Status: r.Status, BodySHA256: r.BodySHA256, BodyLength: r.BodyLength,
		Attempts: r.Attempts, Elapsed: r.ElapsedMS.duration(),
	}
	for _, pair := range r.Headers {
		outcome.Headers = append(outcome.Headers, faultserver.Header{Name: pair[0], Value: pair[1]})
	}
	if r.Outcome == gotError {
		outcome.Kind = scenarios.ErrorOutcome
		outcome.Error = &scenarios.OutcomeError{
			Kind: scenarios.ErrorKind(r.Error.Kind), Message: r.Error.Message, LastStatus: r.Error.LastStatus,
		}
		for _, kind := range r.Error.Chain {
			outcome.Error.Chain = append(outcome.Error.Chain, scenarios.ErrorKind(kind))
		}
	}
	return outcome
}

// covered is an outcome without what the client's capabilities do not cover: a
// driver that fills in a field all the same is not judged by it.
func covered(outcome scenarios.Outcome, profile suites.Profile) scenarios.Outcome {
	if !profile.Can(scenarios.CanStatus) {
		outcome.Status = 0
	}
	if !profile.Can(scenarios.CanResponseBody) {
		outcome.BodySHA256, outcome.BodyLength = "", 0
	}
	if outcome.Error != nil && !profile.Can(scenarios.CanErrorKind) {
		outcome.Error.Kind, outcome.Error.Chain, outcome.Error.LastStatus = scenarios.ErrOther, nil, 0
	}
	return outcome
}

// check says all that is wrong with a result.
func (r result) check() error {
	var wrong []error
	say := func(format string, values ...any) { wrong = append(wrong, fmt.Errorf(format, values...)) }
	if !slices.Contains(outcomes, r.Outcome) {
		say("outcome: expected one of %s; got %q%s", orNone(outcomes), r.Outcome, didYouMean(r.Outcome, outcomes))
	}
	if r.Status != 0 && (r.Status < 100 || r.Status > 599) {
		say("status: expected a status of HTTP, or 0 for none; got %d", r.Status)
	}
	for _, pair := range r.Headers {
		if len(pair) != 2 {
			say(`headers: expected pairs, ["name", "value"]; got %q`, pair)
		}
	}
	if r.BodySHA256 != "" && !sha256Text.MatchString(r.BodySHA256) {
		say("body_sha256: expected 64 hexadecimal digits in lower case; got %q", r.BodySHA256)
	}
	if r.BodyLength < 0 {
		say("body_length: expected 0 or more; got %d", r.BodyLength)
	}
	if r.Attempts < 0 {
		say("attempts: expected 1 or more, or 0 for not told; got %d", r.Attempts)
	}
	if elapsed := r.ElapsedMS.duration(); elapsed < 0 || elapsed > longestCall {
		say("elapsed_ms: expected milliseconds, at most %v; got %v", longestCall, float64(r.ElapsedMS))
	}
	switch {
	case r.Outcome != gotError:
	case r.Error == nil:
		say("error: expected an object with kind and message, as the outcome is an error; got none")
	default:
		wrong = append(wrong, r.Error.check()...)
	}
	return errors.Join(wrong...)
}

func (e wireError) check() []error {
	var wrong []error
	for _, kind := range append([]string{e.Kind}, e.Chain...) {
		if !slices.Contains(errorKinds, scenarios.ErrorKind(kind)) {
			wrong = append(wrong, fmt.Errorf("error: expected a kind of the list (%s); got %q%s", words(errorKinds), kind, didYouMean(kind, errorKinds)))
		}
	}
	if e.LastStatus != 0 && (e.LastStatus < 100 || e.LastStatus > 599) {
		wrong = append(wrong, fmt.Errorf("error.last_status: expected a status of HTTP, or 0 for none; got %d", e.LastStatus))
	}
	return wrong
}
