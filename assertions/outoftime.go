package assertions

import (
	"fmt"
	"time"

	"github.com/faultsrv/faultsrv/faultserver"
)

// hops is how many times, at the least, an attempt waits for the machine before
// it has its answer: the client for the server, and for its own turn.
const hops = 2

// outOfTime says that the machine itself may have used up a time that the
// client was given: that of an attempt, of a call, the one before its caller
// cancels or makes the next call (in which it has to have read an answer, say, or
// the end of an idle connection), the one for which its breaker is open, or the one
// after which the runner ends a call. A client that gave up then, was ended, or let
// a request through, did as it was told, and whatever follows from that is no fault
// of its own. Empty where the machine was quick enough.
func outOfTime(e Evidence) string {
	why := ""
	if timeouts := e.Policy.Timeouts; timeouts != nil {
		why = orElse(e.usedUp("an attempt", timeouts.Attempt), e.usedUp("a call", timeouts.Total))
	}
	// Between two calls there are no hops: it takes the whole of the window.
	if breaker := e.Contract.Policy.Breaker; breaker != nil && breaker.Open > 0 && e.Lateness >= breaker.Open {
		why = orElse(why, fmt.Sprintf("the machine was up to %v late, and the breaker is open for %v", dur(e.Lateness), dur(breaker.Open)))
	}
	for _, record := range e.Calls {
		why = orElse(why, e.callOutOfTime(record))
	}
	return why
}

// callOutOfTime says so of the times of one call.
func (e Evidence) callOutOfTime(record CallRecord) string {
	why := ""
	if asked, ok := contractCall(e.Contract, record.Name); ok {
		why = e.usedUp("call "+record.Token, asked.Timeout)
		if cancel := asked.Cancel; cancel != nil && cancel.Attempt > 0 && cancel.Event != faultserver.Arrived {
			why = orElse(why, e.usedUp("noticing what happened before call "+record.Token+" was cancelled", cancel.Plus))
		}
		if after := asked.After; after != nil && after.Attempt > 0 {
			why = orElse(why, e.usedUp("noticing what happened before call "+record.Token+" was made", after.Plus))
		}
	}
	if record.EndedAt > 0 {
		why = orElse(why, e.usedUp("call "+record.Token+", which was then ended", record.Returned-record.Started))
	}
	return why
}

// usedUp says that the machine may have used up the patience that a client was
// given for something; 0 is for no bound.
func (e Evidence) usedUp(what string, patience time.Duration) string {
	if patience <= 0 || e.Lateness < patience/hops {
		return ""
	}
	return fmt.Sprintf("the machine was up to %v late, and the client had %v for %s", dur(e.Lateness), dur(patience), what)
}
