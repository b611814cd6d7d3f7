package observe

import (
	"slices"

	"github.com/faultsrv/faultsrv/scenarios"
)

// promises guess a client's policy from what was seen: the fields that it
// cannot be told, and of those the ones that are plain to see. A backoff that
// fits no formula, or has jitter, is not guessed.
func promises(w *witness) scenarios.Policy {
	var p scenarios.Policy
	call, seen := w.retriedCall()
	if !seen {
		return p
	}
	if !w.can(scenarios.CanAttempts) && !call.ended {
		attempts := len(call.attempts)
		p.Attempts = &attempts
	}
	if !w.can(scenarios.CanBackoff) && !w.jittered() {
		p.Backoff = backoffOf(call.waits(), call.lateness)
	}
	if stalled, seen := w.only(onStall); seen && !w.can(scenarios.CanAttemptTimeout) && stalled.attempts[0].ClientEnd != "" {
		first := stalled.attempts[0]
		p.Timeouts = &scenarios.Timeouts{Attempt: roundest(first.Meta.ClientEnd-first.Meta.Arrived, stalled.lateness)}
	}
	for _, s := range w.statuses() {
		if s.retried && !slices.Contains(p.Statuses, s.status) {
			p.Statuses = append(p.Statuses, s.status)
		}
	}
	return p
}

// retriedCall is the call to read attempts and pauses from: one that always got
// 503 or, where that is not retried, whose connection was always lost.
func (w *witness) retriedCall() (call seenCall, seen bool) {
	for _, id := range []string{on503, onReset, onClose} {
		if call, seen := w.only(id); seen && call.retried() {
			return call, true
		}
	}
	return w.only(on503)
}

// jittered tells that the pauses may be drawn at random.
func (w *witness) jittered() bool {
	_, found := w.herd()
	return found == jitterSeen || found == unclear
}

func (w *witness) can(capability scenarios.Capability) bool {
	return slices.Contains(w.client.Capabilities, capability)
}
