package faultserver

import (
	"fmt"
	"net/http"
	"strings"
)

// receive enters what has come of the body.
func (x *exchange) receive() {
	if x.body == nil || !x.body.news {
		return
	}
	if x.record != nil && x.body.receipt.Complete { // they come with the end, once
		x.session.holdTrailers(&x.body.receipt)
	}
	receipt, at := x.body.snapshot(), x.body.lastAt
	x.session.update(x.record, func(r *record) {
		r.Body = receipt
		if !at.IsZero() {
			r.BodyRead = x.session.since(at)
		}
	})
}

// stampEarliest stamps the moment before what ends the attempt becomes visible.
func (x *exchange) stampEarliest(more func(*record)) {
	x.session.update(x.record, func(r *record) {
		x.session.setSettling(r, true)
		if r.End.Earliest == 0 {
			r.End.Earliest = x.session.Elapsed()
		}
		if more != nil {
			more(r)
		}
	})
}

// left enters that the client left before the act could strike; when tells
// when that was.
func (x *exchange) left(when string) {
	if !x.noteLeaving() {
		x.instead("failed", "the session was closed "+when)
		return
	}
	x.instead("client-left", "the client left "+when)
}

// noteLeaving enters how and when the client left; false if it did not.
func (x *exchange) noteLeaving() bool {
	x.keep = false
	end := x.session.clientEnd(x.conn.in)
	if end.How == "" {
		return false
	}
	x.session.update(x.record, func(r *record) {
		r.Client = end
		r.End = Interval{end.At, end.At}
	})
	return true
}

// cutShort enters that a whole answer was not written to its end. A client that
// has acknowledged the head and then leaves has been answered: how much of the
// body it wants is its own to say.
func (x *exchange) cutShort(err error, head int64) {
	x.session.refresh(x.conn)
	taken := int64(0)
	x.session.update(x.record, func(r *record) {
		if taken = r.Acked; taken < 0 {
			taken = r.wrote
		}
	})
	if !isReset(err) || taken < head {
		x.failed(err)
		return
	}
	x.tookAnswer, x.taken, x.keep = true, taken-head, false
	x.noteReset()
	x.detail(fmt.Sprintf("the client left after %d bytes of the answer", taken))
}

// failed enters that an answer could not be written.
func (x *exchange) failed(err error) {
	x.keep = false
	kind, why := "failed", "the answer could not be written: "+err.Error()
	if isReset(err) {
		kind = "client-left"
		x.noteReset()
	}
	x.instead(kind, why)
}

// noteReset enters that the client left with RST.
func (x *exchange) noteReset() {
	now := x.session.Elapsed()
	x.session.update(x.record, func(r *record) { r.Client = ClientEnd{How: "client-rst", At: now} })
}

// clientEnd is how the client left, on the session's clock.
func (s *Session) clientEnd(in *input) ClientEnd {
	if how := in.how(); how != "" {
		return ClientEnd{How: how, At: s.since(in.goneAt)}
	}
	return ClientEnd{}
}

// miss enters why what happens is not what was intended.
func (x *exchange) miss(why string) {
	x.misses = append(x.misses, why)
	x.detail(why)
}

func (x *exchange) detail(remark string) {
	x.details = append(x.details, remark)
	x.session.update(x.record, func(r *record) { r.Happened.Detail = strings.Join(x.details, "; ") })
}

// instead enters what happened in place of the act's own effect, unless that
// has been had already.
func (x *exchange) instead(kind, why string) {
	if x.done {
		x.detail(why)
		return
	}
	x.happened(Effect{Kind: kind, Detail: why})
}

// happened enters an effect.
func (x *exchange) happened(effect Effect) {
	if effect.Detail != "" {
		x.details = append(x.details, effect.Detail)
	}
	effect.Detail = strings.Join(x.details, "; ")
	x.session.update(x.record, func(r *record) { r.Happened = effect })
}

// struck enters that the act has been performed, with this effect.
func (x *exchange) struck(effect Effect) {
	x.happened(effect)
	x.enter(func(r *record) bool { return x.tookAnswer || r.Intended.matches(effect) })
}

// inForce enters that an act that lasts has begun to have its effect: a client
// that leaves from now on has met it. What is sent meanwhile is entered by
// became.
func (x *exchange) inForce(kind string) {
	x.happened(Effect{Kind: kind, At: x.at.String()})
	x.enter(func(*record) bool { return true })
}

// became enters what has been sent by an act that lasts.
func (x *exchange) became(effect Effect) { x.happened(effect) }

// enter enters that the act has had its effect, and whether it is the intended
// one.
func (x *exchange) enter(asIntended func(*record) bool) {
	x.done = true
	if x.record == nil {
		return
	}
	s := x.session
	s.mu.Lock()
	defer s.mu.Unlock()
	r := x.record
	r.struckAt = s.Elapsed()
	r.Met = len(x.misses) == 0 && asIntended(r)
	if r.Met && r.cursor != nil && !x.spared {
		r.cursor.met[r.Step.Index-1]++
	}
	s.announce()
}

// matches tells whether an effect is the intended one. How an answer's
// connection ends is the request's to say, where the step does not.
func (intended Effect) matches(happened Effect) bool {
	if intended.End == "" {
		happened.End = ""
	}
	intended.Detail, happened.Detail = "", ""
	return intended == happened
}

// answeredNow enters that an answer has been written to its end.
func (x *exchange) answeredNow() {
	x.session.update(x.record, func(r *record) {
		r.answeredAt = r.End.Latest
		x.session.announce()
	})
}

// settling enters that what follows is visible to the client before its entry
// is complete.
func (x *exchange) settling() {
	x.session.update(x.record, func(r *record) { x.session.setSettling(r, true) })
}

// settled enters that the entry says what is visible so far.
func (x *exchange) settled() {
	x.session.update(x.record, func(r *record) { x.session.setSettling(r, false) })
}

// finish ends the entry.
func (x *exchange) finish() {
	if x.finished {
		return
	}
	x.finished = true
	x.receive()
	x.session.update(x.record, func(r *record) {
		if r.End.Latest == 0 {
			now := x.session.Elapsed()
			r.End = Interval{now, now}
		}
		r.Open = false
		x.session.setSettling(r, false)
		x.session.announce()
	})
	x.session.observe(x.record)
	if x.record != nil && x.record.dropped {
		x.session.update(x.record, (*record).forget)
	}
}

// answerIntent is the effect of a whole answer here.
func (x *exchange) answerIntent(kind string, a Answer) Effect {
	effect := Effect{Kind: kind, At: x.at.String(), Status: a.statusOr(http.StatusOK), Body: a.Encoded().Body.Len()}
	if x.head.method == http.MethodHead || bodyless(effect.Status) {
		effect.Body = 0
	}
	return effect
}

// partIntent is the effect of a strike at the exchange's point.
func (x *exchange) partIntent(kind string, a Answer) Effect {
	effect := Effect{Kind: kind, At: x.at.String()}
	if x.at.inResponse() {
		effect.Status, effect.Body = a.statusOr(http.StatusOK), int64(x.at.N)
	}
	return effect
}
