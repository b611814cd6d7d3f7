package assertions

import (
	"fmt"
	"slices"
	"strings"

	"github.com/faultsrv/faultsrv/scenarios"
)

// Judge makes a verdict of evidence. It is pure: the same evidence (and the
// same registered evaluators) give the same judgement.
//
// The first of these that holds is the verdict:
//
//   - harness-error: the harness failed, or the journal dropped an entry or has
//     an attempt whose act failed, or a check failed by less than the machine's
//     timers allow to judge, or failed while the machine was so late that it may
//     have used up the time that the client was given;
//   - client-error: the client could not be run;
//   - unsupported: the client cannot make the call;
//   - not-exercised: the calls were not all made, the contract's cancellation was
//     never due, or a check of the premise failed. What was checked besides is reported and judges nobody:
//     a client that need not retry breaks no rule about how a retry looks;
//   - unsupported: a check of the premise could not be observed;
//   - fail (of a should: weak): a check under expect or also failed, or an
//     attempt came beyond the script;
//   - not-exercised: a required step was never met;
//   - unsupported: a check under expect could not be observed;
//   - pass, which therefore has proof of each fault and of each check.
//
// A contract of level observe is observed wherever it is not one of the first
// four: its steps are what is looked at, so a step that nobody met is said, and
// no obstacle.
func Judge(e Evidence) Judgement {
	if verdict, reason := unjudgeable(e); verdict != "" {
		return Judgement{Verdict: verdict, Reason: reason, Checks: []Check{}}
	}
	checks := contractChecks(e)
	if e.Unfinished != "" {
		return Judgement{Verdict: NotExercised, Reason: e.Unfinished, Checks: checks}
	}
	verdict, reason := conclude(e, checks)
	return Judgement{Verdict: verdict, Reason: reason, Checks: checks}
}

// unjudgeable says why nothing can be said of the evidence; an empty verdict
// where something can.
func unjudgeable(e Evidence) (Verdict, string) {
	if reason := harnessFault(e); reason != "" {
		return HarnessError, reason
	}
	if e.ClientError != "" {
		return notRun(e, e.ClientError)
	}
	for _, call := range e.Calls {
		switch call.Outcome.Kind {
		case scenarios.ClientErrorOutcome:
			return notRun(e, fmt.Sprintf("call %s: %s", call.Token, orElse(call.Outcome.Note, "the client could not be run")))
		case scenarios.UnsupportedOutcome:
			return Unsupported, fmt.Sprintf("call %s: %s", call.Token, orElse(call.Outcome.Note, "the client says that it cannot make this call"))
		}
	}
	if len(e.Calls) == 0 {
		return HarnessError, "no call was made: there is nothing to judge"
	}
	if stray := strays(e); len(stray) > 0 {
		return HarnessError, fmt.Sprintf("%s of no call that was made: %s; it may be a straggler of another run, so that no count can be trusted",
			plural(len(stray), "attempt"), list(stray))
	}
	return "", ""
}

// notRun is the verdict on a client that could not be run: none on the client
// where the machine may have kept it from running.
func notRun(e Evidence, reason string) (Verdict, string) {
	if why := outOfTime(e); why != "" {
		return HarnessError, why + ": it says nothing about the client that " + reason
	}
	return ClientError, reason
}

// harnessFault says what the harness could not do; empty where it did all.
func harnessFault(e Evidence) string {
	switch {
	case e.HarnessError != "":
		return e.HarnessError
	case e.Contract == nil:
		return "there is no contract to judge by"
	case e.Journal.Dropped > 0:
		return fmt.Sprintf("the journal dropped %s: what it has proves nothing", plural(e.Journal.Dropped, "entry"))
	}
	for _, attempt := range e.Journal.Attempts {
		if attempt.Happened.Kind == "failed" {
			return fmt.Sprintf("the server could not perform %q on attempt %d: %s",
				attempt.Step.Text, attempt.Index, orElse(attempt.Happened.Detail, "it gives no reason"))
		}
	}
	for _, part := range []scenarios.Expectations{e.Contract.Premise, e.Contract.Expect, e.Contract.Also} {
		if reason := unreadable(part); reason != "" {
			return reason
		}
	}
	return ""
}

// strays are the attempts that belong to no call that was made.
func strays(e Evidence) []string {
	made := make(map[string]bool, len(e.Calls))
	for _, call := range e.Calls {
		made[call.Token] = true
	}
	var stray []string
	for _, attempt := range e.Journal.Attempts {
		if !made[attempt.Call] {
			stray = append(stray, fmt.Sprintf("attempt %d (call %q)", attempt.Index, attempt.Call))
		}
	}
	return stray
}

// contractChecks are all checks that a contract asks for, in the order premise,
// expect, also, observe, script.
func contractChecks(e Evidence) []Check {
	checks := []Check{}
	for _, part := range []struct {
		part Part
		want scenarios.Expectations
	}{{PartPremise, e.Contract.Premise}, {PartExpect, e.Contract.Expect}, {PartAlso, e.Contract.Also}} {
		checks = append(checks, Checks(e, part.part, "", part.want.All)...)
		for _, named := range part.want.Calls {
			checks = append(checks, Checks(e, part.part, named.Call, named.Expectation)...)
		}
	}
	if e.Contract.Level == scenarios.Observe {
		return append(checks, observations(e)...)
	}
	if script, asked := scriptCheck(e); asked {
		checks = append(checks, script)
	}
	return checks
}

// conclude makes the verdict of checks.
func conclude(e Evidence, checks []Check) (Verdict, string) {
	if noise := pick(checks, func(c Check) bool { return c.Noise }); len(noise) > 0 {
		return HarnessError, fmt.Sprintf("the machine was up to %v late, too late to judge %s", dur(e.Lateness), names(noise))
	}
	if missed := uncancelled(e); missed != "" {
		return NotExercised, missed
	}
	if premise := pick(checks, isFailed, in(PartPremise)); len(premise) > 0 {
		return NotExercised, "the premise was not met: " + summary(premise)
	}
	unmet := unmetSteps(e)
	if e.Contract.Level == scenarios.Observe {
		return concludeObserve(e, unmet)
	}
	if premise := pick(checks, isUnobserved, in(PartPremise)); len(premise) > 0 {
		return Unsupported, "the premise could not be observed: " + missing(premise)
	}
	if failed := pick(checks, isFailed, in(PartExpect, PartAlso, PartScript)); len(failed) > 0 {
		if why := outOfTime(e); why != "" {
			return HarnessError, why + ": it says nothing about the client that " + summary(failed)
		}
		if e.Contract.Level == scenarios.Should {
			return Weak, summary(failed)
		}
		return Fail, summary(failed)
	}
	if len(unmet) > 0 {
		return NotExercised, "the fault was not met: " + strings.Join(unmet, "; ")
	}
	if unseen := pick(checks, isUnobserved, in(PartExpect)); len(unseen) > 0 {
		return Unsupported, "could not be observed with this client: " + missing(unseen)
	}
	if len(pick(checks, in(PartExpect))) == 0 {
		return HarnessError, "the contract expects nothing: nothing was judged"
	}
	return Pass, ""
}

func concludeObserve(e Evidence, unmet []string) (Verdict, string) {
	switch {
	case len(unmet) == 0:
		return Observed, ""
	case len(e.Journal.Attempts) == 0 && len(e.Journal.Windows) == 0:
		return NotExercised, "no attempt arrived and no fault was met: " + strings.Join(unmet, "; ")
	default:
		return Observed, "not met: " + strings.Join(unmet, "; ")
	}
}

func isFailed(c Check) bool     { return c.OK != nil && !*c.OK }
func isUnobserved(c Check) bool { return c.OK == nil }

func in(parts ...Part) func(Check) bool {
	return func(c Check) bool { return slices.Contains(parts, c.Part) }
}

// pick are the checks for which all conditions hold.
func pick(checks []Check, conditions ...func(Check) bool) []Check {
	var picked []Check
next:
	for _, check := range checks {
		for _, holds := range conditions {
			if !holds(check) {
				continue next
			}
		}
		picked = append(picked, check)
	}
	return picked
}

// summary is one sentence about the first of some failed checks.
func summary(failed []Check) string {
	first := failed[0]
	text := first.title() + ": " + orElse(first.Explanation, fmt.Sprintf("expected %s, observed %s", first.Expected, first.Observed))
	if more := len(failed) - 1; more > 0 {
		text += fmt.Sprintf(" (and %s: %s)", plural(more, "more check"), names(failed[1:]))
	}
	return text
}

// missing says of each check why it was not observed.
func missing(unseen []Check) string {
	reasons := make([]string, len(unseen))
	for i, check := range unseen {
		reasons[i] = check.title() + ": " + check.Explanation
	}
	return strings.Join(reasons, "; ")
}

func names(checks []Check) string {
	titles := make([]string, len(checks))
	for i, check := range checks {
		titles[i] = check.title()
	}
	return strings.Join(titles, ", ")
}

// title is the check's name, with the call it is about where it is about one.
func (c Check) title() string {
	if c.Call == "" {
		return c.Name
	}
	return c.Name + " of " + c.Call
}
