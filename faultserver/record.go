package faultserver

import (
	"crypto/sha256"
	"slices"
	"time"
)

// A record is the journal's entry of an attempt while it is being written. It
// is guarded by its session's lock.
type record struct {
	Attempt
	cursor *cursor
	// answeredAt and struckAt are when it was; 0 while it was not.
	answeredAt, struckAt time.Duration
	// before and wrote are how many bytes the connection had sent before the
	// answer, and how many the answer has sent; sending tells that it still sends.
	before, wrote int64
	sending       bool
	// settling tells that something of the attempt's end is visible to the
	// client already, and its entry is about to say so.
	settling bool
	// dropped tells that the journal has no room for it.
	dropped bool
}

// A connRecord is the journal's entry of a connection.
type connRecord struct {
	Connection
	// unacked are the attempts whose answers may still be being acknowledged.
	unacked []*record
}

// An arrival is what makes an attempt.
type arrival struct {
	conn *conn
	// head is nil for a connection that a connection-level step strikes, whose
	// choice is then given.
	head   *head
	struck *choice
	at     time.Time
}

// begin enters an attempt and takes its step, both under one lock.
func (s *Session) begin(a arrival) (*record, choice) {
	s.mu.Lock()
	defer s.mu.Unlock()
	call := s.currentCall()
	if a.head != nil && a.head.named {
		call = s.call(a.head.token)
	}
	call.count++
	s.attempts++
	r := s.newRecord()
	r.Attempt = Attempt{
		Session: s.id, Call: call.token, Number: call.count, Index: s.attempts,
		Arrived: s.since(a.at), Open: true, Body: BodyReceipt{Declared: -1}, Use: a.conn.uses,
	}
	if open := s.conns[a.conn]; open != nil {
		r.Connection = open.ID
		if (len(open.unacked)+1)%ackEvery == 0 {
			s.refreshAcks(a.conn)
		}
		open.unacked = append(open.unacked, r)
	}
	var taken choice
	if a.struck != nil {
		taken = *a.struck
	} else {
		r.HeadRead = s.since(a.head.complete)
		r.Method, r.Target, r.RawTarget, r.Proto = a.head.method, a.head.path, a.head.target, a.head.proto
		r.Headers = a.head.headers
		taken = s.takeFor(call, a)
	}
	r.cursor, r.Step = taken.cursor, taken.ref
	if r.Step.Unscripted {
		s.unscripted++
	}
	if a.head != nil {
		if n := len(call.attempts); n > 0 {
			r.Early = r.earlyBy(call.attempts[n-1])
		}
		taken.verdict = s.decided(r, taken)
	}
	if len(s.records) < s.config.MaxAttempts && s.admits(a.head) {
		s.records = append(s.records, r)
		call.attempts = append(call.attempts, r)
	} else {
		r.dropped = true
		s.dropped++
	}
	s.announce()
	return r, taken
}

// forget gives up what a record holds that is over and not in the journal: others
// lie beside it that may stay for long. Only the counts of its answer's bytes are
// looked at again.
func (r *record) forget() { r.Attempt = Attempt{Acked: r.Acked} }

// recordsTogether is how many records are made at a time once there are many. (One
// at a time, the garbage collector took 15 % of the processor time of a server under
// load; so, 5 %.)
const recordsTogether = 32

// newRecord is an empty one. The lock is held.
func (s *Session) newRecord() *record {
	if len(s.blank) == 0 {
		s.blank = make([]record, min(max(s.attempts, 1), recordsTogether))
	}
	r := &s.blank[0]
	s.blank = s.blank[1:]
	return r
}

// takeFor is the step that an attempt of a call takes. The lock is held.
func (s *Session) takeFor(call *callState, a arrival) choice {
	switch {
	case s.config.Choose != nil:
		return s.chosen(a.head)
	case call.cursor != nil:
		return call.cursor.take(a.conn.uses > 1)
	}
	return s.script.take(a.conn.uses > 1)
}

// update changes an entry. A nil one, of a request that is no attempt, is left
// alone.
func (s *Session) update(r *record, change func(*record)) {
	if r == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	change(r)
}

// observe tells Config.Observe how the attempt stands.
func (s *Session) observe(r *record) {
	if s.config.Observe == nil || r == nil {
		return
	}
	s.mu.Lock()
	attempt := r.Attempt
	s.mu.Unlock()
	s.config.Observe(attempt)
}

// refresh brings the receipts of a connection's answers up to date.
func (s *Session) refresh(c *conn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.refreshAcks(c)
}

// ackEvery is how many attempts of a connection share one look at what its client
// has acknowledged, which costs a system call. What has been acknowledged of the
// last answer has been of all before it.
const ackEvery = 16

// refreshAcks brings the receipts of a connection's answers up to date. The lock
// is held.
func (s *Session) refreshAcks(c *conn) {
	open := s.conns[c]
	if open == nil || len(open.unacked) == 0 {
		return
	}
	written := c.written.Load()
	if last := open.unacked[len(open.unacked)-1]; last.sending {
		last.wrote = written - last.before
	}
	acked, _, err := ackedBytes(c.raw, written)
	if err != nil {
		if !canSeeAcks {
			for _, r := range open.unacked {
				r.Acked = -1
			}
			open.unacked = nil
		}
		return
	}
	for _, r := range open.unacked {
		r.Acked = max(r.Acked, min(max(acked-r.before, 0), r.wrote))
	}
	open.unacked = slices.DeleteFunc(open.unacked, func(r *record) bool { return !r.Open && r.Acked == r.wrote })
}

// join enters a connection that the session serves from now on.
func (s *Session) join(c *conn) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	select {
	case <-s.closing:
		return false
	default:
	}
	s.serving.Add(1)
	s.connCount++
	r := &connRecord{Connection: Connection{ID: s.connCount, Accepted: s.since(c.accepted), Silent: true}}
	s.conns[c] = r
	if len(s.connLog) < s.config.MaxAttempts && s.holds(shortBytes) {
		s.connLog = append(s.connLog, r)
	} else {
		s.dropped++
	}
	return true
}

// part enters that the session no longer serves a connection. It is the last
// that the connection's goroutine does for the session.
func (s *Session) part(c *conn, client ClientEnd, closed bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r := s.conns[c]
	if r == nil {
		return
	}
	s.refreshAcks(c)
	r.unacked = nil // an attempt that was dropped is not held on to
	delete(s.conns, c)
	if closed {
		r.Closed, r.Client = s.Elapsed(), client
	}
	if s.listener != nil {
		s.config.Room.give()
	}
	s.serving.Done()
}

// carried enters that a connection has carried bytes, and a request if it was one.
func (s *Session) carried(c *conn, requests int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if r := s.conns[c]; r != nil {
		r.Silent = false
		r.Requests += requests
	}
}

// event enters something that came and is no attempt.
func (s *Session) event(c *conn, kind, detail string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	e := ProtocolEvent{Kind: kind, At: s.Elapsed(), Detail: cut(detail, longestDetail)}
	if r := s.conns[c]; r != nil {
		e.Connection = r.ID
	}
	if len(s.events) < s.config.MaxAttempts && s.holds(shortBytes+int64(len(e.Detail))) {
		s.events = append(s.events, e)
	} else {
		s.dropped++
	}
}

// commit performs the side effect of an attempt, if its step is to.
func (s *Session) commit(r *record, how Commit) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if text := r.Headers.Get("Idempotency-Key"); text != "" {
		key := sha256.Sum256([]byte(text)) // a client may send large ones
		switch {
		case s.committed[key] && how == CommitByKey:
			return
		case s.committed[key]:
		case s.holds(shortBytes):
			s.committed[key] = true
		default: // the journal proves nothing any more, since the key may come again
			s.dropped++
		}
	}
	s.effects++
	r.Committed = true
}

// settleTime bounds how long a journal waits for entries that are about to be
// complete. (At a load of 60 on two cores, 99 % of 3,000 were complete within
// 56 ms and all within 253 ms.)
const settleTime = 500 * time.Millisecond

// Journal is the record up to now. It is a copy: nothing that happens later
// changes it. It waits for the entries of answers that are just being written,
// half a second at most, so that a client that has its answer finds it in the
// journal. Answers that a client leaves unread are not waited for.
func (s *Session) Journal() Journal {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.settle()
	for c := range s.conns {
		s.refreshAcks(c)
	}
	j := Journal{
		Session: s.id, Started: s.begun, Seed: s.config.Seed, Effects: s.effects, Dropped: s.dropped,
		Events: slices.Clone(s.events), Windows: slices.Clone(s.windows),
		Attempts: make([]Attempt, 0, len(s.records)), Connections: make([]Connection, 0, len(s.connLog)),
	}
	for _, r := range s.records {
		j.Attempts = append(j.Attempts, r.snapshot())
	}
	for _, r := range s.connLog {
		j.Connections = append(j.Connections, r.Connection)
	}
	j.Unmet = append(s.connections.unmet(), s.script.unmet()...)
	for _, call := range s.order {
		if call.cursor != nil {
			j.Unmet = append(j.Unmet, call.cursor.unmet()...)
		}
	}
	return j
}

// settle waits until no entry is about to be complete. The lock is held, and
// given up meanwhile.
func (s *Session) settle() {
	var timeout <-chan time.Time
	for s.settling > 0 {
		if timeout == nil {
			timer := time.NewTimer(settleTime)
			defer timer.Stop()
			timeout = timer.C
		}
		changed := s.change()
		s.mu.Unlock()
		select {
		case <-changed:
			s.mu.Lock()
		case <-timeout:
			s.mu.Lock()
			return
		}
	}
}

// setSettling enters whether an entry is about to be complete. The lock is held.
func (s *Session) setSettling(r *record, settling bool) {
	if r.settling == settling {
		return
	}
	r.settling = settling
	if settling {
		s.settling++
		return
	}
	s.settling--
	s.announce()
}

// snapshot is a copy of the entry that shares nothing with it. The lock is held.
func (r *record) snapshot() Attempt {
	a := r.Attempt
	a.Headers = slices.Clone(a.Headers)
	a.Body.Kept = slices.Clone(a.Body.Kept)
	a.Body.Trailers = slices.Clone(a.Body.Trailers)
	if sent := a.RetryAfter; sent != nil {
		a.RetryAfter = &SentRetryAfter{Value: sent.Value, Wait: clone(sent.Wait), Until: clone(sent.Until)}
	}
	return a
}

func clone(d *time.Duration) *time.Duration {
	if d == nil {
		return nil
	}
	copied := *d
	return &copied
}
