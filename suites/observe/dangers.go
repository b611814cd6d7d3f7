package observe

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"github.com/faultsrv/faultsrv/scenarios"
)

// dangers are what a client was seen to do and must not, the gravest first.
func dangers(w *witness) []Warning {
	warnings := []Warning{}
	for _, look := range []func(*witness) (text, contract string){
		doubledPost, repeatedPost, brokenReplay, brokenStream, wholeOfHalf,
		lostRedirect, hurried, hurriedOnReset, deaf, endless, lostAnswer, lostPool, herding,
	} {
		if text, contract := look(w); text != "" {
			warnings = append(warnings, Warning{Text: text, Contract: contract})
		}
	}
	return warnings
}

func doubledPost(w *witness) (text, contract string) {
	call, seen := w.posted(postOnReset, onReset)
	if !seen || !call.retried() || call.sameKey() {
		return "", ""
	}
	return fmt.Sprintf("a POST that the server has read is sent again when its answer is lost: %d orders instead of one", len(call.attempts)),
		"idempotency.a-post-is-not-retried-on-a-reset"
}

func repeatedPost(w *witness) (text, contract string) {
	call, seen := w.posted(postOn503, on503)
	if !seen || !call.retried() || call.sameKey() {
		return "", ""
	}
	return "a POST is sent again on 503, and nothing tells the server that it is the same one",
		"idempotency.a-post-is-not-retried-on-a-status"
}

func brokenReplay(w *witness) (text, contract string) {
	call, seen := w.only(replay)
	if !seen {
		return "", ""
	}
	broken, found := call.broken()
	if !found {
		return "", ""
	}
	return fmt.Sprintf("the retry of a request has another body: %d bytes of %d", broken.Body.Received, call.BodyLength),
		"body.replay-after-503"
}

func brokenStream(w *witness) (text, contract string) {
	call, seen := w.only(streamReplay)
	if !seen {
		return "", ""
	}
	broken, found := call.broken()
	if !found {
		return "", ""
	}
	return fmt.Sprintf("a body that can be read only once is sent again with %d bytes of %d", broken.Body.Received, call.BodyLength),
		"body.a-stream-is-not-replayed-in-part"
}

func wholeOfHalf(w *witness) (text, contract string) {
	call, seen := w.only(onCut)
	if !seen || !call.answered() || call.ended {
		return "", ""
	}
	return "a body that ends before its declared length is taken for whole", "response.a-cut-body-is-an-error"
}

func lostRedirect(w *witness) (text, contract string) {
	call, seen := w.named(redirects, "same-elsewhere")
	if !seen || !call.retried() {
		return "", ""
	}
	if next := call.attempts[1]; next.Method != call.Method || !call.whole(next) {
		return fmt.Sprintf("307 asks for the same request elsewhere, and a %s with %d bytes of %d is sent", next.Method, next.Body.Received, call.BodyLength),
			"body.a-307-keeps-method-and-body"
	}
	return "", ""
}

func hurried(w *witness) (text, contract string) {
	var waits []time.Duration
	for _, id := range append([]string{firstPauses}, byStatus...) {
		for _, call := range w.calls(id) {
			waits = append(waits, call.waits()...)
		}
	}
	if !w.paceless(waits) {
		return "", ""
	}
	return "a status is retried without a pause", "backoff.waits-the-configured-pause"
}

func hurriedOnReset(w *witness) (text, contract string) {
	var waits []time.Duration
	for _, id := range []string{onReset, onClose} {
		for _, call := range w.calls(id) {
			waits = append(waits, call.waits()...)
		}
	}
	if !w.paceless(waits) {
		return "", ""
	}
	return "a lost connection is retried without a pause", "backoff.pauses-after-a-lost-connection"
}

// paceless tells that retries were given no pause: a third of them at least, as
// of a client whose layers retry one inside the other, and the outer one pauses;
// more than half where jitter may draw a short pause now and then. A single one
// proves nothing.
func (w *witness) paceless(waits []time.Duration) bool {
	count := 0
	for _, wait := range waits {
		if isNone(wait) {
			count++
		}
	}
	if w.jittered() {
		return count > 1 && 2*count > len(waits)
	}
	return count > 1 && 3*count >= len(waits)
}

// deaf is a client that comes back before the time that it was given.
func deaf(w *witness) (text, contract string) {
	var ignored []string
	for _, asked := range w.pushbacks() {
		if asked.kept == tooEarly {
			ignored = append(ignored, asked.label)
			contract = cmp.Or(contract, asked.contract)
		}
	}
	return after("a Retry-After is not waited for: ", strings.Join(ignored, ", ")), contract
}

// endless is a client that no timeout of its own ends. A command that is told
// its deadline, or any other client that can be, has one when it is given one.
func endless(w *witness) (text, contract string) {
	call, seen := w.only(onStall)
	if !seen || call.attempts[0].ClientEnd != "" {
		return "", ""
	}
	for _, can := range w.client.Capabilities {
		if can == scenarios.CanTimeout || can == scenarios.CanAttemptTimeout || can == scenarios.CanCancel {
			return "", ""
		}
	}
	return "a server that is silent holds the caller for as long as it likes: give the client a timeout",
		"cancellation.the-deadline-spans-the-retries"
}

func lostAnswer(w *witness) (text, contract string) {
	call, seen := w.only(onEarly)
	if !seen || call.retried() || !call.failed() || call.Outcome.Error.LastStatus != 0 || !w.can(scenarios.CanStatus) {
		return "", ""
	}
	return "an answer that comes while the body is being sent is lost: the caller gets an error of the connection",
		"response.an-early-answer-reaches-the-caller"
}

func lostPool(w *witness) (text, contract string) {
	call, seen := w.next()
	if !seen || !call.failed() {
		return "", ""
	}
	return "a GET fails when the connection that was kept is dead", "connection.a-stale-connection-is-survived"
}

func herding(w *witness) (text, contract string) {
	herd, found := w.herd()
	if found != noJitter {
		return "", ""
	}
	return fmt.Sprintf("no jitter: %d clients that failed together come back within %s", len(herd), exactText(herd[len(herd)-1]-herd[0])),
		"jitter.full-is-spread"
}
