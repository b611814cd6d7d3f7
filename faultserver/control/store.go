package control

import (
	"cmp"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/faultsrv/faultsrv/faultserver"
)

// An entry is a session that the API knows.
type entry struct {
	id       string
	session  *faultserver.Session
	scenario Scenario
	calls    []*call
	feed     *Feed
	// own tells that it has a listener of its own, adopted that it is another's.
	own, adopted bool
	created      time.Time
	ttl          time.Duration
	used         atomic.Int64 // when it was used last, in Unix nanoseconds
	users        atomic.Int64 // requests that wait for it, or read it live
	bytes        atomic.Int64 // what its journal takes, and what was told of its calls
	// steps is how many its scripts have; the store's lock guards it.
	steps int
	gone  chan struct{}
}

func (e *entry) touch() { e.used.Store(time.Now().UnixNano()) }

// use keeps the entry from expiring until done is called.
func (e *entry) use() (done func()) {
	e.users.Add(1)
	return func() {
		e.touch()
		e.users.Add(-1)
	}
}

// expires is when the entry ends unless it is used before; zero for never.
func (e *entry) expires() time.Time {
	switch {
	case e.adopted:
		return time.Time{}
	case e.users.Load() > 0:
		return time.Now().Add(e.ttl)
	}
	return time.Unix(0, e.used.Load()).Add(e.ttl)
}

// tokens are the calls' tokens, for a message.
func (e *entry) tokens() string {
	if len(e.calls) == 0 {
		return "no calls: it was made from a script"
	}
	const most = 10
	var tokens []string
	for _, one := range e.calls[:min(most, len(e.calls))] {
		tokens = append(tokens, one.Token)
	}
	if len(e.calls) > most {
		tokens = append(tokens, "…")
	}
	return strings.Join(tokens, ", ")
}

// A store keeps the sessions and ends those that expire.
type store struct {
	options Options
	limits  Limits
	metrics *metrics
	bytes   atomic.Int64 // what all journals take
	// created and attempts count what Totals tells.
	created, attempts atomic.Int64

	mu      sync.Mutex
	entries map[string]*entry
	own     own
	steps   int // of all sessions
	closed  bool
	// sooner has an entry when something may expire sooner than was known.
	sooner chan struct{}
	reaper sync.WaitGroup
	ending chan struct{}
}

func newStore(options Options, limits Limits, m *metrics) *store {
	s := &store{
		options: options, limits: limits, metrics: m,
		own: own{
			host: cmp.Or(options.OwnHost, "127.0.0.1"), advertised: options.AdvertiseHost, ports: options.OwnPorts,
			room: faultserver.NewRoom(limits.OwnConnections), most: limits.ListenerFiles,
		},
		entries: map[string]*entry{}, sooner: make(chan struct{}, 1), ending: make(chan struct{}),
	}
	s.reaper.Go(s.reap)
	return s
}

// A wish is a session as its creator wants it.
type wish struct {
	id       string
	scenario Scenario
	own      bool
	ttl      time.Duration
}

// longestID is how long an id may be that is asked for. It stands in every entry of
// its journal, and in every URL.
const longestID = 200

// open creates a session.
func (s *store) open(w wish) (*entry, *problem) {
	if len(w.id) > longestID {
		return nil, unusable.problem("id %q has %d characters; expected at most %d", clip(w.id), len(w.id), longestID)
	}
	id, refused := owned(s.options.Name, cmp.Or(w.id, newID()))
	if refused != nil {
		return nil, refused
	}
	e := &entry{id: id, scenario: w.scenario, own: w.own, ttl: w.ttl, created: time.Now(), feed: NewFeed(), gone: make(chan struct{})}
	for _, one := range w.scenario.Calls {
		e.calls = append(e.calls, &call{Call: one})
	}
	e.touch()
	config := w.scenario.Config
	config.ID, config.MaxConnections = e.id, s.limits.SessionConnections
	config.TLS = config.TLS || w.own && s.options.OwnTLS
	config.Admit = func(bytes int64) bool { return s.admit(e, bytes) }
	config.Observe = func(a faultserver.Attempt) { s.observe(e, a) }

	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.closed:
		return nil, conflict.problem("the server is ending")
	case s.entries[e.id] != nil:
		return nil, conflict.problem("session %q is there already; choose another id, or delete it first", e.id)
	case len(s.entries) >= s.limits.Sessions:
		return nil, tooMany.problem("there are %d sessions, as many as there may be; delete one, or wait until one expires", len(s.entries))
	}
	steps := stepsOf(config)
	if refused = s.fits(e, steps); refused != nil {
		return nil, refused
	}
	e.steps = steps
	if w.own {
		e.session, refused = s.own.open(config)
	} else {
		e.session, refused = opened(s.options.Host.Open(e.id, config))
	}
	if refused != nil {
		return nil, refused
	}
	s.enter(e)
	s.created.Add(1)
	s.metrics.created.Inc()
	return e, nil
}

// enter makes an entry known. The lock is held.
func (s *store) enter(e *entry) {
	s.entries[e.id] = e
	s.steps += e.steps
	s.metrics.sessions.Set(float64(len(s.entries)))
	select {
	case s.sooner <- struct{}{}:
	default:
	}
}

// adopt makes a session of somebody else's known.
func (s *store) adopt(id string, session *faultserver.Session, feed *Feed) error {
	e := &entry{id: id, session: session, adopted: true, created: time.Now(), feed: feed, gone: make(chan struct{})}
	script, _ := session.Script()
	e.steps = len(script)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed || s.entries[id] != nil {
		return fmt.Errorf("session %q: the id is taken, or the server is closed", id)
	}
	s.enter(e)
	return nil
}

// admit asks for the memory of a journal's entry.
func (s *store) admit(e *entry, bytes int64) bool {
	if e.bytes.Load()+bytes > s.limits.SessionBytes {
		return false
	}
	if s.bytes.Add(bytes) > s.limits.TotalBytes {
		s.bytes.Add(-bytes)
		return false
	}
	e.bytes.Add(bytes)
	s.metrics.bytes.Set(float64(s.bytes.Load()))
	return true
}

func (s *store) observe(e *entry, a faultserver.Attempt) {
	e.touch()
	if !a.Open {
		s.attempts.Add(1)
		s.metrics.attempted(a)
	}
	e.feed.Observe(a)
	if s.options.Observe != nil {
		s.options.Observe(a)
	}
}

// get finds a session, whose life it prolongs; nil where there is none.
func (s *store) get(id string) *entry {
	s.mu.Lock()
	defer s.mu.Unlock()
	e := s.entries[id]
	if e != nil {
		e.touch()
	}
	return e
}

// all are the sessions by id.
func (s *store) all() []*entry {
	s.mu.Lock()
	defer s.mu.Unlock()
	list := make([]*entry, 0, len(s.entries))
	for _, e := range s.entries {
		list = append(list, e)
	}
	slices.SortFunc(list, func(a, b *entry) int { return strings.Compare(a.id, b.id) })
	return list
}

// end closes a session and forgets it; false where somebody else has. It has
// been closed when the call returns.
func (s *store) end(e *entry, why string) (ended bool, err error) {
	s.mu.Lock()
	if s.entries[e.id] != e {
		s.mu.Unlock()
		return false, nil
	}
	delete(s.entries, e.id)
	s.steps -= e.steps
	s.metrics.sessions.Set(float64(len(s.entries)))
	s.mu.Unlock()
	close(e.gone)
	if !e.adopted {
		err = e.session.Close()
		s.metrics.ended.WithLabelValues(why).Inc()
	}
	if e.own {
		s.mu.Lock()
		s.own.close(e.scenario.Config)
		s.mu.Unlock()
	}
	s.bytes.Add(-e.bytes.Load())
	s.metrics.bytes.Set(float64(s.bytes.Load()))
	return true, err
}

// reap ends sessions when they expire.
func (s *store) reap() {
	for {
		due, next := s.due(time.Now())
		for _, e := range due {
			// A session that could not be closed cleanly is gone all the same.
			_, _ = s.end(e, "expired")
		}
		timer := time.NewTimer(next)
		select {
		case <-timer.C:
		case <-s.sooner:
		case <-s.ending:
			timer.Stop()
			return
		}
		timer.Stop()
	}
}

// longestNap is how long the reaper sleeps where nothing expires.
const longestNap = time.Hour

// due are the sessions that have expired, and how long it takes until the next
// one does.
func (s *store) due(now time.Time) (due []*entry, next time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	next = longestNap
	for _, e := range s.entries {
		expires := e.expires()
		switch {
		case expires.IsZero():
		case !expires.After(now):
			due = append(due, e)
		default:
			next = min(next, expires.Sub(now))
		}
	}
	return due, next
}

// close ends every session.
func (s *store) close() error {
	s.mu.Lock()
	s.closed = true
	s.mu.Unlock()
	close(s.ending)
	s.reaper.Wait()
	var problems []error
	for _, e := range s.all() {
		_, err := s.end(e, "closed")
		problems = append(problems, err)
	}
	return errors.Join(problems...)
}

// newID is an id that nobody guesses.
func newID() string {
	var random [8]byte
	_, _ = rand.Read(random[:]) // it cannot fail: the runtime ends the process first
	return hex.EncodeToString(random[:])
}
