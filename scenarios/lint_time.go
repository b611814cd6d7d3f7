package scenarios

import (
	"math"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/faultsrv/faultsrv/faultserver"
)

// How long a contract may take. The whole catalogue takes little longer than
// its longest contract, so none is long.
const (
	MaxJudged   = 6 * time.Second
	MaxObserved = 10 * time.Second
)

// What the server does at most where a script gives no time.
const (
	longestStall = 60 * time.Second // faultserver.Stall without For
	longestDraw  = 10 * time.Second // faultserver.Delay without Max
	datePhase    = time.Second      // an answer with a date waits for its second
)

func timeRules() []Rule {
	return []Rule{{
		"ends-in-time",
		"by its policy, delays, Retry-After and watch a contract ends within " + MaxJudged.String() + " (observe: " + MaxObserved.String() + ")",
		endsInTime,
	}}
}

func endsInTime(r *report) {
	limit := MaxJudged
	if r.contract.Level == Observe {
		limit = MaxObserved
	}
	if takes := r.filled.Takes(); takes > limit {
		path := "policy"
		if r.contract.Watch != nil {
			path = "watch"
		}
		r.at(path, "the contract may take %v, more than %v; shorten its pauses, delays or watch, or bound it with a timeout", takes.Round(time.Millisecond), limit)
	}
}

// Takes is how long the contract takes at most with a client that keeps its
// policy: every attempt that the script makes it send, with the server's delays
// and the longest pauses, and the watch after it. It counts no time for
// transfers.
func (c *Contract) Takes() time.Duration {
	filled := c.Defaulted()
	policy := filled.Policy.Defaulted(filled.Calls)
	e := estimate{policy: policy, shared: cursor{script: filled.Script}, connections: cursor{script: filled.Connections}}
	var total time.Duration
	for _, call := range filled.Calls {
		if call.After != nil {
			total = sum(total, call.After.Plus)
		}
		total = sum(total, e.call(call))
	}
	return sum(total, filled.WatchFor(policy))
}

// estimate runs a contract's scripts on paper.
type estimate struct {
	policy              Policy
	shared, connections cursor
}

// cursor is a place in a script.
type cursor struct {
	script []faultserver.Step
	at     int
	served int
}

// next is the next step; none at the script's end.
func (c *cursor) next() (step faultserver.Step, ok bool) {
	if c.at >= len(c.script) {
		return faultserver.Step{}, false
	}
	step = c.script[c.at]
	c.served++
	if serves := step.Serves(); serves != faultserver.Forever && c.served >= serves {
		c.at, c.served = c.at+1, 0
	}
	return step, true
}

// call is how long all repeats of a call take: those side by side as long as
// the longest of them.
func (e *estimate) call(call Call) time.Duration {
	var total, together time.Duration
	for i := range call.Repeat {
		script := &e.shared
		if call.Script != nil {
			script = &cursor{script: call.Script}
		}
		together = max(together, e.once(call, script))
		if (i+1)%call.Parallel == 0 || i+1 == call.Repeat {
			total, together = sum(total, together), 0
		}
	}
	return total
}

// once is how long one repeat takes.
func (e *estimate) once(call Call, script *cursor) time.Duration {
	deadline := e.deadline(call)
	var elapsed time.Duration
	for attempt := 1; attempt <= *e.policy.Attempts && elapsed < deadline; attempt++ {
		step, ok := e.connections.next()
		if _, untouched := step.Act.(faultserver.Untouched); !ok || untouched {
			step, ok = script.next()
		}
		if !ok {
			break
		}
		takes := e.attempt(step, call)
		if cancelled, after := cancels(call, attempt); cancelled {
			return min(sum(elapsed, min(takes, longestBefore(call, takes)), after), deadline)
		}
		elapsed = sum(elapsed, takes)
		if !e.goesOn(step) || attempt == *e.policy.Attempts {
			break
		}
		elapsed = sum(elapsed, e.pause(step, attempt))
	}
	return min(elapsed, deadline)
}

// deadline is the time that the caller or the policy gives a call.
func (e *estimate) deadline(call Call) time.Duration {
	deadline := time.Duration(math.MaxInt64)
	if call.Timeout > 0 {
		deadline = call.Timeout
	}
	if t := e.policy.Timeouts; t != nil && t.Total > 0 {
		deadline = min(deadline, t.Total)
	}
	return deadline
}

// cancels tells whether the call is cancelled by a moment of this attempt, or
// of the call itself, and how long after it.
func cancels(call Call, attempt int) (cancelled bool, after time.Duration) {
	m := call.Cancel
	if m == nil || m.Call != "" && m.Call != call.Name || m.Attempt > attempt {
		return false, 0
	}
	return true, m.Plus
}

// longestBefore is how much of an attempt comes before the moment that cancels
// it: nothing where it is the attempt's arrival or the call's start.
func longestBefore(call Call, takes time.Duration) time.Duration {
	if m := call.Cancel; m.Attempt == 0 || m.Event == faultserver.Arrived {
		return 0
	}
	return takes
}

// attempt is how long the server, or the client's patience, makes an attempt last.
func (e *estimate) attempt(step faultserver.Step, call Call) time.Duration {
	takes := longest(step.Delay)
	if lasting, is := step.Act.(faultserver.Lasting); is {
		takes = sum(takes, lasting.Lasts(call.bodyLength()))
	}
	switch act := step.Act.(type) {
	case faultserver.Stall:
		takes = sum(takes, orElse(act.For, longestStall))
	case faultserver.AcceptHang:
		takes = sum(takes, orElse(act.For, longestStall))
	case faultserver.Refuse:
		takes = sum(takes, act.For)
	case faultserver.ConnectHang:
		takes = sum(takes, orElse(act.For, longestStall))
	case faultserver.Truncate:
		if act.End == faultserver.EndStall {
			takes = sum(takes, longestStall)
		}
	}
	if after := retryAfterOf(step.Act); after != nil && after.Date != nil {
		takes = sum(takes, datePhase)
	}
	if t := e.policy.Timeouts; t != nil && t.Attempt > 0 {
		takes = min(takes, t.Attempt)
	}
	return takes
}

// goesOn tells whether the client sends another request after this step.
func (e *estimate) goesOn(step faultserver.Step) bool {
	switch act := step.Act.(type) {
	case faultserver.Succeed, faultserver.Stale, faultserver.Untouched:
		return false
	case faultserver.Respond:
		return slices.Contains(e.policy.Statuses, max(act.Status, http.StatusOK))
	case faultserver.Dribble, faultserver.Bandwidth, faultserver.SlowRead, faultserver.ExpectContinue:
		return slices.Contains(e.policy.Statuses, max(answerOf(act).Status, http.StatusOK))
	default:
		return true
	}
}

// pause is the longest pause before a retry: the policy's, or the server's
// where it asks for more, within the policy's cap.
func (e *estimate) pause(step faultserver.Step, retry int) time.Duration {
	_, pause := e.policy.Backoff.Bounds(retry)
	if _, redirected := step.Act.(faultserver.Redirect); redirected {
		pause = 0
	}
	wait := asked(retryAfterOf(step.Act))
	if limit := e.policy.RetryAfterCap; limit != nil {
		wait = min(wait, *limit)
	}
	return max(pause, wait)
}

func retryAfterOf(act faultserver.Act) *faultserver.RetryAfter {
	if redirect, ok := act.(faultserver.Redirect); ok {
		return redirect.RetryAfter
	}
	if throttle, ok := act.(faultserver.Throttle); ok {
		return throttle.RetryAfter()
	}
	answer := answerOf(act)
	if answer.RetryAfter != nil {
		return answer.RetryAfter
	}
	for _, h := range answer.Headers {
		if strings.EqualFold(h.Name, "Retry-After") {
			return &faultserver.RetryAfter{Value: h.Value}
		}
	}
	return nil
}

// delaySeconds is a Retry-After in seconds (RFC 9110, section 10.2.3).
var delaySeconds = regexp.MustCompile(`^[0-9]+$`)

// asked is the wait that a Retry-After asks for; 0 for none and for junk.
func asked(after *faultserver.RetryAfter) time.Duration {
	switch {
	case after == nil:
		return 0
	case after.Date != nil:
		return max(*after.Date, 0)
	case !delaySeconds.MatchString(after.Value):
		return 0
	}
	seconds, err := strconv.ParseInt(after.Value, 10, 64)
	if err != nil || seconds > int64(math.MaxInt64/time.Second) {
		return math.MaxInt64
	}
	return time.Duration(seconds) * time.Second
}

// longest is how long a delay lasts at most.
func longest(d faultserver.Delay) time.Duration {
	limit := orElse(d.Max, longestDraw)
	switch {
	case d.Uniform != nil:
		return min(d.Uniform.Max, limit)
	case d.Normal != nil || d.LogNormal != nil || d.Until != nil:
		return limit
	default:
		return d.Fixed
	}
}

func orElse(d, instead time.Duration) time.Duration {
	if d == 0 {
		return instead
	}
	return d
}

// sum adds up and saturates; durations here are never negative.
func sum(all ...time.Duration) time.Duration {
	var total time.Duration
	for _, d := range all {
		if d > math.MaxInt64-total {
			return math.MaxInt64
		}
		total += d
	}
	return total
}
