package faultserver

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"
)

// A Host is one listener that many sessions share: each is found by the prefix
// /s/ID of a request's path, [ByHeaders] or [ByBaggage]. Connection-level steps
// are not possible there, since a connection belongs to no session before its
// first request.
type Host struct {
	listener *listener
	url      string
	// advertised is the base URL that stands for url; empty for none.
	advertised string
	// baggage tells that sessions are found by that header, not by the path;
	// headers that they are found by several, and by a Host with a suffix, too.
	baggage, headers bool
	suffixes         []string
	// strays answers for sessions that are not here; nil where all get a 404.
	strays func(id string) (Answer, bool)
	// authority certifies the listener; nil for a plain one.
	authority *Authority
	// maxConns and headTime are the bounds that Limited sets; 0 for none.
	maxConns int
	headTime time.Duration
	serving  sync.WaitGroup // the accepting goroutine, and each open connection

	closeOnce sync.Once
	closeErr  error

	mu       sync.Mutex
	sessions map[string]*Session
	unnamed  *Session
	conns    map[*conn]bool
	closed   bool
}

// A HostOption changes a Host: how it finds a request's session, or what it speaks.
type HostOption func(*Host)

// Secured has the Host speak TLS, certified by an authority, such as that of
// SharedAuthority. Its URL is then https://….
func Secured(authority *Authority) HostOption { return func(h *Host) { h.authority = authority } }

// Listen opens a Host at an address, host:port. It fails if the port is in use.
func Listen(address string, options ...HostOption) (*Host, error) {
	l, err := listen(address, false)
	if err != nil {
		return nil, err
	}
	h := &Host{listener: l, url: l.url(""), sessions: map[string]*Session{}, conns: map[*conn]bool{}}
	for _, option := range options {
		option(h)
	}
	if h.authority != nil {
		h.url = secureURL(h.url)
	}
	h.serving.Go(h.acceptAll)
	return h, nil
}

// Advertised has the URLs of the Host and its sessions begin with a base URL by
// which clients reach it, http://host:port, in the place of its own address.
func Advertised(url string) HostOption { return func(h *Host) { h.advertised = url } }

// URL is the base URL by which clients reach the Host, without a slash at its
// end.
func (h *Host) URL() string { return cmp.Or(h.advertised, h.url) }

// Address is where it listens, host:port.
func (h *Host) Address() string { return h.listener.address }

// Open adds a session under /s/ID. It fails for an id that is no name or is
// taken, for a config that Validate refuses, and for one with connections.
func (h *Host) Open(id string, cfg Config) (*Session, error) {
	if !isName(id) {
		return nil, fmt.Errorf("session id %q; want %s", clip(id), nameRule)
	}
	cfg.ID = id
	return h.add(cfg, h.URL()+"/s/"+id, func(s *Session) error {
		if h.sessions[id] != nil {
			return fmt.Errorf("session id %q is taken; choose another, or close that session first", id)
		}
		h.sessions[id] = s
		s.leave = func() { h.forget(func() { delete(h.sessions, id) }) }
		return nil
	})
}

// Default adds the session of the requests without a prefix /s/…. It fails as
// Open does, and if there is one already.
func (h *Host) Default(cfg Config) (*Session, error) {
	return h.add(cfg, h.URL(), func(s *Session) error {
		if h.unnamed != nil {
			return errors.New("there is a default session already; close it first")
		}
		h.welcome(s)
		return nil
	})
}

// Replace makes another session the default one, and gives the former one, nil
// for none. No request falls between the two: the former keeps those that it has
// begun, and is the caller's to close. It fails as Open does, and then nothing
// has changed.
func (h *Host) Replace(cfg Config) (latter, former *Session, err error) {
	latter, err = h.add(cfg, h.URL(), func(s *Session) error {
		former = h.unnamed
		h.welcome(s)
		return nil
	})
	return latter, former, err
}

// welcome makes a session the default one. The lock is held.
func (h *Host) welcome(s *Session) {
	h.unnamed = s
	s.leave = func() {
		h.forget(func() {
			if h.unnamed == s { // and not replaced since
				h.unnamed = nil
			}
		})
	}
}

func (h *Host) add(cfg Config, url string, enter func(*Session) error) (*Session, error) {
	if len(cfg.Connections) > 0 {
		return nil, errors.New("connections: a shared listener cannot strike at connections; open the session with a listener of its own")
	}
	if cfg.TLS && h.authority == nil {
		return nil, errors.New("tls: the shared listener does not speak TLS; open the session with a listener of its own")
	}
	cfg.TLS = h.authority != nil
	s, err := newSession(cfg)
	if err != nil {
		return nil, err
	}
	s.url = url
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed {
		return nil, errors.New("the host is closed")
	}
	if err := enter(s); err != nil {
		return nil, err
	}
	return s, nil
}

func (h *Host) forget(remove func()) {
	h.mu.Lock()
	defer h.mu.Unlock()
	remove()
}

// fallback is the default session, if there is one.
func (h *Host) fallback() *Session {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.unnamed
}

func (h *Host) acceptAll() {
	for {
		// An accept that failed is tried again; it belongs to no session's journal.
		tcp, err := h.listener.accept(func(error) {})
		if err != nil {
			return
		}
		c, err := newConn(tcp, h, h.authority)
		if err != nil {
			_ = tcp.Close() // it is gone already
			continue
		}
		if !h.admit(c) {
			_ = tcp.Close() // there is no room, or the host is being closed
			continue
		}
		h.serving.Go(func() {
			c.serve(nil)
			h.forget(func() { delete(h.conns, c) })
		})
	}
}

// admit enters a connection that is to be served, if there is room. Only the
// accepting goroutine calls it.
func (h *Host) admit(c *conn) bool {
	if !h.makeRoom() {
		return false
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed {
		return false
	}
	h.conns[c] = true
	return true
}

// Close closes the listener, every session, and every connection. When it
// returns, nothing of them is left. Closing twice does nothing.
func (h *Host) Close() error {
	h.closeOnce.Do(func() { h.closeErr = h.close() })
	return h.closeErr
}

func (h *Host) close() error {
	h.mu.Lock()
	h.closed = true
	sessions := slices.Collect(maps.Values(h.sessions))
	if h.unnamed != nil {
		sessions = append(sessions, h.unnamed)
	}
	h.mu.Unlock()
	problems := []error{h.listener.close()}
	for _, s := range sessions {
		problems = append(problems, s.Close())
	}
	for _, c := range h.openConns() {
		c.closeNow()
	}
	h.serving.Wait()
	return errors.Join(problems...)
}

func (h *Host) openConns() []*conn {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.Collect(maps.Keys(h.conns))
}
