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
// cancels (in which it has to have read an answer, say), the one for which its
// breaker is open, or the one after which the runner ends a call. A client that
// gave up then, was ended, or let a request through, did as it was told, and
// whatever follows from that is no fault of its own. Empty where the machine was
// quick enough.
func outOfTime(e Evidence) string {
	given := func(what string, patience time.Duration) string {
		if patience <= 0 || e.Lateness < patience/hops {
			return ""
		}
		return fmt.Sprintf("the machine was up to %v late, and the client had %v for %s", dur(e.Lateness), dur(patience), what)
	}
	if timeouts := e.Policy.Timeouts; timeouts != nil {
		if why := orElse(given("an attempt", timeouts.Attempt), given("a call", timeouts.Total)); why != "" {
			return why
		}
	}
	// Between two calls there are no hops: it takes the whole of the window.
	if breaker := e.Contract.Policy.Breaker; breaker != nil && breaker.Open > 0 && e.Lateness >= breaker.Open {
		return fmt.Sprintf("the machine was up to %v late, and the breaker is open for %v", dur(e.Lateness), dur(breaker.Open))
	}
	for _, record := range e.Calls {
		if asked, ok := contractCall(e.Contract, record.Name); ok {
			if why := given("call "+record.Token, asked.Timeout); why != "" {
				return why
			}
			if cancel := asked.Cancel; cancel != nil && cancel.Attempt > 0 && cancel.Event != faultserver.Arrived {
				if why := given("noticing what happened before call "+record.Token+" was cancelled", cancel.Plus); why != "" {
					return why
				}
			}
		}
		if record.EndedAt > 0 {
			if why := given("call "+record.Token+", which was then ended", record.Returned-record.Started); why != "" {
				return why
			}
		}
	}
	return ""
}
