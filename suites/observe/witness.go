package observe

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/faultsrv/faultsrv/assertions"
	"github.com/faultsrv/faultsrv/reports"
	"github.com/faultsrv/faultsrv/scenarios"
)

// witness is what was seen, by contract.
type witness struct {
	client  reports.Client
	options Options
	results map[string]reports.Result
}

// seenCall is a call as it was seen: what was asked, what came of it, and the
// attempts in between.
type seenCall struct {
	reports.Call
	attempts []reports.Attempt
	// ended tells that the call was ended from outside: what the client would
	// have done next is not known.
	ended bool
	// lateness is how late the machine's timers were meanwhile.
	lateness time.Duration
}

// calls are the calls of a contract that was observed, of which an attempt
// arrived; none where it was not.
func (w *witness) calls(id string) []seenCall {
	return slices.DeleteFunc(w.all(id), func(call seenCall) bool { return len(call.attempts) == 0 })
}

// all are the calls of a contract that was observed.
func (w *witness) all(id string) []seenCall {
	result, ran := w.results[id]
	if !ran || result.Verdict != assertions.Observed {
		return nil
	}
	calls := make([]seenCall, 0, len(result.Calls))
	for _, call := range result.Calls {
		seen := seenCall{Call: call, lateness: result.Meta.Lateness}
		for _, attempt := range result.Attempts {
			if attempt.Call == call.Token {
				seen.attempts = append(seen.attempts, attempt)
			}
		}
		took := call.Meta.Returned - call.Meta.Started
		seen.ended = w.options.CallTimeout > 0 && took >= w.options.CallTimeout
		calls = append(calls, seen)
	}
	return calls
}

// only is the call of a contract that makes one.
func (w *witness) only(id string) (seenCall, bool) { return w.named(id, "") }

// named is a contract's call of a name; any for an empty one.
func (w *witness) named(id, name string) (seenCall, bool) {
	for _, call := range w.calls(id) {
		if name == "" || call.Name == name {
			return call, true
		}
	}
	return seenCall{}, false
}

// next is the call that found the connection dead which the one before it had
// kept. A client that wrote on it all the same has made no attempt.
func (w *witness) next() (seenCall, bool) {
	for _, call := range w.all(onStale) {
		if call.Name == "next" {
			return call, true
		}
	}
	return seenCall{}, false
}

// posted is the call of a contract that asks for a POST or, of a client that
// sends POST whatever it is asked for, of the one that asks for the same by GET.
func (w *witness) posted(asked, plain string) (seenCall, bool) {
	if call, seen := w.only(asked); seen {
		return call, true
	}
	call, seen := w.only(plain)
	return call, seen && call.attempts[0].Method == "POST"
}

func (c seenCall) retried() bool { return len(c.attempts) > 1 }

// waits are the pauses before the retries; those whose beginning is not known
// are left out.
func (c seenCall) waits() []time.Duration {
	var waits []time.Duration
	for _, attempt := range c.attempts {
		if attempt.Meta.Gap != nil {
			waits = append(waits, max(*attempt.Meta.Gap, 0)) // a hedge has no pause
		}
	}
	return waits
}

// firstWait is the pause before the first retry.
func (c seenCall) firstWait() (time.Duration, bool) {
	if !c.retried() || c.attempts[1].Meta.Gap == nil {
		return 0, false
	}
	return *c.attempts[1].Meta.Gap, true
}

// answered tells that the caller was not told of a failure: a command that ended
// 0, or an answer.
func (c seenCall) answered() bool {
	return c.Outcome.Kind == scenarios.SuccessOutcome || c.Outcome.Kind == scenarios.ResponseOutcome
}

// failed tells that the caller got an error of the client's own.
func (c seenCall) failed() bool { return c.Outcome.Kind == scenarios.ErrorOutcome && !c.ended }

// whole tells that an attempt's body is the one that the call was to send.
func (c seenCall) whole(attempt reports.Attempt) bool {
	return attempt.Body.Complete && attempt.Body.Received == c.BodyLength &&
		(c.BodyLength == 0 || attempt.Body.SHA256 == c.BodySHA256)
}

// seenStatus is whether a GET that got a status was sent again.
type seenStatus struct {
	status  int
	retried bool
}

// statuses are what was seen of each status, in their order.
func (w *witness) statuses() []seenStatus {
	var list []seenStatus
	for _, id := range byStatus {
		for _, call := range w.calls(id) {
			if status := call.attempts[0].Status; status != 0 {
				list = append(list, seenStatus{status, call.retried()})
			}
		}
	}
	slices.SortFunc(list, func(a, b seenStatus) int { return cmp.Compare(a.status, b.status) })
	return list
}

// unseen are the subjects that were not observed, by reason.
func (w *witness) unseen() []Unseen {
	list := []Unseen{}
	for _, t := range topics {
		for _, l := range t.looks {
			if l.taken(w) {
				continue
			}
			reason := w.reason(l.contract)
			at := slices.IndexFunc(list, func(u Unseen) bool { return u.Reason == reason })
			if at < 0 {
				at = len(list)
				list = append(list, Unseen{Reason: reason})
			}
			list[at].Subjects = append(list[at].Subjects, l.subject)
		}
	}
	return list
}

// reason is why a contract was not observed.
func (w *witness) reason(id string) string {
	result, ran := w.results[id]
	if !ran {
		return "the run ended before"
	}
	switch {
	case neverSent(result):
		return "it sent no request" + lastWords(result.Outcome)
	case result.Verdict != assertions.Unsupported:
		return string(result.Verdict) + ": " + result.Reason
	}
	var lacking, ways []string
	for _, needed := range result.Needs {
		if w.can(needed) {
			continue
		}
		lacking = append(lacking, string(needed))
		if w.options.TellBy == nil {
			continue
		}
		way := w.options.TellBy(needed)
		if way == "" {
			return "no command can be asked that"
		}
		ways = append(ways, way)
	}
	switch {
	case len(ways) > 0:
		return "the command does not have " + strings.Join(ways, ", ")
	case len(lacking) > 0:
		return "the client lacks " + strings.Join(lacking, ", ")
	default:
		return result.Reason
	}
}

// neverSent tells that the client made no attempt, of its own accord or since it
// ended in an error before it could.
func neverSent(result reports.Result) bool {
	ended := result.Verdict == assertions.ClientError && result.Outcome != nil && result.Outcome.Error != nil
	return len(result.Attempts) == 0 && (ended || result.Verdict == assertions.NotExercised)
}

// lastWords is what a client said that did nothing else.
func lastWords(outcome *scenarios.Outcome) string {
	if outcome == nil || outcome.Error == nil || outcome.Error.Message == "" {
		return ""
	}
	return ", and said: " + outcome.Error.Message
}
