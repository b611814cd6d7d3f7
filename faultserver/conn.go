package faultserver

import (
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"runtime"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

const (
	// lingerTime is how long a connection is still read after its FIN, so that
	// bytes on their way do not turn the FIN into a RST that takes the answer
	// with it. (A plain close gave RST in 597 of 1,000 at accept, and always
	// with unread bytes.)
	lingerTime = time.Second
	// drainTime is how long a request's body is still read after an early answer.
	drainTime = 10 * time.Second
	// writeTime is how long a client may leave an answer unread.
	writeTime = 60 * time.Second
	// ackTime is how long a peer may leave bytes unacknowledged before a strike
	// that waits for it goes on without; a delayed acknowledgement takes 40 ms.
	ackTime = 5 * time.Second
)

// A router finds the session of a request.
type router interface {
	// route is the session that a request belongs to; nil for none, and then what
	// it is answered. It takes the session's prefix off the head's path.
	route(h *head) (s *Session, stray *Answer)
	// fallback is the session that takes what belongs to no request, if any.
	fallback() *Session
}

// route makes a session with its own listener the router of its connections.
func (s *Session) route(*head) (*Session, *Answer) { return s, nil }

func (s *Session) fallback() *Session { return s }

// A conn is one accepted connection. Its goroutine alone uses what the lock
// does not guard.
type conn struct {
	router   router
	tcp      *net.TCPConn
	raw      syscall.RawConn
	in       *input
	accepted time.Time
	// uses counts the requests whose head arrived on it.
	uses int
	// linger is how long it is still read before it is closed; 0 after a RST.
	linger time.Duration
	// lapsing is the exchange that waits in a lapse; nil for none.
	lapsing *exchange
	// refused tells that an event already says why it ends.
	refused bool
	stale   *staleEnd

	// authority certifies the connection; nil for a plain one, which secured is, too,
	// and so is one until its handshake has been completed.
	authority *Authority
	secured   *tls.Conn
	// handshake is why the handshake failed.
	handshake error
	// unnotified tells that the connection is to end without close_notify.
	unnotified bool

	// written counts what was written to the socket, which may last until writeBy.
	written atomic.Int64
	writeBy time.Time
	// room is what headRoom gives; nil before the first answer.
	room  *[usualHead]byte
	ended chan struct{} // closed when the server has closed the socket

	mu     sync.Mutex
	owner  *Session // whose requests it carries
	busy   bool     // with a request, or with a connection-level step
	finned bool     // ended by closeIfIdle
	closed bool
}

func newConn(tcp *net.TCPConn, router router, authority *Authority) (*conn, error) {
	raw, err := tcp.SyscallConn()
	if err != nil {
		return nil, err
	}
	return &conn{
		router: router, tcp: tcp, raw: raw, in: newInput(tcp), authority: authority, accepted: time.Now(),
		ended: make(chan struct{}),
	}, nil
}

// serve handles the connection until it ends; struck is the exchange of a
// connection-level step, nil for none.
func (c *conn) serve(struck *exchange) {
	defer c.end()
	defer c.crashed()
	if struck != nil {
		struck.run()
		c.lapsed()
		return
	}
	if c.authority != nil && !c.secure() {
		return
	}
	for going := true; going; {
		going = c.next() || c.lapsed()
	}
}

// next serves one request and tells whether the connection lives on.
func (c *conn) next() bool {
	if !c.rest() {
		return false
	}
	c.overtaken()
	if s := c.session(); s != nil && c.uses == 0 {
		s.carried(c, 0)
	}
	h, err := c.timedHead()
	if err != nil {
		c.refuse(err)
		return false
	}
	c.uses++
	s, stray := c.router.route(h)
	if s != nil && !c.assign(s) {
		s, stray = nil, plainAnswer(http.StatusNotFound, "the session has just ended")
	}
	if s == nil {
		c.answerAndEnd(stray)
		return false
	}
	s.carried(c, 1)
	return s.serve(c, h)
}

// rest waits for the first byte of a request and tells whether one came.
func (c *conn) rest() bool {
	timed := c.stale != nil
	c.mu.Lock()
	c.busy = false
	if timed && !c.finned {
		_ = c.tcp.SetReadDeadline(c.stale.at)
	}
	c.mu.Unlock()
	var err error
	if len(c.in.unread()) == 0 {
		err = c.in.fill()
	}
	c.mu.Lock()
	c.busy = true
	finned := c.finned
	if timed && !finned {
		_ = c.tcp.SetReadDeadline(time.Time{})
	}
	c.mu.Unlock()
	if finned {
		c.linger = lingerTime
		return false
	}
	if errors.Is(err, os.ErrDeadlineExceeded) {
		c.endStale()
		return false
	}
	return err == nil
}

// rests enters that the connection is done with a request.
func (c *conn) rests() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.busy = false
}

// closeIfIdle sends FIN if the connection waits for a request.
func (c *conn) closeIfIdle() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.busy && !c.finned && !c.closed {
		c.finned = true
		_ = c.finish() // a connection that is gone needs none
		_ = c.tcp.SetReadDeadline(time.Now().Add(lingerTime))
	}
}

// session is whose requests the connection carries, or would carry.
func (c *conn) session() *Session {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.owner != nil {
		return c.owner
	}
	return c.router.fallback()
}

// start makes a new connection a session's, and takes the connection-level step
// that strikes it, if one does. It fails if the session is closed.
func (c *conn) start(s *Session) (struck *exchange, joined bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !s.join(c) {
		return nil, false
	}
	c.owner = s
	struck = s.strikeOn(c, Accept)
	c.busy = struck != nil
	return struck, true
}

// assign makes the connection carry a session's requests. It fails if the
// session or the connection is closed.
func (c *conn) assign(s *Session) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.owner == s {
		return !c.closed
	}
	if c.closed || !s.join(c) {
		return false
	}
	if c.owner != nil {
		c.owner.part(c, ClientEnd{}, false)
	}
	c.owner = s
	return true
}

// refuse answers what is no request, if it can be answered, and lists it.
func (c *conn) refuse(err error) {
	var bad *badHead
	if !errors.As(err, &bad) {
		return
	}
	c.refused = true
	if s := c.session(); s != nil {
		s.event(c, bad.kind, bad.reason)
	}
	if bad.status != 0 {
		c.answerAndEnd(plainAnswer(bad.status, bad.reason))
		return
	}
	_ = c.finish() // a client that is gone needs none
	c.linger = lingerTime
}

// plainAnswer is the server's own answer, outside any script.
func plainAnswer(status int, reason string) *Answer {
	return &Answer{Status: status, Headers: Headers{{"Content-Type", "text/plain; charset=utf-8"}}, Body: Body{Text: "faultsrv: " + reason + "\n"}}
}

// headRoom is where the head of an answer is written, which has been sent before
// the next one is.
func (c *conn) headRoom() []byte {
	if c.room == nil {
		c.room = new([usualHead]byte)
	}
	return c.room[:]
}

// usualHead is room for the head of an answer with few headers of its own.
const usualHead = 256

// answerAndEnd answers outside any script, and ends the connection.
func (c *conn) answerAndEnd(answer *Answer) {
	r := render(*answer, layout{framing: FramingLength}, time.Now(), 0)
	if err := c.send(r.head, r.body, wholeBody); err == nil {
		_ = c.finish() // a client that is gone needs none
		c.linger = lingerTime
	}
}

// send writes a head and then body up to a number of its bytes, in one write
// where they fit in one buffer: some proxies act differently when head and
// body arrive apart.
func (c *conn) send(head []byte, body io.Reader, most int64) error {
	buffer := transferBuffers.Get().(*[transferBuffer]byte)
	defer transferBuffers.Put(buffer)
	filled := 0
	if len(head) <= len(buffer) {
		filled = copy(buffer[:], head)
	} else if err := c.write(head); err != nil {
		return err
	}
	for {
		n, err := io.ReadFull(body, buffer[filled:filled+int(min(most, int64(len(buffer)-filled)))])
		most -= int64(n)
		filled += n
		if filled > 0 {
			if err := c.write(buffer[:filled]); err != nil {
				return err
			}
		}
		if err != nil || most == 0 {
			return nil // bodies end; they do not fail
		}
		filled = 0
	}
}

func (c *conn) write(p []byte) error {
	// The deadline is moved once a second at most, which is cheaper than each time.
	if deadline := time.Now().Add(writeTime); deadline.Sub(c.writeBy) > time.Second {
		if err := c.tcp.SetWriteDeadline(deadline); err != nil {
			return err
		}
		c.writeBy = deadline
	}
	if c.secured != nil {
		_, err := c.secured.Write(p)
		return err
	}
	n, err := c.tcp.Write(p)
	c.written.Add(int64(n))
	return err
}

// awaitAcks waits until the peer has acknowledged all that was written, and
// tells how many bytes it has and whether it is still there.
func (c *conn) awaitAcks() (acked int64, open bool) {
	want := c.written.Load()
	deadline := time.Now().Add(ackTime)
	for pause := 10 * time.Microsecond; ; pause = min(2*pause, time.Millisecond) {
		acked, open, err := ackedBytes(c.raw, want)
		if acked >= want || !open || err != nil || time.Now().After(deadline) {
			return acked, open && err == nil
		}
		runtime.Gosched()
		time.Sleep(pause)
	}
}

// abort ends the connection with RST.
func (c *conn) abort() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.closed {
		_ = c.tcp.SetLinger(0) // fails only where the connection is gone
		c.closeLocked()
	}
}

func (c *conn) closeLocked() {
	if !c.closed {
		c.closed = true
		close(c.ended)
		_ = c.tcp.Close() // the socket is gone in any case
	}
}

// closeFor closes the connection if it carries the session's requests.
func (c *conn) closeFor(s *Session) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.owner == s {
		c.closeLocked()
	}
}

// closeNow closes the connection, whoever's requests it carries.
func (c *conn) closeNow() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.closeLocked()
}

// end closes the connection in the way its last exchange left it.
func (c *conn) end() {
	if c.stale != nil {
		c.overtakenByEnd()
	}
	if c.linger > 0 {
		if n := c.in.discard(c.linger); n > 0 && !c.refused {
			if s := c.session(); s != nil {
				s.event(c, "unanswered", fmt.Sprintf("%d bytes came beyond the last request that was answered", n))
			}
		}
	}
	c.mu.Lock()
	owner := c.owner
	c.mu.Unlock()
	if owner != nil {
		owner.refresh(c)
	}
	c.closeNow()
	client := ClientEnd{}
	if owner != nil {
		client = owner.clientEnd(c.in)
	}
	c.in.release()
	if owner != nil {
		owner.part(c, client, true)
	}
}
