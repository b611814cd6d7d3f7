package observe

import (
	"time"

	"github.com/faultsrv/faultsrv/assertions"
	"github.com/faultsrv/faultsrv/reports"
)

// What a client makes of a Retry-After.
const (
	notRetried = "not retried"
	waitedFor  = "kept"
	tooEarly   = "ignored"
	// untold: its own pause is as long, so that nothing shows whether it read it.
	untold = "no telling, as its own pause is that long"
)

// pushback is one Retry-After, and what became of it.
type pushback struct {
	// label says what was sent.
	label string
	kept  string
	// contract is the id of the rule about it.
	contract string
}

// pushbacks are the Retry-Afters that were sent.
func (w *witness) pushbacks() []pushback {
	var list []pushback
	for _, sent := range []struct {
		contract, call, label string
		plain, rule           string
	}{
		{inSeconds, "throttled", "3 s on 429", on429, "retry-after.seconds-on-429"},
		{inSeconds, "unavailable", "3 s on 503", on503, "retry-after.seconds-on-503"},
		{asDate, "", "a date on 503", on503, "retry-after.http-date-imf-fixdate"},
	} {
		if call, seen := w.named(sent.contract, sent.call); seen {
			list = append(list, pushback{label: sent.label, kept: w.heeded(call, sent.plain), contract: sent.rule})
		}
	}
	return list
}

// heeded is what a call made of the Retry-After of its first answer. Its own
// pause is that of the contract in which the same status came without one.
func (w *witness) heeded(call seenCall, plain string) string {
	if !call.retried() {
		return notRetried
	}
	first, second := call.attempts[0], call.attempts[1]
	asked, waited := askedWait(first), second.Meta.Arrived-first.Meta.EndEarliest
	if waited < asked-assertions.TimerGrain {
		return tooEarly
	}
	if without, seen := w.only(plain); seen {
		if own, known := without.firstWait(); known && own >= asked {
			return untold
		}
	}
	return waitedFor
}

// askedWait is the wait that an answer asked for.
func askedWait(a reports.Attempt) time.Duration {
	switch sent := a.Meta.RetryAfter; {
	case sent == nil:
		return 0
	case sent.Until != nil:
		return *sent.Until - a.Meta.EndEarliest
	case sent.Wait != nil:
		return *sent.Wait
	default:
		return 0
	}
}

func sayRetryAfter(w *witness) string {
	by := map[string][]string{}
	for _, p := range w.pushbacks() {
		by[p.kept] = append(by[p.kept], p.label)
	}
	var said []string
	for _, kept := range []string{waitedFor, tooEarly, notRetried, untold} {
		said = append(said, labelled(kept, by[kept]))
	}
	return joined(said...)
}
