package reports

import (
	"time"

	"github.com/faultsrv/faultsrv/assertions"
	"github.com/faultsrv/faultsrv/faultserver"
	"github.com/faultsrv/faultsrv/scenarios"
)

// Result is what is said of one contract, and everything it was said from.
type Result struct {
	ID    string `json:"id"`
	Title string `json:"title"`
	// Area is the part of the id before the first dot.
	Area  string          `json:"area"`
	Level scenarios.Level `json:"level"`
	Basis scenarios.Basis `json:"basis"`
	// Why says what the rule protects.
	Why   string           `json:"why"`
	Cites []scenarios.Cite `json:"cites"`
	// Cases are the field reports that the contract stands for.
	Cases []string `json:"cases"`
	// Needs are the capabilities that a client needs to be judged by it.
	Needs   []scenarios.Capability `json:"needs"`
	Verdict assertions.Verdict     `json:"verdict"`
	// Reason is one sentence: why this verdict.
	Reason string `json:"reason"`
	// Known is what the list of known failures says of the contract, where it is on
	// it; else null.
	Known  *KnownFailure      `json:"known,omitempty"`
	Checks []assertions.Check `json:"checks"`
	// Policy is the policy in force; a field that is not there was not known.
	// Durations are in nanoseconds.
	Policy scenarios.Policy `json:"policy"`
	// Outcome is the outcome of the call that was started last (for most
	// contracts the only one); null where none was made. Each call has its own.
	Outcome *scenarios.Outcome `json:"outcome"`
	// Calls are in the order in which they were started.
	Calls []Call `json:"calls"`
	// Attempts are in the order of their arrival.
	Attempts []Attempt `json:"attempts"`
	// Connections are all that were accepted; Windows the times in which the
	// listener refused; Events what came and is no attempt.
	Connections []Connection `json:"connections"`
	Windows     []Window     `json:"windows"`
	Events      []Event      `json:"events"`
	// Unmet are the required steps that no attempt met.
	Unmet []string `json:"unmet"`
	// Effects is how many side effects the server performed.
	Effects int `json:"effects"`
	// Dropped is how many entries the journal could not hold.
	Dropped int `json:"dropped,omitempty"`
	// Meta is what varies from run to run.
	Meta ResultMeta `json:"meta"`
}

// KnownFailure is why a client is known to break a contract.
type KnownFailure struct {
	Reason string `json:"reason"`
	// Link is where more is said of it.
	Link string `json:"link"`
}

// ResultMeta is what varies from run to run in a result.
type ResultMeta struct {
	// Duration is how long the contract ran, in nanoseconds.
	Duration time.Duration `json:"duration_ns"`
	// Lateness is the worst lateness of a timer meanwhile, in nanoseconds.
	Lateness time.Duration `json:"lateness_ns"`
	// Watched is how long late attempts were looked for, in nanoseconds.
	Watched time.Duration `json:"watched_ns"`
	// Rerun is the command line that runs this contract again, quoted for a
	// shell, secrets hashed.
	Rerun string `json:"rerun"`
}

// Call is one call (one repeat of it).
type Call struct {
	Token string `json:"token"`
	// Name is shared by the repeats of a call.
	Name   string `json:"name"`
	Method string `json:"method"`
	Path   string `json:"path"`
	// BodyLength and BodySHA256 are of the body that the client was asked to
	// send; the hash is empty where there is none.
	BodyLength int64             `json:"body_length"`
	BodySHA256 string            `json:"body_sha256,omitempty"`
	Outcome    scenarios.Outcome `json:"outcome"`
	Meta       CallMeta          `json:"meta"`
}

// CallMeta are a call's times, in nanoseconds since the session's start.
type CallMeta struct {
	Started time.Duration `json:"started_ns"`
	// Cancelled is 0 where the call was not cancelled.
	Cancelled time.Duration `json:"cancelled_ns,omitempty"`
	Returned  time.Duration `json:"returned_ns"`
	// Elapsed is the client's own measurement; 0 where it does not tell.
	Elapsed time.Duration `json:"elapsed_ns,omitempty"`
}

// mapTexts returns the result with every free text mapped. Names that the
// contract gives are not free; header lines are redacted where they are read.
func (r Result) mapTexts(text func(string) string) Result {
	r.Reason = text(r.Reason)
	r.Meta.Rerun = text(r.Meta.Rerun)
	r.Outcome = mapOutcome(r.Outcome, text)
	r.Checks = mapped(r.Checks, func(c assertions.Check) assertions.Check {
		c.Expected, c.Observed, c.Explanation = text(c.Expected), text(c.Observed), text(c.Explanation)
		return c
	})
	r.Calls = mapped(r.Calls, func(c Call) Call {
		c.Path = text(c.Path)
		c.Outcome = *mapOutcome(&c.Outcome, text)
		return c
	})
	r.Attempts = mapped(r.Attempts, func(a Attempt) Attempt { return a.mapTexts(text) })
	r.Events = mapped(r.Events, func(e Event) Event {
		e.Detail = text(e.Detail)
		return e
	})
	r.Unmet = mapped(r.Unmet, text)
	return r
}

func mapOutcome(outcome *scenarios.Outcome, text func(string) string) *scenarios.Outcome {
	if outcome == nil {
		return nil
	}
	changed := *outcome
	changed.Note = text(changed.Note)
	changed.Headers = mapHeaders(changed.Headers, text)
	if changed.Error != nil {
		failure := *changed.Error
		failure.Message = text(failure.Message)
		changed.Error = &failure
	}
	return &changed
}

func mapHeaders(headers faultserver.Headers, text func(string) string) faultserver.Headers {
	if headers == nil {
		return nil
	}
	return mapped(headers, func(h faultserver.Header) faultserver.Header {
		return faultserver.Header{Name: h.Name, Value: text(h.Value)}
	})
}

func mapped[L ~[]T, T, U any](list L, change func(T) U) []U {
	changed := make([]U, 0, len(list))
	for _, item := range list {
		changed = append(changed, change(item))
	}
	return changed
}
