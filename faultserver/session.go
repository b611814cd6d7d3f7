package faultserver

import (
	"cmp"
	"crypto/sha256"
	"errors"
	"maps"
	"slices"
	"sync"
	"time"
)

// A Session is one isolated run of a script with its own journal. It shares
// nothing with any other session. All its methods may be called at the same
// time.
type Session struct {
	id, url  string
	config   Config
	begun    time.Time
	listener *listener // nil under a Host
	// authority certifies the session's own listener; nil for a plain one.
	authority *Authority
	leave     func() // tells the Host, if any, that the session is no more

	// closing is closed when Close begins.
	closing   chan struct{}
	closeOnce sync.Once
	closeErr  error
	serving   sync.WaitGroup // the accepting goroutine, and each open connection

	mu          sync.Mutex
	changed     chan struct{} // closed when something happens; nil while nobody waits for that
	script      *cursor
	connections *cursor
	calls       map[string]*callState
	order       []*callState
	starts      []*callState // as they were started
	records     []*record
	blank       []record                   // for those to come
	attempts    int                        // in all, those that were dropped included
	unscripted  int                        // of those, the ones that came after the script's end
	committed   map[[sha256.Size]byte]bool // by the hash of the key
	conns       map[*conn]*connRecord      // the open ones
	connLog     []*connRecord
	connCount   int
	events      []ProtocolEvent
	windows     []Window
	window      window // the one that is open
	settling    int    // how many records are
	effects     int
	dropped     int
}

// ErrSessionClosed is matched by the error of a wait that the session's end
// cut short.
var ErrSessionClosed = errors.New("the session is closed")

// A callState is what a session knows of one call.
type callState struct {
	token, name string
	cursor      *cursor // nil: the session's
	count       int     // attempts in all
	attempts    []*record
	started     *time.Duration
	returned    *time.Duration
}

// Open starts a session with a listener of its own on a free port of
// 127.0.0.1. It fails for a config that Validate refuses.
func Open(cfg Config) (*Session, error) {
	return OpenAt("127.0.0.1:0", cfg)
}

// OpenAt is Open on a given address, host:port. It fails if the port is in use.
func OpenAt(address string, cfg Config) (*Session, error) {
	s, err := newSession(cfg)
	if err != nil {
		return nil, err
	}
	refuses := slices.ContainsFunc(cfg.Connections, func(step Step) bool {
		_, is := step.Act.(window)
		return is
	})
	if s.listener, err = listen(address, refuses); err != nil {
		return nil, err
	}
	s.url = s.listener.url(cfg.AdvertiseHost)
	if s.authority != nil {
		s.url = secureURL(s.url)
	}
	s.begun = time.Now()
	s.openWindow()
	s.serving.Go(s.acceptAll)
	return s, nil
}

func newSession(cfg Config) (*Session, error) {
	if err := cfg.Playable(); err != nil {
		return nil, err
	}
	authority, err := cfg.authority()
	if err != nil {
		return nil, err
	}
	if cfg.TLS {
		cfg.Connections = atHandshake(cfg.Connections)
	}
	cfg.ID = cmp.Or(cfg.ID, "session")
	cfg.MaxAttempts = cmp.Or(cfg.MaxAttempts, DefaultMaxAttempts)
	s := &Session{
		id: cfg.ID, config: cfg, authority: authority, begun: time.Now(), leave: func() {},
		closing:     make(chan struct{}),
		script:      newCursor("script", "", cfg.Script, attemptScript, cfg.AfterScript),
		connections: newCursor("connections", "", cfg.Connections, connectionScript, FailAfterScript),
		calls:       map[string]*callState{}, committed: map[[sha256.Size]byte]bool{}, conns: map[*conn]*connRecord{},
	}
	for _, declared := range cfg.Calls {
		call := &callState{token: declared.Token, name: declared.name()}
		if declared.Script != nil {
			call.cursor = newCursor("call", declared.Token, declared.Script, attemptScript, cfg.AfterScript)
		}
		s.calls[declared.Token] = call
		s.order = append(s.order, call)
	}
	return s, nil
}

// ID is the session's id.
func (s *Session) ID() string { return s.id }

// URL is the base URL, without a slash at its end: http://127.0.0.1:1234, or
// under a Host http://127.0.0.1:8503/s/ID.
func (s *Session) URL() string { return s.url }

// CallURL is the URL of a path as the call with the token requests it; path
// begins with a slash.
func (s *Session) CallURL(token, path string) string {
	return s.url + "/c/" + token + path
}

// Elapsed is the session's clock: the time since it was opened.
func (s *Session) Elapsed() time.Duration { return s.since(time.Now()) }

// since is a moment on the session's clock.
func (s *Session) since(t time.Time) time.Duration { return t.Sub(s.begun) }

// Start tells that the call with the token is about to be made. It is then the
// current sequential call, to which attempts without a token belong.
func (s *Session) Start(token string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	call, now := s.call(token), s.Elapsed()
	call.started, call.returned = &now, nil
	s.starts = append(s.starts, call)
	s.announce()
}

// Return tells that the call with the token has returned to its caller.
func (s *Session) Return(token string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.Elapsed()
	s.call(token).returned = &now
	s.announce()
}

// announce wakes whoever waits for a moment. The lock is held.
func (s *Session) announce() {
	if s.changed != nil {
		close(s.changed)
		s.changed = nil
	}
}

// change is closed when something happens next. The lock is held.
func (s *Session) change() <-chan struct{} {
	if s.changed == nil {
		s.changed = make(chan struct{})
	}
	return s.changed
}

// call is the state of a call; one that was not declared begins to exist. The
// lock is held.
func (s *Session) call(token string) *callState {
	call := s.calls[token]
	if call == nil {
		call = &callState{token: token, name: token}
		s.calls[token] = call
		s.order = append(s.order, call)
	}
	return call
}

// repeatsOf are the calls with a name, or the one with that token. The lock is
// held.
func (s *Session) repeatsOf(name string) []*callState {
	var repeats []*callState
	for _, call := range s.order {
		if call.name == name {
			repeats = append(repeats, call)
		}
	}
	if call := s.calls[name]; len(repeats) == 0 && call != nil {
		return []*callState{call}
	}
	return repeats
}

// currentCall is the call that an attempt without a token belongs to: the
// latest one that was started and has not returned; else the one started last,
// since a late attempt is its. The lock is held.
func (s *Session) currentCall() *callState {
	for _, call := range slices.Backward(s.starts) {
		if call.returned == nil {
			return call
		}
	}
	if len(s.starts) > 0 {
		return s.starts[len(s.starts)-1]
	}
	return s.call("")
}

// CloseIdle ends the connections that wait for a next request, or have not
// carried one yet, with FIN. It has been sent when the call returns. As with
// Journal, a connection whose answer is just being written counts as one that
// waits.
func (s *Session) CloseIdle() {
	s.mu.Lock()
	s.settle()
	s.mu.Unlock()
	for _, c := range s.openConns() {
		c.closeIfIdle()
	}
}

func (s *Session) openConns() []*conn {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Collect(maps.Keys(s.conns))
}

// Close ends the session. When it returns, no connection, goroutine or timer
// of it is left; the journal can still be read. As with Journal, answers that are
// just being written are waited for, so that a client that has its answer finds
// it in the journal. Closing twice does nothing.
func (s *Session) Close() error {
	s.closeOnce.Do(func() {
		close(s.closing)
		if s.listener != nil {
			s.closeErr = s.listener.close()
		}
		s.mu.Lock()
		s.settle()
		s.mu.Unlock()
		for _, c := range s.openConns() {
			c.closeFor(s)
		}
		s.serving.Wait()
		s.leave()
	})
	return s.closeErr
}
