package faultserver

import (
	"fmt"
	"sync/atomic"
	"time"
	"unsafe"
)

const (
	// entryBytes is what the journal's entry of an attempt takes beside its head and
	// its kept body: the structs, and the strings of step, hash and effect. (2 GiB of
	// heap for a journal of 1 million attempts with an empty head, less the head.)
	entryBytes = 2 << 10
	// lineBytes is what a header or trailer line takes beside its text.
	lineBytes = int64(unsafe.Sizeof(Header{}))
	// shortBytes is what the entry of a connection or a key takes, or that of an event
	// beside its text. (105, 83 and 54 bytes of heap, of 1 million each.)
	shortBytes = 128
	// longestDetail is how much an event says.
	longestDetail = 512
)

// admits tells whether there is room for the entry of an attempt; head is nil
// for a struck connection. The lock is held.
func (s *Session) admits(h *head) bool {
	size := int64(entryBytes)
	if h != nil {
		// The head is held as it came while it is parsed, and as lines afterwards.
		size += 2*int64(len(h.raw)) + lineBytes*int64(len(h.headers))
		if s.config.KeepBodies && h.hasBody() {
			size += keptBody
		}
	}
	return s.holds(size)
}

// holds tells whether the journal has room for so many bytes. The lock is held.
func (s *Session) holds(bytes int64) bool {
	return s.config.Admit == nil || s.config.Admit(bytes)
}

// holdTrailers leaves out the trailers of a body that the journal has no room for.
func (s *Session) holdTrailers(receipt *BodyReceipt) {
	if len(receipt.Trailers) == 0 {
		return
	}
	size := lineBytes * int64(len(receipt.Trailers))
	for _, line := range receipt.Trailers {
		size += int64(len(line.Name) + len(line.Value))
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.holds(size) {
		s.dropped++
		receipt.Trailers = nil
	}
}

// refusal says why the session may not serve one more connection; empty where it
// may. It has then taken the connection's place in the Room.
func (s *Session) refusal() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if most := s.config.MaxConnections; most > 0 && len(s.conns) >= most {
		return fmt.Sprintf("a connection beyond the %d that may be open at the same time", most)
	}
	if !s.config.Room.take() {
		return fmt.Sprintf("a connection beyond the %d that sessions with a listener of their own may have open together", s.config.Room.most)
	}
	return ""
}

// A Room is how many connections several sessions may have open together.
type Room struct {
	most int64
	open atomic.Int64
}

// NewRoom makes room for so many connections.
func NewRoom(connections int) *Room { return &Room{most: int64(connections)} }

func (r *Room) take() bool {
	if r == nil {
		return true
	}
	if r.open.Add(1) > r.most {
		r.open.Add(-1)
		return false
	}
	return true
}

func (r *Room) give() {
	if r != nil {
		r.open.Add(-1)
	}
}

// Limited bounds what clients can take of a Host: how many connections are open
// at the same time, and how long one may be about a request's head once that has
// begun to arrive. At the bound, the connection that has been open longest and
// waits for a request makes room for a new one; where none waits, the new one is
// closed. Zero means no bound.
func Limited(connections int, headTime time.Duration) HostOption {
	return func(h *Host) { h.maxConns, h.headTime = connections, headTime }
}

// makeRoom tells whether one more connection may be served. It ends an idle one
// where there are too many.
func (h *Host) makeRoom() bool {
	h.mu.Lock()
	open := len(h.conns)
	h.mu.Unlock()
	if h.maxConns == 0 || open < h.maxConns {
		return true
	}
	for {
		var oldest *conn
		for _, c := range h.openConns() {
			if (oldest == nil || c.accepted.Before(oldest.accepted)) && c.idle() {
				oldest = c
			}
		}
		if oldest == nil {
			return false
		}
		if oldest.giveUp() {
			h.forget(func() { delete(h.conns, oldest) })
			return true
		}
	}
}

// timedHead reads a request's head, within the time that its Host allows.
func (c *conn) timedHead() (*head, error) {
	host, shared := c.router.(*Host)
	if !shared || host.headTime == 0 {
		return c.in.readHead()
	}
	_ = c.tcp.SetReadDeadline(time.Now().Add(host.headTime))
	h, err := c.in.readHead()
	_ = c.tcp.SetReadDeadline(time.Time{})
	return h, err
}

// idle tells whether the connection waits for a request.
func (c *conn) idle() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return !c.busy
}

// giveUp closes the connection unless a request has come on it meanwhile, and tells
// whether it is closed.
func (c *conn) giveUp() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.busy {
		c.closeLocked()
	}
	return c.closed
}

// crashed ends the connection where serving it panicked, so that a script's crash
// is its own session's: the others are served on.
func (c *conn) crashed() {
	fault := recover()
	if fault == nil {
		return
	}
	c.linger = 0
	if s := c.session(); s != nil {
		s.event(c, "crashed", fmt.Sprint(fault))
	}
}
