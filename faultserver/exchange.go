package faultserver

import (
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"strings"
	"time"
)

// An exchange is one request and what is done to it, or a connection that a
// connection-level step strikes. Acts perform by its methods. Those that
// return a bool return false when the exchange is over: the client has left, or
// the session was closed, and the journal says so.
type exchange struct {
	conn    *conn
	session *Session
	record  *record // nil for a request that is no attempt
	head    *head   // nil for a struck connection
	body    *requestBody
	step    Step
	at      Point
	draws   *rand.Rand
	cut     CutKind
	// rest is an answer of which a part was sent.
	rest *rendering
	// keep tells that the connection lives on.
	keep bool
	// misses are why what happened is not what was intended, details other
	// remarks.
	misses, details []string
	finished        bool
}

// run takes the exchange through its step, and tells whether the connection
// lives on.
func (x *exchange) run() bool {
	x.session.observe(x.record)
	defer func() {
		if x.conn.stale == nil || x.conn.stale.exchange != x {
			x.finish()
		}
	}()
	if !x.reach() {
		return false
	}
	if x.step.Commit != NoCommit && x.record != nil {
		x.session.commit(x.record, x.step.Commit)
	}
	if !x.at.inResponse() && !x.pause() {
		return false
	}
	x.step.Act.perform(x)
	return x.keep
}

// reach reads the request up to the step's point.
func (x *exchange) reach() bool {
	switch {
	case x.head == nil || x.at.Phase == RequestHead:
		return true
	case x.at.Phase == RequestBody:
		if !x.read(int64(x.at.N)) {
			return false
		}
		if came := x.body.receipt.Received; came < int64(x.at.N) {
			x.miss(fmt.Sprintf("the request ended after %d body bytes, before the point", came))
			x.at = Point{Phase: RequestEnd}
		}
		return true
	}
	return x.readAll()
}

// readAll reads the rest of the request.
func (x *exchange) readAll() bool { return x.read(wholeBody) }

// read reads until n bytes of the request's body have come, or all of it.
func (x *exchange) read(n int64) bool {
	if x.head.expectsContinue() && x.body.receipt.Received == 0 && n > 0 && len(x.conn.in.unread()) == 0 {
		if err := x.conn.write([]byte("HTTP/1.1 100 Continue\r\n\r\n")); err != nil {
			x.failed(err)
			return false
		}
	}
	err := x.body.readTo(n)
	x.receive()
	if err == nil {
		return true
	}
	if isBadBody(err) {
		x.session.event(x.conn, "bad-body", err.Error())
		x.happened(Effect{Kind: "failed", Detail: "bad body: " + err.Error()})
		x.conn.refused = true
		x.conn.answerPlainly(http.StatusBadRequest, err.Error())
		return false
	}
	x.left("while its request was read")
	return false
}

// receive enters what has come of the body.
func (x *exchange) receive() {
	if x.body == nil {
		return
	}
	receipt, at := x.body.snapshot(), x.body.lastAt
	x.session.update(x.record, func(r *record) {
		r.Body = receipt
		if !at.IsZero() {
			r.BodyRead = x.session.since(at)
		}
	})
}

// pause waits for the step's delay.
func (x *exchange) pause() bool {
	delay := x.step.Delay
	most := delay.duration(x.draws)
	if most == 0 {
		return true
	}
	if delay.Until == nil {
		return x.hold(most, nil)
	}
	came, stop := make(chan struct{}), make(chan struct{})
	var at time.Duration
	var err error
	go func() {
		defer close(came)
		at, err = x.session.await(stop, x.record.Call, *delay.Until)
	}()
	begun := x.session.Elapsed()
	here := x.hold(most, came)
	close(stop)
	<-came
	if !here {
		return false
	}
	if err == nil {
		return x.hold(min(at, begun+most)-x.session.Elapsed(), nil)
	}
	x.detail(fmt.Sprintf("the moment that ends its delay did not come within %s", FormatDuration(most)))
	return true
}

// hold waits for a time, or until done, and sees whether the client leaves.
func (x *exchange) hold(d time.Duration, done <-chan struct{}) bool {
	x.settled()
	if x.conn.in.watch(d, done, x.conn.ended) {
		return true
	}
	x.left("before the step could strike")
	return false
}

// silence waits for a time, or with 0 until the client leaves, and tells
// whether the client is still there. It leaves what happened as it is.
func (x *exchange) silence(d time.Duration) bool {
	if d == 0 {
		d = longestSilence
	}
	x.settled()
	if x.conn.in.watch(d, nil, x.conn.ended) {
		return true
	}
	x.noteLeaving()
	return false
}

// send renders a whole answer and writes it.
func (x *exchange) send(a Answer) bool {
	if !x.holdForDate(a) {
		return false
	}
	now := time.Now()
	return x.transmit(render(a, x.layout(a, false, 0), now, x.session.since(now)), false)
}

// sendPart sends an answer up to the exchange's point; what cannot be sent is
// taken off the effect.
func (x *exchange) sendPart(a Answer, effect *Effect) bool {
	a = a.withPartBody(x.at.N)
	if !x.holdForDate(a) {
		return false
	}
	now, l := time.Now(), x.layout(a, true, int64(x.at.N))
	if l.noBody && x.at.N > 0 {
		x.miss(x.head.method + " and the status leave no body to send a part of")
		effect.Body = 0
	}
	if x.head.is10() && a.Framing == FramingChunked {
		x.miss("an HTTP/1.0 client gets no chunks: the answer declares its length")
	}
	x.rest = render(a, l, now, x.session.since(now))
	return x.transmit(x.rest, true)
}

// sendRest completes an answer of which a part was sent.
func (x *exchange) sendRest() {
	err := x.sendCounted(nil, x.rest.body, wholeBody)
	if err != nil {
		x.noteWriteError(err)
		return
	}
	x.keep = x.rest.keep
	x.conclude(x.rest.status)
}

// completeWith answers after a stall in which nothing was sent.
func (x *exchange) completeWith(a Answer) {
	if x.send(a) {
		x.conclude(a.statusOr(http.StatusOK))
	}
}

// conclude ends an answer that came after the strike.
func (x *exchange) conclude(status int) {
	if !x.keep {
		x.shutdown()
	}
	x.answeredNow()
	x.detail(fmt.Sprintf("then answered %d", status))
}

// answer gives a whole answer and ends the connection where it must.
func (x *exchange) answer(a Answer) {
	effect := x.answerIntent("answer", a)
	if !x.send(a) {
		return
	}
	if !x.keep {
		x.shutdown()
		effect.End = string(EndFIN)
	}
	x.answeredNow()
	x.struck(effect)
	x.drain()
}

// layout is how an answer is framed on this exchange.
func (x *exchange) layout(a Answer, part bool, after int64) layout {
	l := layout{
		proto10: x.head.is10(), framing: a.Framing, part: part, after: after, where: x.cut,
		noBody: x.head.method == http.MethodHead || bodyless(a.statusOr(http.StatusOK)),
		// What is sent of a part looks like any other answer; a whole one
		// ends the connection where unread request bytes are in the way.
		keep: x.head.keepAlive() && (part || x.body.receipt.Complete),
	}
	switch {
	case l.framing == "" || l.proto10 && part && l.framing == FramingChunked:
		l.framing = FramingLength
	case l.proto10 && l.framing == FramingChunked:
		l.framing = FramingClose
	}
	return l
}

// holdForDate waits for the phase at which a relative Retry-After date is sent.
func (x *exchange) holdForDate(a Answer) bool {
	if a.RetryAfter == nil || a.RetryAfter.Date == nil {
		return true
	}
	return x.hold(untilDatePhase(time.Now()), nil)
}

// transmit writes an answer, or the part of it before its cut.
func (x *exchange) transmit(r *rendering, part bool) bool {
	most := int64(wholeBody)
	if part {
		most = r.cut
	}
	before := x.conn.written.Load()
	x.stampEarliest(func(rec *record) {
		rec.Answered, rec.before, rec.RetryAfter = rec.End.Earliest, before, r.retryAfter
	})
	err := x.sendCounted(r.head, r.body, most)
	if err != nil {
		x.failed(err)
		return false
	}
	x.keep = r.keep && !part
	return true
}

// sendCounted sends, and enters how much was sent of the answer and when.
func (x *exchange) sendCounted(head []byte, body io.Reader, most int64) error {
	x.session.update(x.record, func(r *record) { r.sending = true })
	err := x.conn.send(head, body, most)
	x.session.update(x.record, func(r *record) {
		r.End.Latest = x.session.Elapsed()
		r.wrote, r.sending = x.conn.written.Load()-r.before, false
	})
	return err
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

// shutdown ends the server's side with FIN. What the client still sends is
// read, so that the FIN does not become a RST.
func (x *exchange) shutdown() {
	x.stampEarliest(nil)
	err := x.conn.tcp.CloseWrite()
	x.session.update(x.record, func(r *record) { r.End.Latest = x.session.Elapsed() })
	x.conn.linger = lingerTime
	x.keep = false
	if err != nil {
		x.miss("FIN: " + err.Error())
	}
}

// abort ends the connection with RST.
func (x *exchange) abort() {
	x.session.refresh(x.conn)
	x.stampEarliest(nil)
	x.conn.abort()
	x.session.update(x.record, func(r *record) { r.End.Latest = x.session.Elapsed() })
	x.keep = false
}

// drain reads what the client still sends of its request, once the answer's
// end has been sent.
func (x *exchange) drain() {
	if x.keep || x.body == nil || x.body.receipt.Complete {
		return
	}
	x.settled()
	_ = x.conn.tcp.SetReadDeadline(time.Now().Add(drainTime))
	_ = x.body.readTo(wholeBody) // how far it came is in the receipt
	x.receive()
}

// awaitAcks waits until the client has acknowledged what was sent.
func (x *exchange) awaitAcks() bool {
	acked, open := x.conn.awaitAcks()
	x.session.refresh(x.conn)
	if !open {
		x.left("before it had acknowledged the answer")
		return false
	}
	if want := x.conn.written.Load(); acked < want {
		x.miss(fmt.Sprintf("%d bytes were not acknowledged within %s", want-acked, FormatDuration(ackTime)))
	}
	return true
}

// left enters that the client left before the act could strike; when tells
// when that was.
func (x *exchange) left(when string) {
	if !x.noteLeaving() {
		x.happened(Effect{Kind: "failed", Detail: "the session was closed " + when})
		return
	}
	x.happened(Effect{Kind: "client-left", Detail: "the client left " + when})
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

// failed enters that an answer could not be written.
func (x *exchange) failed(err error) {
	x.noteWriteError(err)
	x.happened(Effect{Kind: "failed", Detail: "the answer could not be written: " + err.Error()})
}

func (x *exchange) noteWriteError(err error) {
	x.keep = false
	x.miss("the answer could not be written: " + err.Error())
	if isReset(err) {
		now := x.session.Elapsed()
		x.session.update(x.record, func(r *record) { r.Client = ClientEnd{How: "client-rst", At: now} })
	}
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

// happened enters an effect that is not the act's own.
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
	if x.record == nil {
		return
	}
	s := x.session
	s.mu.Lock()
	defer s.mu.Unlock()
	r, now := x.record, s.Elapsed()
	r.struckAt = &now
	r.Met = len(x.misses) == 0 && r.Intended.matches(effect)
	if r.Met && r.cursor != nil {
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
		at := r.End.Latest
		r.answeredAt = &at
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
}

// answerIntent is the effect of a whole answer here.
func (x *exchange) answerIntent(kind string, a Answer) Effect {
	effect := Effect{Kind: kind, At: x.at.String(), Status: a.statusOr(http.StatusOK), Body: a.Body.Len()}
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
