package faultserver

import (
	"fmt"
	"net"
	"net/http"
	"strings"
)

// serve handles one request of the session and tells whether its connection
// lives on.
func (s *Session) serve(c *conn, h *head) bool {
	if len(s.config.Calls) > 0 && !h.plain {
		if token, rest, found := cutPrefix(h.path, "/c/"); found {
			h.token, h.named, h.callPrefix, h.path = token, true, "/c/"+token, rest
		}
	}
	if h.named && !s.declared(h.token) {
		reason := fmt.Sprintf("no such call: %q", clip(h.token))
		s.event(c, "unknown-call", fmt.Sprintf("%s %s: %s", h.method, clip(h.target), reason))
		return s.decline(c, h, Answer{Status: http.StatusNotFound, Body: Body{Text: "faultsrv: " + reason + "\n"}})
	}
	if s.config.NoAttempts || !s.config.Match.holds(h) {
		s.event(c, "unmatched", h.method+" "+clip(h.path))
		return s.serveOtherwise(c, h)
	}
	r, taken := s.begin(arrival{conn: c, head: h, at: h.arrived})
	space := workspaces.Get().(*workspace)
	x := &space.exchange
	x.conn, x.session, x.record, x.head, x.body = c, s, r, h, &space.body
	x.step, x.at = taken.step, taken.step.point(attemptScript)
	x.body.begin(c.in, h, s.config.KeepBodies)
	x.drawsFor, x.drawsAt = r.Call, r.Number
	x.choose(Succeed{})
	x.accept(taken.verdict)
	s.update(r, func(r *record) {
		r.Body = x.body.snapshot()
		r.Intended = x.step.Act.intent(x)
	})
	keep := x.run()
	if keep {
		space.free()
	}
	return keep
}

// declared tells whether the session was opened with a call of this token.
func (s *Session) declared(token string) bool {
	for _, call := range s.config.Calls {
		if call.Token == token {
			return true
		}
	}
	return false
}

// decline answers a request that is no attempt.
func (s *Session) decline(c *conn, h *head, a Answer) bool {
	x := &exchange{conn: c, session: s, head: h, body: newRequestBody(c.in, h, false), at: Point{Phase: RequestEnd}}
	if x.readAll() {
		x.answer(a)
	}
	return x.keep
}

// choose draws whether the step strikes at all. One that does not leaves bytes
// and timing as the other act has them.
func (x *exchange) choose(other Act) {
	p := x.step.Probability
	if p == nil || x.draws().Float64() < *p {
		return
	}
	x.detail(fmt.Sprintf("%s did not strike (probability %v)", x.step.Act.ActName(), *p))
	x.step = Step{Act: other}
	x.at = x.step.point(x.head == nil)
}

// holds tells whether a request is an attempt.
func (m Match) holds(h *head) bool {
	path, _, _ := strings.Cut(h.path, "?")
	if m.Method != "" && m.Method != h.method || m.Path != "" && m.Path != path {
		return false
	}
	if m.Header.Name == "" {
		return true
	}
	for _, value := range h.headers.Values(m.Header.Name) {
		if m.Header.Value == "" || m.Header.Value == value {
			return true
		}
	}
	return false
}

// acceptAll accepts connections, in order, until the session is closed.
func (s *Session) acceptAll() {
	for s.refuseInTurn() {
		tcp, err := s.listener.accept(func(err error) { s.event(nil, "accept-failed", err.Error()) })
		if err != nil || !s.take(tcp) {
			return
		}
	}
}

// take serves an accepted connection, by the next entry of the connection
// script if there is one.
func (s *Session) take(tcp *net.TCPConn) bool {
	c, err := newConn(tcp, s, s.authority)
	if err != nil {
		_ = tcp.Close() // it is gone already
		return true
	}
	if refusal := s.refusal(); refusal != "" {
		s.event(nil, "refused", refusal) // first: whoever was refused finds it
		_ = tcp.Close()
		return true
	}
	struck, joined := c.start(s)
	if !joined {
		_ = tcp.Close() // the session is being closed
		s.config.Room.give()
		return false
	}
	go c.serve(struck)
	return true
}

// strikeOn takes an entry of the connection script for a connection that has come
// to a phase, if the next one strikes there. It returns nil where the connection
// is to be served like any other.
func (s *Session) strikeOn(c *conn, phase Phase) *exchange {
	s.mu.Lock()
	index, found := s.connections.next()
	found = found && s.strikesAt(s.connections.steps[index]) == phase
	var taken choice
	if found {
		taken = s.connections.take(false)
	}
	id := s.conns[c].ID
	s.mu.Unlock()
	if !found {
		return nil
	}
	x := &exchange{conn: c, session: s, step: taken.step, at: Point{Phase: phase}}
	x.drawsFor, x.drawsAt = "connections", id
	x.choose(Untouched{})
	if _, untouched := x.step.Act.(Untouched); untouched {
		s.mu.Lock()
		s.connections.met[taken.ref.Index-1]++
		s.mu.Unlock()
		return nil
	}
	x.record, _ = s.begin(arrival{conn: c, struck: &taken, at: c.accepted})
	s.update(x.record, func(r *record) { r.Intended = x.step.Act.intent(x) })
	return x
}

// strikesAt is the phase of a connection in which an entry of the connection script
// is taken.
func (s *Session) strikesAt(entry Step) Phase {
	if s.authority != nil && inHandshake(entry) {
		return TLSHandshake
	}
	return Accept
}

// refuseInTurn holds the windows that are next in the connection script. It
// returns false when the session is closed.
func (s *Session) refuseInTurn() bool {
	for s.openWindow() {
		if !s.holdWindow() {
			return false
		}
	}
	return true
}

// openWindow stops listening if a window is next in the connection script, or
// has been opened already.
func (s *Session) openWindow() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.window != nil {
		return true
	}
	index, found := s.connections.next()
	if !found {
		return false
	}
	window, is := s.connections.steps[index].Act.(window)
	if !is {
		return false
	}
	s.connections.take(false)
	s.window = window
	from := s.Elapsed()
	if err := window.open(s.listener); err != nil {
		s.events = append(s.events, ProtocolEvent{Kind: "accept-failed", At: from, Detail: window.ActName() + ": " + err.Error()})
	} else {
		s.connections.met[index]++
	}
	s.windows = append(s.windows, Window{Act: window.ActName(), From: from})
	s.announce()
	return true
}

// holdWindow waits until the window is over, and listens again. It returns
// false when the session is closed.
func (s *Session) holdWindow() bool {
	length := s.window.length()
	over := length > 0 && s.listener.sleep(length)
	if length == 0 {
		<-s.listener.closed
	}
	until := s.Elapsed() // before the port listens: who is accepted comes later
	var err error
	if over {
		if err = s.listener.open(); err != nil {
			s.event(nil, "accept-failed", "after a window: "+err.Error())
		}
	}
	// It is entered once the port listens: who reads that the window is over may
	// connect.
	s.mu.Lock()
	s.windows[len(s.windows)-1].Until = until
	s.window = nil
	s.announce()
	s.mu.Unlock()
	return over && err == nil
}
