package service

import (
	"fmt"
	"net/http"
	"reflect"
	"slices"
	"time"

	"github.com/faultsrv/faultsrv/faultserver"
	"github.com/faultsrv/faultsrv/scenarios"
)

// retryability: what a contract may have retried, the service must be allowed
// to retry, and the other way round. A contract that sees one attempt of a call
// that may be retried holds all the more for one that may not.
func (f fitting) retryability() []string {
	var reasons []string
	own := f.request.method
	for _, call := range f.contract.Calls {
		mayRetry := slices.Contains(f.asked.Methods, call.Method)
		switch {
		case mayRetry && !f.mayRetry(own) && f.presumed(call) > 1:
			reasons = append(reasons, fmt.Sprintf("it is about a call that may be retried, and the service's %s may not (policy.methods does not list it)", own))
		case !mayRetry && f.mayRetry(own):
			reasons = append(reasons, fmt.Sprintf("it is about a call that must not be retried, and the service's %s may be", own))
		case !mayRetry && slices.Contains([]string{http.MethodPut, http.MethodDelete}, own):
			reasons = append(reasons, fmt.Sprintf("it is about a %s, and a %s is idempotent: whether it may be retried is for policy.methods to say", call.Method, own))
		}
	}
	return reasons
}

// presumed is how many attempts of a call the contract takes for granted: those
// that its required steps and its expectations need.
func (f fitting) presumed(call scenarios.Call) int {
	if f.contract.Level == scenarios.Observe {
		return 1
	}
	most := min(f.required(call), maxRequired)
	if slices.ContainsFunc(f.script(call), func(step faultserver.Step) bool { _, stale := step.Act.(faultserver.Stale); return stale }) {
		most = max(most, 2) // it may take one to find out that the connection is gone
	}
	for _, e := range f.of(call) {
		if a := e.Attempts; a != nil {
			for _, n := range []*int{a.Each, a.Min} {
				if n != nil {
					most = max(most, *n)
				}
			}
			if a.Policy && *f.asked.Attempts > 1 {
				most = max(most, 2)
			}
		}
		if e.Gaps != nil || e.Spread != nil {
			most = max(most, 2)
		}
	}
	return most
}

// maxRequired keeps counts of steps within what a policy can ask for.
const maxRequired = 100_000

// required is how many attempts of a call it takes to meet each required step
// once.
func (f fitting) required(call scenarios.Call) int {
	steps := 0
	for _, step := range f.script(call) {
		if !step.Optional {
			steps += max(step.Times, 1)
		}
	}
	return f.share(call, steps)
}

// share is a call's part of the attempts that a script serves: all, unless the
// script is one for all calls.
func (f fitting) share(call scenarios.Call, attempts int) int {
	if call.Script != nil {
		return attempts
	}
	calls := 0
	for _, other := range f.contract.Calls {
		calls += other.Repeat
	}
	return (attempts + calls - 1) / calls
}

// statuses: what a contract has retried for, the service has to retry for, and
// the other way round.
func (f fitting) statuses() []string {
	declared := f.profile.Policy.Defaulted(nil).Statuses
	var reasons []string
	for _, call := range f.contract.Calls {
		for _, step := range f.script(call) {
			respond, is := step.Act.(faultserver.Respond)
			if !is || respond.Status < 400 {
				continue
			}
			asked, does := slices.Contains(f.asked.Statuses, respond.Status), slices.Contains(declared, respond.Status)
			switch {
			case asked && !does && f.presumed(call) > 1:
				reasons = append(reasons, fmt.Sprintf("it has a %d retried, and the service's policy.statuses does not list it", respond.Status))
			case !asked && does:
				reasons = append(reasons, fmt.Sprintf("it takes a %d for final, and the service's policy.statuses lists it", respond.Status))
			}
		}
	}
	return reasons
}

// attempts: the declared number has to bring about what the contract is about.
func (f fitting) attempts() []string {
	if f.contract.Level == scenarios.Observe {
		return nil
	}
	declared := *f.profile.Policy.Attempts
	says := "the service's policy.attempts is " + fmt.Sprint(declared)
	var reasons []string
	if written := f.contract.Policy.Attempts; written != nil && *written != declared && (*written == 1 || f.asksFor(scenarios.CanAttempts)) {
		reasons = append(reasons, fmt.Sprintf("it is about a policy of %s, and %s", attemptsText(*written), says))
	}
	for _, call := range f.contract.Calls {
		if needed := f.presumed(call); needed > declared {
			reasons = append(reasons, fmt.Sprintf("it needs %s, and %s", attemptsText(needed), says))
			continue
		}
		if !f.mayRetry(f.request.method) {
			continue
		}
		served, open, last := f.served(call)
		switch {
		case open:
		case f.judgesPolicy(call) && served != declared:
			reasons = append(reasons, fmt.Sprintf("it is about the last of %s, and %s", attemptsText(served), says))
		case f.failsAgain(last) && served < declared:
			reasons = append(reasons, fmt.Sprintf("its script has a part for %s, and %s", attemptsText(served), says))
		}
	}
	return reasons
}

// served is how many attempts of a call a script has a part for, whether it has
// one for any number, and its last step.
func (f fitting) served(call scenarios.Call) (n int, open bool, last faultserver.Step) {
	script := f.script(call)
	for _, step := range script {
		if step.Times == faultserver.Forever {
			open = true
		}
		n += max(step.Times, 1)
	}
	if len(script) > 0 {
		last = script[len(script)-1]
	}
	return f.share(call, n), open || f.contract.AfterScript != faultserver.FailAfterScript, last
}

// judgesPolicy tells whether the rule is that the declared number is made.
func (f fitting) judgesPolicy(call scenarios.Call) bool {
	return slices.ContainsFunc(f.of(call), func(e scenarios.Expectation) bool { return e.Attempts != nil && e.Attempts.Policy })
}

// failsAgain tells whether the service retries what a step does.
func (f fitting) failsAgain(step faultserver.Step) bool {
	switch act := step.Act.(type) {
	case faultserver.Respond:
		return slices.Contains(f.profile.Policy.Defaulted(nil).Statuses, act.Status)
	case faultserver.Succeed, faultserver.Stale, nil:
		return false
	default:
		return true
	}
}

// backoff: the pauses are the service's own; a contract about a kind of pause
// needs that kind, and one with times of its own needs pauses that fit in.
func (f fitting) backoff() []string {
	return append(f.pauses(), f.times()...)
}

// pauses: the kind of pause that a contract writes.
func (f fitting) pauses() []string {
	written, declared := f.contract.Policy.Backoff, scenarios.Backoff{}
	if written == nil {
		return nil
	}
	if f.profile.Policy.Backoff != nil {
		declared = *f.profile.Policy.Backoff
	}
	var reasons []string
	if written.Jitter != "" && written.Jitter != scenarios.NoJitter && written.Jitter != declared.Jitter {
		reasons = append(reasons, fmt.Sprintf("it is about %s jitter, which the service's policy.backoff does not declare", written.Jitter))
	}
	if f.readsPauses() && written.Exponential != nil && declared.Exponential == nil {
		reasons = append(reasons, "it is about pauses that grow, which the service's policy.backoff does not declare")
	}
	if f.readsPauses() && written.Max > 0 && declared.Max == 0 {
		reasons = append(reasons, "it is about the longest pause, which the service's policy.backoff does not declare")
	}
	if f.asksFor(scenarios.CanBackoff) && !reflect.DeepEqual(*written, declared) {
		reasons = append(reasons, "it is about a pause of its own, and the service's cannot be set")
	}
	return reasons
}

// readsPauses tells whether a check reads the policy's pauses.
func (f fitting) readsPauses() bool {
	return slices.ContainsFunc(f.every(), func(e scenarios.Expectation) bool {
		bound := func(b *scenarios.GapBound) bool { return b != nil && b.Policy }
		return e.Spread != nil || e.Gaps != nil && (bound(e.Gaps.Min) || bound(e.Gaps.Max))
	})
}

// times: those of a contract's own that a check judges by.
func (f fitting) times() []string {
	var reasons []string
	for _, e := range f.every() {
		var most, least time.Duration // 0 for any
		if e.Gaps != nil && e.Gaps.Max != nil {
			most = e.Gaps.Max.Duration
		}
		if e.Gaps != nil && e.Gaps.Min != nil {
			least = e.Gaps.Min.Duration
		}
		if most > 0 || least > 0 || e.Returns != nil || e.Window != nil {
			reasons = append(reasons, f.timed(e, least, most)...)
		}
	}
	return reasons
}

// timed says how the service's pauses do not fit in the times of an expectation:
// each at least and at most so long, and all of them within half of the time in
// which a call is to return. Windows are laid around the contract's own pauses.
func (f fitting) timed(e scenarios.Expectation, least, most time.Duration) []string {
	if f.profile.Policy.Backoff == nil {
		return []string{"its times are for pauses that are known, and the service declares no policy.backoff"}
	}
	longest := f.profile.Policy.LongestDelay()
	shortest, _ := f.profile.Policy.Backoff.Bounds(1)
	all := longest * time.Duration(*f.profile.Policy.Attempts-1)
	tooLong := fmt.Sprintf("its times are for shorter pauses than the service's, which are up to %v", longest)
	switch {
	case most > 0 && longest > most, e.Returns != nil && e.Returns.Max > 0 && all > e.Returns.Max/2:
		return []string{tooLong}
	case least > shortest:
		return []string{fmt.Sprintf("its times are for pauses of at least %v, and the service's are from %v", least, shortest)}
	case e.Window != nil && longest != f.asked.LongestDelay():
		return []string{fmt.Sprintf("its times are for pauses of %v, and the service's are up to %v", f.asked.LongestDelay(), longest)}
	}
	return nil
}

// callRoom is what a call is left beside its attempts and pauses, of the time
// that the run lets it take.
const callRoom = time.Second

// timeouts: silence ends by the service's own timeouts, which have to fit in
// the time that the run lets a call take.
func (f fitting) timeouts() []string {
	var written, declared scenarios.Timeouts
	if f.contract.Policy.Timeouts != nil {
		written = *f.contract.Policy.Timeouts
	}
	if f.profile.Policy.Timeouts != nil {
		declared = *f.profile.Policy.Timeouts
	}
	silent := slices.ContainsFunc(f.steps(), func(step faultserver.Step) bool {
		stall, is := step.Act.(faultserver.Stall)
		return is && stall.For == 0
	})
	longest := f.longestCall(declared)
	switch {
	case written.Attempt > 0 && declared.Attempt == 0:
		return []string{"it is about an attempt that times out, and the service declares no policy.timeouts.attempt"}
	case written.Total > 0 && declared.Total == 0:
		return []string{"it is about a call that times out, and the service declares no policy.timeouts.total"}
	case !silent && written == scenarios.Timeouts{}:
		return nil
	case longest == 0:
		return []string{"it never answers, and the service declares no policy.timeouts"}
	case longest+callRoom > f.options.CallTimeout:
		return []string{fmt.Sprintf("the service's timeouts let a call take %v, and the run lets it take %v (--timeout)", longest, f.options.CallTimeout)}
	}
	return nil
}

// longestCall is how long a call can take by the declared timeouts; 0 for any time.
func (f fitting) longestCall(declared scenarios.Timeouts) time.Duration {
	if declared.Attempt == 0 {
		return declared.Total
	}
	longest := declared.Attempt
	for range *f.profile.Policy.Attempts - 1 {
		longest += f.profile.Policy.LongestDelay() + declared.Attempt
	}
	if declared.Total > 0 {
		return min(longest, declared.Total)
	}
	return longest
}

// settings: what else a contract sets, the service has to have declared.
func (f fitting) settings() []string {
	written, declared := f.contract.Policy, f.profile.Policy
	var reasons []string
	if longest := written.RetryAfterCap; longest != nil && (declared.RetryAfterCap == nil || *declared.RetryAfterCap > *longest) {
		reasons = append(reasons, fmt.Sprintf("it is about a Retry-After that is waited for no longer than %v, and the service's policy.retry-after-cap does not say so", *longest))
	}
	for _, setting := range []struct {
		name                string
		asked, same, absent bool
	}{
		{"a breaker", written.Breaker != nil, reflect.DeepEqual(written.Breaker, declared.Breaker), declared.Breaker == nil},
		{"a budget", written.Budget != nil, reflect.DeepEqual(written.Budget, declared.Budget), declared.Budget == nil},
		{"hedging", written.Hedge != nil, reflect.DeepEqual(written.Hedge, declared.Hedge), declared.Hedge == nil},
	} {
		switch {
		case !setting.asked || setting.same:
		case setting.absent:
			reasons = append(reasons, fmt.Sprintf("it is about %s, which the service's policy does not declare", setting.name))
		default:
			reasons = append(reasons, fmt.Sprintf("it is about %s with other settings than those that the service's policy declares", setting.name))
		}
	}
	return reasons
}
