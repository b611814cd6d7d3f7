package assertions

import (
	"fmt"
	"slices"

	"github.com/faultsrv/faultsrv/faultserver"
)

// sourceBody judges `body: source`: the bytes that the server received of each
// attempt are those that the client was asked to send. No clock.
//
//   - A request that came whole has the source's length and SHA-256.
//   - One that the step cut short (it struck at request-head or in the body, an
//     early answer included), or that the caller or a timeout may have ended,
//     has at most the source's length, and the SHA-256 of as long a prefix.
//   - One that the client itself left unfinished, though the server would have
//     read it to its end, is a body that was lost.
//   - A declared length is the source's, whether the body came whole or not.
//   - Bytes that follow a whole body on its connection and are no request are
//     more of the body than was declared, such as all of it once more.
//
// Where the client chooses the body itself (a whole service), nobody knows the
// source beforehand: it is what the call's first attempt that came whole
// carried, and one attempt alone makes it not observed. Of a body that was cut
// the length alone is then judged.
//
// A connection that was struck before a request came has no body to judge; a
// call without any request makes it not observed.
func sourceBody(s subject) Check {
	var t tally
	for _, call := range s.calls {
		source, why := sourceOf(call)
		if why != "" {
			t.skip(s.who(call) + why)
			continue
		}
		for _, attempt := range requests(call.attempts) {
			t.judged++
			text := receivedText(attempt.Body)
			if why := bodyFault(s, call, source, attempt); why != "" {
				text += " (wrong)"
				t.fail(s.who(call)+why, attempt.Index)
			}
			t.saw(text)
		}
	}
	if len(t.skipped) == 0 {
		t.skip("no request reached the server")
	}
	return t.check("body", sourceText(s))
}

// bodySource is what the bodies of a call's attempts are compared with.
type bodySource struct {
	length int64
	// begins tells whether a body whose bytes have this hash is the first n of the
	// source's.
	begins func(n int64, hash string) bool
}

// sourceOf is the source of a call's body, or why nobody knows it.
func sourceOf(call madeCall) (source bodySource, unknown string) {
	if !call.BodyFromFirst {
		asked := call.Body
		return bodySource{asked.Len(), func(n int64, hash string) bool { return asked.PrefixSHA256(n) == hash }}, ""
	}
	made := requests(call.attempts)
	if len(made) < 2 {
		return bodySource{}, "the client chooses the body itself, and made no second attempt to compare it with"
	}
	for _, attempt := range made {
		if first := attempt.Body; first.Complete {
			return bodySource{first.Received, func(n int64, hash string) bool { return n < first.Received || hash == first.SHA256 }}, ""
		}
	}
	return bodySource{}, "the client chooses the body itself, and no attempt's came whole"
}

// bodyFault says what is wrong with the body of an attempt; empty where nothing is.
func bodyFault(s subject, call madeCall, source bodySource, attempt faultserver.Attempt) string {
	body := attempt.Body
	carried := fmt.Sprintf("attempt %d carried %s of %s",
		attempt.Number, count(body.Received), plural(source.length, "byte"))
	const another = ": the server saw another request"
	switch {
	case body.Received > source.length:
		return fmt.Sprintf("attempt %d carried %s, the source has %s%s",
			attempt.Number, plural(body.Received, "byte"), count(source.length), another)
	case body.Complete && body.Received != source.length:
		return carried + another
	case body.Declared >= 0 && body.Declared != source.length:
		return fmt.Sprintf("attempt %d declared %s, the source has %s%s",
			attempt.Number, plural(body.Declared, "byte"), count(source.length), another)
	case !source.begins(body.Received, body.SHA256):
		return fmt.Sprintf("attempt %d carried %s that are not the source's%s",
			attempt.Number, plural(body.Received, "byte"), another)
	case !body.Complete && !mayBeCut(s, call, attempt):
		return carried + ": the client left the body unfinished, though the server was reading it"
	case source.length > 0 && body.Complete && followedByNoRequest(s.evidence.Journal, attempt):
		return fmt.Sprintf("attempt %d carried %s, and on its connection came bytes after them that are no request: the body was sent again, or more of it than was declared",
			attempt.Number, plural(body.Received, "byte"))
	default:
		return ""
	}
}

// noRequest are the events of bytes that came where a request's head was awaited.
var noRequest = []string{"bad-head", "head-too-large", "not-http"}

// followedByNoRequest tells that what came next on an attempt's connection is no
// request. Empty lines, which some clients send after a body, are no event.
func followedByNoRequest(journal faultserver.Journal, attempt faultserver.Attempt) bool {
	for _, event := range journal.Events {
		if !slices.Contains(noRequest, event.Kind) || event.Connection != attempt.Connection || event.At < attempt.Arrived {
			continue
		}
		between := func(a faultserver.Attempt) bool {
			return a.Connection == attempt.Connection && a.Arrived > attempt.Arrived && a.Arrived <= event.At
		}
		if !slices.ContainsFunc(journal.Attempts, between) {
			return true
		}
	}
	return false
}

// mayBeCut tells that a body may have been cut short by something else than the
// client's losing it: the step, the caller, a timeout, or a faster hedge.
func mayBeCut(s subject, call madeCall, attempt faultserver.Attempt) bool {
	lost := attempt.Happened.Kind == "client-left" || attempt.Happened.Kind == "bad-body"
	if attempt.Open || !lost {
		return true
	}
	at, err := faultserver.ParsePoint(attempt.Intended.At)
	if err == nil && (at.Phase == faultserver.RequestHead || at.Phase == faultserver.RequestBody) {
		return true
	}
	asked, _ := contractCall(s.evidence.Contract, call.Name)
	policy := s.evidence.Policy
	return call.Cancelled > 0 || asked.Timeout > 0 || policy.Timeouts != nil || policy.Hedge != nil
}

func sourceText(s subject) string {
	switch length := s.calls[0].Body.Len(); {
	case s.calls[0].BodyFromFirst:
		return "the bytes of the first attempt that came whole"
	case len(s.calls) > 1:
		return "each source's bytes"
	case length == 0:
		return "no body"
	default:
		return fmt.Sprintf("the source's %s", plural(length, "byte"))
	}
}

func receivedText(body faultserver.BodyReceipt) string {
	text := plural(body.Received, "byte")
	if !body.Complete {
		text += " (cut)"
	}
	return text
}

// ReplayedBody judges, where nobody knows the source, that every request of a
// call which came whole carried the bytes of the first one that did, and that
// none carried more. No clock. Fewer than two requests make it not observed.
func ReplayedBody(e Evidence) Check {
	var t tally
	s := subjectOf(e, "")
	t.skip("no call made two requests with a whole body: there is nothing to compare")
	for _, call := range s.calls {
		var first *faultserver.Attempt
		for _, attempt := range requests(call.attempts) {
			t.saw(receivedText(attempt.Body))
			switch {
			case first == nil && attempt.Body.Complete:
				first = &attempt
				continue
			case first == nil:
				continue
			}
			t.judged++
			changed := attempt.Body.Complete && attempt.Body.SHA256 != first.Body.SHA256
			if changed || attempt.Body.Received > first.Body.Received {
				t.fail(fmt.Sprintf("%sattempt %d carried %s that are not the %s of attempt %d: the server saw another request",
					s.who(call), attempt.Number, plural(attempt.Body.Received, "byte"), count(first.Body.Received), first.Number), first.Index, attempt.Index)
			}
		}
	}
	return t.check("body", "the same bytes in every attempt of a call")
}
