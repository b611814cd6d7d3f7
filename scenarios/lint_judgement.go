package scenarios

import (
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/faultsrv/faultsrv/faultserver"
)

// judgementRules are about whether what is expected can be judged.
func judgementRules() []Rule {
	return []Rule{
		{"expect-or-observe", "a must or a should has something under expect and no observe; an observe has observe and none of premise, expect and also", expectOrObserve},
		{"observe-known", "observe lists words of the expectations, or fields of attempts", observeKnown},
		{"evaluator-known", "an evaluator is registered", evaluatorKnown},
		{"premise-before-comparison", "gaps, same, spread and a body that is replayed are judged only where a second attempt is a premise, or expected beside them", premiseBeforeComparison},
		{"gap-ends-at-the-server", "a lower bound of a gap needs an attempt that the server ends; one that the client ends (stall, accept-hang, a late answer) has no known end", gapEndsAtTheServer},
		{"retry-after-sent", "a gap that is bounded by retry-after needs a step that sends a Retry-After", retryAfterSent},
		{"connections-need-fresh", "an exact count of connections needs client: fresh, since a pool may open more than it uses; over HTTP/2 all requests share one", connectionsNeedFresh},
		{"effects-need-commit", "effects count only steps with commit", effectsNeedCommit},
		{"cancel-needs-cancel", "returns after cancel needs a call that is cancelled", cancelNeedsCancel},
		{"policy-says-it", "amplification reads a budget, spread a jitter and breaker words a breaker: the policy has it", policySaysIt},
		{"outcomes-add-up", "outcomes count every repeat of the call", outcomesAddUp},
		{"bounds-in-order", "a minimum is not above its maximum", boundsInOrder},
	}
}

func expectOrObserve(r *report) {
	c := r.contract
	judged := c.Expect.any() || c.Also.any() || c.Premise.any()
	switch {
	case c.Level == Observe && judged:
		r.at("level", "a contract of level observe is never judged; expected observe: […] instead of premise, expect and also")
	case c.Level == Observe && len(c.Observe) == 0:
		r.at("observe", "expected what to report, such as observe: [attempts, gaps]")
	case c.Level != Observe && c.Level != "" && len(c.Observe) > 0:
		r.at("observe", "only a contract of level observe has observe; got level %s", c.Level)
	case c.Level != Observe && !c.Expect.any() && len(c.Observe) == 0:
		r.at("expect", "expected at least one expectation under expect, since without one nothing is judged")
	}
}

// any tells whether anything is expected.
func (e Expectations) any() bool {
	return slices.ContainsFunc(e.list(), func(e CallExpectation) bool { return !reflect.ValueOf(e.Expectation).IsZero() })
}

// ObservableWords are the words that a contract of level observe can list,
// beside the fields of an attempt.
func ObservableWords() []string {
	return []string{
		"attempts", "gaps", "outcome", "body", "returns", "connections", "drained", "effects", "overlap", "open-after",
	}
}

func observeKnown(r *report) {
	words := append(ObservableWords(), attemptFields...)
	for i, word := range r.contract.Observe {
		name, header := strings.CutPrefix(word, "header.")
		if !slices.Contains(words, word) && (!header || !token.MatchString(name)) {
			r.suggest(itemPath("observe", i), word, append(words, "header.NAME"), "%q cannot be observed", clipped(word))
		}
	}
}

func evaluatorKnown(r *report) {
	for _, e := range expectations(r.contract) {
		if name := e.is.Evaluator; name != "" && !slices.Contains(r.evaluators, name) {
			r.suggest(e.path+".evaluator", name, r.evaluators, "no evaluator is registered as %q", clipped(name))
		}
	}
}

func premiseBeforeComparison(r *report) {
	for _, e := range r.underExpect() {
		compares := e.is.Gaps != nil || len(e.is.Same) > 0 || e.is.Spread != nil || e.is.Body == BodySource && r.replays(e.is.Call)
		if compares && !r.retried(e.is.Call) {
			r.at(e.path, "this can be told only of a second attempt; expected a premise, such as premise: {attempts: {min: 2}}")
		}
	}
}

// replays tells whether a call's body is to be sent more than once: it can be,
// and a step makes the client try again.
func (r *report) replays(call string) bool {
	for _, c := range r.filled.Calls {
		if (call == "" || c.Name == call) && c.Body != nil && c.Body.Stream {
			return false
		}
	}
	e := estimate{policy: r.filled.Policy.Defaulted(r.filled.Calls)}
	return slices.ContainsFunc(r.filled.stepsOf(call), e.goesOn)
}

// retried tells whether a second attempt of the call is sure once the premise
// and the number of attempts hold.
func (r *report) retried(call string) bool {
	return slices.ContainsFunc(r.filled.judged(), func(e CallExpectation) bool {
		if e.Attempts == nil || e.Call != "" && e.Call != call {
			return false
		}
		least, known := e.Attempts.least(*r.filled.Policy.Defaulted(nil).Attempts, r.filled.requests(call))
		return known && least > 1
	})
}

// least is how many attempts each repeat is sure to have made.
func (a Attempts) least(policy, repeats int) (least int, known bool) {
	switch {
	case a.Policy:
		return policy, true
	case a.Each != nil:
		return *a.Each, true
	case a.Min != nil:
		return *a.Min, true
	case a.Total != nil && repeats == 1:
		return *a.Total, true
	default:
		return 0, false
	}
}

func gapEndsAtTheServer(r *report) {
	for _, e := range expectations(r.contract) {
		if e.is.Gaps == nil || e.is.Gaps.Min == nil {
			continue
		}
		for _, script := range r.scriptsOf(e.is.Call) {
			for i, step := range script {
				after := len(e.is.Gaps.Of) == 0 || slices.Contains(e.is.Gaps.Of, i+1)
				if after && r.endedByClient(step) {
					r.at(e.path+".gaps.min", "the client ends the attempt of step %d (%s), so the gap after it has no beginning; judge count, order and outcome, or name the gaps with of", i+1, step.Act.ActName())
				}
			}
		}
	}
}

// scriptsOf are the scripts that the attempts of a call take, of all calls for
// an empty name, each step as often as it serves (three times for forever,
// which is as good as any number).
func (r *report) scriptsOf(name string) [][]faultserver.Step {
	scripts := [][]faultserver.Step{unrolled(r.filled.Connections)}
	for _, call := range r.filled.Calls {
		switch {
		case name != "" && call.Name != name:
		case call.Script != nil:
			scripts = append(scripts, unrolled(call.Script))
		default:
			scripts = append(scripts, unrolled(r.filled.Script))
		}
	}
	return scripts
}

func unrolled(script []faultserver.Step) []faultserver.Step {
	const enough = 3
	var steps []faultserver.Step
	for _, step := range script {
		times := step.Serves()
		if times == faultserver.Forever {
			times = enough
		}
		for range min(times, MaxSteps-len(steps)) {
			steps = append(steps, step)
		}
	}
	return steps
}

// endedByClient tells whether an attempt that takes this step ends when the
// client leaves, and not when the server says so.
func (r *report) endedByClient(step faultserver.Step) bool {
	patience, impatient := r.patience()
	switch act := step.Act.(type) {
	case faultserver.Stall:
		return act.For == 0 || impatient && act.For >= patience
	case faultserver.AcceptHang:
		return act.For == 0 || impatient && act.For >= patience
	case faultserver.ConnectHang, faultserver.TLS:
		return true
	case faultserver.Truncate:
		return act.End == faultserver.EndStall
	case faultserver.Raw:
		return act.End == faultserver.EndStall
	default:
		return impatient && sum(longest(step.Delay), r.lasts(act)) >= patience
	}
}

// lasts is how long the server keeps an attempt open with this act, with the
// longest body that is sent.
func (r *report) lasts(act faultserver.Act) time.Duration {
	lasting, is := act.(faultserver.Lasting)
	if !is {
		return 0
	}
	var body int64
	for _, call := range r.filled.Calls {
		body = max(body, call.bodyLength())
	}
	return lasting.Lasts(body)
}

// patience is the time that the policy gives an attempt.
func (r *report) patience() (timeout time.Duration, given bool) {
	if t := r.contract.Policy.Timeouts; t != nil && t.Attempt > 0 {
		return t.Attempt, true
	}
	return 0, false
}

func retryAfterSent(r *report) {
	for _, e := range expectations(r.contract) {
		asked := e.is.Gaps != nil && e.is.Gaps.Min != nil && e.is.Gaps.Min.RetryAfter
		if asked && !slices.ContainsFunc(r.filled.stepsOf(e.is.Call), sendsRetryAfter) {
			r.at(e.path+".gaps.min", "no step sends a Retry-After; expected one, such as respond: {status: 503, retry-after: 1}")
		}
	}
}

func sendsRetryAfter(step faultserver.Step) bool { return retryAfterOf(step.Act) != nil }

// answerOf is the answer that an act sends, in whole or in part.
func answerOf(act faultserver.Act) faultserver.Answer {
	switch act := act.(type) {
	case faultserver.Respond:
		return act.Answer
	case faultserver.Stale:
		return act.Answer
	case faultserver.Truncate:
		return act.Answer
	case faultserver.Reset:
		return act.Answer
	case faultserver.Close:
		return act.Answer
	case faultserver.Stall:
		return act.Answer
	case faultserver.Malformed:
		return act.Answer
	case faultserver.Dribble:
		return act.Answer
	case faultserver.Bandwidth:
		return act.Answer
	case faultserver.SlowRead:
		return act.Answer
	case faultserver.ExpectContinue:
		return act.Answer
	case faultserver.TLS:
		return act.Answer
	default:
		return faultserver.Answer{}
	}
}

func connectionsNeedFresh(r *report) {
	multiplexed := r.filled.Server.Protocol == H2 || r.filled.Server.Protocol == H2C
	for _, e := range expectations(r.contract) {
		if n := e.is.Connections; n != nil && n.exact() && r.filled.Client == SharedClient && !multiplexed {
			r.at(e.path+".connections", "an exact count of connections needs client: fresh; got client: shared; give bounds, such as {max: 2}, or a client for each call")
		}
	}
}

func (n Range) exact() bool { return n.Min != nil && n.Max != nil && *n.Min == *n.Max }

func effectsNeedCommit(r *report) {
	for _, e := range expectations(r.contract) {
		commits := func(s faultserver.Step) bool { return s.Commit != faultserver.NoCommit }
		if e.is.Effects != nil && !slices.ContainsFunc(r.filled.stepsOf(e.is.Call), commits) {
			r.at(e.path+".effects", "no step has commit, so nothing is counted; expected one, such as {reset: request-end, commit: true}")
		}
	}
}

func cancelNeedsCancel(r *report) {
	for _, e := range expectations(r.contract) {
		if e.is.Returns == nil || !e.is.Returns.After.Cancel {
			continue
		}
		for _, call := range r.filled.Calls {
			if (e.is.Call == "" || call.Name == e.is.Call) && call.Cancel == nil {
				r.at(e.path+".returns.after", "the call %s is not cancelled; expected cancel in it, such as cancel: {attempt: 1, event: answered}", call.Name)
			}
		}
	}
}

func policySaysIt(r *report) {
	p := r.contract.Policy
	for _, e := range expectations(r.contract) {
		if e.is.Amplification != nil && p.Budget == nil {
			r.at(e.path+".amplification", "it is judged by the policy's budget; expected one, such as budget: {ratio: 0.1, reserve: 10}")
		}
		if e.is.Spread != nil && (p.Backoff == nil || p.Backoff.Jitter == "" || p.Backoff.Jitter == NoJitter) {
			r.at(e.path+".spread", "it is judged by the policy's jitter; expected one, such as backoff: {constant: 2s, jitter: full}")
		}
		if p.Breaker == nil && slices.ContainsFunc(e.is.Outcomes, func(o OutcomeCount) bool { return o.Kind == string(ErrCircuitOpen) }) {
			r.at(e.path+".outcomes", "circuit-open comes of a breaker; expected one in the policy, such as breaker: {failures: 5, open: 400ms, probes: 1}")
		}
	}
}

func outcomesAddUp(r *report) {
	for _, e := range expectations(r.contract) {
		sum := 0
		for _, o := range e.is.Outcomes {
			sum += o.Count
		}
		if want := r.filled.requests(e.is.Call); len(e.is.Outcomes) > 0 && sum != want {
			r.at(e.path+".outcomes", "expected the outcomes of all %d repeats; the counts add up to %d", want, sum)
		}
	}
}

func boundsInOrder(r *report) {
	for _, e := range expectations(r.contract) {
		window := &Range{}
		if e.is.Window != nil {
			window = &e.is.Window.Attempts
		}
		for _, n := range []struct {
			word string
			is   *Range
		}{
			{"connections", e.is.Connections}, {"effects", e.is.Effects}, {"window.attempts", window},
			{"overlap", e.is.Overlap}, {"open-after", e.is.OpenAfter},
		} {
			if n.is != nil && n.is.Min != nil && n.is.Max != nil && *n.is.Min > *n.is.Max {
				r.at(e.path+"."+n.word, "the minimum %d is above the maximum %d", *n.is.Min, *n.is.Max)
			}
		}
		if a := e.is.Attempts; a != nil && a.Min != nil && a.Max != nil && *a.Min > *a.Max {
			r.at(e.path+".attempts", "the minimum %d is above the maximum %d", *a.Min, *a.Max)
		}
		if t := e.is.Returns; t != nil && t.Max > 0 && t.Min > t.Max {
			r.at(e.path+".returns", "the minimum %v is above the maximum %v", t.Min, t.Max)
		}
		if g := e.is.Gaps; g != nil && g.Min != nil && g.Max != nil && g.Max.Duration > 0 && g.Min.Duration > g.Max.Duration {
			r.at(e.path+".gaps", "the minimum %v is above the maximum %v", g.Min.Duration, g.Max.Duration)
		}
	}
}

// underExpect is the rule itself.
func (r *report) underExpect() []expected {
	return slices.DeleteFunc(expectations(r.contract), func(e expected) bool { return !strings.HasPrefix(e.path, "expect") })
}
