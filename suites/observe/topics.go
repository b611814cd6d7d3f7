package observe

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/faultsrv/faultsrv/reports"
)

// The contracts that a summary is made of.
const (
	on408   = "attempts.observed-on-408"
	on429   = "attempts.observed-on-429"
	on500   = "attempts.observed-on-500"
	on502   = "attempts.observed-on-502"
	on503   = "attempts.observed-on-503"
	on504   = "attempts.observed-on-504"
	onFinal = "attempts.observed-on-final-statuses"

	onReset = "connection.observed-on-a-reset"
	onClose = "connection.observed-on-a-close"
	onStale = "connection.observed-on-a-stale-connection"
	onStall = "cancellation.observed-on-a-stall"
	onCut   = "response.observed-on-a-cut-body"
	onEarly = "response.observed-on-an-early-answer"
	onTLS   = "tls.observed-without-close-notify"
	cookie  = "response.observed-cookie-of-a-retried-answer"

	postOn503   = "idempotency.observed-post-on-503"
	postOnReset = "idempotency.observed-post-on-a-reset"

	replay       = "body.observed-replay"
	streamReplay = "body.observed-replay-of-a-stream"
	redirects    = "body.observed-across-redirects"

	inSeconds = "retry-after.observed-in-seconds"
	asDate    = "retry-after.observed-as-a-date"

	firstPauses = "jitter.observed-first-pauses"
)

// byStatus are the contracts that look at statuses.
var byStatus = []string{on408, on429, on500, on502, on503, on504, onFinal}

// A topic is a line of the summary.
type topic struct {
	name  string
	looks []look
	// say is what was seen, of those looks that were taken; empty for nothing.
	say func(*witness) string
}

// A look is what one contract shows.
type look struct {
	contract string
	// subject is what was not observed where the contract was not.
	subject string
	// plain is the contract that shows the same of a client that sends POST
	// whatever it is asked for; empty for none.
	plain string
}

// taken tells whether there was such a look.
func (l look) taken(w *witness) bool {
	if l.plain == "" {
		return len(w.calls(l.contract)) > 0
	}
	_, seen := w.posted(l.contract, l.plain)
	return seen
}

// find is the line of a topic; seen is false where nothing of it was observed.
func (w *witness) find(t topic) (finding Finding, seen bool) {
	finding.Topic = t.name
	for _, l := range t.looks {
		if l.taken(w) {
			finding.Contracts = append(finding.Contracts, l.contract)
		}
	}
	finding.Text = t.say(w)
	return finding, finding.Text != ""
}

// topics are the lines of a summary, in their order.
var topics = []topic{
	{"503", []look{{contract: on503, subject: "503"}}, say503},
	{"statuses", []look{
		{contract: on408, subject: "408"}, {contract: on429, subject: "429"}, {contract: on500, subject: "500"},
		{contract: on502, subject: "502"}, {contract: on504, subject: "504"}, {contract: onFinal, subject: "statuses that are final"},
	}, sayStatuses},
	{"Retry-After", []look{
		{contract: inSeconds, subject: "Retry-After in seconds"}, {contract: asDate, subject: "Retry-After as a date"},
	}, sayRetryAfter},
	{"connection", []look{
		{contract: onReset, subject: "a reset"}, {contract: onClose, subject: "a close"}, {contract: onStale, subject: "a stale connection"},
	}, sayConnection},
	{"silence", []look{{contract: onStall, subject: "a stall"}}, saySilence},
	{"answers", []look{
		{contract: onCut, subject: "a cut body"}, {contract: onEarly, subject: "an early answer"},
		{contract: onTLS, subject: "TLS that ends without its alert"},
	}, func(w *witness) string {
		return joined(w.cutShort(onCut, "cut body"), w.early(), w.cutShort(onTLS, "TLS body without the closing alert"))
	}},
	{"POST", []look{
		{contract: postOn503, subject: "POST on 503", plain: on503}, {contract: postOnReset, subject: "POST on a reset", plain: onReset},
	}, func(w *witness) string { return joined(w.postOn503(), w.postOnReset()) }},
	{"body", []look{
		{contract: replay, subject: "replay of a body"}, {contract: streamReplay, subject: "replay of a streamed body"},
	}, func(w *witness) string { return joined(w.replay(replay, "plain"), w.replay(streamReplay, "streamed")) }},
	{"redirects", []look{{contract: redirects, subject: "redirects"}}, func(w *witness) string {
		return joined(w.followed("see-other", 303), w.followed("same-elsewhere", 307))
	}},
	{"cookies", []look{{contract: cookie, subject: "cookies"}}, sayCookies},
	{"jitter", []look{{contract: firstPauses, subject: "jitter"}}, sayJitter},
}

// joined are the parts that say something, as one line.
func joined(parts ...string) string {
	return strings.Join(slices.DeleteFunc(parts, func(part string) bool { return part == "" }), "; ")
}

// labelled is a list behind its label; empty for an empty one.
func labelled(label string, items []string) string {
	return after(label+": ", strings.Join(items, ", "))
}

func sayStatuses(w *witness) string {
	var again, once []string
	for _, s := range w.statuses() {
		if s.retried {
			again = append(again, strconv.Itoa(s.status))
		} else {
			once = append(once, strconv.Itoa(s.status))
		}
	}
	return joined(labelled("retried", again), labelled("not retried", once))
}

func say503(w *witness) string {
	call, seen := w.only(on503)
	if !seen {
		return ""
	}
	return call.attemptsText() + "; " + call.endText()
}

// attemptsText is how often it was sent, after which pauses.
func (c seenCall) attemptsText() string {
	if !c.retried() {
		return "not retried"
	}
	text := fmt.Sprintf("retried, %d attempts", len(c.attempts))
	if waits := c.waits(); len(waits) > 0 {
		text += ", waits " + waitsText(waits, c.lateness)
	}
	return text
}

// endText is what the caller got in the end.
func (c seenCall) endText() string {
	then := "it "
	if c.retried() {
		then = "then it "
	}
	switch {
	case c.ended:
		return "it was still at it when it was ended"
	case c.failed():
		return then + "fails"
	case c.Outcome.Status != 0:
		return fmt.Sprintf("%sreturns the %d", then, c.Outcome.Status)
	default:
		return then + "reports success"
	}
}

func sayConnection(w *witness) string {
	reset, closed := w.lost(onReset), w.lost(onClose)
	if reset == closed && reset != "" {
		return joined("reset and close "+reset, w.stale())
	}
	return joined(after("reset ", reset), after("close ", closed), w.stale())
}

// after is a text behind its lead; empty for an empty one.
func after(lead, text string) string {
	if text == "" {
		return ""
	}
	return lead + text
}

// lost is what becomes of a request whose connection is lost each time.
func (w *witness) lost(id string) string {
	call, seen := w.only(id)
	if !seen {
		return ""
	}
	text := call.attemptsText()
	if !call.failed() {
		text += ", and " + call.endText()
	}
	return text
}

func (w *witness) stale() string {
	call, seen := w.next()
	switch {
	case !seen:
		return ""
	case call.failed():
		return "stale fails"
	default:
		return "stale survived"
	}
}

func saySilence(w *witness) string {
	call, seen := w.only(onStall)
	if !seen {
		return ""
	}
	first := call.attempts[0]
	if first.ClientEnd == "" {
		return "no timeout of its own within " + waitText(first.Meta.EndEarliest-first.Meta.Arrived, call.lateness)
	}
	text := "leaves after " + waitText(first.Meta.ClientEnd-first.Meta.Arrived, call.lateness)
	if call.retried() {
		return fmt.Sprintf("%s and tries again, %d attempts", text, len(call.attempts))
	}
	return text + ", not retried"
}

// cutShort is what becomes of a body that may have been cut.
func (w *witness) cutShort(contract, what string) string {
	call, seen := w.only(contract)
	if !seen {
		return ""
	}
	text := what + " " + call.attemptsText()
	switch {
	case call.ended:
		return text
	case call.answered():
		return text + ", taken for whole"
	default:
		return text + ", an error"
	}
}

func (w *witness) early() string {
	call, seen := w.only(onEarly)
	switch {
	case !seen:
		return ""
	case call.retried():
		return "early 413 " + call.attemptsText()
	case call.Outcome.Status != 0:
		return "early 413 returned"
	case call.answered():
		return "early 413 is no error"
	default:
		return "early 413 fails"
	}
}

func (w *witness) postOn503() string {
	call, seen := w.posted(postOn503, on503)
	if !seen {
		return ""
	}
	return "503 " + call.attemptsText()
}

func (w *witness) postOnReset() string {
	call, seen := w.posted(postOnReset, onReset)
	switch {
	case !seen:
		return ""
	case !call.retried():
		return "reset not retried"
	case call.sameKey():
		return fmt.Sprintf("reset retried, %d attempts with one Idempotency-Key", len(call.attempts))
	case call.key(0) != "":
		return fmt.Sprintf("reset retried, %d attempts with different Idempotency-Keys", len(call.attempts))
	default:
		return fmt.Sprintf("reset retried, %d attempts without an Idempotency-Key", len(call.attempts))
	}
}

// key is the Idempotency-Key of an attempt, counted from 0.
func (c seenCall) key(i int) string { return c.attempts[i].Headers.Get("Idempotency-Key") }

// sameKey tells that every attempt has the same Idempotency-Key.
func (c seenCall) sameKey() bool {
	for i := range c.attempts {
		if c.key(i) != c.key(0) {
			return false
		}
	}
	return c.key(0) != ""
}

func (w *witness) replay(id, kind string) string {
	call, seen := w.only(id)
	if !seen {
		return ""
	}
	if !call.retried() {
		return kind + " not retried"
	}
	broken, found := call.broken()
	switch {
	case !found:
		return kind + " replayed whole"
	case broken.Body.Received == 0:
		return kind + " retried with an empty body"
	default:
		return fmt.Sprintf("%s retried with another body, %d bytes of %d", kind, broken.Body.Received, call.BodyLength)
	}
}

// broken is the first retry whose body is not the one that was to be sent.
func (c seenCall) broken() (attempt reports.Attempt, found bool) {
	for _, attempt := range c.attempts[1:] {
		if !c.whole(attempt) {
			return attempt, true
		}
	}
	return reports.Attempt{}, false
}

// followed is the request that a redirect is followed by.
func (w *witness) followed(name string, status int) string {
	call, seen := w.named(redirects, name)
	if !seen {
		return ""
	}
	if !call.retried() {
		return fmt.Sprintf("%d not followed", status)
	}
	body := "another body"
	switch next := call.attempts[1]; {
	case next.Body.Received == 0:
		body = "no body"
	case call.whole(next):
		body = "the body"
	}
	return fmt.Sprintf("%d followed by %s with %s", status, call.attempts[1].Method, body)
}

func sayCookies(w *witness) string {
	call, seen := w.only(cookie)
	switch {
	case !seen || !call.retried():
		return ""
	case call.attempts[1].Headers.Get("Cookie") == "":
		return "one that comes with a 503 does not come back with the retry"
	default:
		return "one that comes with a 503 comes back with the retry"
	}
}

func sayJitter(w *witness) string {
	herd, found := w.herd()
	switch {
	case len(w.calls(firstPauses)) == 0:
		return ""
	case found == noHerd:
		return "503 is not retried: no pauses to compare"
	default:
		shortest, longest := exactText(herd[0]), exactText(herd[len(herd)-1])
		if shortest == longest {
			return fmt.Sprintf("%s: %d first waits of %s each", found, len(herd), longest)
		}
		return fmt.Sprintf("%s: %d first waits from %s to %s", found, len(herd), shortest, longest)
	}
}
