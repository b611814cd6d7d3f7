package assertions

import (
	"fmt"
	"slices"
	"strings"

	"github.com/faultsrv/faultsrv/faultserver"
	"github.com/faultsrv/faultsrv/scenarios"
)

// outcome judges what the caller of each call got, as the client reports it. No
// clock.
//
//   - success: an answer with the status and the whole body of the success
//     answer. A client that cannot tell its status (a command that ended 0), or
//     its body, succeeded where its last attempt was answered with the whole
//     success answer and what it does tell is of that answer; else it is not
//     observed.
//   - status: an answer with that status; `body: complete`: the caller read all
//     of the body that the script declares.
//   - error: an error of one of the kinds, or one in whose chain the caller can
//     match one of them; `any` is every error. A client that cannot tell kinds
//     makes a kind not observed. A kind is matched as it is written: a contract
//     that takes `connect` for `reset` names both. A call that the runner had to
//     end has none: its caller got nothing.
//   - last-status: the status that the error exposes.
//
// A client that does not say how the call ended makes it not observed, and so
// does a call that the runner had to end, where it is not known how long the
// client pauses.
func outcome(s subject, want scenarios.OutcomeRule) Check {
	var t tally
	for _, call := range s.calls {
		t.saw(outcomeText(call.Outcome))
		switch found := matchOutcome(s, call, want); {
		case found.ok == nil:
			t.cannotSee(s.who(call) + found.why)
		case !*found.ok:
			t.judged++
			t.fail(s.who(call) + found.why)
		default:
			t.judged++
		}
	}
	return t.check("outcome", ruleText(want))
}

// match is whether an outcome is as a rule asks: nil where it cannot be
// observed. Why says it for a reader.
type match struct {
	ok  *bool
	why string
}

func matchOutcome(s subject, call madeCall, want scenarios.OutcomeRule) match {
	switch {
	case len(want.AnyOf) > 0:
		return matchAny(s, call, want.AnyOf)
	case want.Not != nil:
		return negated(matchOutcome(s, call, *want.Not), call, *want.Not)
	}
	if s.maybePausing(call) {
		return match{why: cutOff}
	}
	switch call.Outcome.Kind {
	case scenarios.ResponseOutcome, scenarios.ErrorOutcome, scenarios.SuccessOutcome:
	default:
		return match{why: "the client does not say how the call ended" + noteText(call.Outcome)}
	}
	switch {
	case want.Success:
		return matchSuccess(s, call)
	case want.Status != 0:
		return matchStatus(s, call, want)
	default:
		return matchError(s, call, want)
	}
}

func matchAny(s subject, call madeCall, rules []scenarios.OutcomeRule) match {
	result := match{ok: no(), why: "the caller got " + outcomeText(call.Outcome) + ", which is none of those allowed"}
	for _, rule := range rules {
		found := matchOutcome(s, call, rule)
		if found.ok == nil {
			result = found
		} else if *found.ok {
			return found
		}
	}
	return result
}

func negated(found match, call madeCall, rule scenarios.OutcomeRule) match {
	switch {
	case found.ok == nil:
		return found
	case *found.ok:
		return match{ok: no(), why: fmt.Sprintf("the caller got %s, which is %s", outcomeText(call.Outcome), ruleText(rule))}
	default:
		return match{ok: yes()}
	}
}

func matchSuccess(s subject, call madeCall) match {
	got := call.Outcome
	want := s.successAnswer()
	switch {
	case got.Kind == scenarios.ErrorOutcome:
		return match{ok: no(), why: "the caller got " + outcomeText(got) + " instead of the success answer"}
	case got.Kind == scenarios.ResponseOutcome && got.Status != 0 && got.Status != want.Status:
		return match{ok: no(), why: fmt.Sprintf("the caller got %s instead of the success answer (status %d)", outcomeText(got), want.Status)}
	case got.BodySHA256 != "" && (got.Status != 0 || lastServed(s, call)):
		return matchWhole(got, bodyAsRead(want, call.methodSent()), "the success answer")
	case lastServed(s, call):
		return match{ok: yes()}
	default:
		return match{why: "the client reports success without the answer it got, and its last attempt was not answered with the whole success answer"}
	}
}

// matchWhole compares the body that the caller read with an answer's.
func matchWhole(got scenarios.Outcome, want faultserver.Body, of string) match {
	switch {
	case got.BodySHA256 == want.SHA256():
		return match{ok: yes()}
	case got.BodyLength < want.Len():
		return match{ok: no(), why: fmt.Sprintf("the caller got %s with %s of the %s of %s and no error",
			outcomeText(got), count(got.BodyLength), plural(want.Len(), "byte"), of)}
	case got.BodyLength == want.Len():
		return match{ok: no(), why: fmt.Sprintf("the caller got %s with another body of the length of that of %s, %s",
			outcomeText(got), of, plural(want.Len(), "byte"))}
	default:
		return match{ok: no(), why: fmt.Sprintf("the caller got %s with another body than that of %s (%s, not %s)",
			outcomeText(got), of, plural(got.BodyLength, "byte"), count(want.Len()))}
	}
}

func matchStatus(s subject, call madeCall, want scenarios.OutcomeRule) match {
	got := call.Outcome
	switch {
	case got.Kind == scenarios.ErrorOutcome:
		return match{ok: no(), why: fmt.Sprintf("the caller got %s instead of the answer with status %d", outcomeText(got), want.Status)}
	case got.Status == 0:
		return match{why: "the client does not tell the status that it got"}
	case got.Status != want.Status:
		return match{ok: no(), why: fmt.Sprintf("the caller got status %d instead of %d", got.Status, want.Status)}
	case want.Body == scenarios.BodyComplete:
		return matchDeclared(s, call)
	default:
		return match{ok: yes()}
	}
}

// matchDeclared compares the body that the caller read with the one that the
// last attempt's step declares.
func matchDeclared(s subject, call madeCall) match {
	attempt, attempted := call.last()
	switch {
	case call.Outcome.BodySHA256 == "":
		return match{why: "the client does not tell the body that it read"}
	case !attempted:
		return match{why: "no attempt reached the server, so that there is no body to compare with"}
	}
	step, _ := s.step(attempt)
	switch act := step.Act.(type) {
	case faultserver.Respond:
		return matchWhole(call.Outcome, bodyAsRead(act.Answer, attempt.Method), "the answer")
	case faultserver.Succeed:
		return matchWhole(call.Outcome, bodyAsRead(s.successAnswer(), attempt.Method), "the answer")
	case faultserver.Malformed:
		// By its length alone, framing would pass for the body.
		if act.Answer.Body.Len() > 0 {
			return matchWhole(call.Outcome, bodyAsRead(act.Answer, attempt.Method), "the answer")
		}
	}
	if read, sent := call.Outcome.BodyLength, attempt.Intended.Body; read != sent {
		return match{ok: no(), why: fmt.Sprintf("the caller read %s of the %s that the server had to send", count(read), plural(sent, "byte"))}
	}
	return match{ok: yes()}
}

func matchError(s subject, call madeCall, want scenarios.OutcomeRule) match {
	got := call.Outcome
	switch {
	case call.EndedAt > 0:
		return match{ok: no(), why: fmt.Sprintf("the caller got nothing, neither an answer nor an error, in the %v after which the call was ended", dur(call.Returned-call.Started))}
	case got.Kind == scenarios.SuccessOutcome && !lastServed(s, call):
		return match{why: "the client reports success without the answer it got: it may take a failure for one"}
	case got.Kind != scenarios.ErrorOutcome || got.Error == nil:
		return match{ok: no(), why: "the caller got " + outcomeText(got) + " and no error"}
	case !hasKind(*got.Error, want.Error) && got.Error.Kind == scenarios.ErrOther && !s.can(scenarios.CanErrorKind):
		return match{why: "the client does not tell errors apart" + noteText(got)}
	case !hasKind(*got.Error, want.Error):
		return match{ok: no(), why: fmt.Sprintf("the caller got %s instead of an error of kind %s", outcomeText(got), kindsText(want.Error))}
	case want.LastStatus == 0 || got.Error.LastStatus == want.LastStatus:
		return match{ok: yes()}
	case got.Error.LastStatus != 0:
		return match{ok: no(), why: fmt.Sprintf("the error exposes status %d, not the last one, %d", got.Error.LastStatus, want.LastStatus)}
	case !s.can(scenarios.CanErrorKind):
		return match{why: "the client does not tell what its error exposes"}
	default:
		return match{ok: no(), why: fmt.Sprintf("the error does not expose the last status, %d: the caller cannot tell why the call failed", want.LastStatus)}
	}
}

// hasKind tells that an error is of one of the kinds, or has one in its chain.
func hasKind(got scenarios.OutcomeError, kinds []scenarios.ErrorKind) bool {
	for _, kind := range kinds {
		if kind == scenarios.AnyError || kind == got.Kind || slices.Contains(got.Chain, kind) {
			return true
		}
	}
	return len(kinds) == 0
}

// methodSent is the method of the last request, which a redirect may have
// changed; where none came, the one that was asked for.
func (c madeCall) methodSent() string {
	if attempt, attempted := c.last(); attempted && hasHead(attempt) {
		return attempt.Method
	}
	return c.Method
}

// outcomeText is an outcome for a sentence: "status 503", "an error of kind reset".
func outcomeText(o scenarios.Outcome) string {
	switch {
	case o.Kind == scenarios.ResponseOutcome && o.Status != 0:
		return fmt.Sprintf("status %d", o.Status)
	case o.Kind == scenarios.ResponseOutcome:
		return "an answer"
	case o.Kind == scenarios.ErrorOutcome && o.Error != nil:
		text := "an error of kind " + string(o.Error.Kind)
		if len(o.Error.Chain) > 0 {
			text += " (with " + kindsText(o.Error.Chain) + " in it)"
		}
		return text
	case o.Kind == scenarios.ErrorOutcome:
		return "an error"
	case o.Kind == scenarios.SuccessOutcome:
		return "success"
	default:
		return "something that the client does not tell"
	}
}

// ruleText is a rule for a reader: "the success answer", "status 413 or an error of kind reset".
func ruleText(rule scenarios.OutcomeRule) string {
	switch {
	case len(rule.AnyOf) > 0:
		texts := make([]string, len(rule.AnyOf))
		for i, one := range rule.AnyOf {
			texts[i] = ruleText(one)
		}
		return strings.Join(texts, " or ")
	case rule.Not != nil:
		return "not " + ruleText(*rule.Not)
	case rule.Success:
		return "the success answer, complete"
	case rule.Status != 0 && rule.Body == scenarios.BodyComplete:
		return fmt.Sprintf("status %d with its whole body", rule.Status)
	case rule.Status != 0:
		return fmt.Sprintf("status %d", rule.Status)
	}
	text := "any error"
	if !slices.Contains(rule.Error, scenarios.AnyError) && len(rule.Error) > 0 {
		text = "an error of kind " + kindsText(rule.Error)
	}
	if rule.LastStatus != 0 {
		text += fmt.Sprintf(" that exposes status %d", rule.LastStatus)
	}
	return text
}

func kindsText(kinds []scenarios.ErrorKind) string {
	texts := make([]string, len(kinds))
	for i, kind := range kinds {
		texts[i] = string(kind)
	}
	return strings.Join(texts, " or ")
}

func noteText(o scenarios.Outcome) string {
	if o.Note == "" {
		return ""
	}
	return " (" + o.Note + ")"
}
