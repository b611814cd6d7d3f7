package faultserver

import (
	"fmt"
	"math/rand/v2"
	"net/http"
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
	// random is what draws gives; drawsFor and drawsAt are what it comes from.
	random   *rand.Rand
	drawsFor string
	drawsAt  int
	cut      CutKind
	// rest is an answer of which a part was sent.
	rest *rendering
	// keep tells that the connection lives on.
	keep bool
	// misses are why what happened is not what was intended, details other
	// remarks.
	misses, details []string
	finished        bool
	// done tells that the act has had its effect.
	done bool
	// spared tells that the step's act chose to let the attempt succeed, which
	// proves nothing of the fault.
	spared bool
	// notBefore is when the attempt may be served, on the session's clock.
	notBefore time.Duration
	// continued tells that the client is not to be sent 100 Continue any more.
	continued bool
	// tookAnswer tells that the client left in the middle of a whole answer,
	// having taken its head and so many bytes more.
	tookAnswer bool
	taken      int64
	// headSent is the length of the head of the answer that is being sent.
	headSent int64
	// lapse is the silence that the act leaves the exchange in; nil for none.
	lapse *lapse
}

// run takes the exchange through its step, and tells whether the connection
// lives on.
func (x *exchange) run() bool {
	x.session.observe(x.record)
	defer x.wrapUp()
	if !x.reach() {
		return false
	}
	if x.head != nil && !x.step.Act.place().readsOn {
		x.commit()
	}
	if !x.at.inResponse() && !x.pause() {
		return false
	}
	x.step.Act.perform(x)
	return x.keep && x.lapse == nil
}

// wrapUp ends the exchange, unless its act has left it in a lapse.
func (x *exchange) wrapUp() {
	if x.lapse != nil {
		x.conn.lapsing = x
		return
	}
	if x.keep {
		x.conn.rests()
	}
	if x.conn.stale == nil || x.conn.stale.exchange != x {
		x.finish()
	}
}

// commit performs the side effect of the request, if the step asks for it.
func (x *exchange) commit() {
	if x.step.Commit != NoCommit && x.record != nil {
		x.session.commit(x.record, x.step.Commit)
	}
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
	if x.head.expectsContinue() && x.body.receipt.Received == 0 && n > 0 && len(x.conn.in.unread()) == 0 && !x.sendContinue() {
		return false
	}
	err := x.body.readTo(n)
	x.receive()
	if err == nil {
		return true
	}
	if isBadBody(err) {
		x.session.event(x.conn, "bad-body", err.Error())
		x.instead("bad-body", err.Error())
		x.conn.refused = true
		x.conn.answerAndEnd(plainAnswer(http.StatusBadRequest, err.Error()))
		return false
	}
	x.left("while its request was read")
	return false
}

// sendContinue tells the client to send its body, once.
func (x *exchange) sendContinue() bool {
	if x.continued {
		return true
	}
	x.continued = true
	x.session.update(x.record, func(r *record) { r.Continued = x.session.Elapsed() })
	if err := x.conn.write([]byte("HTTP/1.1 100 Continue\r\n\r\n")); err != nil {
		x.failed(err)
		return false
	}
	return true
}

// pause waits for the step's delay.
func (x *exchange) pause() bool {
	if wait := x.notBefore - x.session.Elapsed(); x.notBefore > 0 && wait > 0 && !x.hold(wait, nil) {
		return false
	}
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
	if x.done {
		x.left("while it lasted")
	} else {
		x.left("before the step could strike")
	}
	return false
}
