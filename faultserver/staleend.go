package faultserver

import "time"

// A staleEnd is the end that an idle connection is to come to.
type staleEnd struct {
	exchange *exchange
	at       time.Time
	kind     EndKind
	effect   Effect
	// says is sent before a FIN; nothing where it is empty.
	says []byte
	// heard tells that the client reset the connection at what was said, before the FIN.
	heard bool
}

// toEnd has the connection come to such an end. One that it was to come to before,
// and that was overtaken, is in progress no more.
func (c *conn) toEnd(end *staleEnd) {
	if c.stale != nil {
		c.stale.exchange.finish()
	}
	c.stale = end
}

// endStale ends the idle connection as a stale step asked for.
func (c *conn) endStale() {
	stale := c.stale
	c.stale = nil
	stale.exchange.settling()
	if stale.kind == EndRST {
		c.abort()
	} else {
		stale.finish(c)
	}
	switch x := stale.exchange; {
	case stale.heard:
		stale.effect.End = ""
		x.happened(stale.effect)
		x.enter(func(*record) bool { return true })
	case len(x.misses) == 0:
		x.struck(stale.effect)
	}
	stale.exchange.finish()
}

// finish ends the connection with FIN, after what there is to say. A client that has
// just reset it was left no stale one, unless it did so at what was said: nginx resets
// an idle connection on which anything comes, in a third of the runs before our FIN.
func (s *staleEnd) finish(c *conn) {
	if len(s.says) > 0 {
		if err := c.write(s.says); err != nil {
			s.exchange.miss("the unsolicited answer: " + err.Error())
		}
	}
	switch err := c.finish(); {
	case err == nil:
	case isReset(err) && len(s.says) > 0 && len(s.exchange.misses) == 0:
		s.heard = true
		s.exchange.noteReset()
		s.exchange.detail("the client reset the connection when the unsolicited answer came")
	default:
		s.exchange.miss("FIN: " + err.Error())
	}
	c.linger = lingerTime
}

// overtaken tells a stale step that the client used the connection before its
// end came.
func (c *conn) overtaken() {
	if c.stale != nil && len(c.stale.exchange.misses) == 0 {
		c.stale.exchange.miss("the client used the connection again before its idle end")
	}
}

// overtakenByEnd tells a stale step that the connection ended otherwise.
func (c *conn) overtakenByEnd() {
	stale := c.stale
	c.stale = nil
	if len(stale.exchange.misses) == 0 {
		stale.exchange.miss("the connection ended before its idle end")
	}
	stale.exchange.finish()
}
