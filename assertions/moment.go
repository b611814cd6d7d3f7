package assertions

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/faultsrv/faultsrv/faultserver"
)

// momentOf is when a moment of these calls was, and false where it never came.
// Of several repeats, `started` is the first one's, `returned` the last one's,
// and an event of attempt n is that of the first repeat in which it happened.
//
// The end of an answer lies between two stamps, and so does the moment.
func momentOf(calls []madeCall, m faultserver.Moment) (faultserver.Interval, bool) {
	at, came := callMoment(calls, m.Event)
	if m.Attempt > 0 {
		at, came = attemptMoment(calls, m)
	}
	at.Earliest += m.Plus
	at.Latest += m.Plus
	return at, came
}

func callMoment(calls []madeCall, event faultserver.Event) (faultserver.Interval, bool) {
	if len(calls) == 0 {
		return faultserver.Interval{}, false
	}
	byReturn := func(a, b madeCall) int { return cmp.Compare(a.Returned, b.Returned) }
	byStart := func(a, b madeCall) int { return cmp.Compare(a.Started, b.Started) }
	switch event {
	case faultserver.Started:
		return instant(slices.MinFunc(calls, byStart).Started), true
	case "", faultserver.Returned:
		return instant(slices.MaxFunc(calls, byReturn).Returned), true
	case faultserver.AllOthersReturned:
		if len(calls) < 2 {
			return faultserver.Interval{}, false
		}
		ordered := slices.SortedFunc(slices.Values(calls), byReturn)
		return instant(ordered[len(ordered)-2].Returned), true
	default:
		return faultserver.Interval{}, false
	}
}

func attemptMoment(calls []madeCall, m faultserver.Moment) (faultserver.Interval, bool) {
	var found *faultserver.Interval
	for _, call := range calls {
		if len(call.attempts) < m.Attempt {
			continue
		}
		at, came := eventOf(call.attempts[m.Attempt-1], m.Event)
		if came && (found == nil || at.Earliest < found.Earliest) {
			found = &at
		}
	}
	if found == nil {
		return faultserver.Interval{}, false
	}
	return *found, true
}

// eventOf is when an event of an attempt was. A stall has no stamp of its own:
// it begins when the last thing before it was read or written.
func eventOf(a faultserver.Attempt, event faultserver.Event) (faultserver.Interval, bool) {
	silent := a.Happened.Kind == "stall" || a.Happened.Kind == "accept-hang"
	switch {
	case event == faultserver.Arrived:
		return instant(a.Arrived), true
	case event == faultserver.Struck && silent:
		return instant(max(a.Arrived, a.HeadRead, a.BodyRead, a.Answered)), true
	case event == faultserver.Struck, (event == "" || event == faultserver.Answered) && a.Answered > 0:
		return a.End, !a.Open
	default:
		return faultserver.Interval{}, false
	}
}

func instant(at time.Duration) faultserver.Interval {
	return faultserver.Interval{Earliest: at, Latest: at}
}

// momentText is a moment for a sentence: "100ms after the answer to attempt 1 of pay".
func momentText(m faultserver.Moment) string {
	text := callMomentText(m)
	if m.Attempt > 0 {
		text = attemptMomentText(m)
	}
	if m.Plus != 0 {
		text = fmt.Sprintf("%v after %s", m.Plus, text)
	}
	return text
}

func callMomentText(m faultserver.Moment) string {
	call := "the call"
	if m.Call != "" {
		call = "call " + m.Call
	}
	switch m.Event {
	case faultserver.Started:
		return "the start of " + call
	case faultserver.AllOthersReturned:
		return "the return of all others"
	default:
		return "the return of " + call
	}
}

func attemptMomentText(m faultserver.Moment) string {
	attempt := fmt.Sprintf("attempt %d", m.Attempt)
	if m.Call != "" {
		attempt += " of " + m.Call
	}
	switch m.Event {
	case faultserver.Arrived:
		return "the arrival of " + attempt
	case faultserver.Struck:
		return "the fault on " + attempt
	default:
		return "the answer to " + attempt
	}
}
