package assertions

import (
	"fmt"
	"time"

	"github.com/faultsrv/faultsrv/faultserver"
	"github.com/faultsrv/faultsrv/scenarios"
)

// returns judges how soon each call returns after its start (the default), its
// cancellation, or a moment: CallRecord.Returned − that moment, on the
// session's clock as the runner stamps it. Of a moment that lies between two
// stamps, the earliest is taken for the lower bound and the latest for the
// upper one.
//
// A moment that never came, a call that was not cancelled, one of which nobody
// said when it returned, or one that took long from its start with pauses of which
// nobody knows how long they are and no timeout that had to cut them short, makes it
// not observed. The upper bound's slack is the whole of it: a correct client returns
// at once.
func returns(s subject, want scenarios.Returns) Check {
	var t tally
	after := afterText(want.After)
	for _, call := range s.calls {
		from, why := s.returnsFrom(call, want.After)
		if why != "" {
			t.cannotSee(s.who(call) + why)
			continue
		}
		soonest, latest := call.Returned-from.Latest, call.Returned-from.Earliest
		if want.Max > 0 && soonest > want.Max && s.mayHavePaused(call, want) {
			t.cannotSee(s.who(call) + "it took " + dur(soonest).String() + ", and this client's own pauses may be what it took (tell it its backoff, or declare it in a profile if nobody knows it)")
			continue
		}
		t.judged++
		t.saw(dur(soonest).String())
		if want.Min > 0 {
			t.limits = append(t.limits, Limit{Call: call.Token}.notBefore(from.Earliest, want.Min, call.Returned))
		}
		if want.Max > 0 {
			t.limits = append(t.limits, Limit{Call: call.Token}.notAfter(from.Latest, want.Max, call.Returned))
		}
		if want.Min > 0 && latest < want.Min {
			t.fail(fmt.Sprintf("%sthe call returned %v after %s, %v too soon: at least %v is asked for", s.who(call), beside(latest, want.Min), after, dur(want.Min-latest), want.Min))
		}
		if want.Max > 0 && soonest > want.Max {
			t.failLate(s.late(soonest, want.Max, 0),
				fmt.Sprintf("%sthe call returned %v after %s, %v too late: the caller may wait %v at most", s.who(call), beside(soonest, want.Max), after, dur(soonest-want.Max), want.Max))
		}
	}
	return t.check("returns", durationRange(want.Min, want.Max)+" after "+after)
}

// returnsFrom is the moment that a call's return is measured from, or why there
// is none.
func (s subject) returnsFrom(call madeCall, after scenarios.ReturnsAfter) (faultserver.Interval, string) {
	switch {
	case call.Unreturned:
		return faultserver.Interval{}, "nobody said when the call returned: report its outcome when it does"
	case after.Cancel && call.Cancelled == 0:
		return faultserver.Interval{}, "the call was not cancelled: it returned before its cancellation was due, or none was asked for"
	case after.Cancel:
		return instant(call.Cancelled), ""
	case after.Moment == nil:
		return instant(call.Started), ""
	}
	calls := []madeCall{call}
	if after.Moment.Call != "" {
		calls = s.of(after.Moment.Call).calls
	}
	at, came := momentOf(calls, *after.Moment)
	if !came {
		return at, fmt.Sprintf("the moment it is measured from (%s) never came", momentText(*after.Moment))
	}
	return at, ""
}

// mayHavePaused tells of a call, measured from its start, that pauses of its client's
// own may be what it took: it had made an attempt, nobody knows its pauses, or those
// in force may take more than half of the bound, and no timeout that the client was
// told had to cut them short.
func (s subject) mayHavePaused(call madeCall, want scenarios.Returns) bool {
	fromStart := !want.After.Cancel && want.After.Moment == nil
	return fromStart && len(call.attempts) > 0 && s.pausesBeyond(want.Max/2, len(call.attempts)) &&
		!call.wasAsking() && !s.timedWithin(call, want.Max)
}

// pausesBeyond tells that the pauses before so many retries may take longer than the
// limit, as far as anybody knows.
func (s subject) pausesBeyond(limit time.Duration, retries int) bool {
	backoff := s.evidence.Policy.Backoff
	if backoff == nil {
		return true
	}
	pauses := time.Duration(0)
	for retry := range retries {
		_, longest := backoff.Bounds(retry + 1)
		pauses = saturate(pauses, longest)
	}
	return pauses > limit
}

// timedWithin tells whether the client was told a timeout for the call that is at
// most the limit.
func (s subject) timedWithin(call madeCall, limit time.Duration) bool {
	told := func(timeout time.Duration) bool { return timeout > 0 && timeout <= limit }
	asked, _ := contractCall(s.evidence.Contract, call.Name)
	timeouts := s.evidence.Policy.Timeouts
	return told(asked.Timeout) || timeouts != nil && told(timeouts.Total)
}

func afterText(after scenarios.ReturnsAfter) string {
	switch {
	case after.Cancel:
		return "its cancellation"
	case after.Moment != nil:
		return momentText(*after.Moment)
	default:
		return "its start"
	}
}

// durationRange is "at least 1s", "at most 2s", "1s to 2s" or "at any time".
func durationRange(least, most time.Duration) string {
	switch {
	case least > 0 && most > 0:
		return fmt.Sprintf("%v to %v", least, most)
	case least > 0:
		return fmt.Sprintf("at least %v", least)
	case most > 0:
		return fmt.Sprintf("at most %v", most)
	default:
		return "at any time"
	}
}
