package reports

import (
	"fmt"
	"time"

	"github.com/faultsrv/faultsrv/assertions"
)

// zeroOf is the moment that times are counted from, as in the attempt table:
// the arrival of the first attempt, else the start of the first call.
func zeroOf(result Result) time.Duration {
	switch {
	case len(result.Attempts) > 0:
		return result.Attempts[0].Meta.Arrived
	case len(result.Calls) > 0:
		return result.Calls[0].Meta.Started
	default:
		return 0
	}
}

// farLimit is how far ahead the end of a pause may lie and still be on the axis,
// however soon everything else was over: an attempt that came a second too early
// shall look so, and one that came an hour too early shall be seen at all. A
// judged contract takes 6 s at most.
const farLimit = 10 * time.Second

// axisOf is the time that a drawing covers: everything that happened, and the
// limits that do not lie so far ahead that nothing else could be seen.
func axisOf(result Result) axis {
	zero := zeroOf(result)
	a := axis{zero, zero}
	include := func(times ...time.Duration) {
		for _, t := range times {
			a.from, a.until = min(a.from, t), max(a.until, t)
		}
	}
	for _, call := range result.Calls {
		include(call.Meta.Started, max(call.Meta.Cancelled, call.Meta.Returned, call.Meta.Started))
	}
	for _, attempt := range result.Attempts {
		include(attempt.Meta.Arrived, max(attempt.Meta.EndLatest, attempt.Meta.Answered, attempt.Meta.Arrived))
	}
	for _, window := range result.Windows {
		include(window.Meta.From)
	}
	farthest := a.from + max(farLimit, 4*(a.until-a.from))
	for _, check := range result.Checks {
		for _, limit := range check.Limits {
			if limit.NotBefore != nil && *limit.NotBefore <= farthest {
				include(*limit.NotBefore)
			}
		}
	}
	if a.until == a.from {
		a.until += time.Millisecond
	}
	return a
}

// limitKey is what is limited: the return of a call, or the arrival of an
// attempt by its index.
type limitKey struct {
	call    string
	attempt int
}

// allowance is when something was allowed to happen, by all checks together.
type allowance struct {
	notBefore, notAfter *time.Duration
	kept                bool
}

func allowances(checks []assertions.Check) map[limitKey]allowance {
	all := map[limitKey]allowance{}
	for _, check := range checks {
		for _, limit := range check.Limits {
			key := limitKey{attempt: limit.Attempt}
			if limit.Attempt == 0 {
				key.call = limit.Call
			}
			allowed, known := all[key]
			if !known {
				allowed.kept = true
			}
			if limit.NotBefore != nil && (allowed.notBefore == nil || *limit.NotBefore > *allowed.notBefore) {
				allowed.notBefore = limit.NotBefore
			}
			if limit.NotAfter != nil && (allowed.notAfter == nil || *limit.NotAfter < *allowed.notAfter) {
				allowed.notAfter = limit.NotAfter
			}
			allowed.kept = allowed.kept && limit.Kept
			all[key] = allowed
		}
	}
	return all
}

// missedBy says by how much something missed what was allowed; empty where it
// did not.
func (a allowance) missedBy(at time.Duration) string {
	switch {
	case a.kept:
		return ""
	case a.notBefore != nil && at < *a.notBefore:
		return fmt.Sprintf(", %s too early", clock(*a.notBefore-at))
	case a.notAfter != nil && at > *a.notAfter:
		return fmt.Sprintf(", %s too late", clock(at-*a.notAfter))
	default:
		return ""
	}
}

// pauseText is what the pause before an attempt was allowed to be, given the
// end of the call's previous attempt: "≥ 1 s", "≤ 2 s", "1 s to 2 s".
func (a allowance) pauseText(previous AttemptMeta) string {
	switch {
	case a.notBefore != nil && a.notAfter != nil:
		return fmt.Sprintf("%s to %s", clock(*a.notBefore-previous.EndEarliest), clock(*a.notAfter-previous.EndLatest))
	case a.notBefore != nil:
		return "≥ " + clock(*a.notBefore-previous.EndEarliest)
	case a.notAfter != nil:
		return "≤ " + clock(*a.notAfter-previous.EndLatest)
	default:
		return ""
	}
}

// effect is what became of an attempt, as a class of the drawing and a word.
type effect struct{ Class, Text string }

func effectOf(a Attempt) effect {
	if a.Open {
		return effect{"open", "still open"}
	}
	switch a.Happened.Kind {
	case "answer", "pass", "expect-continue":
		if a.Status >= 200 && a.Status < 400 {
			return effect{"success", "answer, 2xx or 3xx"}
		}
		return effect{"error", "answer, 4xx or 5xx"}
	}
	if known, ok := effects[a.Happened.Kind]; ok {
		return known
	}
	return effect{"other", "something else"}
}

// effects are the kinds of faultserver.Effect other than a whole answer.
var effects = map[string]effect{
	"reset":       {"reset", "reset (RST)"},
	"close":       {"close", "close (FIN)"},
	"truncate":    {"truncate", "cut answer"},
	"stall":       {"stall", "silence"},
	"accept-hang": {"stall", "silence"},
	"stale":       {"stale", "answer, then closed while idle"},
	"dribble":     {"stall", "bytes at a crawl"},
	"bandwidth":   {"stall", "a slow line"},
	"slow-read":   {"stall", "read slowly"},
	"malformed":   {"truncate", "broken answer"},
	"raw":         {"truncate", "raw bytes"},
	"tls":         {"truncate", "broken TLS"},
	"client-left": {"left", "the client left"},
	"bad-body":    {"left", "a broken request"},
	"failed":      {"failed", "the fault failed"},
}
