package faultserver

import (
	"fmt"
	"io"
	"net/http"
	"time"
)

// send renders a whole answer and writes it.
func (x *exchange) send(a Answer) bool {
	a = a.Encoded()
	if !x.holdForDate(a) {
		return false
	}
	now := time.Now()
	return x.transmit(render(a, x.layout(a, false, 0), now, x.session.since(now)), false)
}

// sendPart sends an answer up to the exchange's point; what cannot be sent is
// taken off the effect.
func (x *exchange) sendPart(a Answer, effect *Effect) bool {
	a = a.Encoded().withPartBody(x.at.N)
	if !x.holdForDate(a) {
		return false
	}
	now, l := time.Now(), x.layout(a, true, int64(x.at.N))
	if l.noBody { // the answer is whole with its head
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
		x.failed(err)
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
func (x *exchange) answer(a Answer) { x.answerAs("answer", a) }

// answerAs is answer with an effect of another kind.
func (x *exchange) answerAs(kind string, a Answer) {
	effect := x.answerIntent(kind, a)
	if !x.send(a) {
		if x.tookAnswer {
			effect.Body = min(effect.Body, x.taken)
			x.answeredNow()
			x.struck(effect)
		}
		return
	}
	if !x.keep && !x.finishWhole(&effect) {
		return
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
		room: x.conn.headRoom(),
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
	err := x.sendAll(r, most)
	switch {
	case err == nil:
	case part || x.done:
		x.failed(err)
		return false
	default:
		x.cutShort(err, int64(len(r.head)))
		return false
	}
	x.keep = r.keep && !part
	return true
}

// sendAll sends an answer up to a number of its body's bytes. While a large one is sent,
// the entry counts as settled, since that may last for as long as the client does not
// read; but not while the last of it is.
func (x *exchange) sendAll(r *rendering, most int64) error {
	x.beginAnswer(r)
	if r.content > transferBuffer {
		x.settled()
		r.body = &endingReader{r.body, x.settling}
		defer x.settling()
	}
	return x.sendCounted(r.head, r.body, most)
}

// An endingReader tells when all has been read.
type endingReader struct {
	io.Reader

	ended func()
}

// Read implements io.Reader.
func (r *endingReader) Read(p []byte) (int, error) {
	n, err := r.Reader.Read(p)
	if err != nil {
		r.ended()
	}
	return n, err
}

// beginAnswer stamps the moment before an answer's first byte.
func (x *exchange) beginAnswer(r *rendering) {
	x.headSent = int64(len(r.head))
	before := x.conn.written.Load()
	x.stampEarliest(func(rec *record) {
		rec.Answered, rec.before, rec.RetryAfter = rec.End.Earliest, before, r.retryAfter
	})
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

// shutdown ends the server's side with FIN. What the client still sends is
// read, so that the FIN does not become a RST.
func (x *exchange) shutdown() {
	if err := x.sendFIN(); err != nil {
		x.miss("FIN: " + err.Error())
	}
}

// sendFIN is shutdown for an act that has not failed without its FIN.
func (x *exchange) sendFIN() error {
	x.stampEarliest(nil)
	err := x.conn.finish()
	x.session.update(x.record, func(r *record) { r.End.Latest = x.session.Elapsed() })
	x.conn.linger = lingerTime
	x.keep = false
	return err
}

// finishWhole ends a whole answer with FIN, and tells whether the client was
// answered. One that resets the connection once it has read enough may do so
// before the FIN.
func (x *exchange) finishWhole(effect *Effect) bool {
	err := x.sendFIN()
	switch {
	case err == nil:
		effect.End = string(EndFIN)
	case isReset(err):
		x.cutShort(err, x.headSent)
		return x.tookAnswer
	default:
		x.miss("FIN: " + err.Error())
	}
	return true
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
