package assertions

import (
	"fmt"
	"slices"
	"time"

	"github.com/faultsrv/faultsrv/scenarios"
)

// connections judges how many connections carried the attempts: distinct
// connection ids among them. A connection that carried none is not counted:
// clients warm and race connections. No clock.
func connections(s subject, want scenarios.Range) Check {
	var ids []int
	for _, attempt := range s.attempts() {
		ids = append(ids, attempt.Connection)
	}
	slices.Sort(ids)
	return rangeCheck("connections", len(slices.Compact(ids)), want, "connection", "carried the attempts")
}

// openAfter judges how many connections the client still holds after the last
// return, when the watch has passed: connections that neither side has closed by
// then, silent ones included. The clock is the server's; the watch gives a
// client the time to close what it does not keep. It is about the whole session.
func openAfter(s subject, want scenarios.Range) Check {
	var last time.Duration
	for _, call := range s.evidence.Calls {
		last = max(last, call.Returned)
	}
	moment := last + s.evidence.Watched
	open := 0
	for _, connection := range s.evidence.Journal.Connections {
		closed := connection.Closed > 0 && connection.Closed <= moment
		left := connection.Client.How != "" && connection.Client.At <= moment
		if connection.Accepted <= moment && !closed && !left {
			open++
		}
	}
	did := fmt.Sprintf("still held open %v after the last return", dur(s.evidence.Watched))
	return rangeCheck("open-after", open, want, "connection", did)
}
