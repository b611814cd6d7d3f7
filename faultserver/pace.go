package faultserver

import (
	"bytes"
	"fmt"
	"io"
	"time"
)

// A pace says how many bytes go out at a time, and how often.
type pace struct {
	piece Size
	every time.Duration
}

// paceTick is how often bytes go out that are paced by a rate: often enough to
// look like a slow line, seldom enough to cost nothing.
const paceTick = 20 * time.Millisecond

// paceOf is the pace of a number of bytes a second.
func paceOf(rate Size) pace {
	piece := max(1, rate*Size(paceTick)/Size(time.Second))
	return pace{piece, time.Duration(float64(piece) / float64(rate) * float64(time.Second))}
}

// due is when a piece goes out, the first being number 0: bytes never go out
// sooner than the pace allows, and one that was late delays no later one.
func (p pace) due(begun time.Time, number int64) time.Duration {
	return time.Until(begun.Add(time.Duration(number) * p.every))
}

// answerPaced gives a whole answer at a pace, head included, and ends the
// connection where it must. The act is in force once the client has to wait.
func (x *exchange) answerPaced(kind string, a Answer, p pace) {
	a = a.Encoded()
	if !x.holdForDate(a) {
		return
	}
	now := time.Now()
	r := render(a, x.layout(a, false, 0), now, x.session.since(now))
	x.beginAnswer(r)
	sent, whole := x.sendPaced(kind, r, p)
	effect := x.answerIntent(kind, a)
	if !whole {
		effect.Body = min(effect.Body, max(0, sent-int64(len(r.head))))
		if sent < int64(len(r.head)) {
			effect.Status = 0
		}
		if x.done {
			x.became(effect)
		}
		return
	}
	x.endPaced(effect, r)
}

// endPaced ends an answer that has been sent at a pace.
func (x *exchange) endPaced(effect Effect, r *rendering) {
	if x.keep = r.keep; !x.keep && !x.finishWhole(&effect) {
		return
	}
	x.answeredNow()
	if x.done {
		x.became(effect)
	} else {
		x.miss("it was over in one piece, so that nothing was slow")
		x.struck(effect)
	}
	x.drain()
}

// sendPaced sends an answer at a pace, and tells how many bytes of it went out,
// and whether all did.
func (x *exchange) sendPaced(kind string, r *rendering, p pace) (sent int64, whole bool) {
	stream := io.MultiReader(bytes.NewReader(r.head), r.body)
	begun := time.Now()
	for number := int64(0); ; number++ {
		piece, err := io.ReadAll(io.LimitReader(stream, int64(p.piece)))
		if err != nil || len(piece) == 0 {
			return sent, err == nil
		}
		if number > 0 && !x.waitPaced(kind, p.due(begun, number)) {
			return sent, false
		}
		if err := x.sendCounted(piece, bytes.NewReader(nil), wholeBody); err != nil {
			x.failed(err)
			return sent, false
		}
		sent += int64(len(piece))
	}
}

// waitPaced waits for the next piece, the act being in force from then on.
func (x *exchange) waitPaced(kind string, d time.Duration) bool {
	if !x.done {
		x.inForce(kind)
	}
	return x.hold(d, nil)
}

// readPaced reads the rest of the request at a pace. Between its pieces nothing
// is read at all, so that the client's leaving is seen with the next one.
func (x *exchange) readPaced(kind string, p pace) bool {
	begun := time.Now()
	for number := int64(1); ; number++ {
		if !x.read(number * int64(p.piece)) {
			return false
		}
		if x.body.receipt.Complete {
			return true
		}
		if !x.done {
			x.inForce(kind)
		}
		if !x.idle(p.due(begun, number)) {
			return false
		}
	}
}

// idle waits without reading what the client sends.
func (x *exchange) idle(d time.Duration) bool {
	x.settled()
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-x.conn.ended:
		x.left("while its request was read")
		return false
	}
}

// narrow makes the receive buffer of the connection small. It is not used again
// after the answer, since it stays so.
func (x *exchange) narrow(buffer Size) {
	if err := x.conn.tcp.SetReadBuffer(int(buffer)); err != nil {
		x.miss(fmt.Sprintf("a receive buffer of %s: %v", buffer, err))
	}
}

// last is the answer after which the connection is not used again.
func (a Answer) last() Answer {
	if !a.Headers.has("Connection", "close") {
		a.Headers = append(a.Headers[:len(a.Headers):len(a.Headers)], Header{"Connection", "close"})
	}
	return a
}

// paceProblems are what is wrong with a pace.
func paceProblems(piece Size, every time.Duration) []error {
	var problems []error
	if piece < 0 || piece > maxPiece {
		problems = append(problems, fmt.Errorf("bytes: %d; want from 1 to %s, or 0 for the default", int64(piece), Size(maxPiece)))
	}
	if every < 0 || every > longestSilence {
		problems = append(problems, fmt.Errorf("every: %s; want more than 0 and at most %s, or 0 for the default", FormatDuration(every), FormatDuration(longestSilence)))
	}
	return problems
}

// maxPiece bounds what goes out, or is read, at a time.
const maxPiece = 1 << 20
